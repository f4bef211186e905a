import { createHash } from 'node:crypto';
import { runSql } from '@taskgate/postgres';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Connections } from '../../platform/database.ts';

const { sql } = Prisma;

const hashOf = (key: readonly string[]) => createHash('sha256').update(JSON.stringify(key)).digest('base64url');

/** @param key values that the browser must return with. The first names the kind */
export const insertPending = (connections: Connections, key: readonly string[], seconds: number, about: object) =>
  runSql(
    connections,
    sql`/* insertPending */
      INSERT INTO pending_sign_ins (key_hash, about, expires_at)
      VALUES (${hashOf(key)}, ${JSON.stringify(about)}::jsonb, statement_timestamp() + make_interval(secs => ${seconds}::float8))`,
  );

/** Works once. @returns undefined for an unknown or expired key */
export async function takePending<About extends object>(
  connections: Connections,
  key: readonly string[],
): Promise<About | undefined> {
  const [taken] = await runSql<{ about: About }>(
    connections,
    sql`/* takePending */
      DELETE FROM pending_sign_ins WHERE key_hash = ${hashOf(key)} AND expires_at > statement_timestamp() RETURNING about`,
  );
  return taken?.about;
}
