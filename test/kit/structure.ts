import pg from 'pg';

/** The structure as ordered text, without objects of extensions. */
const queries = {
  columns: `
    SELECT format('%s.%s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod),
      concat_ws(' ', attnotnull, attcollation::regcollation, attstorage, attidentity, attgenerated,
        pg_get_expr(adbin, adrelid))) AS line
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'c') AND attnum > 0 AND NOT attisdropped`,
  tables: `
    SELECT format('%s %s %s', relname, relkind, reloptions) AS line FROM pg_class
    WHERE relnamespace = 'public'::regnamespace`,
  constraints: `
    SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS line FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace`,
  indexes: `SELECT indexdef AS line FROM pg_indexes WHERE schemaname = 'public'`,
  views: `SELECT format('%s %s', viewname, definition) AS line FROM pg_views WHERE schemaname = 'public'`,
  functions: `
    SELECT pg_get_functiondef(oid) AS line FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND prokind <> 'a'
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')`,
  triggers: `SELECT pg_get_triggerdef(oid) AS line FROM pg_trigger WHERE NOT tgisinternal`,
};

export type Structure = Record<keyof typeof queries, string[]>;

async function reading<Result>(databaseUrl: string, read: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await read(client);
  } finally {
    await client.end();
  }
}

export const structureOf = (databaseUrl: string): Promise<Structure> =>
  reading(databaseUrl, async (client) => {
    const entries: [string, string[]][] = [];
    for (const [kind, query] of Object.entries(queries)) {
      const { rows } = await client.query<{ line: string }>(`${query} ORDER BY line`);
      entries.push([kind, rows.map(({ line }) => line)]);
    }
    return Object.fromEntries(entries) as Structure;
  });

export interface Column {
  table: string;
  column: string;
  type: string;
}

export const columnsOf = (databaseUrl: string, tables: readonly string[]): Promise<Column[]> =>
  reading(databaseUrl, async (client) => {
    const { rows } = await client.query<Column>(
      `SELECT attrelid::regclass::text AS table, attname AS column, format_type(atttypid, atttypmod) AS type
       FROM pg_attribute WHERE attrelid = ANY ($1::regclass[]) AND attnum > 0 AND NOT attisdropped ORDER BY 1, attnum`,
      [tables],
    );
    return rows;
  });
