import type pg from 'pg';
import { StartError } from '@taskgate/base';

export interface ServerFacts {
  /** `server_version_num`: 140000 is 14.0. */
  version: number;
  versionName: string;
  encoding: string;
  missingExtensions: string[];
}

const oldestVersion = 14;
const extensions = ['btree_gin', 'pg_trgm'];

/** Names an unmet requirement in one line. */
export function unmetRequirement({ version, versionName, encoding, missingExtensions }: ServerFacts) {
  if (version < oldestVersion * 10_000) {
    return `PostgreSQL ${oldestVersion} or later is needed, and the server is ${versionName}`;
  }
  if (encoding !== 'UTF8') return `the database must have the encoding UTF8, and has ${encoding}`;
  if (missingExtensions.length > 0) {
    return `the server lacks the extensions ${missingExtensions.join(', ')} (the package postgresql-contrib of many systems)`;
  }
  return undefined;
}

/** @throws {StartError} for an unmet requirement; connection errors unchanged */
export async function checkRequirements(client: pg.Client): Promise<void> {
  const { rows } = await client.query<ServerFacts>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS "versionName",
       pg_encoding_to_char(encoding) AS encoding,
       ARRAY(SELECT unnest($1::text[]) EXCEPT SELECT name FROM pg_available_extensions ORDER BY 1) AS "missingExtensions"
     FROM pg_database WHERE datname = current_database()`,
    [extensions],
  );
  const unmet = rows[0] && unmetRequirement(rows[0]);
  if (unmet !== undefined) throw new StartError(unmet);
}
