import type { TaskgateError } from '@taskgate/base';
import type { ChangeHint } from '../platform/change-hint.ts';

/** Several signals before the next read count once. */
export class SyncSignal {
  readonly #userId: string;
  #spaceIds = new Set<string>();
  #isDue = true;
  #over: { reason: TaskgateError | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor(userId: string) {
    this.#userId = userId;
  }

  follow(spaceIds: readonly string[]): void {
    this.#spaceIds = new Set(spaceIds);
  }

  /**
   * @returns false after the end
   * @throws the reason of the end
   */
  async next(): Promise<boolean> {
    if (!this.#isDue && !this.#over) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isDue = false;
    if (this.#over?.reason) throw this.#over.reason;
    return !this.#over;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  notify(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  onChange({ spaces = [], users = [] }: ChangeHint): void {
    if (users.includes(this.#userId) || spaces.some((id) => this.#spaceIds.has(id))) this.notify();
  }

  onPoll(): void {
    this.notify();
  }

  end(reason?: TaskgateError): void {
    this.#over ??= { reason };
    this.#wake?.();
  }
}
