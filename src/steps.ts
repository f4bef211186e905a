import { log } from './kernel/logger.ts';

/** Runs the steps of the start or of the stop one after the other, and says in the log how long each has taken. */
export class Steps {
  /** Milliseconds of each step that is over. */
  readonly milliseconds: Record<string, number> = {};
  readonly #begun = performance.now();
  readonly #level: 'debug' | 'info';
  readonly #message: string;

  /** @param message what the line of each step says */
  constructor(level: 'debug' | 'info', message: string) {
    this.#level = level;
    this.#message = message;
  }

  /** Milliseconds since the first one began. */
  get total(): number {
    return Math.round(performance.now() - this.#begun);
  }

  /** @throws what the step throws; nothing is said of it then */
  async run<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
    const begun = performance.now();
    const result = await work();
    const ms = Math.round(performance.now() - begun);
    this.milliseconds[step] = ms;
    log[this.#level]({ step, ms }, this.#message);
    return result;
  }
}
