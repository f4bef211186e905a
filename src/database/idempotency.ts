import { Prisma } from '../generated/prisma/client.ts';
import { TaskgateError } from '../kernel/errors.ts';
import { databaseLimits, db } from './database.ts';
import { runSql } from './statements.ts';
import { prune } from './prune.ts';
import { inOneTransaction, inTurn, type Writer } from './transaction.ts';

/** The response to a request under a key; its status follows from the request. */
export interface StoredResponse {
  body: Buffer;
  /** The operation of the history that the first request was; null where it changed nothing. */
  operationId: string | null;
  /** Whether it was stored before: nothing has happened now. */
  isReplayed: boolean;
}

export interface KeyedRequest {
  key: string;
  /** SHA-256 of what makes it another request. */
  fingerprint: Buffer;
  /**
   * Ids of spaces that are locked before the rest, in addition to the caller's personal one: those of an operation that writes several
   * times.
   */
  spaces: readonly string[];
}

/** What `take_idempotency_key` gives (prisma/functions/idempotency.sql). */
type StoredKey =
  | { state: 'in use' | 'free' }
  | ({ state: 'stored'; fingerprint: Buffer } & Pick<StoredResponse, 'body' | 'operationId'>);

/** The keys under way in this process: another request under one of them is refused without a connection. */
const underWay = new Set<string>();

/**
 * Executes a keyed request once: its response is stored in the transaction of its effect, and replayed to requests
 * under the same key within 24 hours. What throws has not happened, and leaves the key free.
 * @param respond does it, and gives the body of the response; it is run again after a conflict with another writer
 * @throws IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; UNAVAILABLE; what `respond` throws
 */
export async function runIdempotent(
  { id, signal }: Writer & { id: string },
  { key, fingerprint, spaces }: KeyedRequest,
  respond: () => Promise<Buffer>,
): Promise<StoredResponse> {
  const name = `${id} ${key}`;
  if (underWay.has(name)) throw inUse();
  underWay.add(name);
  const whole = async () => {
    const taken = await take(id, key, spaces);
    if (taken.state === 'in use') throw inUse();
    if (taken.state === 'stored') {
      if (!fingerprint.equals(taken.fingerprint)) throw reused();
      const { body, operationId } = taken;
      return { body, operationId, isReplayed: true };
    }
    const body = await respond();
    return { body, operationId: await store(id, key, fingerprint, body), isReplayed: false };
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
      SELECT state, fingerprint, body, operation_id AS "operationId",
        set_config('statement_timeout', ${String(databaseLimits.operationMs)}, true)
      FROM take_idempotency_key(${userId}, ${key}, ${[...spaces]})`,
  );
  return taken ?? { state: 'in use' };
}

/** @returns the operation that the transaction is; null where it has changed nothing */
async function store(userId: string, key: string, fingerprint: Buffer, body: Buffer) {
  const [row] = await runSql<{ operationId: string | null }>(
    db,
    Prisma.sql`/* storeResponse */ SELECT store_response(${userId}, ${key}, ${fingerprint}, ${body}) AS "operationId"`,
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

/** Responses that one statement forgets. */
const pageSize = 1000;

/**
 * Forgets responses that are replayed no more; and their keys with the change log, by which replicas learn of them.
 * @param days for which the log is kept
 * @returns how many keys
 */
export async function pruneStoredResponses(days: number): Promise<number> {
  const forgetPage = () =>
    runSql(
      db,
      Prisma.sql`/* forgetResponses */
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
