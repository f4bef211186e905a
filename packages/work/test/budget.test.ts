import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ReadBudget } from '@taskgate/postgres';
import { heldByOperations, maxBytesOfOwner, maxResponseBytes, ResponseBudget, smallResponseBytes } from '../budget.ts';
import { loadOf } from '../load.ts';
import { openLockHolder, untilWaiting } from '../../../test/kit/locks.ts';
import { captureLog } from '../../../test/kit/log-lines.ts';
import { type Service, startService } from '../../../test/kit/service.ts';
import { fill } from '../../../test/kit/tasks.ts';
import { until } from '../../../test/kit/until.ts';
import { signUp, type User } from '../../../test/kit/users.ts';

const mebibyte = 1024 * 1024;
const tooLarge = { code: 'VALIDATION_FAILED' };

class WatchedBudget extends ResponseBudget {
  bytes = 0;

  override countRead(bytes: number): void {
    this.bytes += bytes;
    super.countRead(bytes);
  }
}

describe('reading within a budget', () => {
  let service: Service;
  let anna: User;

  beforeAll(async () => {
    service = await startService({ LOG_LEVEL: 'warn' });
    anna = await signUp(service);
    await fill(service, anna, 1000, { description: 'a'.repeat(16_384) });
  });
  afterAll(() => service.close());

  const read = (budget: ReadBudget, take = 1000) =>
    service.services.connections.db.task.read(
      { select: { description: true }, where: { spaceId: anna.id }, take },
      { connections: service.services.connections, budget },
    );

  const readAsOne = (budget: ReadBudget) =>
    service.services.connections.db.space.read(
      { select: { tasks: { select: { description: true } } }, where: { id: anna.id } },
      { connections: service.services.connections, budget },
    );

  test.each([
    ['rows', read],
    ['one row', readAsOne],
  ])(
    'reads no more of %s from the database than it allows, except a chunk of the connection',
    async (_name, reading) => {
      const budget = new WatchedBudget(mebibyte);
      await expect(reading(budget)).rejects.toMatchObject(tooLarge);
      expect(budget.bytes).toBeGreaterThan(mebibyte);
      expect(budget.bytes).toBeLessThan(mebibyte + 256 * 1024);
    },
  );

  test('keeps no connection after a refusal', async () => {
    const refuse = () => expect(read(new ResponseBudget(mebibyte))).rejects.toMatchObject(tooLarge);
    // More than the pool has connections, but few at once: a busy machine refuses work that waits too long.
    for (let round = 0; round < 6; round += 1) await Promise.all(Array.from({ length: 5 }, refuse));
    const { pool } = service.services.connections;
    expect(pool.waitingCount).toBe(0);
    await until('no connection is in use', () => pool.totalCount === pool.idleCount);
    expect(await read(new ResponseBudget(), 2)).toHaveLength(2);
  });

  test('does not count a connection that it cuts as lost', async () => {
    const log = captureLog();
    await expect(read(new ResponseBudget(mebibyte))).rejects.toMatchObject(tooLarge);
    // The first probe may have begun earlier.
    for (let probes = 0; probes < 2; probes += 1) expect(await service.services.connections.isReady()).toBe(true);
    log.release();
    expect(log.lines.filter(({ msg }) => msg === 'database connections were lost')).toEqual([]);
  });

  test('counts all statements of an operation together', async () => {
    const budget = new ResponseBudget(mebibyte);
    await read(budget, 40);
    const both = await Promise.allSettled([read(budget, 40), read(budget, 40)]);
    expect(both).toContainEqual({ status: 'rejected', reason: expect.objectContaining(tooLarge) });
    await expect(read(budget, 1)).rejects.toMatchObject(tooLarge);
  });

  test('runs few statements of an operation at once, and leaves connections for other operations', async () => {
    const held = await openLockHolder(service);
    await held.sql('LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE');
    const budget = new ResponseBudget();
    const reads = Array.from({ length: 30 }, () => read(budget, 1));
    await untilWaiting(service, 4);
    expect(loadOf('reads')).toEqual({ running: 4, waiting: 26 });
    await held.release();
    expect(await Promise.all(reads)).toHaveLength(30);
  });

  test('ends with its operation', async () => {
    const budget = new ResponseBudget();
    budget.release();
    await expect(read(budget, 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('the bytes that all operations hold', () => {
  test('are bounded: beyond the bound, large responses are refused and small ones are not', () => {
    const budgets: ResponseBudget[] = [];
    for (;;) {
      const budget = new ResponseBudget();
      budgets.push(budget);
      budget.countResponseBytes(maxResponseBytes);
      if (budget.refusal) break;
      expect(budgets.length).toBeLessThan(1000);
    }
    const [refused] = budgets.slice(-1);
    expect(refused?.refusal).toMatchObject({ code: 'UNAVAILABLE', extensions: { retryAfter: 1 } });
    const small = new ResponseBudget();
    small.countResponseBytes(smallResponseBytes);
    expect(small.refusal).toBeUndefined();
    for (const budget of budgets) budget.release();
    expect(heldByOperations()).toBe(0);
  });

  test.each([
    ['large', maxResponseBytes],
    ['small', smallResponseBytes / 2],
  ])('are bounded for an owner: unsent %s responses leave room for those of others', (_which, bytes) => {
    const budgets: ResponseBudget[] = [];
    const open = (owner: string) => {
      const budget = new ResponseBudget(undefined, undefined, { owner });
      budgets.push(budget);
      budget.requireRoom();
      budget.countResponseBytes(bytes);
      budget.requireOpen();
      budget.keepUnsent(bytes);
    };
    const openMany = () => {
      for (let count = 0; count < 2 + maxBytesOfOwner / bytes; count += 1) open('hostile');
    };
    expect(openMany).toThrow('responses to this account are unread');
    open('neighbour');
    for (const budget of budgets.splice(0)) budget.release();
    open('hostile');
    for (const budget of budgets) budget.release();
    expect(heldByOperations()).toBe(0);
  });

  test('are the larger of the bytes that are read and sent', () => {
    const budget = new ResponseBudget();
    budget.countRead(smallResponseBytes + 100);
    budget.countResponseBytes(smallResponseBytes + 50);
    expect(heldByOperations()).toBe(100);
    budget.countResponseBytes(smallResponseBytes + 150);
    expect(heldByOperations()).toBe(150);
    budget.release();
    expect(heldByOperations()).toBe(0);
  });
});
