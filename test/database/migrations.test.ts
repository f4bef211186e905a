import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { migrate } from '../../src/database/migrate.ts';
import { Prisma } from '../../src/generated/prisma/client.ts';
import { connectDatabase, db, disconnectDatabase } from '../../src/kernel/database.ts';
import { createTestDatabase } from '../kit/postgres.ts';

describe('migrate', () => {
  let url: string;
  let migrations: string[];

  beforeAll(async () => {
    url = await createTestDatabase({ migrated: false });
    const entries = await readdir('prisma/migrations', { withFileTypes: true });
    migrations = entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  });

  test('applies all migrations once, also where two processes begin at the same time', async () => {
    const applied = await Promise.all([migrate(url), migrate(url)]);
    expect(applied.flat()).toEqual(migrations);
    expect(await migrate(url)).toEqual([]);
  });

  test('notes the words of the tasks that are there', async () => {
    const client = new pg.Client({ connectionString: await createTestDatabase({ migrated: false }) });
    await client.connect();
    const apply = async (names: string[]) => {
      for (const name of names) await client.query(await readFile(`prisma/migrations/${name}/migration.sql`, 'utf8'));
    };
    const first = migrations.indexOf('20261121000100_words_of_a_space');
    await apply(migrations.slice(0, first));
    await client.query(`
      INSERT INTO spaces (id, kind) VALUES ('user_1', 'PERSONAL');
      INSERT INTO projects (id, space_id, name, slug) VALUES ('proj_1', 'user_1', 'Home', 'home');
      INSERT INTO tasks (id, space_id, project_id, title, description, sort_key)
      VALUES ('task_1', 'user_1', 'proj_1', 'Call Zoë', 'before 9', 'a0'), ('task_2', 'user_1', 'proj_1', 'Call', null, 'a1')`);
    await apply(migrations.slice(first));
    const { rows } = await client.query('SELECT space_id, word FROM task_words ORDER BY word');
    expect(rows).toEqual(['9', 'before', 'call', 'zoë'].map((word) => ({ space_id: 'user_1', word })));
    await client.end();
  });

  describe('makes what the data model names', () => {
    beforeAll(() => connectDatabase(url));
    afterAll(() => disconnectDatabase());

    test.each(Object.values(Prisma.ModelName))('%s', async (model) => {
      const delegate = (model.charAt(0).toLowerCase() + model.slice(1)) as Uncapitalize<typeof model>;
      // Selects every column by its name.
      expect(await (db[delegate].findMany as () => Promise<unknown[]>)()).toEqual([]);
    });
  });
});
