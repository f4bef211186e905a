import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openLockHolder, untilWaiting } from '../kit/locks.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import * as repeating from './repeating.ts';

const { makeRepeating, complete, openOccurrence, nextIdOf, reload, update, updateMany } = repeating;

let service: Service;
let anna: User;
let projectId: string;
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  anna = await signUp(service);
  ({ id: projectId } = await makeProject(anna));
});

const remove = (id: string) => anna.data('mutation ($id: ID!) { deleteTask(id: $id) }', { id });
const subtasks = (id: string) => repeating.siblings(anna, { parentId: id });
const inProject = async (id = projectId) => (await repeating.siblings(anna, { projectId: id })).map((task) => task.id);
const due = { dueDate: '2040-01-01' };

describe('the place of the next occurrence', () => {
  const keyPairs: [string, string, string][] = [
    ['in the middle of keys of the service', 'a0', 'a1'],
    ['between equal keys', 'a5', 'a5'],
    ['between keys without one between', 'a', 'a '],
    ['between keys of clients', '!', '~'],
    ['between a key of a client and one of the service', 'Not a key', 'a1'],
    ['between long keys', 'x'.repeat(199), `${'x'.repeat(199)}!`],
  ];
  test.each(keyPairs)('is right behind the completed one: %s', async (_name, key, nextKey) => {
    const task = await makeRepeating(anna, {}, { projectId, ...due });
    const children = [];
    for (const title of ['a', 'b', 'c']) children.push(await makeTask(anna, { parentId: task.id, title }));
    const after = await makeTask(anna, { projectId });
    await update(anna, task.id, { sortKey: key });
    await update(anna, after.id, { sortKey: nextKey });
    const order = await inProject();
    await complete(anna, task.id);
    expect(await inProject()).toEqual(order.toSpliced(order.indexOf(task.id) + 1, 0, nextIdOf(task.id)));
    const copies = [task, ...children].map(({ id }) => nextIdOf(id));
    const equal = await service.sql(
      'SELECT FROM tasks AS copy JOIN tasks USING (project_id, sort_key) WHERE copy.id = ANY ($1) AND tasks.id <> copy.id',
      [copies],
    );
    expect(equal).toEqual([]);
    expect((await subtasks(nextIdOf(task.id))).map(({ title }) => title)).toEqual(['a', 'b', 'c']);
  });

  test('is right behind each of many, in several projects, if there is no key between some', async () => {
    const other = await makeProject(anna);
    const third = await makeProject(anna);
    const tasks = [];
    for (const id of [projectId, other.id, third.id]) {
      for (let count = 0; count < 3; count += 1) tasks.push(await makeRepeating(anna, {}, { projectId: id, ...due }));
    }
    for (const task of tasks.slice(0, 3)) await update(anna, task.id, { sortKey: 'same' });
    for (const task of tasks.slice(6)) await update(anna, task.id, { sortKey: 'other' });
    const ids = tasks.map(({ id }) => id);
    expect(await updateMany(anna, ids, { completed: true })).toBe(9);
    for (const [index, id] of [projectId, other.id, third.id].entries()) {
      const expected = ids.slice(index * 3, index * 3 + 3).flatMap((each) => [each, nextIdOf(each)]);
      expect(await inProject(id)).toEqual(expected);
    }
  });

  test('is below the same parent, in the same section', async () => {
    const section = await makeSection(anna, projectId);
    const parent = await makeTask(anna, { projectId, projectSectionId: section.id });
    const task = await makeRepeating(anna, {}, { parentId: parent.id, ...due });
    await makeTask(anna, { parentId: parent.id });
    await complete(anna, task.id);
    const found = await subtasks(parent.id);
    expect(found.map(({ id }) => id).slice(0, 2)).toEqual([task.id, nextIdOf(task.id)]);
    const rows = await service.sql('SELECT section_id FROM tasks WHERE id = $1', [nextIdOf(task.id)]);
    expect(rows).toEqual([{ section_id: section.id }]);
  });
});

describe('the next occurrence', () => {
  test('has all fields of the completed one', async () => {
    const fields = { description: 'Both bins', color: '#ff0000', priority: 'HIGH', reminder: true, ...due };
    const task = await makeRepeating(anna, {}, { projectId, ...fields });
    await update(anna, task.id, { title: 'Bins', sortKey: 'a7' });
    const columns = 'to_jsonb(tasks) AS row FROM tasks WHERE id = $1';
    await complete(anna, task.id);
    const read = async (id: string) =>
      (await service.sql<{ row: Record<string, unknown> }>(`SELECT ${columns}`, [id]))[0]?.row;
    const [done, next] = [await read(task.id), await read(nextIdOf(task.id))];
    const different = Object.keys(done ?? {}).filter(
      // The completion may have taken less than a millisecond.
      (name) => name !== 'updated_at' && JSON.stringify(done?.[name]) !== JSON.stringify(next?.[name]),
    );
    expect(different.sort()).toEqual(
      ['id', 'completed', 'completed_at', 'created_at', 'due_date', 'recurrence', 'sort_key'].sort(),
    );
  });

  test('has copies of the subtasks of all levels, with dates that move along', async () => {
    await anna.patch('/api/v1/user/user-preferences', { timeZone: 'Europe/Berlin' });
    const task = await makeRepeating(anna, { rule: 'FREQ=WEEKLY' }, { projectId, dueDate: '2030-03-29' });
    const tag = await makeTag(anna);
    // 09:00 in Berlin, before the clocks change.
    const timed = { isAllDay: false, dueDate: '2030-03-27', dueTime: '2030-03-27T08:00:00Z' };
    const first = await makeTask(anna, { parentId: task.id, title: 'first', tags: [tag.id], ...timed });
    const deep = await makeTask(anna, { parentId: first.id, title: 'deep', dueDate: '2030-04-01' });
    await makeTask(anna, { parentId: deep.id, title: 'deepest' });
    const done = await makeTask(anna, { parentId: task.id, title: 'done' });
    await update(anna, done.id, { completed: true });
    await makeTask(anna, { parentId: task.id, title: 'timeless', isAllDay: false, dueTime: '2030-03-28T11:00:00Z' });
    const { completedAt } = await complete(anna, task.id);
    const next = await openOccurrence(anna, task);
    const copies = await subtasks(next.id);
    const open = { completed: false, completedAt: null, recurrence: null, createdAt: completedAt };
    expect(copies).toMatchObject([
      {
        id: nextIdOf(first.id),
        title: 'first',
        dueDate: '2030-04-03',
        dueTime: '2030-04-03T07:00:00.000Z',
        isAllDay: false,
        tags: [{ id: tag.id }],
        ...open,
      },
      { id: nextIdOf(done.id), title: 'done', dueDate: null, ...open },
      { title: 'timeless', dueDate: null, dueTime: '2030-04-04T10:00:00.000Z', ...open },
    ]);
    const [copyOfDeep] = await subtasks(nextIdOf(first.id));
    expect(copyOfDeep).toMatchObject({ id: nextIdOf(deep.id), dueDate: '2030-04-08', tags: [], ...open });
    expect(await subtasks(nextIdOf(deep.id))).toMatchObject([{ title: 'deepest', ...open }]);
    // The others are completed at the same moment, except the one that was completed before.
    const originals = [...(await subtasks(task.id)), ...(await subtasks(first.id)), ...(await subtasks(deep.id))];
    expect(originals.filter((each) => each.completedAt === completedAt)).toHaveLength(4);
    expect(await reload(anna, done.id)).toMatchObject({
      completed: true,
      completedAt: expect.not.stringMatching(completedAt ?? ''),
    });
  });

  test('ten weeks leave one open copy of each subtask', async () => {
    const task = await makeRepeating(anna, { rule: 'FREQ=WEEKLY' }, { projectId, ...due });
    await makeTask(anna, { parentId: task.id, title: 'sub' });
    for (let week = 0; week < 10; week += 1) await complete(anna, nextIdOf(task.id, week));
    const rows = await service.sql(
      'SELECT completed, count(*)::int FROM tasks WHERE project_id = $1 AND parent_id IS NOT NULL GROUP BY completed ORDER BY completed',
      [projectId],
    );
    expect(rows).toEqual([
      { completed: false, count: 1 },
      { completed: true, count: 10 },
    ]);
  });

  test('is not made of a task that does not repeat, whose subtasks stay open', async () => {
    const parent = await makeTask(anna, { projectId });
    const child = await makeTask(anna, { parentId: parent.id });
    await complete(anna, parent.id);
    expect(await reload(anna, child.id)).toMatchObject({ completed: false });
    expect(await inProject()).toEqual([parent.id]);
  });

  test.each([
    ['9999-12-31', '9999-12-31T10:00:00.000Z', { rule: 'FREQ=DAILY' }],
    ['0001-01-02', '0001-01-02T10:00:00.000Z', { rule: 'FREQ=DAILY', basis: 'COMPLETION' }],
    [
      '0001-01-02',
      '0001-01-02T10:00:00.000Z',
      { rule: 'FREQ=DAILY', basis: 'COMPLETION', timeZone: 'America/New_York' },
    ],
  ])('keeps the dates of subtasks in the years 1 to 9999: %s', async (dueDate, dueTime, recurrence) => {
    for (const act of [complete, repeating.trySkip]) {
      const task = await makeRepeating(anna, recurrence, { projectId, dueDate: '2090-01-01' });
      await makeTask(anna, { parentId: task.id, dueDate, dueTime, isAllDay: false });
      await act(anna, task.id);
      const next = await openOccurrence(anna, task);
      expect(next.dueDate).not.toBe('2090-01-01');
      const [child] = await subtasks(next.id);
      expect(child?.dueDate).toMatch(/^(0001-01-0[12]|9999-12-31)$/);
      expect(child?.dueTime).toMatch(/^(0001-01-0[12]|9999-12-31)T/);
      expect(await anna.get('/api/v2/todo')).toMatchObject({ status: 200 });
    }
  });
});

test('the next occurrence lacks a tag that another member deletes at the same moment', async () => {
  const bob = await signUp(service);
  const workspace = await makeWorkspace(anna, bob);
  const project = await makeProject(anna, { workspaceId: workspace.id });
  const [tag, kept] = [await makeTag(bob), await makeTag(bob)];
  const task = await makeRepeating(bob, {}, { ...due, projectId: project.id, tagIds: [tag.id, kept.id] });
  const other = await openLockHolder(service);
  await other.sql('DELETE FROM tags WHERE id = $1', [tag.id]);
  const completed = complete(anna, task.id);
  await untilWaiting(service, 1);
  await other.release();
  expect(await completed).toMatchObject({ completed: true });
  expect(await openOccurrence(bob, task)).toMatchObject({ id: nextIdOf(task.id), tags: [{ id: kept.id }] });
});

describe('the ids of the next occurrence and its subtasks', () => {
  test('are new ones if other tasks have them', async () => {
    const task = await makeRepeating(anna, {}, due);
    const child = await makeTask(anna, { parentId: task.id });
    const [ben, other] = [await signUp(service), await makeTask(anna, { id: nextIdOf(child.id) })];
    await makeTask(ben, { id: nextIdOf(task.id) });
    await complete(anna, task.id);
    const next = await openOccurrence(anna, task);
    expect(next.id).not.toBe(nextIdOf(task.id));
    const [copy, ...others] = await subtasks(next.id);
    expect([copy?.completed, others]).toEqual([false, []]);
    expect(await reload(anna, other.id)).toMatchObject({ parentId: null, completed: false });
    expect(await ben.get(`/api/v2/todo/${nextIdOf(task.id)}`)).toMatchObject({ status: 200 });
  });

  test('are new ones if another account takes them at the same moment', async () => {
    const bob = await signUp(service);
    const task = await makeRepeating(anna);
    const other = await openLockHolder(service);
    await other.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT $1, space_id, id, 'taken', 'a0' FROM projects WHERE space_id = $2`,
      [nextIdOf(task.id), bob.id],
    );
    const completed = complete(anna, task.id);
    await untilWaiting(service, 1);
    await other.release();
    expect(await completed).toMatchObject({ completed: true });
    const next = await openOccurrence(anna, task);
    expect(next).toMatchObject({ completed: false, recurrence: { number: 2 } });
    expect(next.id).not.toBe(nextIdOf(task.id));
  });

  test('are new ones if the user deleted the tasks that had them, which can be restored', async () => {
    const task = await makeRepeating(anna, {}, due);
    await makeTask(anna, { id: nextIdOf(task.id), title: 'deleted' });
    await remove(nextIdOf(task.id));
    await complete(anna, task.id);
    expect((await openOccurrence(anna, task)).id).not.toBe(nextIdOf(task.id));
    await anna.data('mutation ($ids: [ID!]!) { restore(ids: $ids) { applied } }', { ids: [nextIdOf(task.id)] });
    expect(await reload(anna, nextIdOf(task.id))).toMatchObject({ title: 'deleted' });
  });

  test('begin again after the last one', async () => {
    const first = await makeTask(anna);
    const id = `${first.id.slice(0, -12)}zzzzzzzzzzzz`;
    const task = await makeRepeating(anna, {}, { id, ...due });
    await complete(anna, task.id);
    expect((await openOccurrence(anna, task)).id).toBe(`${first.id.slice(0, -12)}000000000000`);
    expect(nextIdOf(task.id)).toBe(`${first.id.slice(0, -12)}000000000000`);
  });

  test('of two series one after the other do not collide', async () => {
    const task = await makeRepeating(anna, {}, due);
    const second = await makeRepeating(anna, {}, { id: nextIdOf(task.id), ...due });
    await updateMany(anna, [task.id, second.id], { completed: true });
    expect((await openOccurrence(anna, second)).id).toBe(nextIdOf(second.id));
    expect((await openOccurrence(anna, task)).recurrence?.date).toBe('2040-01-02');
  });
});

test('a series goes on in the space to which its open occurrence moves', async () => {
  const ben = await signUp(service);
  const workspace = await makeWorkspace(anna, ben);
  const shared = await makeProject(anna, { workspaceId: workspace.id });
  const task = await makeRepeating(anna, {}, { projectId, ...due });
  await complete(anna, task.id);
  await update(anna, nextIdOf(task.id), { projectId: shared.id });
  await complete(ben, nextIdOf(task.id));
  expect(await openOccurrence(ben, task)).toMatchObject({ id: nextIdOf(task.id, 2), recurrence: { number: 3 } });
  expect(await repeating.occurrencesOf(ben, task)).toHaveLength(2);
  expect(await repeating.occurrencesOf(anna, task)).toHaveLength(3);
});
