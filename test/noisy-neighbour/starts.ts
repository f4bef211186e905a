import { FairQueue } from '../../src/kernel/fair-queue.ts';
import { keysOf } from '../../src/kernel/group-counts.ts';

/** Counts the work that begins in a queue while the neighbour waits there. */
export class StartCounter {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its queue below
  readonly #run = FairQueue.prototype.run;
  #begun = 0;
  /** The most work that began during one wait of the neighbour. Undefined if it never waited. */
  overtaking: number | undefined;

  constructor(queue: string, isNeighbour: (key: string) => boolean) {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- `this` is the queue below
    const counter = this;
    FairQueue.prototype.run = function (key, work, options) {
      const before = counter.#begun;
      const startWork: typeof work = (hasWaited) => {
        if (this.name !== queue) return work(hasWaited);
        if (isNeighbour(keysOf(key)[0]))
          counter.overtaking = Math.max(counter.overtaking ?? 0, counter.#begun - before);
        counter.#begun += 1;
        return work(hasWaited);
      };
      return counter.#run.call(this, key, startWork, options) as never;
    };
  }

  stop(): void {
    FairQueue.prototype.run = this.#run;
  }
}
