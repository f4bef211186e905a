import type { Service } from './service.ts';
import { until } from './until.ts';

/** Tables with the text in any column of a row, also in bytes. */
export async function tablesWith({ sql }: Pick<Service, 'sql'>, text: string): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name COLLATE "C"`,
  );
  const found = [];
  for (const { name } of tables) {
    const rows = await sql(
      `SELECT FROM "${name}" AS each
       WHERE position($1 IN each::text) > 0 OR position(encode(convert_to($1, 'UTF8'), 'hex') IN each::text) > 0 LIMIT 1`,
      [text],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** Waits for the planner of mails, which forgets a deleted space at its next poll. */
export const untilForgotten = (service: Pick<Service, 'sql'>, id: string): Promise<void> =>
  until(`no table contains ${id}`, async () => (await tablesWith(service, id)).length === 0);
