import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimitError, rateLimited } from './errors.ts';
import type { WindowPolicy } from './policy.ts';
import type { RateLimitStore } from './rate-limit-store.ts';

/**
 * Share of a limit that a process counts before it syncs. It may exceed the limit by as much. Subjects below it cost the
 * store nothing.
 */
const unsyncedShare = 1 / 50;
const maxSyncing = 20;
/** Beyond this number, the oldest window is forgotten. */
const maxSubjects = 50_000;
/** Longer subjects are hashed. */
const maxSubjectLength = 128;

interface Count {
  endsAt: number;
  synced: number;
  unsynced: number;
  isSyncing: boolean;
  refusedUntil: number;
}

export interface Standing {
  policy: WindowPolicy;
  remaining: number;
  resetSeconds: number;
}

/** Compares remaining shares. */
export function lowestStanding(standings: readonly (Standing | undefined)[]): Standing | undefined {
  let lowest: Standing | undefined;
  for (const standing of standings) {
    if (standing && (!lowest || leftOf(standing) < leftOf(lowest))) lowest = standing;
  }
  return lowest;
}

const leftOf = ({ remaining, policy }: Standing) => remaining / policy.quota;

export interface RateLimitOptions {
  policy: WindowPolicy;
  /** Undefined: nothing is counted or refused. */
  store: RateLimitStore | undefined;
  message: string;
}

/**
 * Counts actions of subjects (accounts, sessions, clients) in windows of a fixed length, over all processes. Refusals
 * come from memory.
 */
export class RateLimit {
  readonly policy: WindowPolicy;
  readonly #store: RateLimitStore | undefined;
  readonly #message: string;
  readonly #maxUnsynced: number;
  readonly #counts = new Map<string, Count>();
  #spentUntil = 0;
  #syncing = 0;

  constructor({ policy, store, message }: RateLimitOptions) {
    this.policy = policy;
    this.#store = store;
    this.#message = message;
    this.#maxUnsynced = Math.max(1, Math.floor(policy.quota * unsyncedShare));
  }

  /** If no subject may be over the limit, no look-up is necessary. */
  get isRefusing(): boolean {
    return this.#spentUntil > performance.now();
  }

  /**
   * Counts in memory and syncs later, for frequent actions.
   * @param points more than the rest: refused, and the rest is used up
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
   * Counts in the store first, for rare actions: exact over all processes. While the store is unavailable, the process
   * counts alone. @throws RATE_LIMITED
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

  /** Counts nothing. */
  isSpent(subject: string): boolean {
    return this.#spentOf(subject) !== undefined;
  }

  /** @throws RATE_LIMITED */
  requireOpen(subject: string): void {
    const count = this.#spentOf(subject);
    if (count) this.#refuse(keyOf(subject), count);
  }

  #spentOf(subject: string): Count | undefined {
    if (!this.isRefusing) return undefined;
    const count = this.#counts.get(keyOf(subject));
    const now = performance.now();
    if (!count || now >= Math.max(count.endsAt, count.refusedUntil)) return undefined;
    return now < count.refusedUntil || this.#isSpent(count) ? count : undefined;
  }

  /** Refuses a subject for a time, because a related limit refuses it. */
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
    // Otherwise a request for more than the rest would count each time.
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
    this.#spentUntil = Math.max(this.#spentUntil, endsAt, refusedUntil);
  }

  #countOf(key: string): Count {
    const now = performance.now();
    const current = this.#counts.get(key);
    if (current && (current.endsAt > now || current.refusedUntil > now)) return current;
    this.#counts.delete(key);
    this.#makeRoom(now);
    const endsAt = now + this.policy.windowSeconds * 1000;
    const count: Count = { endsAt, synced: 0, unsynced: 0, isSyncing: false, refusedUntil: 0 };
    this.#counts.set(key, count);
    return count;
  }

  #makeRoom(now: number): void {
    for (const [key, { endsAt, refusedUntil }] of this.#counts) {
      if (this.#counts.size < maxSubjects && Math.max(endsAt, refusedUntil) > now) return;
      this.#counts.delete(key);
    }
  }

  /** @returns false if the store is unavailable: the count is then unchanged */
  async #sync(key: string, count: Count, points: number): Promise<boolean> {
    const { name, windowSeconds } = this.policy;
    const remainingMs = count.endsAt - performance.now();
    const tally = await this.#store?.add(`${name}:${hash(key)}`, points, remainingMs, windowSeconds * 1000);
    if (!tally) return false;
    count.synced = tally.points;
    count.unsynced = Math.max(0, count.unsynced - points);
    // All processes adopt the window of the first one.
    count.endsAt = performance.now() + tally.remainingMs;
    return true;
  }

  /** Syncs until less than a block is left. */
  async #syncAll(key: string, count: Count): Promise<void> {
    count.isSyncing = true;
    this.#syncing += 1;
    while (count.unsynced >= this.#maxUnsynced && (await this.#sync(key, count, count.unsynced)));
    count.isSyncing = false;
    this.#syncing -= 1;
  }
}

/** Minus a millisecond, because rounding could exceed a new window. */
const secondsUntil = (moment: number) => Math.max(1, Math.ceil((moment - performance.now() - 1) / 1000));

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

const keyOf = (subject: string) => (subject.length > maxSubjectLength ? hash(subject) : subject);

const maxRefused = 10_000;
/** After this time the limit is read again: another process may have lifted it. */
const refusedForMs = 10_000;

/** Remembers refusals of limits with rows of their own: a refused subject costs no statement for a while. */
export class Refusals {
  readonly #refused = new LRUCache<string, { refusal: RateLimitError; until: number }>({
    max: maxRefused,
    ttl: 1,
    ttlAutopurge: false,
  });

  /** @throws RATE_LIMITED if a refusal is cached */
  requireOpen(subject: string): void {
    const cached = this.#refused.get(keyOf(subject));
    if (!cached) return;
    const { refusal, until } = cached;
    throw rateLimited(refusal.policy, refusal.message, {
      retryAfter: (until - performance.now()) / 1000,
      subject: refusal.subject,
    });
  }

  /** Remembers a refusal, for no longer than the error says. */
  note(subject: string, refusal: RateLimitError): void {
    const ms = refusal.retryAfter * 1000;
    const entry = { refusal, until: performance.now() + ms };
    this.#refused.set(keyOf(subject), entry, { ttl: Math.min(ms, refusedForMs) });
  }

  forget(subject: string): void {
    this.#refused.delete(keyOf(subject));
  }

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
