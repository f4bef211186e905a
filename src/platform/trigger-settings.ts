import { runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections } from './database.ts';

const { raw, sql } = Prisma;

const columns = { history_settings: 'days', mail_settings: 'notification_seconds' } as const;

/** Sets what triggers read. A read-only database, which refuses any UPDATE, keeps its setting: a start must not fail. */
export async function setForTriggers(
  connections: Connections,
  table: keyof typeof columns,
  value: number,
): Promise<void> {
  const name = raw(table);
  const differs = sql`${raw(columns[table])} <> ${value}::int`;
  const rows = await runSql(
    connections,
    sql`/* findSetting */ SELECT FROM ${name}
      WHERE ${differs} AND NOT current_setting('transaction_read_only')::boolean`,
  );
  if (rows.length === 0) return;
  await runSql(
    connections,
    sql`/* setForTriggers */ UPDATE ${name} SET ${raw(columns[table])} = ${value}::int WHERE ${differs}`,
  );
}
