import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Context, signedIn } from '../kernel/context.ts';
import { RateLimitError, unavailable } from '../kernel/errors.ts';
import { quotaOfGroup } from '../kernel/group-counts.ts';
import { networksOf } from '../kernel/networks.ts';
import type { Database } from '../database/database.ts';
import type { Refusals } from '../rate-limits/rate-limits.ts';
import { logFailure } from '../database/unavailable-log.ts';
import * as data from './attempt-data.ts';
import { type PasswordHasher, withHasher } from './passwords.ts';
import { endSession } from './session-end.ts';

/** Milliseconds for which an attempt waits for those of other processes. Each takes about a hundred, on a busy machine several hundred. */
const maxWaitMs = 10_000;
/** Milliseconds between polls whether they have ended. */
const pollMs = 50;

/** Bounds the failed attempts of each subject in any 15 minutes. */
export interface AttemptLimit {
  /** Names what is counted, such as `sign-in`: each is counted separately. */
  name: string;
  /** Failures after which attempts are refused. */
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
  /** The subject of attempts, such as an e-mail address or a client. */
  subject: string;
  /** Called when the last failure that is allowed has happened, and whenever a try is refused. */
  onReached?: () => Promise<void>;
}

/** What a try counts towards for the viewer's session, which ends where the last failure that is allowed has happened. */
export const countOfSession = (context: Context, limit: AttemptLimit): AttemptCount => {
  const { sessionId } = signedIn(context);
  return { limit, subject: sessionId, onReached: () => endSession(sessionId, 'failed_attempts', context) };
};

/** What a try counts towards for its client, and the networks around it. */
export const countsOfNetworks = (limit: AttemptLimit, { clientAddress }: Context): AttemptCount[] =>
  networksOf(clientAddress).map((subject, width) => ({
    limit: { ...limit, failures: quotaOfGroup(limit.failures, width) },
    subject,
  }));

/**
 * Makes a try of a password, when it is the client's turn to have one hashed. It counts as a failure from before it is
 * checked until it has succeeded, so that parallel guesses are never more than their limits, over all processes together;
 * yet only failures refuse: where the rest of a limit is in flight, a try waits.
 * @param counts what is guessed at, whose attempts run one after another; then, where that is counted, who guesses
 * @param check answers what a right password gives; null where it was wrong. What it throws says nothing of the password:
 *   the try is forgotten then
 * @param context of the operation: its cancellation ends the wait for a turn
 * @throws the limit's refusal; UNAVAILABLE where its turn does not come in time
 */
export async function attempt<Result>(
  context: Context,
  counts: readonly [AttemptCount, ...AttemptCount[]],
  check: (passwords: PasswordHasher) => Promise<Result | null>,
): Promise<Result | null> {
  // What is known to be refused is, before anything is done for it; and again once it has waited.
  requireOpen(counts);
  const counted = counts.filter(({ limit }) => limit.enabled).map(withKey);
  const make = async (passwords: PasswordHasher) => {
    requireOpen(counts);
    const ids = await begin(counted);
    const outcome = await check(passwords).catch(async (error: unknown) => {
      await noting(data.forget(ids));
      throw error;
    });
    if (outcome !== null) await noting(data.forget(ids));
    else await fail(ids, counted);
    return outcome;
  };
  const [guessedAt] = counts;
  return counted.length === 0 ? withHasher(context, check) : withHasher(context, make, [withKey(guessedAt).key]);
}

/** Has failures of a subject count no more, as part of a transaction: of who has shown otherwise that it is theirs. */
export async function forgive(tx: Database, count: AttemptCount): Promise<void> {
  await data.forgive(tx, withKey(count).key);
  count.limit.refused?.forget(count.subject);
}

function requireOpen(counts: readonly AttemptCount[]): void {
  for (const { limit, subject } of counts) limit.refused?.requireOpen(subject);
}

type Counted = ReturnType<typeof withKey>;

const withKey = (count: AttemptCount) => ({
  ...count,
  key: `${count.limit.name}:${createHash('sha256').update(count.subject).digest('base64url')}`,
});

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
  throw unavailable('Too many requests in progress: try again in a moment');
}

async function fail(ids: string[], counted: Counted[]): Promise<void> {
  const failures = (await noting(data.fail(ids))) ?? [];
  for (const { key, limit, onReached } of counted) {
    if (failures.some((each) => each.key === key && each.failures >= limit.failures)) await onReached?.();
  }
}

/** The outcome of an attempt holds even if it cannot be stored: a row without an outcome becomes a failure. */
const noting = <Result>(work: Promise<Result>): Promise<Result | undefined> =>
  work.catch((error: unknown) => {
    logFailure(error, 'the outcome of a try of a password could not be noted');
    return undefined;
  });
