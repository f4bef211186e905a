import type { ChangeHint } from '../kernel/change-hint.ts';
import type { TaskgateError } from '../kernel/errors.ts';

/** Wakes a subscription where there may be something for its replica; several times before it looks are one. */
export class SyncSignal {
  readonly #userId: string;
  #spaceIds = new Set<string>();
  #isDue = true;
  #over: { reason: TaskgateError | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor(userId: string) {
    this.#userId = userId;
  }

  /** From now on it is woken by changes of these spaces. */
  follow(spaceIds: readonly string[]): void {
    this.#spaceIds = new Set(spaceIds);
  }

  /** @returns whether there may be something, once that is so; not, where it has ended @throws what ended it */
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
