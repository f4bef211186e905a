import { type FairKey, FairQueue, keysOf } from '@taskgate/work';

/** Counts the work that begins in a queue while the neighbour waits there. */
export class StartCounter {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- both are called with their queue below
  readonly #original = { run: FairQueue.prototype.run, enter: FairQueue.prototype.enter };
  #begun = 0;
  /** The most work that began during one wait of the neighbour. Undefined if it never waited. */
  overtaking: number | undefined;

  constructor(queue: string, isNeighbour: (key: string) => boolean) {
    const { run, enter } = this.#original;
    const waitOf = ({ name }: FairQueue, key: FairKey) => {
      const before = this.#begun;
      return () => {
        if (name !== queue) return;
        // A stranger chooses the first key, such as a forged token, but not the network.
        if (isNeighbour(keysOf(key).at(-1) ?? ''))
          this.overtaking = Math.max(this.overtaking ?? 0, this.#begun - before);
        this.#begun += 1;
      };
    };
    FairQueue.prototype.run = function (key, work, options) {
      const begin = waitOf(this, key);
      const startWork: typeof work = (hasWaited) => {
        begin();
        return work(hasWaited);
      };
      return run.call(this, key, startWork, options) as never;
    };
    FairQueue.prototype.enter = async function (key, options) {
      const begin = waitOf(this, key);
      const turn = await enter.call(this, key, options);
      begin();
      return turn;
    };
  }

  stop(): void {
    Object.assign(FairQueue.prototype, this.#original);
  }
}
