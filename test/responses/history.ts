export type RegisterValues = ReadonlyMap<string, number>;

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
  async read(registers: readonly string[], place: string, send: () => Promise<RegisterValues>): Promise<void> {
    const floor = new Map(registers.map((register) => [register, this.#certain.get(register) ?? 0]));
    const values = await send();
    for (const [register, minimum] of floor) {
      const value = values.get(register) ?? NaN;
      const maximum = this.#begun.get(register) ?? 0;
      if (value >= minimum && value <= maximum) this.#raise(register, value);
      else this.violations.push(`${place} shows ${register} ${value}, which is ${minimum} to ${maximum}`);
    }
  }

  #raise(register: string, value: number) {
    this.#certain.set(register, Math.max(value, this.#certain.get(register) ?? 0));
  }
}

/** Texts like `title 7`, or `"reminderBefore":7` for numbers without a name. */
const registerText = /"(\w+)(?: |":)(\d+)[",}]/g;

/** The greatest values of registers. `doomed` counts its deleted tasks. */
export function registerValues(body: unknown): RegisterValues {
  const values = new Map<string, number>();
  for (const [, register = '', digits] of JSON.stringify(body).matchAll(registerText)) {
    const value = Number(digits);
    const other = values.get(register);
    if (register === 'doomed') values.set(register, Math.min(value - 1, other ?? Infinity));
    else values.set(register, Math.max(value, other ?? 0));
  }
  return values;
}

/** The least values that responses with an ETag have shown, because a client may hold any of them. */
export class CachedResponses {
  readonly #shown = new Map<string, RegisterValues>();

  add(tag: string, values: RegisterValues): void {
    const other = this.#shown.get(tag);
    // The last response counts as the newest, even if an equal one came before.
    this.#shown.delete(tag);
    this.#shown.set(
      tag,
      new Map([...values].map(([register, value]) => [register, Math.min(value, other?.get(register) ?? value)])),
    );
  }

  last(count: number): string[] {
    return count === 0 ? [] : [...this.#shown.keys()].slice(-count);
  }

  valuesOf(tag: string): RegisterValues {
    return this.#shown.get(tag) ?? new Map<string, number>();
  }
}
