import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';

interface Script {
  file: string;
  sql: string;
}

export interface Functions {
  scripts: Script[];
  /** SHA-256 of their names and texts and of the migrations' names. */
  checksum: string;
}

/** @param migrations triggers are generated from the structure, so a new migration changes the checksum */
export async function readFunctions(folder: string, migrations: readonly string[]): Promise<Functions> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const scripts = await Promise.all(
    files.map(async (file) => ({ file, sql: await readFile(path.join(folder, file), 'utf8') })),
  );
  return {
    scripts,
    checksum: createHash('sha256')
      .update(JSON.stringify([scripts, migrations]))
      .digest('hex'),
  };
}

/**
 * Needs a transaction with a lock against other processes.
 * @returns whether functions were replaced
 */
export async function applyFunctions(
  client: pg.Client,
  { scripts, checksum }: Functions,
  run: (file: string, sql: string) => Promise<void>,
): Promise<boolean> {
  if ((await appliedChecksum(client)) === checksum) return false;
  await client.query('CREATE TABLE IF NOT EXISTS _applied_functions (checksum varchar(64) NOT NULL)');
  await client.query(lockTables);
  await client.query(dropFunctions);
  for (const { file, sql } of scripts) await run(file, sql);
  await client.query('DELETE FROM _applied_functions');
  await client.query('INSERT INTO _applied_functions (checksum) VALUES ($1)', [checksum]);
  return true;
}

/** Reads the catalog: `to_regclass` may use a cache from before a wait for a lock. */
export async function hasTable(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query('SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1', [
    table,
  ]);
  return rows.length > 0;
}

/** Writes nothing: when a process starts, the database may be read-only. */
async function appliedChecksum(client: pg.Client): Promise<string | undefined> {
  if (!(await hasTable(client, '_applied_functions'))) return undefined;
  const { rows } = await client.query<{ checksum: string }>('SELECT checksum FROM _applied_functions');
  return rows[0]?.checksum;
}

/**
 * Dropping a trigger locks its table against reads. A transaction that read a table and waits for a space could
 * deadlock with this one. So it first locks `spaces`, gives up early and retries.
 */
const lockTables = `
DO $$
DECLARE
  tables text := (
    SELECT string_agg(oid::regclass::text, ', ' ORDER BY relname) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
  );
BEGIN
  LOOP
    BEGIN
      SET LOCAL lock_timeout = '500ms';
      IF to_regclass('spaces') IS NOT NULL THEN
        LOCK TABLE spaces IN EXCLUSIVE MODE;
      END IF;
      EXECUTE 'LOCK TABLE ' || tables || ' IN ACCESS EXCLUSIVE MODE';
      EXIT;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      PERFORM pg_sleep(0.05);
    END;
  END LOOP;
  SET LOCAL lock_timeout = 0;
END $$`;

/** Keeps routines of extensions, and routines that the structure needs, such as for an index. */
const dropFunctions = `
DO $$
DECLARE
  command text;
BEGIN
  FOR command IN
    SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass)
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
  LOOP
    EXECUTE command;
  END LOOP;
  FOR command IN
    SELECT format('DROP ROUTINE %s', oid::regprocedure) FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
      AND NOT EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_proc'::regclass AND refobjid = pg_proc.oid)
  LOOP
    EXECUTE command;
  END LOOP;
  FOR command IN
    SELECT format('DROP TYPE %s', reltype::regtype) FROM pg_class
    WHERE relkind = 'c' AND relnamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_type'::regclass AND objid = reltype AND deptype = 'e')
  LOOP
    EXECUTE command;
  END LOOP;
END $$`;
