import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../kernel/context.ts';
import { RateLimitError, unavailable } from '../kernel/errors.ts';
import { KeyedLimiter } from '../kernel/keyed-limiter.ts';
import type { Refusals } from '../rate-limits/rate-limits.ts';
import { logFailure } from '../database/unavailable-log.ts';
import * as data from './attempt-data.ts';

/** Milliseconds for which a try waits for its turn at the most; it is refused then. */
const maxWaitMs = 30_000;
/** Milliseconds between polls whether the tries of other processes have ended: one takes about a hundred. */
const pollMs = 50;

/** In this process, the tries of a subject come one after the other: what waits takes no connection and no work. */
export const attemptTurns = (): KeyedLimiter =>
  new KeyedLimiter({
    name: 'password_attempts_of_subject',
    concurrency: 1,
    maxWaiting: 1000,
    maxWaitMs,
    keepsIdle: true,
  });

/** Bounds the failed tries of each subject in any 15 minutes. */
export interface AttemptLimit {
  /** Names what is counted, such as `sign-in`: each has a count of its own. */
  name: string;
  /** Failures after which tries are refused. */
  failures: number;
  /**
   * What a try is refused with.
   * @param retryAfter seconds until the first of the failures no longer counts
   * @param subject as of {@link AttemptCount}
   */
  refusal: (retryAfter: number, subject: string) => Error;
  /** Who was refused, so that it costs no statement to refuse them again; absent: a refusal ends the subject. */
  refused?: Refusals;
  /** False: nothing is counted and nothing refused. */
  enabled: boolean;
}

/** What a try counts towards. */
export interface AttemptCount {
  limit: AttemptLimit;
  /** Whose tries they are, such as an e-mail address or a client. */
  subject: string;
  /** Called when the last failure that is allowed has happened, and whenever a try is refused. */
  onReached?: () => Promise<void>;
}

export interface AttemptCounts {
  /** What is guessed at: its tries come one after the other. */
  at: AttemptCount;
  /** Who guesses. */
  by?: AttemptCount;
}

/** Refuses a try of which it is known that it would be, before anything is done for it. @throws the limit's refusal */
export function requireAttempt({ at, by }: AttemptCounts): void {
  for (const { limit, subject } of by ? [at, by] : [at]) limit.refused?.requireOpen(subject);
}

/**
 * Makes a try of a password. It counts as a failure from before it is checked until it has succeeded, so that parallel
 * guesses are never more than their limits, over all processes together; yet only failures refuse: where the rest of a
 * limit is in flight, a try waits.
 * @param check answers what a right password gives; null where it was wrong. What it throws says nothing of the password:
 *   the try is forgotten then
 * @param context of the operation: its cancellation ends the wait for a turn
 * @throws the limit's refusal; UNAVAILABLE where its turn does not come in time
 */
export async function attempt<Result>(
  { services, cancellation }: Pick<Context, 'services' | 'cancellation'>,
  { at, by }: AttemptCounts,
  check: () => Promise<Result | null>,
): Promise<Result | null> {
  const counted = [at, ...(by ? [by] : [])].filter(({ limit }) => limit.enabled).map(withKey);
  if (counted.length === 0) return check();
  const make = async () => {
    // Others may have been refused while it waited.
    requireAttempt({ at, ...(by && { by }) });
    const ids = await begin(counted);
    const outcome = await check().catch(async (error: unknown) => {
      await noting(data.forget(ids));
      throw error;
    });
    if (outcome !== null) await noting(data.forget(ids));
    else await fail(ids, counted);
    return outcome;
  };
  return services.accounts.attempts.run(withKey(at).key, make, cancellation.signal);
}

type Counted = ReturnType<typeof withKey>;

const withKey = (count: AttemptCount) => ({
  ...count,
  key: `${count.limit.name}:${createHash('sha256').update(count.subject).digest('base64url')}`,
});

/** Waits until the try may be made. */
async function begin(counted: Counted[]): Promise<string[]> {
  const limits = counted.map(({ key, limit }) => ({ key, failures: limit.failures }));
  const deadline = performance.now() + maxWaitMs;
  while (performance.now() < deadline) {
    const { ids, refusedBy, retryAfter } = await data.begin(limits);
    if (ids) return ids;
    const refusing = counted.find(({ key }) => key === refusedBy);
    if (refusing) {
      await refusing.onReached?.();
      const { limit, subject } = refusing;
      const refusal = limit.refusal(retryAfter ?? 0, subject);
      if (refusal instanceof RateLimitError) limit.refused?.note(subject, refusal);
      throw refusal;
    }
    await delay(pollMs);
  }
  throw unavailable('Too many attempts at once: try again in a moment');
}

async function fail(ids: string[], counted: Counted[]): Promise<void> {
  const failures = (await noting(data.fail(ids))) ?? [];
  for (const { key, limit, onReached } of counted) {
    if (failures.some((each) => each.key === key && each.failures >= limit.failures)) await onReached?.();
  }
}

/** What came of a try stands, whether it can be noted or not: a row that stays as it is becomes a failure. */
const noting = <Result>(work: Promise<Result>): Promise<Result | undefined> =>
  work.catch((error: unknown) => {
    logFailure(error, 'the outcome of a try of a password could not be noted');
    return undefined;
  });
