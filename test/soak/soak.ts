import { Run } from '../load/run.ts';
import { seededRandom } from '../kit/random.ts';
import { Installation } from './world.ts';

export interface Size {
  seed: number;
  writes: number;
  /** Subscribers to task changes (two users), and replicas (four users). */
  followers: number;
  kills: number;
  restarts: number;
  /** Number of lost replicas. */
  firstLoads: number;
  /** Number of pauses for checks, the last one at the end. */
  checkpoints: number;
}

export type Figures = Run['figures'] & { seconds: number; problems: string[] };

const pick = <Item>(random: () => number, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

/** Acknowledged writes between two cuts of connections. */
const writesPerCut = 7;

/**
 * Writes randomly from several users while connections break, gateways are killed and the database restarts.
 * @param report receives a line per checkpoint
 */
export async function soak(
  { seed, writes, followers, kills, restarts, firstLoads, checkpoints }: Size,
  report: (line: string) => void,
): Promise<Figures> {
  const start = performance.now();
  const random = seededRandom(`${seed} faults`);
  const world = await Installation.start(random);
  try {
    const run = await Run.start(world, { seed, followers, isKeyed: true, hasWebhook: true });
    const problems: string[] = [];
    const figures = () => ({ ...run.figures, seconds: Math.round((performance.now() - start) / 1000), problems });
    const faults: [times: number, inject: (number: number) => unknown][] = [
      [firstLoads, () => pick(random, run.replicas).restart()],
      [kills, (number) => world.kill(number % 2)],
      [restarts, () => world.restartDatabase()],
    ];
    const injected = faults.map(() => 0);
    for (let checkpoint = 1; checkpoint <= checkpoints; checkpoint += 1) {
      run.load.start();
      for (let done = run.load.counts.acknowledged; done < (writes * checkpoint) / checkpoints;) {
        await run.load.until(['acknowledged'], writesPerCut);
        done = run.load.counts.acknowledged;
        pick(random, run.connections).disconnect();
        for (const [index, [times, inject]] of faults.entries()) {
          const number = injected[index] ?? 0;
          if (number >= times || done < (writes * (number + 1)) / (times + 1)) continue;
          injected[index] = number + 1;
          await inject(number);
        }
      }
      await run.load.pause();
      problems.push(...(await run.checker.check()));
      report(`checkpoint ${checkpoint} of ${checkpoints}: ${JSON.stringify(figures())}`);
    }
    await run.end();
    return figures();
  } finally {
    await world.stop();
  }
}
