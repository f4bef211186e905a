import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '@taskgate/base';
import { networksOf, RateLimitError, type Refusals } from '@taskgate/limits';
import { logFailure } from '@taskgate/postgres';
import { quotaOfGroup } from '@taskgate/work';
import { type Context, signedIn } from '../../platform/context.ts';
import type { Connections, Database } from '../../platform/database.ts';
import * as data from './attempt-data.ts';
import { type PasswordHasher, withHasher } from './passwords.ts';
import { endSession } from '../sessions/end.ts';

/** An attempt takes about 100 ms, several hundred on a busy machine. */
const maxWaitMs = 10_000;
const pollMs = 50;

/** Limit of failures within any 15 minutes. */
export interface AttemptLimit {
  /** Such as `sign-in`. */
  name: string;
  failures: number;
  /** @param retryAfter seconds until the oldest failure no longer counts */
  refusal: (retryAfter: number, subject: string) => Error;
  /** Refuses again without SQL. Absent if a refusal ends the subject. */
  refused?: Refusals;
  enabled: boolean;
}

interface AttemptCount {
  limit: AttemptLimit;
  /** E-mail address, session or client. */
  subject: string;
  /** Runs after the last allowed failure and each refusal. */
  onReached?: () => Promise<void>;
}

/** The session ends at its limit. */
export const countOfSession = (context: Context, limit: AttemptLimit): AttemptCount => {
  const { sessionId } = signedIn(context);
  return { limit, subject: sessionId, onReached: () => endSession(sessionId, 'failed_attempts', context) };
};

export const countsOfNetworks = (limit: AttemptLimit, { clientAddress }: Context): AttemptCount[] =>
  networksOf(clientAddress).map((subject, width) => ({
    limit: { ...limit, failures: quotaOfGroup(limit.failures, width) },
    subject,
  }));

/**
 * Checks a password in the client's turn to hash. An attempt counts as a failure until it succeeds, so parallel guesses
 * cannot exceed a limit.
 * @param counts the guessed subject, then the client
 * @param check returns null for a wrong password. If it throws, the attempt does not count
 * @throws the limit's refusal; UNAVAILABLE
 */
export async function attempt<Result>(
  context: Context,
  counts: readonly [AttemptCount, ...AttemptCount[]],
  check: (passwords: PasswordHasher) => Promise<Result | null>,
): Promise<Result | null> {
  // Refused now, or after the wait.
  requireOpen(counts);
  const { connections } = context.services;
  const counted = counts.filter(({ limit }) => limit.enabled).map(withKey);
  const make = async (passwords: PasswordHasher) => {
    requireOpen(counts);
    const ids = await begin(connections, counted);
    const outcome = await check(passwords).catch(async (error: unknown) => {
      await storeOutcome(data.forget(connections, ids));
      throw error;
    });
    if (outcome !== null) await storeOutcome(data.forget(connections, ids));
    else await fail(connections, ids, counted);
    return outcome;
  };
  const [guessedSubject] = counts;
  return counted.length === 0 ? withHasher(context, check) : withHasher(context, make, [withKey(guessedSubject).key]);
}

/** Forgets failures, because the owner has proved their identity in another way. */
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

async function begin(connections: Connections, counted: Counted[]): Promise<string[]> {
  const limits = counted.map(({ key, limit }) => ({ key, failures: limit.failures }));
  const deadline = performance.now() + maxWaitMs;
  while (performance.now() < deadline) {
    const { ids, refusedBy, retryAfter } = await data.begin(connections, limits);
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

async function fail(connections: Connections, ids: string[], counted: Counted[]): Promise<void> {
  const failures = (await storeOutcome(data.fail(connections, ids))) ?? [];
  for (const { key, limit, onReached } of counted) {
    if (failures.some((each) => each.key === key && each.failures >= limit.failures)) await onReached?.();
  }
}

/** An attempt without an outcome becomes a failure. */
const storeOutcome = <Result>(work: Promise<Result>): Promise<Result | undefined> =>
  work.catch((error: unknown) => {
    logFailure(error, 'the outcome of a password attempt could not be stored');
    return undefined;
  });
