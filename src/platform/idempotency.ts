import { databaseLimits, prune, runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import { refusal } from './errors.ts';
import type { Connections } from './database.ts';
import { inOneTransaction, inTurn, type Writer } from './transaction.ts';

/** Its status follows from the request. */
export interface StoredResponse {
  body: Buffer;
  /** Null if nothing changed. */
  operationId: string | null;
  isReplayed: boolean;
}

export interface KeyedRequest {
  /** Null: nothing is stored. */
  key: string | null;
  /** SHA-256 of the parts that distinguish requests. */
  fingerprint: Buffer;
  /** To lock first, besides the personal space. */
  spaces: readonly string[];
}

/** See prisma/functions/idempotency.sql. */
type StoredKey =
  | { state: 'in use' | 'free' }
  | ({ state: 'stored'; fingerprint: Buffer } & Pick<StoredResponse, 'body' | 'operationId'>);

/**
 * Executes a keyed request once. The response is stored in the same transaction, and replayed for 24 hours. After an
 * error nothing has happened, and the key is free.
 * @param respond runs again after a conflict
 * @throws IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; NOT_FOUND if the response was erased; UNAVAILABLE; errors of `respond`
 */
export async function runIdempotent(
  connections: Connections,
  { id, signal }: Writer & { id: string },
  { key, fingerprint, spaces }: KeyedRequest,
  respond: () => Promise<Buffer>,
): Promise<StoredResponse> {
  const name = key === null ? undefined : `${id} ${key}`;
  const { keysInUse } = connections;
  if (name !== undefined) {
    if (keysInUse.has(name)) throw inUse();
    keysInUse.add(name);
  }
  const attempt = async () => {
    const taken = await take(connections, id, key, spaces);
    if (taken.state === 'in use') throw inUse();
    if (taken.state === 'stored') {
      if (taken.body.length === 0) throw erased();
      if (!fingerprint.equals(taken.fingerprint)) throw reused();
      const { body, operationId } = taken;
      return { body, operationId, isReplayed: true };
    }
    const body = await respond();
    return { body, operationId: await store(connections, id, key, fingerprint, body), isReplayed: false };
  };
  try {
    return await inTurn(connections, [id, ...spaces], () => inOneTransaction(connections, attempt), { id, signal });
  } finally {
    if (name !== undefined) keysInUse.delete(name);
  }
}

/** Also limits all later statements: Prisma's timeout ends a transaction, but not its statement. */
async function take(
  connections: Connections,
  userId: string,
  key: string | null,
  spaces: readonly string[],
): Promise<StoredKey> {
  const [taken] = await runSql<StoredKey>(
    connections,
    Prisma.sql`/* takeKey */
      SELECT state, fingerprint, body, operation_id AS "operationId",
        set_config('statement_timeout', ${String(databaseLimits.operationMs)}, true)
      FROM take_idempotency_key(${userId}, ${key}::text, ${[...spaces]})`,
  );
  return taken ?? { state: 'in use' };
}

async function store(connections: Connections, userId: string, key: string | null, fingerprint: Buffer, body: Buffer) {
  const [row] = await runSql<{ operationId: string | null }>(
    connections,
    Prisma.sql`/* storeResponse */ SELECT store_response(${userId}, ${key}::text, ${fingerprint}, ${body}) AS "operationId"`,
  );
  return row?.operationId ?? null;
}

const inUse = () =>
  refusal('IDEMPOTENCY_KEY_IN_USE', 'A request with the same Idempotency-Key is still under way', {
    retryAfter: 1,
  });

const reused = () =>
  refusal('IDEMPOTENCY_KEY_REUSED', 'The Idempotency-Key was used for another request: take a new one');

const erased = () => refusal('NOT_FOUND', 'The response to this key was emptied from the trash with its comment');

const day = 24 * 60 * 60;

const pageSize = 1000;

/**
 * Deletes expired bodies. Keys remain twice the retention, because the log keeps changes for half of it longer, and batches name the keys of
 * its changes.
 * @param days retention of the log
 * @returns number of deleted keys
 */
export async function pruneStoredResponses(connections: Connections, days: number): Promise<number> {
  const forgetPage = () =>
    runSql(
      connections,
      Prisma.sql`/* forgetResponses */
        UPDATE idempotency_keys SET body = '' WHERE id IN (
          SELECT id FROM idempotency_keys
          WHERE body <> '' AND created_at <= statement_timestamp() - make_interval(secs => ${day})
          ORDER BY created_at LIMIT ${pageSize} FOR UPDATE SKIP LOCKED
        ) RETURNING id`,
    );
  while ((await forgetPage()).length === pageSize);
  const keptSeconds = 2 * Math.max(1, days) * day;
  return prune(connections, { table: 'idempotency_keys', key: 'id', moment: 'created_at', keptSeconds });
}
