import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { tryTransaction } from '../../src/platform/transaction.ts';
import { remindersAnHour } from '../../src/notifications/candidate-data.ts';
import { findPlanLag, planReader } from '../../src/notifications/plan-data.ts';
import { queueScans } from '../../src/notifications/planning-queue-data.ts';
import { holdIntervals } from '../kit/intervals.ts';
import { openLockHolder } from '../kit/locks.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { dayMs, FixedClock, hourMs, minuteMs, remindersOf, planAndSend } from './deliveries.ts';
import { count, makeMany, rowsOf } from './planning.ts';

const noon = Date.parse('2026-11-24T12:00:00Z');
const clock = new FixedClock('2026-11-24T12:00:00Z');
let service: Service;
let anna: User;

// Polls run only when a test lets time pass.
holdIntervals();

beforeAll(async () => {
  service = await startService({}, { clock });
  anna = await signUp(service);
});
afterAll(() => service.close());

const moment = (ms: number) => new Date(noon + ms).toISOString();
const due = (ms: number) => ({ reminder: true, isAllDay: false, dueTime: moment(ms) });
const statusOf = (task: { id: string }) => rowsOf(service, anna, task);
const countOf = (what: string, ...values: unknown[]) => count(service, what, ...values);

describe('the planner with a backlog', () => {
  test('gives spaces equal turns, however long the backlog of one is', async () => {
    const ben = await signUp(service);
    await makeMany(service, ben.id, { count: 5000, dueTime: moment(hourMs) });
    await service.sql("UPDATE changes SET at = at - interval '1 hour' WHERE space_id = $1", [ben.id]);
    const task = await makeTask(anna, due(hourMs));
    const planned = service.services.planner.run();
    await until('the reminder is planned', async () => (await statusOf(task)).includes('PLANNED'));
    expect(await countOf('deliveries WHERE user_id = $1', ben.id)).toBeLessThan(5000);
    await planned;
    expect(await countOf("deliveries WHERE user_id = $1 AND kind = 'REMINDER'", ben.id)).toBe(5000);
    await service.sql('DELETE FROM tasks WHERE space_id = $1', [ben.id]);
  });

  test('scans a space again if it changed during a scan', async () => {
    const ben = await signUp(service);
    await planAndSend(service);
    const scan = { spaceId: ben.id, at: new Date(), since: clock.now };
    await tryTransaction(service.services.connections, ['test'], (tx) =>
      queueScans(tx, [{ ...scan, key: new Date('9999-01-01'), taskId: 'task_z' }]),
    );
    await makeMany(service, ben.id, { count: 300, dueTime: moment(hourMs) });
    await service.services.planner.run();
    expect(await countOf("deliveries WHERE user_id = $1 AND status = 'PLANNED'", ben.id)).toBe(300);
  });

  test('reads the log by pages, keeps each, and misses no change that is committed in between', async () => {
    const users = [await signUp(service), await signUp(service), await signUp(service)];
    const [first, second, third] = users;
    if (!first || !second || !third) throw new Error('there are three');
    await planAndSend(service);
    const queued = async () => {
      const all = 'SELECT space_id AS id FROM planning_queue WHERE space_id = ANY ($1) AND due_at IS NULL ORDER BY id';
      return (await service.sql<{ id: string }>(all, [users.map(({ id }) => id)])).map(({ id }) => id);
    };
    const readPage = () => tryTransaction(service.services.connections, ['test'], (tx) => planReader.readPage(tx, 1));
    // SQL does not wake the planner.
    const add = ({ id }: User) => makeMany(service, id, { count: 1, dueTime: moment(hourMs) });
    const late = await openLockHolder(service);
    await late.sql('UPDATE preferences SET reminder_before = 10 WHERE user_id = $1', [third.id]);
    await add(first);
    await add(second);
    do await readPage();
    while ((await queued()).length === 0);
    expect(await queued()).toEqual([first.id]);
    await late.release();
    while ((await countOf("log_readers WHERE name = 'planner' AND target IS NULL")) !== 1) await readPage();
    expect((await queued()).slice(0, 2)).toEqual([first.id, second.id]);
    await readPage();
    expect(await queued()).toContain(third.id);
    await planAndSend(service);
  });

  test('writes each reminder shortly before its moment, and lists it earlier', async () => {
    const ben = await signUp(service);
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId });
    await makeMany(service, workspaceId, { projectId: project.id, count: 300, dueTime: moment(2 * dayMs) });
    const task = await makeTask(anna, { ...due(2 * dayMs), projectId: project.id });
    await planAndSend(service);
    const rows = () => countOf('deliveries WHERE space_id = $1', workspaceId);
    expect(await rows()).toBe(0);
    expect(await remindersOf(ben, task.id)).toMatchObject([
      { status: 'PLANNED', at: moment(2 * dayMs - 30 * minuteMs) },
    ]);
    const [told] = await remindersOf(ben, task.id);
    clock.set(noon + 2 * dayMs - 2 * hourMs);
    await planAndSend(service);
    expect(await rows()).toBe(602);
    expect(await remindersOf(ben, task.id)).toEqual([told]);
    clock.set(noon);
    await service.sql('DELETE FROM tasks WHERE space_id = $1', [workspaceId]);
    await planAndSend(service);
  });

  test('plans reminders that became due while no process ran, until an hour after the due moment', async () => {
    const [early, late] = [await makeTask(anna, due(4 * hourMs)), await makeTask(anna, due(5 * hourMs))];
    await planAndSend(service);
    expect([await statusOf(early), await statusOf(late)]).toEqual([[], []]);
    clock.set(noon + 5.5 * hourMs);
    await service.services.planner.run();
    expect([await statusOf(early), await statusOf(late)]).toEqual([[], ['PLANNED']]);
    clock.set(noon);
    await service.sql('DELETE FROM tasks WHERE id = ANY ($1)', [[early.id, late.id]]);
    await planAndSend(service);
  });

  test('plans no more reminders of a space within an hour than the limit', async () => {
    const ben = await signUp(service);
    await service.sql(
      `INSERT INTO deliveries (id, user_id, kind, occurrence, task_id, space_id, due_at, at, next_at, expires_at, status, sent_at)
       SELECT 'dlvr_' || n, $1, 'REMINDER', 'of ' || n, 'task_' || n, $1, $3, $3, $3, $3, 'SENT', $3 FROM generate_series(1, $2::int) AS n`,
      [ben.id, remindersAnHour - 2, moment(0)],
    );
    const tasks = [await makeTask(ben), await makeTask(ben), await makeTask(ben)];
    // One transaction, because the planner runs after each.
    await service.sql(
      `UPDATE tasks SET reminder = true, is_all_day = false, due_time = given.due_time
       FROM unnest($1::text[], $2::timestamptz[]) AS given (id, due_time) WHERE tasks.id = given.id`,
      [tasks.map(({ id }) => id), [hourMs, 2 * hourMs, 90 * minuteMs].map(moment)],
    );
    await planAndSend(service);
    const statuses = await Promise.all(tasks.map((task) => rowsOf(service, ben, task)));
    expect(statuses).toEqual([['PLANNED'], [], ['PLANNED']]);
    expect(await countOf('planning_queue WHERE space_id = $1 AND retry_at IS NOT NULL', ben.id)).toBe(1);
    // This wait does not count as lag.
    await service.sql("UPDATE planning_queue SET at = at - interval '1 year' WHERE retry_at IS NOT NULL");
    expect(await findPlanLag(service.services.connections)).toBeLessThan(dayMs / 1000);
    // An earlier time still replaces the planned one.
    await service.sql('UPDATE preferences SET reminder_before = 50 WHERE user_id = $1', [ben.id]);
    await planAndSend(service);
    expect(await countOf('deliveries WHERE task_id = $1 AND next_at = $2', tasks[0]?.id, moment(10 * minuteMs))).toBe(
      1,
    );
  });
});
