import { createHash } from 'node:crypto';
import { Prisma } from '../generated/prisma/client.ts';
import { db, type Database } from '../database/database.ts';
import { prune } from '../database/prune.ts';
import { runSql } from '../database/statements.ts';
import type { Flow, Identity } from './providers.ts';
import { countWaysIn } from './ways-in-data.ts';

const { sql } = Prisma;

/** Seconds within which a browser has to be back. */
export const flowSeconds = 600;

/** A sign-in with a provider that a browser has begun. */
export interface BegunFlow {
  provider: string;
  flow: Flow;
  /** What the browser's own cookie holds. */
  browser: string;
  /** A path of this origin. */
  returnTo: string;
  /** Id of the session that is to be linked; null: it signs in. */
  linkedSessionId: string | null;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

export const insertFlow = ({ provider, flow, browser, returnTo, linkedSessionId }: BegunFlow) =>
  runSql(
    db,
    sql`/* insertFlow */
      INSERT INTO provider_flows (state_hash, browser_hash, provider, nonce, verifier, return_to, linked_session_id, expires_at)
      VALUES (${hashOf(flow.state)}, ${hashOf(browser)}, ${provider}, ${flow.nonce}, ${flow.verifier}, ${returnTo},
        ${linkedSessionId}, now() + make_interval(secs => ${flowSeconds}::float8))`,
  );

/** A sign-in as the browser comes back from it. */
export interface TakenFlow {
  nonce: string;
  verifier: string;
  returnTo: string;
  linkedSessionId: string | null;
}

/** Takes a sign-in that a browser comes back from: once, and of that browser and provider alone. */
export async function takeFlow(state: string, browser: string, provider: string): Promise<TakenFlow | undefined> {
  const [taken] = await runSql<TakenFlow>(
    db,
    sql`/* takeFlow */
      DELETE FROM provider_flows
      WHERE state_hash = ${hashOf(state)} AND browser_hash = ${hashOf(browser)} AND provider = ${provider} AND expires_at > now()
      RETURNING nonce, verifier, return_to AS "returnTo", linked_session_id AS "linkedSessionId"`,
  );
  return taken;
}

export const pruneFlows = () => prune({ table: 'provider_flows', key: 'state_hash', moment: 'expires_at' });

/** An account that somebody comes in to by a provider. */
export interface LinkedAccount {
  userId: string;
  email: string;
}

export async function findLinked(database: Database, { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>) {
  const [found] = await runSql<LinkedAccount>(
    database,
    sql`
      SELECT users.id AS "userId", users.email FROM provider_links JOIN users ON users.id = user_id
      WHERE issuer = ${issuer} AND subject = ${subject}`,
  );
  return found;
}

/** Links a subject to an account, whose first provider it may be. Fails where the subject is linked already. */
export const insertLink = (tx: Database, userId: string, provider: string, { issuer, subject }: Identity) =>
  runSql(
    tx,
    sql`/* insertLink */
      WITH made AS (
        INSERT INTO provider_links (issuer, subject, user_id, provider) VALUES (${issuer}, ${subject}, ${userId}, ${provider})
      )
      UPDATE users SET provider = ${provider} WHERE id = ${userId} AND provider IS NULL`,
  );

/** Names of the providers that accounts are linked to, in the order in which they were. */
export async function findProviders(userId: string): Promise<string[]> {
  const rows = await runSql<{ provider: string }>(
    db,
    sql`SELECT provider FROM provider_links WHERE user_id = ${userId} GROUP BY provider ORDER BY min(linked_at), provider`,
  );
  return rows.map(({ provider }) => provider);
}

/** Takes the links to a provider from an account. @returns what it has left to sign in with, and whether there were any links */
export async function deleteLinks(tx: Database, userId: string, provider: string) {
  const deleted = await runSql(
    tx,
    sql`DELETE FROM provider_links WHERE user_id = ${userId} AND provider = ${provider} RETURNING subject`,
  );
  await runSql(
    tx,
    sql`/* updateFirstProvider */
      UPDATE users SET provider = (
        SELECT provider FROM provider_links WHERE user_id = users.id ORDER BY linked_at, provider LIMIT 1
      )
      WHERE id = ${userId}`,
  );
  return { wasLinked: deleted.length > 0, hasOther: (await countWaysIn(tx, userId)) > 0 };
}
