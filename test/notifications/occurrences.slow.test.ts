import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeProject, makeWorkspace, type RestTask } from '../kit/make.ts';
import type { User } from '../kit/users.ts';
import {
  dayMs,
  hourMs,
  minuteMs,
  changePreferences,
  planAndSend,
  planAndSendAt,
  type ListedDelivery,
} from './deliveries.ts';
import { dueAt, moment, noon, openStage, type Stage, update } from './stage.ts';

let stage: Stage;
let anna: User;
let ben: User;

beforeAll(async () => {
  stage = await openStage();
  ({ anna, ben } = stage);
});
afterAll(() => stage.close());
beforeEach(() => stage.reset());

const reminderRows: Stage['reminderRows'] = (user, task) => stage.reminderRows(user, task);
const mailsOf: Stage['mailsOf'] = (user, task) => stage.mailsOf(user, task);
const planAndSendAfter = (ms: number) => planAndSendAt(stage.service, stage.clock, noon + ms);

describe('a reminder that is planned after its moment', () => {
  test('is sent at once if the task is not yet due', async () => {
    const task = await dueAt(anna, 10 * minuteMs);
    expect(await reminderRows(anna, task)).toEqual(['-20m SENT']);
    expect(mailsOf(anna, task)).toBe(1);
  });

  test.each([0, -minuteMs, -400 * dayMs])('is skipped if the task is already due: at %d ms', async (ms) => {
    const task = await dueAt(anna, ms);
    const skippedRow = 'SKIPPED The task was already due when its reminder was planned.';
    expect(await reminderRows(anna, task)).toEqual([`${ms / minuteMs - 30}m ${skippedRow}`]);
    expect(mailsOf(anna, task)).toBe(0);
  });
});

describe('an occurrence', () => {
  test('has one reminder, however often the task is completed and reopened', async () => {
    const task = await dueAt(anna, 2 * hourMs);
    await planAndSendAfter(95 * minuteMs);
    for (const completed of [true, false, true, false]) await update(anna, task, { completed });
    expect(await reminderRows(anna, task)).toEqual(['90m SENT']);
    await update(anna, task, { dueTime: moment(4 * hourMs) });
    expect(await reminderRows(anna, task)).toEqual(['210m PLANNED', '90m SENT']);
    await planAndSendAfter(210 * minuteMs);
    await update(anna, task, { dueTime: moment(2 * hourMs) });
    await update(anna, task, { dueTime: moment(4 * hourMs) });
    expect(await reminderRows(anna, task)).toEqual(['210m SENT', '90m SENT']);
    expect(mailsOf(anna, task)).toBe(2);
  });

  test.each<[string, (task: RestTask) => Promise<unknown>, (task: RestTask) => Promise<unknown>]>([
    ['open', (task) => update(anna, task, { completed: true }), (task) => update(anna, task, { completed: false })],
    [
      'with a reminder',
      () => changePreferences(anna, { taskRemainders: false }),
      () => changePreferences(anna, { taskRemainders: true }),
    ],
  ])('is sent at once after it was skipped, if the task is %s again before it is due', async (_label, off, on) => {
    const task = await dueAt(anna, 2 * hourMs);
    await planAndSend(stage.service);
    await off(task);
    await planAndSendAfter(100 * minuteMs);
    await on(task);
    expect(await reminderRows(anna, task)).toEqual(['90m SENT']);
    expect(mailsOf(anna, task)).toBe(1);
  });

  test('stays skipped if the task is reopened after it was due', async () => {
    const task = await dueAt(anna, 2 * hourMs);
    await planAndSend(stage.service);
    await update(anna, task, { completed: true });
    await planAndSendAfter(121 * minuteMs);
    await update(anna, task, { completed: false });
    expect(await reminderRows(anna, task)).toEqual(['90m SKIPPED The task was completed.']);
  });
});

describe('if no process was running', () => {
  test.each([
    [0, '90m SENT'],
    [89, '90m SENT'],
    [90, '90m SKIPPED The service could not send it within an hour after the task was due.'],
  ])(
    'a planned reminder is sent at the next start, until an hour after the due moment: %d minutes late',
    async (lateMs, expected) => {
      const task = await dueAt(anna, 2 * hourMs);
      await planAndSend(stage.service);
      stage.clock.set(noon + (90 + lateMs) * minuteMs);
      expect(await reminderRows(anna, task)).toEqual([expected]);
    },
  );
});

test('lists at most twenty reminders: the planned one, then the latest ones', async () => {
  const task = await dueAt(anna, 2 * hourMs);
  for (let minute = 1; minute <= 22; minute += 1) {
    await planAndSendAfter(minute * 1000);
    await update(anna, task, { dueTime: moment(2 * hourMs - minute * minuteMs) });
  }
  const [planned, ...past] = await reminderRows(anna, task);
  expect(planned).toMatch(/PLANNED$/);
  expect(past).toHaveLength(19);
  const minutes = past.map((each) => parseInt(each, 10));
  expect(minutes).toEqual(minutes.toSorted((one, other) => other - one));
  expect(minutes[0]).toBe(90);
});

test('the shown reminder is current even if the task has not changed since its row was written', async () => {
  const { id } = await dueAt(anna, 2 * hourMs);
  await planAndSend(stage.service);
  const query = encodeURIComponent(`{ task(id: "${id}") { reminders { status } } }`);
  const get = (headers: Record<string, string>) =>
    anna.get<{ data: unknown }>(`/graphql?query=${query}`, { headers: { 'x-graphql-yoga-csrf': '1', ...headers } });
  const first = await get({});
  expect(first.body.data).toEqual({ task: { reminders: [{ status: 'PLANNED' }] } });
  await planAndSendAfter(90 * minuteMs);
  const second = await get({ 'If-None-Match': first.headers.get('etag') ?? '' });
  expect(second.body.data).toEqual({ task: { reminders: [{ status: 'SENT' }] } });
});

describe('after random changes in any order', () => {
  let spaces: string[];
  let projects: string[];
  let tasks: string[];

  beforeAll(async () => {
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    spaces = [workspaceId, anna.id];
    const createdProjects = [await makeProject(anna, { workspaceId }), await makeProject(anna)];
    projects = createdProjects.map(({ id }) => id);
    tasks = [];
    for (let index = 0; index < 4; index += 1) {
      tasks.push((await dueAt(anna, hourMs, { projectId: projects[0] })).id);
    }
  });

  const hours = fc.oneof(fc.integer({ min: -2, max: 4 }), fc.integer({ min: -2, max: 72 }));
  const task = fc.nat({ max: 3 });
  const arbitraryAction = fc.oneof(
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
  type ArbitraryAction = typeof arbitraryAction extends fc.Arbitrary<infer Value> ? Value : never;

  /** Acts by SQL: triggers write the log for any writer. */
  async function perform(each: ArbitraryAction): Promise<unknown> {
    const userId = 'isBen' in each && each.isBen ? ben.id : anna.id;
    const taskId = 'task' in each ? tasks[each.task] : undefined;
    switch (each.what) {
      case 'due_time':
        return stage.service.sql('UPDATE tasks SET due_time = $2, is_all_day = false WHERE id = $1', [
          taskId,
          moment(each.hours * hourMs),
        ]);
      case 'due_date':
        return stage.service.sql('UPDATE tasks SET due_time = NULL, due_date = $2 WHERE id = $1', [
          taskId,
          moment(each.hours * hourMs),
        ]);
      case 'completed':
        return stage.service.sql(
          'UPDATE tasks SET completed = $2, completed_at = CASE WHEN $2 THEN now() END WHERE id = $1',
          [taskId, each.on],
        );
      case 'reminder':
        return stage.service.sql('UPDATE tasks SET reminder = $2 WHERE id = $1', [taskId, each.on]);
      case 'move': {
        const at = Number(each.on);
        return stage.service.sql('UPDATE tasks SET space_id = $2, project_id = $3 WHERE id = $1', [
          taskId,
          spaces[at],
          projects[at],
        ]);
      }
      case 'member':
        return each.on
          ? stage.service.sql('INSERT INTO memberships (space_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
              spaces[0],
              ben.id,
            ])
          : stage.service.sql('DELETE FROM memberships WHERE space_id = $1 AND user_id = $2', [spaces[0], ben.id]);
      case 'reminder_before':
        return stage.service.sql('UPDATE preferences SET reminder_before = $2 WHERE user_id = $1', [
          userId,
          each.minutes,
        ]);
      case 'time_zone':
        return stage.service.sql('UPDATE preferences SET time_zone = $2 WHERE user_id = $1', [anna.id, each.zone]);
      case 'plan':
        return stage.service.services.planner.run();
      default:
        return stage.service.sql(`UPDATE preferences SET ${each.what} = $2 WHERE user_id = $1`, [userId, each.on]);
    }
  }

  /** The reminders ahead, by an independent query. Sent ones are not sent again. */
  const expected = () =>
    stage.service.sql<{ at: Date }>(
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
      [tasks, stage.clock.now],
    );
  const rows = () =>
    stage.service.sql<{ at: Date }>(
      `SELECT task_id, user_id, at FROM deliveries
       WHERE task_id = ANY ($1) AND status = 'PLANNED' AND at > $2 ORDER BY 1, 2`,
      [tasks, stage.clock.now],
    );
  async function plannedRows(): Promise<{ task_id: string; user_id: string; at: Date }[]> {
    const query = '{ tasks(first: 100) { nodes { id reminders { at status } } } }';
    const listedTasks = async (user: User) => {
      const { nodes } = (await user.data<{ tasks: { nodes: { id: string; reminders: ListedDelivery[] }[] } }>(query))
        .tasks;
      const reminders = nodes
        .filter(({ id }) => tasks.includes(id))
        .flatMap(({ id, reminders }) => reminders.map((each) => ({ ...each, task_id: id })));
      return reminders
        .filter(({ status }) => status === 'PLANNED')
        .map(({ task_id, at }) => ({ task_id, user_id: user.id, at: new Date(at) }));
    };
    return [...(await listedTasks(anna)), ...(await listedTasks(ben))];
  }

  /** Near reminders have to be stored. */
  const near = (rows: readonly { at: Date }[]) =>
    rows.filter(({ at }) => at.getTime() <= stage.clock.now.getTime() + 2 * hourMs);

  test('exactly the right reminders are planned', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryAction, { minLength: 1, maxLength: 25 }), async (actions) => {
        for (const each of actions) await perform(each);
        await planAndSend(stage.service);
        const all = await expected();
        expect(await rows()).toEqual(expect.arrayContaining(near(all)));
        const futureRows = (await plannedRows()).filter(({ at }) => at > stage.clock.now);
        expect(futureRows).toHaveLength(all.length);
        expect(futureRows).toEqual(expect.arrayContaining(all));
      }),
      { numRuns: 20 },
    );
  });
});
