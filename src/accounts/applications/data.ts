import { runSql } from '@taskgate/postgres';
import { Prisma, type TokenScope } from '../../generated/prisma/client.ts';
import type { Connections, Database } from '../../platform/database.ts';
import { isRecent } from '../../platform/recent.ts';
import { type AccessToken, type EndedToken, endTokensWhere, isLive } from '../tokens/data.ts';

const { raw, sql } = Prisma;

// A grant is a row of the kind `application`. Its access tokens refer to it.

const [minute, hour, day] = [60, 60 * 60, 24 * 60 * 60];

/** Seconds from the consent to the use of the code, of an access token, and without use until a grant ends. */
const [codeSeconds, tokenSeconds, grantSeconds] = [minute, hour, 90 * day];

/** For this long, a used refresh token gives the same successor again. */
const repeatSeconds = minute;

/** Of a grant: older ones end. */
const maxTokens = 100;

const later = (seconds: number) => sql`clock_timestamp() + make_interval(secs => ${seconds}::float8)`;

export interface NewGrant extends Pick<AccessToken, 'id' | 'name' | 'redirectHost' | 'scopes' | 'spaceIds'> {
  userId: string;
  /** Key of the client. */
  client: string;
}

/** It ends in a minute, unless its code is used. */
export const insertGrant = (
  tx: Database,
  { id, userId, name, scopes, spaceIds, client, redirectHost }: NewGrant,
): Promise<{ id: string }[]> =>
  runSql<{ id: string }>(
    tx,
    sql`/* insertGrant */
      INSERT INTO access_tokens (hash, id, user_id, kind, name, scopes, space_ids, expires_at, client, redirect_host, refresh_number)
      VALUES (${id}, ${id}, ${userId}, 'application', ${name}, ${scopes}::"TokenScope"[], ${spaceIds}::text[],
        ${later(codeSeconds)}, ${client}, ${redirectHost}, 0)
      RETURNING id`,
  );

export interface Grant {
  client: string;
  scopes: TokenScope[];
  /** Of its newest refresh token. */
  number: number;
}

/** Locks it. Undefined if it has ended. */
export async function lockGrant(tx: Database, id: string): Promise<Grant | undefined> {
  const [grant] = await runSql<Grant>(
    tx,
    sql`/* lockGrant */
      SELECT client, scopes::text[], refresh_number AS number
      FROM access_tokens WHERE id = ${id} AND kind = 'application' AND ${isLive} FOR NO KEY UPDATE`,
  );
  return grant;
}

export interface Issued {
  hash: string;
  scopes: TokenScope[];
  /** Seconds. */
  expiresIn: number;
}

const issuedColumns = raw(`hash, scopes::text[],
  extract(epoch FROM date_trunc('second', expires_at - clock_timestamp()))::int AS "expiresIn"`);

/** Gives a locked grant an access token, as an answer with the refresh token of the number. */
export async function insertAccessToken(
  tx: Database,
  grantId: string,
  { hash, id, scopes, number }: { hash: string; id: string; scopes: TokenScope[]; number: number },
): Promise<Issued | undefined> {
  const [issued] = await runSql<Issued>(
    tx,
    sql`/* insertAccessToken */
      WITH used AS (
        UPDATE access_tokens SET refresh_number = ${number}, last_used_at = clock_timestamp(), expires_at = ${later(grantSeconds)}
        WHERE id = ${grantId} RETURNING id, user_id, name, space_ids
      ), old AS (
        DELETE FROM access_tokens WHERE hash IN (
          SELECT hash FROM access_tokens WHERE grant_id = ${grantId} ORDER BY created_at DESC OFFSET ${maxTokens - 1}
          FOR UPDATE SKIP LOCKED
        )
      )
      INSERT INTO access_tokens (hash, id, user_id, name, scopes, space_ids, grant_id, created_at, expires_at)
      SELECT ${hash}, ${id}, user_id, name, ${scopes}::"TokenScope"[], space_ids, id, clock_timestamp(), ${later(tokenSeconds)}
      FROM used RETURNING ${issuedColumns}`,
  );
  return issued;
}

/** Finds the access token of an earlier answer that may be repeated. */
export async function findRepeated(tx: Database, id: string, hashes: string[]): Promise<Issued | undefined> {
  const [issued] = await runSql<Issued>(
    tx,
    sql`/* findRepeated */
      SELECT ${issuedColumns} FROM access_tokens
      WHERE grant_id = ${id} AND hash = ANY (${hashes}) AND ${isRecent('created_at', repeatSeconds)}`,
  );
  return issued;
}

/** Ends a locked grant with its tokens. */
export const endGrant = (tx: Database, id: string) =>
  runSql<EndedToken>(tx, endTokensWhere(sql`${id} IN (id, grant_id)`));

/** Finds the grant of an access token. */
export async function findGrantOf({ db }: Connections, hash: string): Promise<string | null | undefined> {
  return (await db.accessToken.findFirst({ where: { hash }, select: { grantId: true } }))?.grantId;
}
