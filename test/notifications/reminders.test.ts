import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openLockHolder } from '../kit/locks.ts';
import { makeTask, makeWorkspace, type RestTask } from '../kit/make.ts';
import { signUp, type User } from '../kit/users.ts';
import {
  dayMs,
  deliveriesOf,
  hourMs,
  minuteMs,
  changePreferences,
  remindersOf,
  planAndSend,
  planAndSendAt,
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

describe('a task with a reminder', () => {
  test('sends one mail before its due time, which names that time', async () => {
    // Other tests leave reminders of the same moment.
    const carl = await signUp(stage.service);
    const task = await dueAt(carl, 2 * hourMs);
    expect(await reminderRows(carl, task)).toEqual(['90m PLANNED']);
    await planAndSendAfter(90 * minuteMs - 1);
    expect(mailsOf(carl, task)).toBe(0);
    await planAndSendAfter(90 * minuteMs);
    expect(await reminderRows(carl, task)).toEqual(['90m SENT']);
    await planAndSendAfter(dayMs);
    expect(mailsOf(carl, task)).toBe(1);
    const mail = stage.sink.mails.findLast(({ recipient }) => recipient === carl.email);
    expect(mail?.text).toMatch(/^Due: +Tuesday, 24 November 2026 at 14:00 UTC$/m);
    expect(mail?.html).toContain(task.title);
    const [reminder] = await remindersOf(carl, task.id);
    expect(reminder).toMatchObject({ sentAt: moment(90 * minuteMs), at: moment(90 * minuteMs), reason: null });
  });

  test.each([
    ['Europe/Berlin', 30, '2026-11-27T07:30:00.000Z'],
    ['Asia/Tokyo', 0, '2026-11-27T00:00:00.000Z'],
    ['America/New_York', 40_320, '2026-10-30T14:00:00.000Z'],
  ])(
    'sends a mail before 09:00 in %s if it has only a due date: by %d minutes',
    async (timeZone, reminderBefore, at) => {
      await changePreferences(anna, { timeZone, reminderBefore });
      const { id } = await makeTask(anna, { reminder: true, dueDate: '2026-11-27' });
      await planAndSend(stage.service);
      expect(await remindersOf(anna, id)).toEqual([expect.objectContaining({ at })]);
    },
  );

  test('sends a mail to each member of its space by their preferences, which others do not see', async () => {
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    await changePreferences(ben, { reminderBefore: 60 });
    const task = await dueAt(anna, 2 * hourMs, { projectId: await projectOf(workspaceId) });
    expect([await reminderRows(anna, task), await reminderRows(ben, task)]).toEqual([['90m PLANNED'], ['60m PLANNED']]);
    await planAndSendAfter(60 * minuteMs);
    expect([await reminderRows(anna, task), await reminderRows(ben, task)]).toEqual([['90m PLANNED'], ['60m SENT']]);
    expect([mailsOf(anna, task), mailsOf(ben, task)]).toEqual([0, 1]);
  });

  test.each([
    ['the reminder is off', { reminder: false }],
    ['it has neither date nor time', { dueTime: null, isAllDay: true }],
    ['it is a subtask without a reminder', { reminder: false, description: 'of something' }],
  ])('sends nothing if %s', async (_label, fields) => {
    expect(await reminderRows(anna, await dueAt(anna, hourMs, fields))).toEqual([]);
  });
});

async function projectOf(workspaceId: string): Promise<string> {
  const { createProject } = await anna.data<{ createProject: { id: string } }>(
    'mutation ($id: ID!) { createProject(name: "Shared", workspaceId: $id) { id } }',
    { id: workspaceId },
  );
  return createProject.id;
}

describe('the plan follows', () => {
  /** Acts on a task that is due two hours after noon. */
  const rows: { what: string; act: (task: RestTask) => Promise<unknown>; told: string[] }[] = [
    {
      what: 'a later due time',
      act: (task) => update(anna, task, { dueTime: moment(3 * hourMs) }),
      told: ['150m PLANNED', '90m SKIPPED The task is due at another time.'],
    },
    {
      what: 'a due date instead of the time',
      act: (task) => update(anna, task, { isAllDay: true, dueTime: null, dueDate: '2026-11-25' }),
      told: [`${21 * 60 - 30}m PLANNED`, '90m SKIPPED The task is due at another time.'],
    },
    {
      what: 'a removed due time',
      act: (task) => update(anna, task, { isAllDay: true, dueTime: null }),
      told: ['90m SKIPPED The task is no longer due.'],
    },
    {
      what: 'completion',
      act: (task) => update(anna, task, { completed: true }),
      told: ['90m SKIPPED The task was completed.'],
    },
    {
      what: 'a reminder that is turned off',
      act: (task) => update(anna, task, { reminder: false }),
      told: ['90m SKIPPED The reminder of the task was turned off.'],
    },
    {
      what: 'e-mails that are turned off',
      act: () => changePreferences(anna, { emailEnabled: false }),
      told: ['90m SKIPPED Your e-mails are turned off.'],
    },
    {
      what: 'reminders that are turned off',
      act: () => changePreferences(anna, { taskRemainders: false }),
      told: ['90m SKIPPED Your reminders are turned off.'],
    },
    {
      what: 'more minutes before the due time',
      act: () => changePreferences(anna, { reminderBefore: 45 }),
      told: ['75m PLANNED'],
    },
    {
      what: 'fewer minutes before the due time',
      act: () => changePreferences(anna, { reminderBefore: 0 }),
      told: ['120m PLANNED'],
    },
    {
      what: 'another time zone, which changes nothing',
      act: () => changePreferences(anna, { timeZone: 'Asia/Tokyo' }),
      told: ['90m PLANNED'],
    },
    {
      what: 'direct SQL',
      act: ({ id }) =>
        stage.service.sql("UPDATE tasks SET due_time = due_time + interval '1 hour' WHERE id = $1", [id]),
      told: ['150m PLANNED', '90m SKIPPED The task is due at another time.'],
    },
    {
      what: 'preferences set by direct SQL',
      act: () => stage.service.sql('UPDATE preferences SET reminder_before = 10 WHERE user_id = $1', [anna.id]),
      told: ['110m PLANNED'],
    },
    {
      what: 'a bulk update',
      act: ({ id }) =>
        anna.data('mutation ($ids: [ID!]!) { updateTasks(ids: $ids, input: { completed: true }) { count } }', {
          ids: [id],
        }),
      told: ['90m SKIPPED The task was completed.'],
    },
    {
      what: 'a new description, which changes nothing',
      act: (task) => update(anna, task, { description: 'Other' }),
      told: ['90m PLANNED'],
    },
  ];

  test.each(rows)('$what', async ({ act, told: expected }) => {
    const task = await dueAt(anna, 2 * hourMs);
    await planAndSend(stage.service);
    await act(task);
    expect(await reminderRows(anna, task)).toEqual(expected);
  });

  test.each(rows)('$what, even if it is planned only after the moment', async ({ act, told: expected }) => {
    const task = await dueAt(anna, 2 * hourMs);
    await planAndSend(stage.service);
    await act(task);
    const before = mailsOf(anna, task);
    // The state at the send decides whether it is sent.
    stage.clock.set(noon + 90 * minuteMs);
    await stage.service.services.mailer.drain();
    const isStillPlanned = expected.some((row) => /^(90|75)m PLANNED/.test(row));
    expect(mailsOf(anna, task) - before).toBe(Number(isStillPlanned));
  });

  test.each([
    [
      'an earlier moment, by more minutes before the due time',
      () => changePreferences(anna, { reminderBefore: 45 }),
      75,
    ],
    [
      'a later moment, by fewer minutes before the due time',
      () => changePreferences(anna, { reminderBefore: 20 }),
      100,
    ],
    [
      'a later moment than in its row, by no minutes before the due time',
      () => changePreferences(anna, { reminderBefore: 0 }),
      120,
    ],
  ])('including the mail at that moment: %s', async (_label, act, minutes) => {
    const task = await dueAt(anna, 2 * hourMs);
    await planAndSend(stage.service);
    await act();
    await planAndSend(stage.service);
    await planAndSendAfter(minutes * minuteMs - 1);
    expect(mailsOf(anna, task)).toBe(0);
    await planAndSendAfter(minutes * minuteMs);
    expect(await reminderRows(anna, task)).toEqual([`${minutes}m SENT`]);
    expect(mailsOf(anna, task)).toBe(1);
  });

  test('a task that moves to another space after the sender skipped its reminder in the first space', async () => {
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    const task = await dueAt(anna, 2 * hourMs, { projectId: await projectOf(workspaceId) });
    await planAndSend(stage.service);
    const [{ id: projectId } = { id: '' }] = await stage.service.sql<{ id: string }>(
      'SELECT id FROM projects WHERE space_id = $1 AND is_default',
      [anna.id],
    );
    await stage.service.sql('UPDATE tasks SET completed = true, completed_at = now() WHERE id = $1', [task.id]);
    await stage.service.sql('UPDATE tasks SET space_id = $2, project_id = $3 WHERE id = $1', [
      task.id,
      anna.id,
      projectId,
    ]);
    // The end of the delivery plans the space again, although the planner has read the log.
    await stage.service.services.planner.run();
    const planner = await openLockHolder(stage.service);
    await planner.sql("SELECT FROM log_readers WHERE name = 'planner' FOR UPDATE");
    stage.clock.set(noon + 90 * minuteMs);
    await stage.service.services.mailer.drain();
    const queued = await stage.service.sql('SELECT DISTINCT space_id FROM planning_queue WHERE due_at IS NULL');
    await planner.release();
    expect(queued).toEqual([{ space_id: anna.id }]);
    await stage.service.sql('UPDATE tasks SET completed = false, completed_at = NULL WHERE id = $1', [task.id]);
    expect(await reminderRows(anna, task)).toEqual(['90m SENT']);
    expect(mailsOf(ben, task)).toBe(0);
  });

  test('a deletion: the planned reminder is skipped', async () => {
    const task = await dueAt(anna, 2 * hourMs);
    await planAndSend(stage.service);
    await anna.data('mutation ($id: ID!) { deleteTask(id: $id) }', { id: task.id });
    for (const minutes of [0, 90]) {
      await planAndSendAfter(minutes * minuteMs);
      expect(await deliveryRows(task, anna)).toEqual([{ status: 'SKIPPED', reason: 'The task was deleted.' }]);
    }
    expect(mailsOf(anna, task)).toBe(0);
  });

  test('the deletion of a project and of a workspace with its tasks', async () => {
    const { id: workspaceId } = await makeWorkspace(anna);
    const projectId = await projectOf(workspaceId);
    const [task, other] = [
      await dueAt(anna, 2 * hourMs, { projectId }),
      await dueAt(anna, 2 * hourMs, { projectId: await projectOf(workspaceId) }),
    ];
    await planAndSend(stage.service);
    await anna.data('mutation ($id: ID!) { deleteProject(id: $id) }', { id: projectId });
    await planAndSend(stage.service);
    const deletedReminder = { status: 'SKIPPED', reason: 'The task was deleted.' };
    expect(await deliveryRows(task, anna)).toEqual([deletedReminder]);
    await anna.data('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id: workspaceId });
    await planAndSend(stage.service);
    expect(await deliveryRows(other, anna)).toEqual([deletedReminder]);
  });

  test('members who join, leave and join again', async () => {
    const { id: workspaceId } = await makeWorkspace(anna);
    const task = await dueAt(anna, 2 * hourMs, { projectId: await projectOf(workspaceId) });
    await planAndSend(stage.service);
    expect(await deliveryRows(task, ben)).toEqual([]);
    const join = () =>
      stage.service.sql('INSERT INTO memberships (space_id, user_id) VALUES ($1, $2)', [workspaceId, ben.id]);
    await join();
    expect(await reminderRows(ben, task)).toEqual(['90m PLANNED']);
    await stage.service.sql('DELETE FROM memberships WHERE space_id = $1 AND user_id = $2', [workspaceId, ben.id]);
    await planAndSend(stage.service);
    expect(await deliveryRows(task, ben)).toEqual([
      { status: 'SKIPPED', reason: 'You are no longer a member of its workspace.' },
    ]);
    await join();
    expect(await reminderRows(ben, task)).toEqual(['90m PLANNED']);
    expect(await reminderRows(anna, task)).toEqual(['90m PLANNED']);
  });

  test('a task that moves to another space', async () => {
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    const task = await dueAt(anna, 2 * hourMs);
    await planAndSend(stage.service);
    await update(anna, task, { projectId: await projectOf(workspaceId) });
    expect([await reminderRows(anna, task), await reminderRows(ben, task)]).toEqual([['90m PLANNED'], ['90m PLANNED']]);
    await stage.service.sql('DELETE FROM spaces WHERE id = $1', [workspaceId]);
    await planAndSend(stage.service);
    const deletedReminders = [{ status: 'SKIPPED', reason: 'The task was deleted.' }];
    expect([await deliveryRows(task, anna), await deliveryRows(task, ben)]).toEqual([
      deletedReminders,
      deletedReminders,
    ]);
  });
});

/** The reminders of a task that a user may no longer see. */
async function deliveryRows({ id: taskId }: RestTask, user: User): Promise<object[]> {
  const rows = await stage.service.sql<{ id: string }>('SELECT id FROM deliveries WHERE task_id = $1', [taskId]);
  const ids = new Set(rows.map(({ id }) => id));
  const found = (await deliveriesOf(user)).filter(({ id }) => ids.has(id));
  return found.map(({ status, reason }) => ({ status, reason }));
}
