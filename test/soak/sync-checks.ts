import pRetry from 'p-retry';
import type { Effects } from './effects.ts';
import type { SentWrite, Sender } from './sender.ts';
import type { SyncFollower } from './sync-follower.ts';

export interface SyncFound {
  lost: number;
  /** Second effects, and effects of refused writes. */
  twice: number;
  /** Responses that differ from the first one. */
  differing: number;
  unequal: number;
  problems: string[];
}

/** Compares responses with commits, and replicas with commits and lists. */
export class SyncChecks {
  readonly found: SyncFound = { lost: 0, twice: 0, differing: 0, unequal: 0, problems: [] };
  readonly #effects: Effects;
  readonly #sender: Sender;
  readonly #followers: readonly SyncFollower[];

  constructor(effects: Effects, sender: Sender, followers: readonly SyncFollower[]) {
    this.#effects = effects;
    this.#sender = sender;
    this.#followers = followers;
  }

  /** Checks everything since the last checkpoint. Call while nobody writes. */
  async check(): Promise<void> {
    const { found } = this;
    await Promise.all(this.#followers.map((follower) => follower.untilCaughtUp()));
    // The first statements after a restart of the database may fail.
    await pRetry(() => this.#effects.read(), { retries: 5 });
    const sentWrites = this.#sender.sentWrites.splice(0);
    for (const each of sentWrites) this.#count(each);
    found.differing += this.#sender.differingKeys.splice(0).length;
    for (const follower of this.#followers) {
      const { problems, isEqual } = await follower.check(sentWrites);
      found.problems.push(...problems);
      if (!isEqual) found.unequal += 1;
    }
  }

  #count(write: SentWrite): void {
    const { mark, deletes, isDone } = write;
    const effects = mark === undefined ? [] : this.#effects.withMark(mark);
    const times = new Set(effects.map(({ transaction }) => transaction)).size;
    const isLost = (mark !== undefined && times === 0) || (deletes !== undefined && !this.#effects.isDeleted(deletes));
    if (isDone && isLost) this.#find('lost', write);
    if (times > (isDone ? 1 : 0)) this.#find('twice', write);
  }

  #find(kind: 'lost' | 'twice', write: SentWrite): void {
    this.found[kind] += 1;
    this.found.problems.push(`${kind}: ${JSON.stringify(write)}`);
  }
}
