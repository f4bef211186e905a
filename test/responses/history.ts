export type Shown = ReadonlyMap<string, number>;

/**
 * Checks reads of registers, which are numbers that one writer each raises in steps. A read shows at least what
 * responses had shown when it began, and at most what writers had sent when it ended.
 */
export class History {
  readonly violations: string[] = [];
  readonly #begun = new Map<string, number>();
  /** Least values for new reads: from ended writes and reads. */
  readonly #certain = new Map<string, number>();

  async write(register: string, value: number, send: () => Promise<unknown>): Promise<void> {
    this.#begun.set(register, value);
    await send();
    this.#raise(register, value);
  }

  /** @param registers in the response @param place names the read in reports */
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

/** Texts like `title 7`, or `"reminderBefore":7` for numbers without a name. */
const registerText = /"(\w+)(?: |":)(\d+)[",}]/g;

/** The greatest values of registers. `doomed` counts its deleted tasks. */
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

/** The least values that responses with an ETag have shown, because a client may hold any of them. */
export class HeldAnswers {
  readonly #shown = new Map<string, Shown>();

  hold(tag: string, shown: Shown): void {
    const other = this.#shown.get(tag);
    // The last response counts as the newest, even if an equal one came before.
    this.#shown.delete(tag);
    this.#shown.set(
      tag,
      new Map([...shown].map(([register, value]) => [register, Math.min(value, other?.get(register) ?? value)])),
    );
  }

  last(count: number): string[] {
    return count === 0 ? [] : [...this.#shown.keys()].slice(-count);
  }

  shownOf(tag: string): Shown {
    return this.#shown.get(tag) ?? new Map<string, number>();
  }
}
