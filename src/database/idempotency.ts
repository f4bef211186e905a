import { Prisma } from '../generated/prisma/client.ts';
import { TaskgateError } from '../kernel/errors.ts';
import { databaseLimits, db } from './database.ts';
import { runSql } from './statements.ts';
import { prune } from './prune.ts';
import { inOneTransaction, inTurn, type Writer } from './transaction.ts';

/** An answer as it is kept. */
export interface StoredResponse {
  status: number;
  contentType: string;
  body: Buffer;
}

/** An answer as it is given. */
export interface GivenResponse extends StoredResponse {
  /** The operation of the history that the first request was; null where it changed nothing. */
  operationId: string | null;
  /** Whether it was given before: nothing has happened now. */
  isReplayed: boolean;
}

/** What is asked for under a key. */
export interface KeyedRequest {
  key: string;
  /** SHA-256 of what makes it another request. */
  fingerprint: Buffer;
  /** Ids of spaces that are locked before the rest, beside the caller's personal one: those of an operation that writes several times. */
  spaces: readonly string[];
}

/** What `take_idempotency_key` answers (prisma/functions/idempotency.sql). */
type StoredKey =
  { state: 'in use' | 'free' } | ({ state: 'kept'; fingerprint: Buffer; operationId: string | null } & StoredResponse);

/** The keys under way in this process: who asks for one of them is refused without a connection. */
const underWay = new Set<string>();

/**
 * Does what is asked for under a key, once: in the transaction of its effect the answer is kept, and given again to whoever asks
 * under the same key within 24 hours. What throws has not happened, and leaves the key free.
 * @param answer does it, and says what to answer; it is run again after a conflict with another writer
 * @throws IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; UNAVAILABLE; what `answer` throws
 */
export async function runIdempotent(
  { id, signal }: Writer & { id: string },
  { key, fingerprint, spaces }: KeyedRequest,
  answer: () => Promise<StoredResponse>,
): Promise<GivenResponse> {
  const name = `${id} ${key}`;
  if (underWay.has(name)) throw inUse();
  underWay.add(name);
  const whole = async () => {
    const taken = await take(id, key, spaces);
    if (taken.state === 'in use') throw inUse();
    if (taken.state === 'kept') {
      if (!fingerprint.equals(taken.fingerprint)) throw reused();
      const { status, contentType, body, operationId } = taken;
      return { status, contentType, body, operationId, isReplayed: true };
    }
    const given = await answer();
    const operationId = await keep(id, key, fingerprint, given);
    return { ...given, operationId, isReplayed: false };
  };
  try {
    return await inTurn([id, ...spaces], () => inOneTransaction(whole), { id, signal });
  } finally {
    underWay.delete(name);
  }
}

/** Takes the key; from then on no statement outlasts the operation's time: Prisma ends a transaction that is late, but no statement. */
async function take(userId: string, key: string, spaces: readonly string[]): Promise<StoredKey> {
  const [taken] = await runSql<StoredKey>(
    db,
    Prisma.sql`/* takeKey */
      SELECT state, fingerprint, status, content_type AS "contentType", body, operation_id AS "operationId",
        set_config('statement_timeout', ${String(databaseLimits.operationMs)}, true)
      FROM take_idempotency_key(${userId}, ${key}, ${[...spaces]})`,
  );
  return taken ?? { state: 'in use' };
}

/** @returns the operation that the transaction is; null where it has changed nothing */
async function keep(userId: string, key: string, fingerprint: Buffer, { status, contentType, body }: StoredResponse) {
  const [row] = await runSql<{ operationId: string | null }>(
    db,
    Prisma.sql`/* keepAnswer */
      SELECT keep_answer(${userId}, ${key}, ${fingerprint}, ${status}::smallint, ${contentType}, ${body}) AS "operationId"`,
  );
  return row?.operationId ?? null;
}

const inUse = () =>
  new TaskgateError('IDEMPOTENCY_KEY_IN_USE', 'A request with the same Idempotency-Key is still under way', {
    retryAfter: 1,
  });

const reused = () =>
  new TaskgateError('IDEMPOTENCY_KEY_REUSED', 'The Idempotency-Key was used for another request: take a new one');

const day = 24 * 60 * 60;

/** Answers that one statement forgets. */
const pageSize = 1000;

/**
 * Forgets answers that are given again no more; and their keys once the change log is not kept either, by which replicas are
 * told of them.
 * @param days for which the log is kept
 * @returns how many keys
 */
export async function pruneStoredResponses(days: number): Promise<number> {
  const forgetPage = () =>
    runSql(
      db,
      Prisma.sql`/* forgetAnswers */
        UPDATE idempotency_keys SET body = '' WHERE id IN (
          SELECT id FROM idempotency_keys
          WHERE body <> '' AND created_at <= statement_timestamp() - make_interval(secs => ${day})
          ORDER BY created_at LIMIT ${pageSize} FOR UPDATE SKIP LOCKED
        ) RETURNING id`,
    );
  while ((await forgetPage()).length === pageSize);
  const keptSeconds = Math.max(1, days) * day;
  return prune({ table: 'idempotency_keys', key: 'id', moment: 'created_at', keptSeconds });
}
