import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate as migrateBy } from '../migrate.ts';
import { migrate } from '../../../src/platform/migrations.ts';
import { createTestDatabase } from '../../../test/kit/postgres.ts';
import { structureOf } from '../../../test/kit/structure.ts';
import { until } from '../../../test/kit/until.ts';

let folder: string;
let url: string;
let client: pg.Client;

const file = (name: string) => path.join(folder, 'functions', name);
const edit = async (name: string, change: (text: string) => string) => {
  await writeFile(file(name), change(await readFile(file(name), 'utf8')));
};

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-functions-'));
  await cp('prisma', folder, { recursive: true });
  url = await createTestDatabase();
  client = new pg.Client({ connectionString: url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await rm(folder, { recursive: true, force: true });
});

describe('functions and triggers', () => {
  test('are the ones of the files after an upgrade from any version, as in a fresh database', async () => {
    const old = await createTestDatabase({ migrated: false });
    await edit('sort_keys.sql', (text) => text.replace("RETURN 'a0'", "RETURN 'a1'"));
    await writeFile(
      file('of_before.sql'),
      `CREATE TYPE of_before AS (id text);
       CREATE FUNCTION of_before(given of_before) RETURNS void LANGUAGE plpgsql AS 'BEGIN RETURN; END';
       CREATE FUNCTION of_before() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
       CREATE TRIGGER of_before AFTER INSERT ON tags FOR EACH ROW EXECUTE FUNCTION of_before();`,
    );
    await edit('task_tree.sql', (text) => text.replace('DEFERRABLE INITIALLY DEFERRED', ''));
    await migrateBy(old, { folder });
    const freshStructure = await structureOf(url);
    expect(await structureOf(old)).not.toEqual(freshStructure);
    await migrate(old);
    expect(await structureOf(old)).toEqual(freshStructure);
  });

  test('are not applied again if their text is the same', async () => {
    await client.query('DROP FUNCTION prune_invitations()');
    await migrate(url);
    expect((await client.query(`SELECT to_regproc('prune_invitations') AS found`)).rows).toEqual([{ found: null }]);
  });

  test('are only read if their text is the same, so a start works on a read-only database', async () => {
    const name = new URL(url).pathname.slice(1);
    await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    try {
      expect(await migrate(url)).toEqual([]);
    } finally {
      await client.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    }
  });

  test('are applied with the last missing migration, or not at all', async () => {
    await mkdir(path.join(folder, 'migrations', '9_later'));
    await writeFile(
      path.join(folder, 'migrations', '9_later', 'migration.sql'),
      'ALTER TABLE tags ADD COLUMN later integer',
    );
    await edit('sort_keys.sql', (text) => `${text}\nCREATE FUNCTION later() RETURNS nonsense LANGUAGE sql AS '';`);
    await expect(migrateBy(url, { folder })).rejects.toThrow(
      /^functions\/sort_keys.sql fails: type "nonsense" does not exist \(42704\)$/,
    );
    const columns = `SELECT FROM information_schema.columns WHERE table_name = 'tags' AND column_name = 'later'`;
    expect((await client.query(columns)).rowCount).toBe(0);
    await edit('sort_keys.sql', (text) => text.replace('nonsense', 'void'));
    expect(await migrateBy(url, { folder })).toEqual(['9_later']);
    expect((await client.query(columns)).rowCount).toBe(1);
    expect((await client.query(`SELECT to_regproc('later')::text AS found`)).rows).toEqual([{ found: 'later' }]);
  });

  test('can be changed during reads and writes, which wait and do not fail', async () => {
    await edit('sort_keys.sql', (text) => `${text}\nCREATE FUNCTION later() RETURNS void LANGUAGE sql AS '';`);
    await migrateBy(url, { folder });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    // Like a write that first reads a locked table and then locks a space.
    await other.query('BEGIN; SELECT FROM users');
    await edit('sort_keys.sql', (text) => text.replace(/\nCREATE FUNCTION later.*$/, ''));
    const changing = migrateBy(url, { folder });
    const isWaiting = `SELECT FROM pg_stat_activity WHERE application_name = 'taskgate-migrations' AND wait_event_type = 'Lock'
      AND datname = current_database()`;
    await until('the migration waits for a lock', async () => (await client.query(isWaiting)).rowCount !== 0);
    await other.query('LOCK TABLE spaces IN ROW EXCLUSIVE MODE; COMMIT');
    await other.end();
    await changing;
    expect((await client.query(`SELECT to_regproc('later') AS found`)).rows).toEqual([{ found: null }]);
  });
});
