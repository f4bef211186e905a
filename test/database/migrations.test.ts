import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { readLog } from '../../src/changes/data.ts';
import type { LogRow } from '../../src/changes/log.ts';
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

  /** A database with all migrations before the one named; `goOn` applies the others. */
  async function before(migration: string) {
    const databaseUrl = await createTestDatabase({ migrated: false });
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const apply = async (names: string[]) => {
      for (const name of names) await client.query(await readFile(`prisma/migrations/${name}/migration.sql`, 'utf8'));
    };
    const first = migrations.indexOf(migration);
    await apply(migrations.slice(0, first));
    return { databaseUrl, client, goOn: () => apply(migrations.slice(first)) };
  }

  test('applies all migrations once, also where two processes begin at the same time', async () => {
    const applied = await Promise.all([migrate(url), migrate(url)]);
    expect(applied.flat().sort()).toEqual(migrations);
    expect(await migrate(url)).toEqual([]);
  });

  test('makes no account: nobody can sign in to a new service', async () => {
    const client = new pg.Client({ connectionString: await createTestDatabase() });
    await client.connect();
    const { rows } = await client.query('SELECT FROM users UNION ALL SELECT FROM sessions');
    expect(rows).toEqual([]);
    await client.end();
  });

  test('notes the words of the tasks that are there', async () => {
    const { client, goOn } = await before('20261121000100_words_of_a_space');
    await client.query(`
      INSERT INTO spaces (id, kind) VALUES ('user_1', 'PERSONAL');
      INSERT INTO projects (id, space_id, name, slug) VALUES ('proj_1', 'user_1', 'Home', 'home');
      INSERT INTO tasks (id, space_id, project_id, title, description, sort_key)
      VALUES ('task_1', 'user_1', 'proj_1', 'Call Zoë', 'before 9', 'a0'), ('task_2', 'user_1', 'proj_1', 'Call', null, 'a1')`);
    await goOn();
    const { rows } = await client.query('SELECT space_id, word FROM task_words ORDER BY word');
    expect(rows).toEqual(['9', 'before', 'call', 'zoë'].map((word) => ({ space_id: 'user_1', word })));
    await client.end();
  });

  test('cuts descriptions that are too long to their first 16,384 code points, and takes no longer ones', async () => {
    const { client, goOn } = await before('20261122000601_length_of_descriptions');
    await client.query(`
      INSERT INTO spaces (id, kind) VALUES ('user_1', 'PERSONAL');
      INSERT INTO projects (id, space_id, name, slug) VALUES ('proj_1', 'user_1', 'Home', 'home');
      INSERT INTO tasks (id, space_id, project_id, title, description, sort_key) VALUES
        ('task_1', 'user_1', 'proj_1', 'long', repeat('🦊', 16385), 'a0'), ('task_2', 'user_1', 'proj_1', 'none', null, 'a1')`);
    await goOn();
    const { rows } = await client.query('SELECT description FROM tasks ORDER BY id');
    expect(rows).toEqual([{ description: '🦊'.repeat(16_384) }, { description: null }]);
    await expect(client.query(`UPDATE tasks SET description = description || 'a'`)).rejects.toThrow(
      'tasks_description_check',
    );
    await client.end();
  });

  test('keeps what was logged of single tasks', async () => {
    const { databaseUrl, client, goOn } = await before('20261121000300_changes_in_groups');
    await client.query(`
      INSERT INTO spaces (id, kind) VALUES ('user_1', 'PERSONAL');
      INSERT INTO projects (id, space_id, name, slug)
      VALUES ('proj_1', 'user_1', 'Home', 'home'), ('proj_2', 'user_1', 'Work', 'work');
      INSERT INTO tasks (id, space_id, project_id, title, sort_key)
      VALUES ('task_1', 'user_1', 'proj_1', 'Call', 'a0'), ('task_2', 'user_1', 'proj_1', 'Pay', 'a1');
      UPDATE tasks SET project_id = 'proj_2', title = 'Moved';
      DELETE FROM tasks WHERE id = 'task_2'`);
    const { rows } = await client.query<LogRow>(`
      SELECT space_id AS "spaceId", revision::int, transaction_id::int AS "transactionId", task_id AS "taskId", kind, fields,
        project_id AS "projectId", previous_project_id AS "previousProjectId",
        (extract(epoch FROM at) * 1000)::float8 AS at, (SELECT space_id FROM tasks WHERE id = task_id) AS "presentSpace"
      FROM task_changes ORDER BY revision`);
    expect(rows).toHaveLength(5);
    await goOn();
    await client.query(`UPDATE tasks SET title = 'Write'`);
    await client.end();
    connectDatabase(databaseUrl);
    const { rows: read, spaces } = await readLog(new Map([['user_1', 0]]), 100);
    await disconnectDatabase();
    expect(read.slice(0, -1)).toEqual(rows);
    expect(read.at(-1)).toMatchObject({
      taskId: 'task_1',
      fields: ['title'],
      revision: spaces.get('user_1')?.revision,
    });
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
