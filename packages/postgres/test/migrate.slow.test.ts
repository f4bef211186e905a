import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { StartError } from '@taskgate/base';
import { migrate } from '../migrate.ts';
import { createTestDatabase } from '../../../test/kit/postgres.ts';
import { structureOf } from '../../../test/kit/structure.ts';
import { until } from '../../../test/kit/until.ts';

const scripts = {
  '1_initial': 'CREATE TABLE done (step int);\nINSERT INTO done VALUES (1);',
  '2_more': 'CREATE TABLE more ();\nINSERT INTO done VALUES (2);',
};
const names = Object.keys(scripts);
const functions = `CREATE FUNCTION steps() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM done';`;

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** Callbacks around the nth statement of a migrating connection. Undefined disables them. */
let fault: { at: number; before?(client: pg.Client): Promise<unknown>; after?(client: pg.Client): void } | undefined;
let sent = 0;

const { prototype } = pg.Client as unknown as { prototype: { query: Query } };
const { query } = prototype;

beforeAll(() => {
  prototype.query = function (...args) {
    const { connectionParameters } = this as unknown as { connectionParameters: { application_name?: string } };
    if (connectionParameters.application_name !== 'taskgate-migrations') return query.apply(this, args);
    sent += 1;
    if (fault?.at !== sent) return query.apply(this, args);
    const current = fault;
    return (async () => {
      await current.before?.(this);
      const result = query.apply(this, args);
      current.after?.(this);
      return result;
    })();
  };
});
afterAll(() => {
  prototype.query = query;
});

describe('migrate', () => {
  let folder: string;
  let url: string;
  let client: pg.Client;

  beforeAll(async () => {
    url = await createTestDatabase({ migrated: false });
    client = new pg.Client({ connectionString: url });
    await client.connect();
    folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-migrations-'));
    for (const [name, script] of Object.entries(scripts)) await write(name, script);
    await writeFunctions(functions);
  });
  afterAll(async () => {
    await client.end();
    await rm(folder, { recursive: true, force: true });
  });

  async function write(name: string, script: string) {
    await mkdir(path.join(folder, 'migrations', name), { recursive: true });
    await writeFile(path.join(folder, 'migrations', name, 'migration.sql'), script);
  }

  async function writeFunctions(script: string) {
    await mkdir(path.join(folder, 'functions'), { recursive: true });
    await writeFile(path.join(folder, 'functions', 'steps.sql'), script);
  }

  async function onEmpty<Result>(work: () => Promise<Result>): Promise<Result> {
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    return work();
  }

  /** Expects that every migration ran once. */
  async function expectAllDone() {
    const steps = await client.query('SELECT step, steps()::int FROM done ORDER BY step');
    expect(steps.rows).toEqual([
      { step: 1, steps: 2 },
      { step: 2, steps: 2 },
    ]);
    const { rows } = await client.query(`
      SELECT migration_name AS name, checksum, applied_steps_count AS steps, finished_at >= started_at AS finished
      FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY name`);
    const checksum = (script: string) => createHash('sha256').update(script).digest('hex');
    expect(rows).toEqual(
      Object.entries(scripts).map(([name, script]) => ({ name, checksum: checksum(script), steps: 1, finished: true })),
    );
  }

  test('keeps the records of Prisma, and does nothing if no migration is missing', () =>
    onEmpty(async () => {
      expect(await migrate(url, { folder })).toEqual(names);
      await expectAllDone();
      expect(await migrate(url, { folder })).toEqual([]);
    }));

  describe('continues after an interruption', () => {
    let statements: number;
    beforeAll(() =>
      onEmpty(async () => {
        sent = 0;
        await migrate(url, { folder });
        statements = sent;
      }),
    );

    const faults = {
      'by the server, before a statement': {
        before: async (migrating: pg.Client) => {
          const { processID } = migrating as unknown as { processID: number };
          await client.query('SELECT pg_terminate_backend($1, 10000)', [processID]);
        },
      },
      'by the end of the process, once a statement is on its way': {
        after: (migrating: pg.Client) => {
          const { connection } = migrating as unknown as { connection: { stream: { destroySoon(): void } } };
          connection.stream.destroySoon();
        },
      },
    };
    test.each(Object.entries(faults))('%s: at each of them', async (_name, killMode) => {
      expect(statements).toBeGreaterThan(15);
      for (let position = 1; position <= statements; position += 1) {
        await onEmpty(async () => {
          sent = 0;
          fault = { at: position, ...killMode };
          await expect(migrate(url, { folder })).rejects.not.toBeInstanceOf(StartError);
          fault = undefined;
          await migrate(url, { folder });
          await expectAllDone();
        });
      }
    });
  });

  test('applies a migration again that another tool began and did not finish', () =>
    onEmpty(async () => {
      await migrate(url, { folder });
      await client.query(`
        DELETE FROM done WHERE step = 2;
        DROP TABLE more;
        UPDATE _prisma_migrations SET finished_at = NULL, applied_steps_count = 0 WHERE migration_name = '2_more'`);
      expect(await migrate(url, { folder })).toEqual(['2_more']);
      await expectAllDone();
    }));

  test('names a failed migration and the reason, keeps nothing of it, and applies it once it is fixed', () =>
    onEmpty(async () => {
      await write('2_more', `${scripts['2_more']} SELECT nonsense;`);
      const failingMigration = migrate(url, { folder });
      await expect(failingMigration).rejects.toBeInstanceOf(StartError);
      await expect(failingMigration).rejects.toThrow(
        /^the migration 2_more fails: column "nonsense" does not exist \(42703\)$/,
      );
      expect((await client.query('SELECT * FROM done')).rows).toEqual([{ step: 1 }]);
      await expect(migrate(url, { folder })).rejects.toThrow('the migration 2_more fails');
      await write('2_more', scripts['2_more']);
      expect(await migrate(url, { folder })).toEqual(['2_more']);
      await expectAllDone();
    }));

  test.each(['statement_timeout', 'lock_timeout'])('may take longer than the %s of the role', (timeout) =>
    onEmpty(async () => {
      const database = new URL(url).pathname.slice(1);
      const slow = `${scripts['1_initial']} SELECT pg_sleep(0.3);`;
      await write('1_initial', slow);
      await client.query(`ALTER DATABASE ${database} SET ${timeout} = '200ms'`);
      // The second one waits for the first.
      const [first, second] = await Promise.all([migrate(url, { folder }), migrate(url, { folder })]);
      expect([...first, ...second].sort()).toEqual(names);
      await client.query(`ALTER DATABASE ${database} RESET ${timeout}`);
      await write('1_initial', scripts['1_initial']);
    }),
  );

  test('refuses a script that ends the transaction', () =>
    onEmpty(async () => {
      await write('2_more', `${scripts['2_more']} COMMIT;`);
      await expect(migrate(url, { folder })).rejects.toThrow('2_more ends the transaction');
      await write('2_more', scripts['2_more']);
    }));

  test.each(["migration_name = '0_of_before'", "checksum = 'another'"])(
    'refuses a database from before the first release, and leaves it unchanged: %s',
    (difference) =>
      onEmpty(async () => {
        await migrate(url, { folder });
        await client.query(`UPDATE _prisma_migrations SET ${difference} WHERE migration_name = '1_initial'`);
        await expect(migrate(url, { folder })).rejects.toThrow(
          /^the database is of another application, or from before the first release: use an empty one$/,
        );
        expect((await client.query('SELECT step FROM done')).rowCount).toBe(2);
      }),
  );

  describe('of a database that a newer version migrated', () => {
    const newerName = '3_newer';
    const line = (name: string) =>
      `the database has the migration ${name}, which this version does not know: start the version that applied it, or restore a backup from before`;
    const expectRefused = async (name: string) => {
      const [before, records] = [await structureOf(url), await client.query('TABLE _prisma_migrations')];
      const refusedMigration = migrate(url, { folder });
      await expect(refusedMigration).rejects.toBeInstanceOf(StartError);
      await expect(refusedMigration).rejects.toThrow(new RegExp(`^${line(name)}$`));
      expect(await structureOf(url)).toEqual(before);
      expect((await client.query('TABLE _prisma_migrations')).rows).toEqual(records.rows);
    };

    test('names the migration that this version does not know, and changes nothing', () =>
      onEmpty(async () => {
        expect(await migrate(url, { folder })).toEqual(names);
        await write(newerName, 'CREATE TABLE newer (); INSERT INTO done VALUES (3);');
        await writeFunctions(functions.replace('count(*)', 'count(*) * 10'));
        expect(await migrate(url, { folder })).toEqual([newerName]);
        await rm(path.join(folder, 'migrations', newerName), { recursive: true });
        await writeFunctions(functions);
        await expectRefused(newerName);
        const steps = await client.query('SELECT step, steps()::int FROM done ORDER BY step');
        expect(steps.rows).toEqual([1, 2, 3].map((step) => ({ step, steps: 30 })));
      }));

    test('does the same if a migration of this version is missing too', () =>
      onEmpty(async () => {
        await migrate(url, { folder });
        await client.query(
          `UPDATE _prisma_migrations SET migration_name = '1_5_of_a_branch' WHERE migration_name = '2_more'`,
        );
        await expectRefused('1_5_of_a_branch');
      }));

    test('does the same if another tool did not finish it', () =>
      onEmpty(async () => {
        await migrate(url, { folder });
        await client.query(
          `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('newer', '', '${newerName}')`,
        );
        await expectRefused(newerName);
        await client.query(
          `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${newerName}'`,
        );
        expect(await migrate(url, { folder })).toEqual([]);
      }));
  });

  test('ends at the signal, and rolls back the migration in progress', () =>
    onEmpty(async () => {
      await migrate(url, { folder });
      await write('3_waits', 'INSERT INTO done VALUES (4); LOCK TABLE done IN ACCESS EXCLUSIVE MODE;');
      await client.query('BEGIN; LOCK TABLE done IN ROW EXCLUSIVE MODE');
      const stop = new AbortController();
      const migrating = migrate(url, { folder, signal: stop.signal });
      const watcher = new pg.Client({ connectionString: url });
      await watcher.connect();
      const waitEvents = () =>
        watcher.query<{ waits: string | null }>(`SELECT wait_event_type AS waits FROM pg_stat_activity
           WHERE application_name = 'taskgate-migrations' AND datname = current_database()`);
      await until('the migration waits for the lock', async () =>
        (await waitEvents()).rows.some(({ waits }) => waits === 'Lock'),
      );
      stop.abort(new Error('told to stop'));
      await expect(migrating).rejects.toThrow('told to stop');
      await until('no migration is under way', async () => (await waitEvents()).rows.length === 0);
      await client.query('COMMIT');
      expect((await watcher.query('SELECT FROM done WHERE step = 4')).rowCount).toBe(0);
      await watcher.end();
      await rm(path.join(folder, 'migrations', '3_waits'), { recursive: true });
    }));
});
