import { type Reader, runSql, runWithin } from '@taskgate/postgres';
import { Prisma, type TokenScope } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../platform/context.ts';
import type { Database } from '../../platform/database.ts';
import { endWhileSignedIn } from '../sessions/data.ts';
import { type EndedToken, endTokensWhere, isLive, lockApplications } from '../tokens/data.ts';

const { raw, sql } = Prisma;

// A grant is a row of the kind `application`. Its access tokens refer to it.

export interface Application {
  id: string;
  name: string;
  redirectHost: string;
  scopes: TokenScope[];
  spaceIds: string[] | null;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** Seconds from the consent to the use of the code. */
const codeSeconds = 60;

/** Seconds without use, after which a grant ends. */
const grantSeconds = 90 * 24 * 60 * 60;

const tokenSeconds = 60 * 60;

/** For this long, a used refresh token gives the same successor again. */
const repeatSeconds = 60;

/** Of a grant: older ones end. */
const maxTokens = 100;

const later = (seconds: number) => sql`clock_timestamp() + make_interval(secs => ${seconds}::float8)`;

const isOwn = (userId: string) => sql`user_id = ${userId} AND kind = 'application' AND ${isLive}`;

/** Newest first. */
export const findApplications = (reader: Reader, userId: string): Promise<Application[]> =>
  runWithin<Application>(
    reader,
    sql`/* findApplications */
      SELECT id, name, redirect_host AS "redirectHost", scopes::text[], space_ids AS "spaceIds",
        created_at AS "createdAt", last_used_at AS "lastUsedAt"
      FROM access_tokens WHERE ${isOwn(userId)} ORDER BY created_at DESC, id DESC`,
  );

export async function countApplications(tx: Database, userId: string): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    tx,
    sql`SELECT count(*)::int AS count FROM access_tokens WHERE ${isOwn(userId)}`,
  );
  return row?.count ?? 0;
}

export interface NewGrant extends Pick<Application, 'id' | 'name' | 'redirectHost' | 'scopes' | 'spaceIds'> {
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

export interface Grant extends Pick<Application, 'id' | 'name' | 'scopes' | 'spaceIds'> {
  userId: string;
  client: string;
  number: number;
}

/** Locks it. Undefined if it has ended. */
export async function lockGrant(tx: Database, id: string): Promise<Grant | undefined> {
  const [grant] = await runSql<Grant>(
    tx,
    sql`/* lockGrant */
      SELECT id, user_id AS "userId", name, scopes::text[], space_ids AS "spaceIds", client, refresh_number AS number
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
  { id, userId, name, spaceIds }: Grant,
  token: { hash: string; id: string; scopes: TokenScope[]; number: number },
): Promise<Issued | undefined> {
  const [issued] = await runSql<Issued>(
    tx,
    sql`/* insertAccessToken */
      WITH used AS (
        UPDATE access_tokens SET refresh_number = ${token.number}, last_used_at = clock_timestamp(), expires_at = ${later(grantSeconds)}
        WHERE id = ${id}
      ), old AS (
        DELETE FROM access_tokens WHERE hash IN (
          SELECT hash FROM access_tokens WHERE grant_id = ${id} ORDER BY created_at DESC OFFSET ${maxTokens - 1}
          FOR UPDATE SKIP LOCKED
        )
      )
      INSERT INTO access_tokens (hash, id, user_id, name, scopes, space_ids, grant_id, created_at, expires_at)
      VALUES (${token.hash}, ${token.id}, ${userId}, ${name}, ${token.scopes}::"TokenScope"[], ${spaceIds}::text[], ${id},
        clock_timestamp(), ${later(tokenSeconds)})
      RETURNING ${issuedColumns}`,
  );
  return issued;
}

/** Finds the access token of an earlier answer that may be repeated. */
export async function findRepeated(tx: Database, id: string, hashes: readonly string[]): Promise<Issued | undefined> {
  const [issued] = await runSql<Issued>(
    tx,
    sql`/* findRepeated */
      SELECT ${issuedColumns} FROM access_tokens
      WHERE grant_id = ${id} AND hash = ANY (${[...hashes]}) AND created_at > ${later(-repeatSeconds)}`,
  );
  return issued;
}

const isOfGrant = (id: string) => sql`${id} IN (id, grant_id)`;

/** With its tokens. */
export async function endGrant(tx: Database, id: string): Promise<EndedToken[]> {
  await lockApplications(tx, sql`id = ${id}`);
  return runSql<EndedToken>(tx, endTokensWhere(isOfGrant(id)));
}

/** With its tokens. @returns null if the viewer's session has ended */
export async function endApplicationOf(tx: Database, viewer: Viewer, id: string): Promise<EndedToken[] | null> {
  await lockApplications(tx, sql`id = ${id} AND user_id = ${viewer.id}`);
  return endWhileSignedIn<EndedToken>(
    viewer,
    (isOwn) => endTokensWhere(sql`${isOwn} AND ${isOfGrant(id)}`),
    (statement) => runSql(tx, statement),
  );
}

/** Finds the grant of an access token. */
export async function findGrantOf(tx: Database, hash: string): Promise<string | undefined> {
  const token = await tx.accessToken.findUnique({ where: { hash }, select: { grantId: true } });
  return token?.grantId ?? undefined;
}
