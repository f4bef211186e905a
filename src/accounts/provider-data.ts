import { Prisma } from '../generated/prisma/client.ts';
import type { Connections, Database, Queryable } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import type { Identity } from './providers.ts';
import { countWaysIn } from './ways-in-data.ts';

const { sql } = Prisma;

export interface LinkedAccount {
  userId: string;
  email: string;
}

export async function findLinked(database: Queryable, { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>) {
  const [found] = await runSql<LinkedAccount>(
    database,
    sql`
      SELECT users.id AS "userId", users.email FROM provider_links JOIN users ON users.id = user_id
      WHERE issuer = ${issuer} AND subject = ${subject}`,
  );
  return found;
}

/** Fails if the subject is already linked. */
export const insertLink = (tx: Database, userId: string, provider: string, { issuer, subject }: Identity) =>
  runSql(
    tx,
    sql`/* insertLink */
      WITH made AS (
        INSERT INTO provider_links (issuer, subject, user_id, provider) VALUES (${issuer}, ${subject}, ${userId}, ${provider})
      )
      UPDATE users SET provider = ${provider} WHERE id = ${userId} AND provider IS NULL`,
  );

export async function findProviders(connections: Connections, userId: string): Promise<string[]> {
  const rows = await runSql<{ provider: string }>(
    connections,
    sql`SELECT provider FROM provider_links WHERE user_id = ${userId} GROUP BY provider ORDER BY min(linked_at), provider`,
  );
  return rows.map(({ provider }) => provider);
}

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
