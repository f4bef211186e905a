import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type pg from 'pg';
import { log } from '@taskgate/base';
import { reasonOf } from '../../packages/postgres/errors.ts';
import { streamOf } from '../../packages/postgres/connection.ts';
import { Prisma } from '../../src/generated/prisma/client.ts';
import { Connections } from '../../src/platform/database.ts';
import { transaction } from '../../src/platform/transaction.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { presentable } from '../../packages/execution/errors.ts';

const failure = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('it has not failed');
};

let connections: Connections;

const ways: [string, (sql: string) => Promise<unknown>][] = [
  ['the pool', (sql) => connections.pool.query(sql)],
  ['the pool of sessions', (sql) => connections.sessionPool.query(sql)],
  ['the client', (sql) => connections.db.$queryRaw(Prisma.raw(sql))],
  ['a transaction', (sql) => transaction(connections, [], (tx) => tx.$queryRaw(Prisma.raw(sql)))],
];

const raise = (state: string) => `DO $$ BEGIN RAISE 'as told' USING ERRCODE = '${state}'; END $$`;

beforeAll(async () => {
  log.level = 'silent';
  connections = new Connections(await createTestDatabase());
});
afterAll(() => connections.close());

describe.each(ways)('the error of a failure, by %s', (_name, run) => {
  test.each([
    ['23505', 'duplicate'],
    ['23503', 'missingReference'],
    ['40001', 'conflict'],
    ['40P01', 'conflict'],
    ['08006', 'unavailable'],
    ['08P01', 'unavailable'],
    ['28P01', 'unavailable'],
    ['3D000', 'unavailable'],
    ['53100', 'unavailable'],
    ['53200', 'unavailable'],
    ['53300', 'unavailable'],
    ['55P03', 'unavailable'],
    ['57014', 'unavailable'],
    ['57P01', 'unavailable'],
    ['57P02', 'unavailable'],
    ['57P03', 'unavailable'],
    ['57P05', 'unavailable'],
    ['58000', 'unavailable'],
    ['25006', 'unavailable'],
    ['25P03', 'unavailable'],
    ['58030', 'unavailable'],
    ['22023', undefined],
    ['42P01', undefined],
    ['XX000', undefined],
  ])('SQLSTATE %s: %s', async (state, reason) => {
    expect(reasonOf(await failure(() => run(raise(state))))).toBe(reason);
  });

  test('a connection that is cut', async () => {
    const error = await failure(() => run('SELECT pg_terminate_backend(pg_backend_pid())::text'));
    expect(presentable(error, '').extensions).toEqual({ code: 'UNAVAILABLE', retryAfter: 1 });
  });

  test.each(['EPIPE', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH'])('a connection that fails with %s', async (code) => {
    const marked = `SELECT '${code}' AS mark`;
    const failAt = (client: pg.PoolClient) => {
      const stream = streamOf(client);
      jest.spyOn(stream, 'write').mockImplementation((bytes: Uint8Array) => {
        if (!Buffer.from(bytes).includes(marked)) return Socket.prototype.write.call(stream, bytes);
        stream.destroy(Object.assign(new Error(`write ${code}`), { code, errno: -1, syscall: 'write' }));
        return false;
      });
    };
    const { pool, sessionPool } = connections;
    for (const each of [pool, sessionPool]) each.on('acquire', failAt);
    const error = await failure(() => run(marked));
    for (const each of [pool, sessionPool]) each.off('acquire', failAt);
    expect(reasonOf(error)).toBe('unavailable');
  });

  test('statements, locks and transactions have a time limit', async () => {
    const settings = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const unlimited = settings.map((name) => `current_setting('${name}') IN ('0', '')`).join(' OR ');
    // Divides by zero if a setting is unlimited.
    await run(`SELECT 1 / (NOT (${unlimited}))::int`);
  });
});

const allUnavailable = ways.map(([name]) => [name, 'unavailable']);
const reasons = () =>
  Promise.all(ways.map(async ([name, run]) => [name, reasonOf(await failure(() => run('SELECT 1 AS one')))]));

describe('the error without a connection', () => {
  test.each([
    ['nobody listens', 'postgresql://127.0.0.1:1/none'],
    ['the name is unknown', 'postgresql://nowhere.invalid/none'],
  ])('as %s', async (_name, elsewhere) => {
    const usual = connections;
    connections = new Connections(elsewhere);
    expect(await reasons()).toEqual(allUnavailable);
    await connections.close();
    connections = usual;
  });
});

test('errors that are no failure of the database have none of its codes', () => {
  expect(reasonOf(new Error('Some other error'))).toBeUndefined();
  expect(reasonOf(Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' }))).toBeUndefined();
  expect(reasonOf('text')).toBeUndefined();
});
