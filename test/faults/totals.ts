import type { Round } from './trial.ts';

interface Total {
  rounds: number;
  acknowledged: number;
  refused: number;
  /** Writes with a 503 or no response. */
  unknown: number;
  /** Unknown writes that took effect. */
  written: number;
  kills: number;
  events: number;
  /** Maximum of {@link Round.servedAfterMs}. */
  'served after ms': number;
  problems: number;
}

const emptyTotal: Total = {
  ...{ rounds: 0, acknowledged: 0, refused: 0, unknown: 0, written: 0 },
  ...{ kills: 0, events: 0, 'served after ms': 0, problems: 0 },
};

const addTotals = (one: Total, other: Total): Total => ({
  rounds: one.rounds + other.rounds,
  acknowledged: one.acknowledged + other.acknowledged,
  refused: one.refused + other.refused,
  unknown: one.unknown + other.unknown,
  written: one.written + other.written,
  kills: one.kills + other.kills,
  events: one.events + other.events,
  'served after ms': Math.max(one['served after ms'], other['served after ms']),
  problems: one.problems + other.problems,
});

export class Totals {
  readonly problems: string[] = [];
  readonly #byFault = new Map<string, Total>();

  add(round: Round): string {
    const {
      fault,
      acknowledged,
      refused,
      unknown,
      unknownWritten: written,
      kills,
      delivered,
      servedAfterMs,
      problems,
    } = round;
    const total = {
      ...{ rounds: 1, acknowledged, refused, unknown, written, kills },
      ...{ events: delivered, 'served after ms': servedAfterMs, problems: problems.length },
    };
    this.#byFault.set(fault, addTotals(this.#byFault.get(fault) ?? emptyTotal, total));
    for (const problem of problems) this.fail(`${fault}: ${problem}`);
    return [
      `${fault}: ${acknowledged} acknowledged, ${refused} refused`,
      `${unknown} answered 503 or not at all (${written} written)`,
      `${kills} killed, ${delivered} events, served after ${servedAfterMs} ms`,
      problems.length === 0 ? 'well' : `PROBLEMS: ${problems.slice(0, 5).join('; ').slice(0, 3000)}`,
    ].join('; ');
  }

  fail(problem: string): void {
    this.problems.push(problem);
  }

  /** Rows per fault, and a total. */
  table(): Record<string, Total> {
    const all = [...this.#byFault.values()].reduce(addTotals, emptyTotal);
    return { ...Object.fromEntries(this.#byFault), all };
  }
}
