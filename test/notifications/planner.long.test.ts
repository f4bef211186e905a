import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { holdIntervals } from '../kit/intervals.ts';
import { openLockHolder } from '../kit/locks.ts';
import { until } from '../kit/until.ts';
import { plannedMails } from '../../src/notifications/metrics.ts';
import { signUp, type User } from '../kit/users.ts';
import {
  deliveriesOf,
  FixedClock,
  hourMs,
  minuteMs,
  changePreferences,
  remindersOf,
  planAndSend,
  type ListedDelivery,
} from './deliveries.ts';
import { count, makeMany, rowsOf } from './planning.ts';
import { update } from './stage.ts';

const noon = Date.parse('2026-11-24T12:00:00Z');
const clock = new FixedClock('2026-11-24T12:00:00Z');
let service: Service;
let anna: User;

// Polls run only when a test lets time pass.
const advanceTime = holdIntervals();

beforeAll(async () => {
  service = await startService({}, { clock });
});
beforeEach(async () => {
  anna = await signUp(service);
});
afterAll(() => service.close());

const due = (ms: number) => ({ reminder: true, isAllDay: false, dueTime: new Date(noon + ms).toISOString() });
const moment = (ms: number) => new Date(noon + ms).toISOString();
const statusOf = (task: { id: string }) => rowsOf(service, anna, task);
const statusesOf = async ({ id }: { id: string }) => (await remindersOf(anna, id)).map(({ status }) => status);
const countOf = (what: string, ...values: unknown[]) => count(service, what, ...values);

const untilPlanned = (task: { id: string }) =>
  until('the reminder is planned', async () => {
    advanceTime(1000);
    return (await statusOf(task)).includes('PLANNED');
  });

async function connected<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

describe('the planner', () => {
  test('plans a change without a request to do so', async () => {
    const task = await makeTask(anna, due(hourMs));
    await until('the reminder is planned', async () => (await statusOf(task)).includes('PLANNED'));
  });

  test('does not scan a space for a change of a task without a reminder', async () => {
    await makeTask(anna, due(hourMs));
    await planAndSend(service);
    const queued = () => service.sql('SELECT id FROM planning_queue WHERE space_id = $1', [anna.id]);
    const before = await queued();
    expect(before).toHaveLength(1);
    await makeTask(anna, { ...due(hourMs), reminder: false });
    await planAndSend(service);
    expect(await queued()).toEqual(before);
  });

  test('deletes the scheduled scans of a deleted space', async () => {
    const user = await signUp(service);
    const workspace = await makeWorkspace(user);
    const project = await makeProject(user, { workspaceId: workspace.id });
    for (const place of [{}, { projectId: project.id }]) await makeTask(user, { ...due(30 * hourMs), ...place });
    await planAndSend(service);
    const spaces = [user.id, workspace.id];
    expect(await countOf('planning_queue WHERE space_id = ANY ($1) AND due_at IS NOT NULL', spaces)).toBe(2);
    await user.data('mutation ($password: String) { deleteAccount(password: $password) }', { password: user.password });
    await planAndSend(service);
    expect(await countOf('planning_queue WHERE space_id = ANY ($1)', spaces)).toBe(0);
  });

  test('plans changes by direct SQL without a notification', async () => {
    const task = await makeTask(anna, { ...due(hourMs), reminder: false });
    await planAndSend(service);
    await service.sql('UPDATE tasks SET reminder = true WHERE id = $1', [task.id]);
    await untilPlanned(task);
  });

  test('misses no transaction that begins before others and commits after them', async () => {
    const [first, last] = [
      await makeTask(anna, { ...due(hourMs), reminder: false }),
      await makeTask(anna, due(hourMs)),
    ];
    const { id: workspaceId } = await makeWorkspace(anna);
    const other = await makeProject(anna, { workspaceId });
    await planAndSend(service);
    await connected(async (client) => {
      await client.query('BEGIN');
      // The transaction has its number and is in progress, while others are planned.
      await client.query('UPDATE tasks SET reminder = true WHERE id = $1', [first.id]);
      const laterTask = await makeTask(anna, { ...due(hourMs), projectId: other.id });
      await planAndSend(service);
      expect(await statusOf(laterTask)).toEqual(['PLANNED']);
      expect(await statusOf(first)).toEqual([]);
      await client.query('COMMIT');
    });
    await planAndSend(service);
    expect(await statusOf(first)).toEqual(['PLANNED']);
    expect(await statusOf(last)).toEqual(['PLANNED']);
  });

  test('leaves planning to another planning process, and takes over if that ends', async () => {
    const task = await makeTask(anna, { ...due(hourMs), reminder: false });
    await planAndSend(service);
    await connected(async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT FROM log_readers FOR UPDATE');
      await service.sql('UPDATE tasks SET reminder = true WHERE id = $1', [task.id]);
      await service.services.planner.run();
      expect(await statusOf(task)).toEqual([]);
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      client.on('error', () => undefined);
      await service.sql('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    });
    await untilPlanned(task);
  });

  test.each([
    ['in the future, as after a restore', "'999999999999:999999999999:'"],
    ['null', 'NULL'],
  ])('plans all spaces again if its position is %s', async (_label, position) => {
    // 09:00 is in two hours there.
    await changePreferences(anna, { timeZone: 'America/New_York' });
    const [task, datedTask] = [
      await makeTask(anna, due(hourMs)),
      await makeTask(anna, { reminder: true, dueDate: '2026-11-24' }),
    ];
    await changePreferences(anna, { dailyDigest: true });
    await planAndSend(service);
    await service.sql("DELETE FROM deliveries WHERE status = 'PLANNED'");
    await service.sql(`UPDATE log_readers SET position = ${position}`);
    await planAndSend(service);
    expect([await statusOf(task), await statusOf(datedTask)]).toEqual([['PLANNED'], ['PLANNED']]);
    const digests = "SELECT occurrence FROM deliveries WHERE kind = 'DIGEST' AND status = 'PLANNED' AND user_id = $1";
    expect(await service.sql(digests, [anna.id])).toEqual([{ occurrence: '2026-11-24' }]);
    await changePreferences(anna, { dailyDigest: false, timeZone: 'UTC' });
    await planAndSend(service);
  });

  test.each([
    ["due_time = 'infinity', is_all_day = false", 'an infinite time'],
    ["due_time = '-infinity', is_all_day = false", 'a negative infinite time'],
    ["due_date = 'infinity', due_time = NULL", 'an infinite day'],
    ["due_date = '20000-01-01', due_time = NULL", 'a day of five-digit years'],
    ["due_date = '0044-03-15 BC', due_time = NULL", 'a day before the year 1'],
  ])('continues after a task with %s: %s', async (set) => {
    const task = await makeTask(anna, due(hourMs));
    await planAndSend(service);
    await service.sql(`UPDATE tasks SET ${set} WHERE id = $1`, [task.id]);
    const other = await makeTask(anna, due(hourMs));
    await planAndSend(service);
    expect([await statusesOf(task), await statusOf(other)]).toEqual([['SKIPPED'], ['PLANNED']]);
    await service.sql('DELETE FROM tasks WHERE id = $1', [task.id]);
  });

  test('plans new changes in a database that was restored with the log of another history', async () => {
    await service.sql('UPDATE changes SET transaction_id = transaction_id + 1000000000000');
    await service.sql('UPDATE log_readers SET position = NULL');
    await planAndSend(service);
    const task = await makeTask(anna, due(hourMs));
    await planAndSend(service);
    expect(await statusOf(task)).toEqual(['PLANNED']);
    expect(await countOf('planning_queue WHERE due_at IS NULL AND retry_at IS NULL')).toBe(0);
  });

  test.each([
    ['9999-12-31T23:30:00.000Z', 'at the end of the last year'],
    ['0001-01-01T00:05:00.000Z', 'at the beginning of the first year'],
  ])('plans no reminder for %s, %s, and plans the other tasks', async (dueTime) => {
    const [task, other] = [await makeTask(anna, { ...due(hourMs), dueTime }), await makeTask(anna, due(hourMs))];
    await planAndSend(service);
    expect([await statusOf(task), await statusOf(other)]).toEqual([[], ['PLANNED']]);
  });

  test('plans the other tasks if one cannot be planned, and retries that one later', async () => {
    const ben = await signUp(service);
    const other = await makeTask(ben, due(hourMs));
    const [bad, goodTask] = [await makeTask(anna), await makeTask(anna, due(hourMs))];
    await service.sql(`ALTER TABLE deliveries ADD CONSTRAINT refused CHECK (task_id <> '${bad.id}')`);
    // Only now, because the service may plan a due task at once.
    await update(anna, bad, due(hourMs));
    await planAndSend(service);
    expect([await statusOf(bad), await statusOf(goodTask)]).toEqual([[], ['PLANNED']]);
    expect(await rowsOf(service, ben, other)).toEqual(['PLANNED']);
    expect(await service.sql('SELECT space_id FROM planning_queue WHERE retry_at IS NOT NULL')).toEqual([
      { space_id: anna.id },
    ]);
    await service.sql('ALTER TABLE deliveries DROP CONSTRAINT refused');
  });

  test('replans all tasks of a workspace if a member joins or leaves, and of a user if they turn reminders off', async () => {
    const ben = await signUp(service);
    const { id: workspaceId } = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId });
    await makeMany(service, workspaceId, { projectId: project.id, count: 450, dueTime: moment(hourMs + 7000) });
    await planAndSend(service);
    const isExpectedDelivery = ({ at, status }: ListedDelivery) =>
      status === 'PLANNED' && at === moment(hourMs / 2 + 7000);
    const plannedFor = async (user: User) => (await deliveriesOf(user)).filter(isExpectedDelivery).length;
    const rowsFor = (user: User) => countOf('deliveries WHERE user_id = $1 AND space_id = $2', user.id, workspaceId);
    expect([await plannedFor(anna), await plannedFor(ben)]).toEqual([450, 0]);
    await addMember(anna, workspaceId, ben);
    await planAndSend(service);
    expect([await plannedFor(anna), await plannedFor(ben)]).toEqual([450, 450]);
    expect([await rowsFor(anna), await rowsFor(ben)]).toEqual([450, 450]);
    await changePreferences(anna, { taskRemainders: false });
    await planAndSend(service);
    expect([await plannedFor(anna), await plannedFor(ben)]).toEqual([0, 450]);
    await changePreferences(anna, { taskRemainders: true });
    await ben.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspaceId });
    await planAndSend(service);
    expect([await plannedFor(anna), await plannedFor(ben)]).toEqual([450, 0]);
    expect(await countOf('planning_queue WHERE due_at IS NULL AND retry_at IS NULL')).toBe(0);
  });

  test('does not wait for an account that is being deleted', async () => {
    const ben = await signUp(service);
    const lockHolder = await openLockHolder(service);
    await lockHolder.sql('SELECT FROM users WHERE id = $1 FOR UPDATE', [ben.id]);
    const [bensTask, annas] = [await makeTask(ben, due(hourMs)), await makeTask(anna, due(hourMs))];
    await planAndSend(service);
    expect([await rowsOf(service, ben, bensTask), await statusOf(annas)]).toEqual([[], ['PLANNED']]);
    await lockHolder.release();
    await until('the reminder is planned', async () => {
      advanceTime(1000);
      return (await rowsOf(service, ben, bensTask)).length > 0;
    });
  });

  test('counts a mail once if its transaction is repeated', async () => {
    // Sequences ignore a rollback, so only the first commit fails.
    await service.sql(`CREATE SEQUENCE runs; CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('runs') = 1 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER fail_once AFTER INSERT ON deliveries DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fail_once()`);
    const countPlanned = async () => {
      const { values } = await plannedMails.get();
      return values.find(({ labels }) => labels['kind'] === 'REMINDER')?.value ?? 0;
    };
    const before = await countPlanned();
    await makeTask(anna, due(hourMs));
    await planAndSend(service);
    expect(await countPlanned()).toBe(before + 1);
    expect(await service.sql('SELECT last_value::int FROM runs')).toEqual([{ last_value: 2 }]);
    await service.sql('DROP FUNCTION fail_once CASCADE; DROP SEQUENCE runs');
  });

  test('keeps only the listed number of reminders of a task that is moved very often', async () => {
    const task = await makeTask(anna, due(hourMs));
    for (let minute = 1; minute <= 29; minute += 1) {
      await service.sql('UPDATE tasks SET due_time = $2 WHERE id = $1', [task.id, moment(hourMs + minute * minuteMs)]);
      await planAndSend(service);
    }
    expect(await countOf('deliveries WHERE task_id = $1', task.id)).toBe(21);
    expect(await statusOf(task)).toContain('PLANNED');
  });

  test('plans a digest if preferences are inserted with digests on', async () => {
    const ben = await signUp(service);
    await connected(async (client) => {
      const { rows } = await client.query('DELETE FROM preferences WHERE user_id = $1 RETURNING *', [ben.id]);
      await client.query('INSERT INTO preferences SELECT * FROM json_populate_record(NULL::preferences, $1)', [
        { ...rows[0], daily_digest: true },
      ]);
    });
    await planAndSend(service);
    expect(await countOf("deliveries WHERE user_id = $1 AND kind = 'DIGEST'", ben.id)).toBe(1);
  });

  test('continues after its table was emptied by hand', async () => {
    await service.sql('DELETE FROM log_readers');
    const task = await makeTask(anna, due(hourMs));
    await planAndSend(service);
    expect(await statusOf(task)).toEqual(['PLANNED']);
  });
});
