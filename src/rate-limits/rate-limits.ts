import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimitError, rateLimited } from '../kernel/errors.ts';
import type { WindowPolicy } from '../kernel/rate-limit-policies.ts';
import type { RateLimitStore } from './rate-limit-store.ts';

/**
 * The part of a limit that a process counts by itself before it syncs with the others: each process may exceed the limit by this much. A
 * subject that stays below it costs the store nothing at all.
 */
const unsyncedShare = 1 / 50;
/** Subjects of one limit that are synced at once; others are with what they do next. */
const maxSyncing = 20;
/** Subjects of one limit that a process has counts of; beyond, the count that was begun first is forgotten. */
const maxSubjects = 50_000;
/** Characters of a subject that is kept as it is; of a longer one it is a hash. */
const maxSubjectLength = 128;

/** What has been counted of a subject within the present window. */
interface Count {
  /** When the window ends; by performance.now(), in milliseconds. */
  endsAt: number;
  /** By all processes, as the store said last. */
  synced: number;
  /** By this process since, and not yet synced with the store. */
  unsynced: number;
  isSyncing: boolean;
  /** Until when all is refused, whatever is left; by performance.now(). */
  refusedUntil: number;
}

export interface Standing {
  policy: WindowPolicy;
  remaining: number;
  resetSeconds: number;
}

/** The one of which the smallest part is left. */
export function nearest(standings: readonly (Standing | undefined)[]): Standing | undefined {
  let found: Standing | undefined;
  for (const standing of standings) {
    if (standing && (!found || leftOf(standing) < leftOf(found))) found = standing;
  }
  return found;
}

const leftOf = ({ remaining, policy }: Standing) => remaining / policy.quota;

export interface RateLimitOptions {
  policy: WindowPolicy;
  /** Where the processes count together; undefined: nothing is counted and nothing refused. */
  store: RateLimitStore | undefined;
  message: string;
}

/**
 * Counts what subjects (accounts, sessions, clients) do within windows of a fixed length, for all processes together.
 * Whatever is refused is refused from the memory of the process, and costs no statement.
 */
export class RateLimit {
  readonly policy: WindowPolicy;
  readonly #store: RateLimitStore | undefined;
  readonly #message: string;
  readonly #maxUnsynced: number;
  /** By subject, in the order in which their windows began. */
  readonly #counts = new Map<string, Count>();
  #lastSpentUntil = 0;
  #syncing = 0;

  constructor({ policy, store, message }: RateLimitOptions) {
    this.policy = policy;
    this.#store = store;
    this.#message = message;
    this.#maxUnsynced = Math.max(1, Math.floor(policy.quota * unsyncedShare));
  }

  /** Whether any subject may have used up its limit: if not, none has to be looked up. */
  get isRefusing(): boolean {
    return this.#lastSpentUntil > performance.now();
  }

  /**
   * Counts at once, in the memory of the process, which syncs with the store in blocks, and waits for none of it. For what is done
   * often.
   * @param points what it counts; where less is left, it is refused, and nothing is left
   * @throws RATE_LIMITED
   */
  take(subject: string, points = 1): Standing | undefined {
    const { policy } = this;
    if (!this.#store) return undefined;
    const key = keyOf(subject);
    const count = this.#countOf(key);
    this.#requireLeft(key, count, points);
    count.unsynced += points;
    if (count.unsynced >= this.#maxUnsynced && !count.isSyncing && this.#syncing < maxSyncing)
      void this.#syncAll(key, count);
    const remaining = policy.quota - count.synced - count.unsynced;
    if (remaining <= 0) this.#noteSpent(count);
    return { policy, remaining, resetSeconds: secondsUntil(count.endsAt) };
  }

  /**
   * Counts in the store before it continues: exact over all processes. For what is done seldom. While the store is
   * away, the process counts by itself.
   * @throws RATE_LIMITED
   */
  async consume(subject: string): Promise<void> {
    if (!this.#store) return;
    const key = keyOf(subject);
    const count = this.#countOf(key);
    this.#requireLeft(key, count, 1);
    count.unsynced += 1;
    await this.#sync(key, count, 1);
    if (this.#isSpent(count)) this.#noteSpent(count);
    if (count.synced > this.policy.quota) this.#refuse(key, count);
  }

  /** Whether nothing is left of the subject; it counts nothing, and asks nobody. */
  isSpent(subject: string): boolean {
    return this.#spentOf(subject) !== undefined;
  }

  /** @throws RATE_LIMITED where nothing is left, as {@link isSpent} says */
  requireOpen(subject: string): void {
    const count = this.#spentOf(subject);
    if (count) this.#refuse(keyOf(subject), count);
  }

  /** The subject's count where nothing is left of it. */
  #spentOf(subject: string): Count | undefined {
    if (!this.isRefusing) return undefined;
    const count = this.#counts.get(keyOf(subject));
    const now = performance.now();
    if (!count || now >= Math.max(count.endsAt, count.refusedUntil)) return undefined;
    return now < count.refusedUntil || this.#isSpent(count) ? count : undefined;
  }

  /** Has the subject refused for so long, as another limit that it counts towards refuses it. */
  refuseFor(subject: string, seconds: number): void {
    if (!this.#store) return;
    const count = this.#countOf(keyOf(subject));
    count.refusedUntil = performance.now() + seconds * 1000;
    this.#noteSpent(count);
  }

  #isSpent({ synced, unsynced }: Count): boolean {
    return synced + unsynced >= this.policy.quota;
  }

  #requireLeft(key: string, count: Count, points: number): void {
    const left = this.policy.quota - count.synced - count.unsynced;
    const isEnough = points <= left;
    if (isEnough && count.refusedUntil <= performance.now()) return;
    // A request for more than is left would otherwise be counted each time.
    if (!isEnough) count.unsynced += Math.max(0, left);
    this.#refuse(key, count);
  }

  #refuse(key: string, count: Count): never {
    this.#noteSpent(count);
    throw rateLimited(this.policy, this.#message, {
      retryAfter: secondsUntil(Math.max(count.refusedUntil, this.#isSpent(count) ? count.endsAt : 0)),
      subject: key,
    });
  }

  #noteSpent({ endsAt, refusedUntil }: Count): void {
    this.#lastSpentUntil = Math.max(this.#lastSpentUntil, endsAt, refusedUntil);
  }

  /** The count of the present window; a new one if there is none, or it is over. */
  #countOf(key: string): Count {
    const now = performance.now();
    const present = this.#counts.get(key);
    if (present && (present.endsAt > now || present.refusedUntil > now)) return present;
    this.#counts.delete(key);
    this.#makeRoom(now);
    const endsAt = now + this.policy.windowSeconds * 1000;
    const count: Count = { endsAt, synced: 0, unsynced: 0, isSyncing: false, refusedUntil: 0 };
    this.#counts.set(key, count);
    return count;
  }

  /** Forgets counts whose windows are over, or the first one where there are too many. */
  #makeRoom(now: number): void {
    for (const [key, { endsAt, refusedUntil }] of this.#counts) {
      if (this.#counts.size < maxSubjects && Math.max(endsAt, refusedUntil) > now) return;
      this.#counts.delete(key);
    }
  }

  /**
   * Adds the points that this process has counted to the store, and reads what all have.
   * @returns whether it has answered: where it is away, the count stays as it is
   */
  async #sync(key: string, count: Count, points: number): Promise<boolean> {
    const tally = await this.#store?.add(`${this.policy.name}:${hash(key)}`, points, count.endsAt - performance.now());
    if (!tally) return false;
    count.synced = tally.points;
    count.unsynced = Math.max(0, count.unsynced - points);
    // All processes have the window of the one that has synced it first.
    count.endsAt = performance.now() + tally.remainingMs;
    return true;
  }

  /** Syncs all that there is, that which is counted meanwhile as well. */
  async #syncAll(key: string, count: Count): Promise<void> {
    count.isSyncing = true;
    this.#syncing += 1;
    while (count.unsynced >= this.#maxUnsynced && (await this.#sync(key, count, count.unsynced)));
    count.isSyncing = false;
    this.#syncing -= 1;
  }
}

/** Whole ones; a window that has just begun has no more of them for what its moments are rounded by. */
const secondsUntil = (moment: number) => Math.max(1, Math.ceil((moment - performance.now() - 1) / 1000));

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Clients make up subjects of any length. */
const keyOf = (subject: string) => (subject.length > maxSubjectLength ? hash(subject) : subject);

/** Subjects whose refusals are remembered. */
const maxRefused = 10_000;
/** Milliseconds for which they are: then it is looked up whether they hold still, as another process may have lifted them. */
const refusedForMs = 10_000;

/**
 * Remembers the refusals of a limit that is counted elsewhere, in other rows: for a while a subject that was refused is refused
 * from memory, and costs no statement.
 */
export class Refusals {
  readonly #refused = new LRUCache<string, { refusal: RateLimitError; until: number }>({
    max: maxRefused,
    ttl: 1,
    ttlAutopurge: false,
  });

  /** @throws RATE_LIMITED where the subject has been refused, and its time is not over */
  requireOpen(subject: string): void {
    const known = this.#refused.get(keyOf(subject));
    if (!known) return;
    const { refusal, until } = known;
    throw rateLimited(refusal.policy, refusal.message, {
      retryAfter: (until - performance.now()) / 1000,
      subject: refusal.subject,
    });
  }

  /** Has the subject refused, for no longer than the error says. */
  note(subject: string, refusal: RateLimitError): void {
    const ms = refusal.retryAfter * 1000;
    const known = { refusal, until: performance.now() + ms };
    this.#refused.set(keyOf(subject), known, { ttl: Math.min(ms, refusedForMs) });
  }

  forget(subject: string): void {
    this.#refused.delete(keyOf(subject));
  }

  /** Does what may be refused, unless it is known to be. @throws what the work throws */
  async run<Result>(subject: string, work: () => Promise<Result>): Promise<Result> {
    this.requireOpen(subject);
    try {
      return await work();
    } catch (error) {
      if (error instanceof RateLimitError) this.note(subject, error);
      throw error;
    }
  }
}
