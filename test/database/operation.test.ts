import { beforeAll, describe, expect, test } from '@jest/globals';
import { afterCommit, currentTransaction, isConflict, readOnAny, runSql } from '@taskgate/postgres';
import { Prisma } from '../../src/generated/prisma/client.ts';
import type { Connections } from '../../src/platform/database.ts';
import { inOneTransaction, retrying, tryTransaction } from '../../src/platform/transaction.ts';
import { makeTask } from '../kit/make.ts';
import { until } from '../kit/until.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';

const { sql } = Prisma;

let service: Service;
let connections: Connections;
beforeAll(async () => {
  service = await sharedService();
  ({ connections } = service.services);
});

const backend = sql`SELECT pg_backend_pid() AS pid, pg_current_xact_id()::text AS transaction`;

describe('an operation that is one transaction', () => {
  test('contains every statement of any code, and any number at once', async () => {
    const seen = await inOneTransaction(connections, () =>
      Promise.all([
        runSql(connections, backend),
        readOnAny({ connections }, backend),
        connections.db.$queryRaw(backend),
        tryTransaction(connections, ['a'], (tx) => tx.$queryRaw(backend)),
        tryTransaction(connections, ['a'], (tx) => runSql(tx, backend)),
      ]),
    );
    expect(new Set(seen.map((rows) => JSON.stringify(rows))).size).toBe(1);
    expect(await runSql(connections, backend)).not.toEqual(seen[0]);
  });

  test('is rolled back after a failure, and its work after the commit is dropped', async () => {
    const anna = await signUp(service);
    const { id } = await makeTask(anna, { title: 'old' });
    const done: string[] = [];
    const rename = (fails: boolean) =>
      inOneTransaction(connections, async () => {
        await tryTransaction(connections, [], (tx) => tx.task.update({ where: { id }, data: { title: 'new' } }));
        afterCommit(() => done.push(`inside: ${currentTransaction() !== undefined}`));
        expect(done).toEqual([]);
        if (fails) throw new Error('no');
      });
    await expect(rename(true)).rejects.toThrow('no');
    expect([done, await titleOf(id)]).toEqual([[], 'old']);
    await rename(false);
    expect([done, await titleOf(id)]).toEqual([['inside: false'], 'new']);
  });

  test('checks the constraints of a write at its end, like a commit', async () => {
    const anna = await signUp(service);
    const { id } = await makeTask(anna);
    const after: string[] = [];
    const whole = inOneTransaction(connections, async () => {
      await tryTransaction(
        connections,
        [],
        (tx) => tx.$executeRaw`UPDATE tasks SET parent_id = 'task_none' WHERE id = ${id}`,
      );
      after.push('more');
    });
    await expect(whole).rejects.toMatchObject({ code: '23503' });
    expect(after).toEqual([]);
  });

  test('is repeated as a whole after a conflict, up to five times', async () => {
    let attempts = 0;
    const conflict = () =>
      retrying(async () => {
        attempts += 1;
        await tryTransaction(
          connections,
          [],
          (tx) => tx.$executeRaw`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$`,
        );
      });
    const refused: unknown = await inOneTransaction(connections, () =>
      conflict().catch(() => {
        throw new Error('said in another way');
      }),
    ).catch((error: unknown) => error);
    expect([attempts, refused]).toEqual([5, new Error('said in another way')]);
    attempts = 0;
    const bare: unknown = await inOneTransaction(connections, conflict).catch((error: unknown) => error);
    expect([attempts, isConflict(bare)]).toEqual([5, true]);
  });

  test('runs no statement after it took too long and was rolled back', async () => {
    const anna = await signUp(service);
    const { id } = await makeTask(anna, { title: 'old' });
    const open = "SELECT FROM pg_stat_activity WHERE pid = $1 AND state LIKE 'idle in transaction%'";
    const late = inOneTransaction(connections, async () => {
      const [row] = await runSql<{ pid: number }>(connections, backend);
      await until('it is rolled back', async () => (await service.sql(open, [row?.pid])).length === 0);
      await runSql(connections, sql`UPDATE tasks SET title = 'late' WHERE id = ${id}`);
    });
    const refused: unknown = await late.catch((error: unknown) => error);
    expect([await titleOf(id), refused]).toMatchObject(['old', { code: 'UNAVAILABLE' }]);
  });

  test('contains nothing that is requested after its end', async () => {
    let late: Promise<unknown> = Promise.resolve();
    let go = () => {};
    const asked = new Promise<void>((resolve) => (go = resolve));
    const [inside] = await inOneTransaction(connections, () => {
      late = asked.then(() => runSql(connections, backend));
      return runSql(connections, backend);
    });
    go();
    const [outside] = (await late) as object[];
    expect(outside).not.toEqual(inside);
    // Background work sometimes holds a connection.
    await until('all connections are given back', () => connections.pool.idleCount === connections.pool.totalCount);
  });
});

const titleOf = async (id: string) =>
  (await service.sql<{ title: string }>('SELECT title FROM tasks WHERE id = $1', [id]))[0]?.title;
