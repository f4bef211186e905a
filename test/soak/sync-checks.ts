import pRetry from 'p-retry';
import type { Effects } from './effects.ts';
import type { Answered, Sender } from './sender.ts';
import type { SyncFollower } from './sync-follower.ts';

/** What was found wrong with keyed writes and replicas of everything. */
export interface SyncFound {
  /** Writes that were answered with success and have no effect. */
  lost: number;
  /** Writes with an effect too many: a second one, or one although they were refused. */
  twice: number;
  /** Answers to a key that were not its first one. */
  differing: number;
  /** Replicas that were not what the lists say. */
  unequal: number;
  /** Each of these writes, and what is wrong in the histories of replicas. */
  problems: string[];
}

/** Holds the answers to writes against what was committed, and replicas against both and the lists. */
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

  /** Looks at all since the last checkpoint. To be called while nobody writes. */
  async check(): Promise<void> {
    const { found } = this;
    await Promise.all(this.#followers.map((follower) => follower.caughtUp()));
    // The first statements after a restart of the database may fail.
    await pRetry(() => this.#effects.read(), { retries: 5 });
    const answered = this.#sender.answered.splice(0);
    for (const each of answered) this.#count(each);
    found.differing += this.#sender.differing.splice(0).length;
    for (const follower of this.#followers) {
      const { problems, isEqual } = await follower.check(answered);
      found.problems.push(...problems);
      if (!isEqual) found.unequal += 1;
    }
  }

  #count(write: Answered): void {
    const { mark, deletes, isDone } = write;
    const effects = mark === undefined ? [] : this.#effects.marked(mark);
    const times = new Set(effects.map(({ transaction }) => transaction)).size;
    const isLost = (mark !== undefined && times === 0) || (deletes !== undefined && !this.#effects.isDeleted(deletes));
    if (isDone && isLost) this.#find('lost', write);
    if (times > (isDone ? 1 : 0)) this.#find('twice', write);
  }

  #find(what: 'lost' | 'twice', write: Answered): void {
    this.found[what] += 1;
    this.found.problems.push(`${what}: ${JSON.stringify(write)}`);
  }
}
