import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import pg from 'pg';
import { migrate } from '../../src/platform/migrations.ts';
import { Prisma } from '../../src/generated/prisma/client.ts';
import { Connections } from '../../src/platform/database.ts';
import { createTestDatabase, sqlAt } from '../kit/postgres.ts';
import { structureOf } from '../kit/structure.ts';

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

  test('applies all migrations once, also if two processes begin at the same time', async () => {
    const url = await createTestDatabase({ migrated: false });
    const appliedMigrations = await Promise.all([migrate(url), migrate(url)]);
    expect(appliedMigrations.flat().sort()).toEqual(migrations);
    expect(await migrate(url)).toEqual([]);
  });

  test('creates no account: nobody can sign in to a new service', async () => {
    const client = new pg.Client({ connectionString: await createTestDatabase() });
    await client.connect();
    const { rows } = await client.query('SELECT FROM users UNION ALL SELECT FROM sessions');
    expect(rows).toEqual([]);
    await client.end();
  });

  test('and a process give the same on a database whose settings differ', async () => {
    const [plain, different] = [await createTestDatabase(), await createTestDatabase({ migrated: false })];
    const database = new URL(different).pathname.slice(1);
    for (const setting of [
      "DateStyle = 'SQL, DMY'",
      'standard_conforming_strings = off',
      "TimeZone = 'Asia/Tokyo'",
      'default_transaction_isolation = serializable',
    ])
      await sqlAt(different, `ALTER DATABASE ${database} SET ${setting}`);
    await migrate(different);
    const readBy = async (url: string) => {
      const connections = new Connections(url);
      const read = await connections.db.$queryRaw`
        SELECT search_text('日本語') AS words, TIMESTAMPTZ '2026-12-01T10:00Z' AS moment,
          current_setting('transaction_isolation') AS isolation`;
      await connections.close();
      // Otherwise they also change how the structure is shown.
      await sqlAt(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} RESET ALL`);
      return { read, structure: await structureOf(url) };
    };
    const [expected, found] = [await readBy(plain), await readBy(different)];
    expect(found).toEqual(expected);
  });

  describe('creates the parts of the data model', () => {
    const settings = { isOnly: true, days: 30 };
    const rows: Partial<Record<string, object[]>> = {
      HistorySettings: [settings],
      MailSettings: [{ isOnly: true, notificationSeconds: 300 }],
    };

    let connections: Connections;
    beforeAll(async () => {
      await migrate(url);
      connections = new Connections(url);
    });
    afterAll(() => connections.close());

    test.each(Object.values(Prisma.ModelName))('%s', async (model) => {
      const delegate = (model.charAt(0).toLowerCase() + model.slice(1)) as Uncapitalize<typeof model>;
      // Selects every column by name.
      expect(await (connections.db[delegate].findMany as () => Promise<unknown[]>)()).toEqual(rows[model] ?? []);
    });
  });
});
