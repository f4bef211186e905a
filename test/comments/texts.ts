import type { Service } from '../kit/service.ts';

/** Returns the tables that have a row with a text in any column. */
export async function tablesWith(service: Service, text: string): Promise<string[]> {
  const tables = await service.sql<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
       AND relnamespace = current_schema()::regnamespace ORDER BY 1`,
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await service.sql(`SELECT FROM "${name}" AS row WHERE position($1 IN row::text) > 0 LIMIT 1`, [
        text,
      ]);
      return rows.length > 0 ? [name] : [];
    }),
  );
  return found.flat();
}
