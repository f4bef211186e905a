import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeProject, makeWorkspace, type RestTask } from '../kit/make.ts';
import type { User } from '../kit/users.ts';
import { hourMs, minuteMs, planAndSendAt, remindersOf } from './deliveries.ts';
import { dueAt, noon, openStage, type Stage } from './stage.ts';

let stage: Stage;
let [anna, ben]: [User, User] = [] as never;
let workspaceId: string;
let projectId: string;
beforeAll(async () => {
  stage = await openStage();
  ({ anna, ben } = stage);
});
afterAll(() => stage.close());
beforeEach(async () => {
  await stage.reset();
  workspaceId = (await makeWorkspace(anna, ben)).id;
  projectId = (await makeProject(anna, { workspaceId })).id;
});

const due = () => dueAt(anna, 2 * hourMs, { projectId });
const planned = ['90m PLANNED'];
const rowsOf = async (task: RestTask) => [await stage.reminderRows(anna, task), await stage.reminderRows(ben, task)];
/** Without reminders that were planned before the assignment and then skipped. */
const plannedOf = async (task: RestTask) =>
  (await rowsOf(task)).map((rows) => rows.filter((row) => row.endsWith('PLANNED')));
const setRole = (role: string) =>
  stage.service.sql('UPDATE memberships SET role = $3::"WorkspaceRole" WHERE space_id = $1 AND user_id = $2', [
    workspaceId,
    ben.id,
    role,
  ]);
const assignee = (task: RestTask, user: User) => `/api/v2/todo/${task.id}/assignees/${user.id}`;

describe('the reminders of a task', () => {
  test('go to its assignees only, whatever their role', async () => {
    await setRole('VIEWER');
    const task = await due();
    await anna.put(assignee(task, ben));
    expect(await plannedOf(task)).toEqual([[], planned]);
    await planAndSendAt(stage.service, stage.clock, noon + 90 * minuteMs);
    expect([stage.mailsOf(anna, task), stage.mailsOf(ben, task)]).toEqual([0, 1]);
  });

  test('go to editors and admins if nobody is assigned', async () => {
    await setRole('COMMENTER');
    const task = await due();
    expect(await rowsOf(task)).toEqual([planned, []]);
    await setRole('EDITOR');
    expect(await rowsOf(task)).toEqual([planned, planned]);
  });

  test('follow a changed assignment: the former recipient is told why', async () => {
    const task = await due();
    expect(await rowsOf(task)).toEqual([planned, planned]);
    await anna.put(assignee(task, ben));
    const [reminder] = await remindersOf(anna, task.id);
    const reason = 'Reminders of the task go to its assignees, or without any to those who may change it.';
    expect(reminder).toMatchObject({ status: 'SKIPPED', reason });
    await anna.put(assignee(task, anna));
    await anna.delete(assignee(task, ben));
    await planAndSendAt(stage.service, stage.clock, noon + 90 * minuteMs);
    expect([stage.mailsOf(anna, task), stage.mailsOf(ben, task)]).toEqual([1, 0]);
    expect((await remindersOf(ben, task.id))[0]).toMatchObject({ status: 'SKIPPED', reason });
  });

  test('do not go to a member who is removed', async () => {
    const task = await due();
    await anna.put(assignee(task, ben));
    expect(await plannedOf(task)).toEqual([[], planned]);
    await anna.delete(`/api/v2/workspaces/${workspaceId}/members/${ben.id}`);
    expect(await stage.reminderRows(anna, task)).toEqual(planned);
    await planAndSendAt(stage.service, stage.clock, noon + 90 * minuteMs);
    expect([stage.mailsOf(anna, task), stage.mailsOf(ben, task)]).toEqual([1, 0]);
  });
});

describe('the digest', () => {
  test('has tasks without assignees, and those that are assigned to its user', async () => {
    const digestOf = async (user: User) => {
      const { digest } = await user.data<{ digest: Record<string, { id: string }[]> }>(
        '{ digest { overdue { id } today { id } upcoming { id } } }',
      );
      return Object.values(digest).flatMap((tasks) => tasks.map(({ id }) => id));
    };
    const [free, own] = [await due(), await due()];
    await anna.put(assignee(own, ben));
    expect(await digestOf(ben)).toEqual(expect.arrayContaining([free.id, own.id]));
    const annas = await digestOf(anna);
    expect(annas).toContain(free.id);
    expect(annas).not.toContain(own.id);
  });
});
