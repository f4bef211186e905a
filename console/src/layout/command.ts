import type { IconName } from '../ui/icon.tsx';

export interface Command {
  readonly title: string;
  /** Such as the project of a task. The search finds it too. */
  readonly description?: string | undefined;
  readonly icon: IconName;
  readonly color?: string | undefined;
  readonly keys?: string;
  readonly run: () => void;
}
