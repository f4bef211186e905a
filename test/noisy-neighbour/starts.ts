import { FairQueue } from '../../src/kernel/fair-queue.ts';
import { keysOf } from '../../src/kernel/group-counts.ts';

/** Counts the work that begins in a queue while the neighbour waits there. */
export class Starts {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its queue below
  readonly #run = FairQueue.prototype.run;
  #begun = 0;
  /** The most work that began during one wait of the neighbour. Undefined if it never waited. */
  overtaking: number | undefined;

  constructor(queue: string, isNeighbours: (key: string) => boolean) {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- `this` is the queue below
    const starts = this;
    FairQueue.prototype.run = function (key, work, options) {
      const before = starts.#begun;
      const begin: typeof work = (hasWaited) => {
        if (this.name !== queue) return work(hasWaited);
        if (isNeighbours(keysOf(key)[0])) starts.overtaking = Math.max(starts.overtaking ?? 0, starts.#begun - before);
        starts.#begun += 1;
        return work(hasWaited);
      };
      return starts.#run.call(this, key, begin, options) as never;
    };
  }

  stop(): void {
    FairQueue.prototype.run = this.#run;
  }
}
