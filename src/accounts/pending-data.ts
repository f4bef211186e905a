import { createHash } from 'node:crypto';
import { Prisma } from '../generated/prisma/client.ts';
import { db } from '../database/database.ts';
import { runSql } from '../database/statements.ts';

const { sql } = Prisma;

/** What a browser has to bring back, as it is stored: a secret alone, or with what else has to be the same. */
const hashOf = (key: readonly string[]) => createHash('sha256').update(JSON.stringify(key)).digest('base64url');

/**
 * Stores what a browser has begun until it comes back: a sign-in, or the registration of a passkey.
 * @param key all that it has to come back with; the first says what is begun
 * @param about what {@link takePending} gives
 */
export const insertPending = (key: readonly string[], seconds: number, about: object) =>
  runSql(
    db,
    sql`/* insertPending */
      INSERT INTO pending_sign_ins (key_hash, about, expires_at)
      VALUES (${hashOf(key)}, ${JSON.stringify(about)}::jsonb, statement_timestamp() + make_interval(secs => ${seconds}::float8))`,
  );

/** Takes what a browser comes back from: once. @returns undefined where nothing was begun with that key, or it has expired */
export async function takePending<About extends object>(key: readonly string[]): Promise<About | undefined> {
  const [taken] = await runSql<{ about: About }>(
    db,
    sql`/* takePending */
      DELETE FROM pending_sign_ins WHERE key_hash = ${hashOf(key)} AND expires_at > statement_timestamp() RETURNING about`,
  );
  return taken?.about;
}
