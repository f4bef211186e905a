/** What an answer shows of each register. */
export type Shown = ReadonlyMap<string, number>;

/**
 * The history of registers: named numbers that one writer each raises step by step, while anybody
 * reads them. It notes what must not be: a read that shows less than had been answered, to whomever,
 * when the read began, or more than had been requested when it ended.
 */
export class History {
  readonly violations: string[] = [];
  /** Values of writes that have been sent. */
  readonly #begun = new Map<string, number>();
  /** What every read that begins now has to show: values of writes and reads that have ended. */
  readonly #certain = new Map<string, number>();

  async write(register: string, value: number, send: () => Promise<unknown>): Promise<void> {
    this.#begun.set(register, value);
    await send();
    this.#raise(register, value);
  }

  /**
   * @param registers those that the answer has to show
   * @param place names the read in what is reported
   */
  async read(registers: readonly string[], place: string, send: () => Promise<Shown>): Promise<void> {
    const floor = new Map(registers.map((register) => [register, this.#certain.get(register) ?? 0]));
    const shown = await send();
    for (const [register, least] of floor) {
      const value = shown.get(register) ?? NaN;
      const most = this.#begun.get(register) ?? 0;
      if (value >= least && value <= most) this.#raise(register, value);
      else this.violations.push(`${place} shows ${register} ${value}, which is ${least} to ${most}`);
    }
  }

  #raise(register: string, value: number) {
    this.#certain.set(register, Math.max(value, this.#certain.get(register) ?? 0));
  }
}

/** Texts like `title 7` and, as numbers have no name, `"reminderBefore":7`. */
const registerText = /"(\w+)(?: |":)(\d+)[",}]/g;

/**
 * The registers within an answer. Of one that is written several times the greatest counts; of `doomed`,
 * whose tasks are deleted one after another, the number of those that are gone.
 */
export function shownIn(body: unknown): Shown {
  const shown = new Map<string, number>();
  for (const [, register = '', digits] of JSON.stringify(body).matchAll(registerText)) {
    const value = Number(digits);
    const other = shown.get(register);
    if (register === 'doomed') shown.set(register, Math.min(value - 1, other ?? Infinity));
    else shown.set(register, Math.max(value, other ?? 0));
  }
  return shown;
}

/** What answers of an ETag have shown: of each register the least, as any of them may be the one that a client holds. */
export class HeldAnswers {
  readonly #shown = new Map<string, Shown>();

  hold(tag: string, shown: Shown): void {
    const other = this.#shown.get(tag);
    // The last one that came is the last one, also where it had come before: answers may overtake one another.
    this.#shown.delete(tag);
    this.#shown.set(
      tag,
      new Map([...shown].map(([register, value]) => [register, Math.min(value, other?.get(register) ?? value)])),
    );
  }

  /** Tags of the last ones, oldest first. */
  last(count: number): string[] {
    return count === 0 ? [] : [...this.#shown.keys()].slice(-count);
  }

  shownOf(tag: string): Shown {
    return this.#shown.get(tag) ?? new Map<string, number>();
  }
}
