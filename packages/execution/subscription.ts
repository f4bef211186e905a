import type { Outcome } from './operation-metrics.ts';
import type { OpenedSubscription } from './subscription-limits.ts';

/** `work` learns whether it has waited. */
export type Admit = <Result>(work: (hasWaited: boolean) => Promise<Result>) => Promise<Result>;

export interface SubscribeOptions extends OpenedSubscription {
  /** Bounds concurrent events of a shared transport. */
  admit?: Admit;
}

export class Subscription {
  readonly options: SubscribeOptions;
  readonly #listeners: ((outcome: Outcome) => void)[] = [];

  constructor(options: SubscribeOptions) {
    this.options = options;
  }

  onEnd(listener: (outcome: Outcome) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls each listener once, when the subscription ends or cannot start. */
  end(outcome: Outcome): void {
    for (const listener of this.#listeners.splice(0)) listener(outcome);
  }
}
