import { type Reader, runSessionWrite, runSql, readOnPrimary } from '@taskgate/postgres';
import { Prisma, type TokenScope } from '../../generated/prisma/client.ts';
import type { Connections, Database } from '../../platform/database.ts';
import type { Viewer } from '../../platform/context.ts';
import { isId } from '../../platform/ids.ts';
import { endWhileSignedIn, renewalSeconds } from '../sessions/data.ts';

const { raw, sql } = Prisma;

export interface AccessToken {
  id: string;
  name: string;
  scopes: TokenScope[];
  spaceIds: string[] | null;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  /** Host that an application redirects to. Empty for a token. */
  redirectHost: string;
}

/** A user makes and ends access tokens, and grants of applications. */
export type TokenKind = 'token' | 'application';

const tokenColumns =
  raw(`id, name, scopes::text[], space_ids AS "spaceIds", created_at AS "createdAt", expires_at AS "expiresAt",
  last_used_at AS "lastUsedAt", coalesce(redirect_host, '') AS "redirectHost"`);

export const isLive = raw(`coalesce(expires_at, 'infinity') > now()`);

/** Condition of live tokens of a kind, without the tokens of grants. */
const isOf = (userId: string, kind: TokenKind) =>
  sql`user_id = ${userId} AND kind = ${kind} AND grant_id IS NULL AND ${isLive}`;

/** Lists live tokens, newest first. */
export const findTokens = (reader: Reader, userId: string, kind: TokenKind): Promise<AccessToken[]> =>
  readOnPrimary<AccessToken>(
    reader,
    sql`/* findTokens */
      SELECT ${tokenColumns} FROM access_tokens WHERE ${isOf(userId, kind)} ORDER BY created_at DESC, id DESC`,
  );

export async function countTokens(tx: Database, userId: string, kind: TokenKind): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    tx,
    sql`SELECT count(*)::int AS count FROM access_tokens WHERE ${isOf(userId, kind)}`,
  );
  return row?.count ?? 0;
}

interface NewToken extends Omit<AccessToken, 'createdAt' | 'lastUsedAt' | 'redirectHost'> {
  hash: string;
  userId: string;
}

/** @returns undefined if it would already have expired */
export async function insertToken(tx: Database, token: NewToken): Promise<AccessToken | undefined> {
  const { hash, id, userId, name, scopes, spaceIds, expiresAt } = token;
  const [row] = await runSql<AccessToken>(
    tx,
    sql`/* insertToken */
      INSERT INTO access_tokens (hash, id, user_id, name, scopes, space_ids, expires_at)
      SELECT ${hash}, ${id}, ${userId}, ${name}, ${scopes}::"TokenScope"[], ${spaceIds}::text[], ${expiresAt}::timestamptz
      WHERE coalesce(${expiresAt}::timestamptz, 'infinity') > now()
      RETURNING ${tokenColumns}`,
  );
  return row;
}

export interface EndedToken {
  id: string;
  userId: string;
  name: string;
  /** Grant of the application that used the token. */
  grantId: string | null;
}

/** Ends tokens, as `endSessionsWhere` ends sessions. The rows stay until {@link deleteTokens}. */
export const endTokensWhere = (which: Prisma.Sql) => sql`/* endTokens */
  UPDATE access_tokens SET expires_at = created_at WHERE ${which} AND ${isLive}
  RETURNING id, user_id AS "userId", name, grant_id AS "grantId"`;

/** If an application is getting tokens at this moment, either they exist already and end too, or it gets none. */
const lockApplications = (tx: Database, which: Prisma.Sql) =>
  runSql(tx, sql`SELECT FROM access_tokens WHERE ${which} AND kind = 'application' FOR NO KEY UPDATE`);

/** Ends a token, or a grant with its tokens. @returns null if the viewer's session has ended */
export async function endTokenOf(tx: Database, viewer: Viewer, id: string): Promise<EndedToken[] | null> {
  if (isId('Application', id)) await lockApplications(tx, sql`id = ${id} AND user_id = ${viewer.id}`);
  return endWhileSignedIn<EndedToken>(
    viewer,
    (isOwn) => endTokensWhere(sql`${isOwn} AND ${id} = coalesce(grant_id, id)`),
    (statement) => runSql(tx, statement),
  );
}

export async function endAllTokens(tx: Database, userId: string): Promise<EndedToken[]> {
  await lockApplications(tx, sql`user_id = ${userId}`);
  return runSql<EndedToken>(tx, endTokensWhere(sql`user_id = ${userId}`));
}

/** Waits for their writes. */
export const deleteTokens = (connections: Connections, ended: readonly EndedToken[]) =>
  runSql(connections, sql`/* deleteTokens */ DELETE FROM access_tokens WHERE id = ANY (${ended.map(({ id }) => id)})`);

/** Records a use at most once an hour. If the row is locked, the next request records it. */
export async function noteUse(connections: Connections, key: string): Promise<void> {
  await runSessionWrite(
    connections,
    sql`/* noteTokenUse */
      UPDATE access_tokens SET last_used_at = now() WHERE hash IN (
        SELECT hash FROM access_tokens
        WHERE hash = ${key} AND coalesce(last_used_at <= now() - make_interval(secs => ${renewalSeconds}::float8), true)
        FOR NO KEY UPDATE SKIP LOCKED
      )`,
  );
}
