import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { dayMs, HeldClock, hourMs, prefer, remindersOf, settle } from './deliveries.ts';

const noon = Date.parse('2026-11-24T12:00:00Z');
const clock = new HeldClock('2026-11-24T12:00:00Z');
let service: Service;
let anna: User;

beforeAll(async () => {
  service = await startService({}, { clock });
  anna = await signUp(service);
});
afterAll(() => service.close());

const due = (ms: number) => ({ reminder: true, isAllDay: false, dueTime: new Date(noon + ms).toISOString() });
const moment = (ms: number) => new Date(noon + ms).toISOString();
const statusOf = async (task: { id: string }) => (await remindersOf(anna, task.id)).map(({ status }) => status);

/** A connection beside the service. */
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
  test('plans a change without being asked to', async () => {
    const task = await makeTask(anna, due(hourMs));
    await until('the reminder is planned', async () => (await statusOf(task)).includes('PLANNED'));
  });

  test('notices what is written by hand, without a word from anybody', async () => {
    const task = await makeTask(anna, { ...due(hourMs), reminder: false });
    await settle(service);
    await service.sql('UPDATE tasks SET reminder = true WHERE id = $1', [task.id]);
    await until('the reminder is planned', async () => (await statusOf(task)).includes('PLANNED'));
  });

  test('passes over no transaction that began before others and is committed after them', async () => {
    const [first, last] = [await makeTask(anna, due(dayMs)), await makeTask(anna, due(dayMs))];
    const { id: workspaceId } = await makeWorkspace(anna);
    const other = await makeProject(anna, { workspaceId });
    await settle(service);
    await connected(async (client) => {
      await client.query('BEGIN');
      // It has its number, and is among those in progress, while others are planned.
      await client.query('UPDATE tasks SET completed = true, completed_at = now() WHERE id = $1', [first.id]);
      const meanwhile = await makeTask(anna, { ...due(dayMs), projectId: other.id });
      await settle(service);
      expect(await statusOf(meanwhile)).toEqual(['PLANNED']);
      expect(await statusOf(first)).toEqual(['PLANNED']);
      await client.query('COMMIT');
    });
    await settle(service);
    expect(await statusOf(first)).toEqual(['SKIPPED']);
    expect(await statusOf(last)).toEqual(['PLANNED']);
  });

  test('leaves the work to the process that is at it, and takes over when that has gone', async () => {
    const task = await makeTask(anna, { ...due(hourMs), reminder: false });
    await settle(service);
    await connected(async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT FROM planner FOR UPDATE');
      await service.sql('UPDATE tasks SET reminder = true WHERE id = $1', [task.id]);
      await service.services.planner.run();
      expect(await statusOf(task)).toEqual([]);
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      client.on('error', () => undefined);
      await service.sql('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    });
    await until('the reminder is planned', async () => (await statusOf(task)).includes('PLANNED'));
  });

  test.each([
    ['a position of transactions to come, as after a restore', "'999999999999:999999999999:'"],
    ['no position', 'NULL'],
  ])('plans everything anew that stands at %s', async (_what, position) => {
    const [task, dated] = [
      await makeTask(anna, due(hourMs)),
      await makeTask(anna, { reminder: true, dueDate: '2026-12-01' }),
    ];
    await prefer(anna, { dailyDigest: true });
    await settle(service);
    await service.sql("DELETE FROM deliveries WHERE status = 'PLANNED'");
    await service.sql(`UPDATE planner SET position = ${position}`);
    await settle(service);
    expect([await statusOf(task), await statusOf(dated)]).toEqual([['PLANNED'], ['PLANNED']]);
    expect(await service.sql("SELECT occurrence FROM deliveries WHERE kind = 'DIGEST' AND status = 'PLANNED'")).toEqual(
      [{ occurrence: '2026-11-25' }],
    );
    await prefer(anna, { dailyDigest: false });
    await settle(service);
  });

  test.each([
    ["due_time = 'infinity', is_all_day = false", 'a time that never comes'],
    ["due_time = '-infinity', is_all_day = false", 'a time that never was'],
    ["due_date = 'infinity', due_time = NULL", 'a day that never comes'],
    ["due_date = '20000-01-01', due_time = NULL", 'a day of five-digit years'],
    ["due_date = '0044-03-15 BC', due_time = NULL", 'a day before the year 1'],
  ])('is not stopped by %s: %s', async (set) => {
    const task = await makeTask(anna, due(hourMs));
    await settle(service);
    await service.sql(`UPDATE tasks SET ${set} WHERE id = $1`, [task.id]);
    const other = await makeTask(anna, due(hourMs));
    await settle(service);
    expect([await statusOf(task), await statusOf(other)]).toEqual([['SKIPPED'], ['PLANNED']]);
    await service.sql('DELETE FROM tasks WHERE id = $1', [task.id]);
  });

  test('plans what is new in a database that was restored with the log of another history', async () => {
    await service.sql('UPDATE changes SET transaction_id = transaction_id + 1000000000000');
    await service.sql('UPDATE planner SET position = NULL');
    await settle(service);
    const task = await makeTask(anna, due(hourMs));
    await settle(service);
    expect(await statusOf(task)).toEqual(['PLANNED']);
    expect(await service.sql('SELECT FROM unplanned')).toEqual([]);
  });

  test.each([
    ['9999-12-31T23:30:00.000Z', 'at the end of all years'],
    ['0001-01-01T00:05:00.000Z', 'at the beginning of all years'],
  ])('plans nothing for %s, %s, and what else there is', async (dueTime) => {
    const [task, other] = [await makeTask(anna, { ...due(hourMs), dueTime }), await makeTask(anna, due(hourMs))];
    await settle(service);
    expect([await statusOf(task), await statusOf(other)]).toEqual([[], ['PLANNED']]);
  });

  test('leaves what cannot be planned for later, and plans the rest', async () => {
    const [bad, good] = [await makeTask(anna, due(dayMs)), await makeTask(anna, due(dayMs))];
    await service.sql(`ALTER TABLE deliveries ADD CONSTRAINT refused CHECK (task_id <> '${bad.id}')`);
    await settle(service);
    expect([await statusOf(bad), await statusOf(good)]).toEqual([[], ['PLANNED']]);
    expect(await service.sql('SELECT task_id FROM unplanned')).toEqual([{ task_id: bad.id }]);
    await service.sql('ALTER TABLE deliveries DROP CONSTRAINT refused');
  });

  test('plans a change of one before the rest of the ten thousand of another', async () => {
    const ben = await signUp(service);
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key, reminder, due_time, is_all_day)
       SELECT 'task_' || n, $1, (SELECT id FROM projects WHERE space_id = $1), 'many', 'a' || n, true, $2, false
       FROM generate_series(1, 10000) AS n`,
      [ben.id, moment(2 * dayMs)],
    );
    const task = await makeTask(anna, due(2 * dayMs));
    const planned = service.services.planner.run();
    await until('the reminder is planned', async () => (await statusOf(task)).includes('PLANNED'));
    const [{ count } = { count: 0 }] = await service.sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM unplanned',
    );
    expect(count).toBeGreaterThan(0);
    await planned;
    await settle(service);
    expect(
      await service.sql("SELECT count(*)::int AS count FROM deliveries WHERE user_id = $1 AND kind = 'REMINDER'", [
        ben.id,
      ]),
    ).toEqual([{ count: 10_000 }]);
    await service.sql('DELETE FROM tasks WHERE space_id = $1', [ben.id]);
  });
});

describe('whatever is done, in whatever order', () => {
  let ben: User;
  let spaces: string[];
  let projects: string[];
  let tasks: string[];

  beforeAll(async () => {
    ben = await signUp(service);
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    spaces = [workspaceId, anna.id];
    const made = [await makeProject(anna, { workspaceId }), await makeProject(anna)];
    projects = made.map(({ id }) => id);
    tasks = [];
    for (let at = 0; at < 4; at += 1) {
      tasks.push((await makeTask(anna, { projectId: projects[0], ...due(hourMs) })).id);
    }
  });

  const hours = fc.integer({ min: -2, max: 72 });
  const task = fc.nat({ max: 3 });
  const act = fc.oneof(
    fc.record({ what: fc.constant('due_time' as const), task, hours }),
    fc.record({ what: fc.constant('due_date' as const), task, hours }),
    fc.record({
      what: fc.constantFrom('completed' as const, 'reminder' as const, 'move' as const),
      task,
      on: fc.boolean(),
    }),
    fc.record({
      what: fc.constantFrom('email_enabled' as const, 'task_remainders' as const, 'member' as const),
      on: fc.boolean(),
      isBen: fc.boolean(),
    }),
    fc.record({ what: fc.constant('reminder_before' as const), minutes: fc.nat({ max: 3000 }), isBen: fc.boolean() }),
    fc.record({
      what: fc.constant('time_zone' as const),
      zone: fc.constantFrom('UTC', 'Asia/Tokyo', 'America/New_York'),
    }),
    fc.record({ what: fc.constant('plan' as const) }),
  );
  type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

  /** Does it by SQL: the log is written by triggers, whoever writes. */
  async function perform(each: Act): Promise<unknown> {
    const userId = 'isBen' in each && each.isBen ? ben.id : anna.id;
    const taskId = 'task' in each ? tasks[each.task] : undefined;
    switch (each.what) {
      case 'due_time':
        return service.sql('UPDATE tasks SET due_time = $2, is_all_day = false WHERE id = $1', [
          taskId,
          moment(each.hours * hourMs),
        ]);
      case 'due_date':
        return service.sql('UPDATE tasks SET due_time = NULL, due_date = $2 WHERE id = $1', [
          taskId,
          moment(each.hours * hourMs),
        ]);
      case 'completed':
        return service.sql(
          'UPDATE tasks SET completed = $2, completed_at = CASE WHEN $2 THEN now() END WHERE id = $1',
          [taskId, each.on],
        );
      case 'reminder':
        return service.sql('UPDATE tasks SET reminder = $2 WHERE id = $1', [taskId, each.on]);
      case 'move': {
        const at = Number(each.on);
        return service.sql('UPDATE tasks SET space_id = $2, project_id = $3 WHERE id = $1', [
          taskId,
          spaces[at],
          projects[at],
        ]);
      }
      case 'member':
        return each.on
          ? service.sql('INSERT INTO memberships (space_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
              spaces[0],
              ben.id,
            ])
          : service.sql('DELETE FROM memberships WHERE space_id = $1 AND user_id = $2', [spaces[0], ben.id]);
      case 'reminder_before':
        return service.sql('UPDATE preferences SET reminder_before = $2 WHERE user_id = $1', [userId, each.minutes]);
      case 'time_zone':
        return service.sql('UPDATE preferences SET time_zone = $2 WHERE user_id = $1', [anna.id, each.zone]);
      case 'plan':
        return service.services.planner.run();
      default:
        return service.sql(`UPDATE preferences SET ${each.what} = $2 WHERE user_id = $1`, [userId, each.on]);
    }
  }

  /** What is to be planned for a moment ahead, as PostgreSQL finds by itself; what was sent is not sent again. */
  const expected = () =>
    service.sql(
      `SELECT task.id AS task_id, member.user_id, due.at - make_interval(mins => reminder_before) AS at
       FROM tasks AS task JOIN memberships AS member USING (space_id) JOIN preferences USING (user_id)
       CROSS JOIN LATERAL (
         SELECT coalesce(due_time, (due_date + time '09:00') AT TIME ZONE time_zone) AS at
       ) AS due
       WHERE task.id = ANY ($1) AND reminder AND NOT completed AND email_enabled AND task_remainders
         AND due.at - make_interval(mins => reminder_before) > $2
         AND NOT EXISTS (
           SELECT FROM deliveries AS delivery
           WHERE delivery.task_id = task.id AND delivery.user_id = member.user_id AND due_at = due.at AND status = 'SENT'
         )
       ORDER BY 1, 2`,
      [tasks, clock.heldAt],
    );
  const planned = () =>
    service.sql(
      `SELECT task_id, user_id, at FROM deliveries
       WHERE task_id = ANY ($1) AND status = 'PLANNED' AND at > $2 ORDER BY 1, 2`,
      [tasks, clock.heldAt],
    );

  test('in the end that is planned, and nothing else, which is to be', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 25 }), async (acts) => {
        for (const each of acts) await perform(each);
        await settle(service);
        expect(await planned()).toEqual(await expected());
      }),
      { numRuns: 40 },
    );
  });
});
