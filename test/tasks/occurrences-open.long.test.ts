import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { addMember, makeComment, makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { fill } from '../kit/tasks.ts';
import { signUp, type User } from '../kit/users.ts';
import * as repeating from './repeating.ts';

const { makeRepeating, complete, open, occurrencesOf, openOccurrence, nextIdOf, update, updateMany } = repeating;

let service: Service;
let anna: User;
let bob: User;
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  [anna, bob] = [await signUp(service), await signUp(service)];
});

const remove = (user: User, id: string) => user.data('mutation ($id: ID!) { deleteTask(id: $id) }', { id });
const subtasks = (id: string) => repeating.siblings(anna, { parentId: id });
const stateOf = (tasks: repeating.RepeatingTask[]) => tasks.map(({ id, completed }) => [id, completed]);

describe('opening a completed occurrence', () => {
  test('takes back the next one; ticked again, it has the same id', async () => {
    const task = await makeRepeating(anna);
    const [first, second] = [await makeTask(anna, { parentId: task.id }), await makeTask(anna, { parentId: task.id })];
    await update(anna, first.id, { completed: true });
    const before = stateOf(await subtasks(task.id));
    for (let round = 0; round < 3; round += 1) {
      await complete(anna, task.id);
      expect(stateOf(await occurrencesOf(anna, task))).toEqual([
        [task.id, true],
        [nextIdOf(task.id), false],
      ]);
      expect(stateOf(await subtasks(nextIdOf(task.id)))).toEqual([
        [nextIdOf(first.id), false],
        [nextIdOf(second.id), false],
      ]);
      expect(await open(anna, task.id)).toMatchObject({
        completed: false,
        completedAt: null,
        recurrence: task.recurrence,
      });
      expect(stateOf(await occurrencesOf(anna, task))).toEqual([[task.id, false]]);
      // The one that was completed before stays so.
      expect(stateOf(await subtasks(task.id))).toEqual(before);
    }
  });

  const changes: Record<string, (next: string) => Promise<unknown>> = {
    'is edited': (next) => update(anna, next, { title: 'Other' }),
    'is moved to another date': (next) => update(anna, next, { dueDate: '2040-02-02' }),
    'is skipped': (next) => repeating.trySkip(anna, next),
    'has a tag': async (next) => update(anna, next, { tagIds: [(await makeTag(anna)).id] }),
    'has no tag any more': (next) => update(anna, next, { tagIds: [] }),
    'has another tag': async (next) => update(anna, next, { tagIds: [(await makeTag(anna)).id] }),
    "has a subtask's tag": async (next) =>
      update(anna, (await subtasks(next))[0]?.id ?? '', { tagIds: [(await makeTag(anna)).id] }),
    'has another place': (next) =>
      anna.data('mutation ($id: ID!, $after: ID!) { moveTask(id: $id, after: $after) { id } }', {
        id: next,
        after: last.id,
      }),
    'is in another project': async (next) => update(anna, next, { projectId: (await makeProject(anna)).id }),
    'has a new subtask': (next) => makeTask(anna, { parentId: next }),
    'has a subtask that was moved there': (next) => update(anna, last.id, { parentId: next }),
    'has a completed subtask': async (next) => update(anna, (await subtasks(next))[0]?.id ?? '', { completed: true }),
    'has an edited subtask': async (next) => update(anna, (await subtasks(next))[0]?.id ?? '', { title: 'Other' }),
    'has a subtask less': async (next) => remove(anna, (await subtasks(next))[0]?.id ?? ''),
    'has a subtask less and another more': async (next) => {
      await remove(anna, (await subtasks(next))[0]?.id ?? '');
      await makeTask(anna, { parentId: next });
    },
    'has a comment': (next) => makeComment(anna, next),
    "has a subtask's comment": async (next) => makeComment(anna, (await subtasks(next))[0]?.id ?? ''),
    'has another rule': (next) => update(anna, next, { recurrence: { rule: 'FREQ=WEEKLY' } }),
  };
  let last: { id: string };
  test.each(Object.entries(changes))('opens it without recurrence if the next one %s', async (_name, change) => {
    const task = await makeRepeating(anna);
    await makeTask(anna, { parentId: task.id });
    await update(anna, task.id, { tagIds: [(await makeTag(anna)).id] });
    last = await makeTask(anna);
    await complete(anna, task.id);
    await change(nextIdOf(task.id));
    const next = await openOccurrence(anna, task);
    expect(await open(anna, task.id)).toMatchObject({ completed: false, recurrence: null });
    expect(await occurrencesOf(anna, task)).toEqual([next]);
    // The subtasks stay completed.
    expect((await subtasks(task.id)).map(({ completed }) => completed)).toEqual([true]);
    await complete(anna, task.id);
    expect(await occurrencesOf(anna, task)).toEqual([next]);
  });

  test.each<[string, (task: repeating.RepeatingTask) => Promise<unknown>]>([
    [
      'got a subtask with a tag',
      async (task) => makeTask(anna, { parentId: task.id, tags: [(await makeTag(anna)).id] }),
    ],
    ['lost one of its subtasks', async (task) => remove(anna, (await subtasks(task.id))[0]?.id ?? '')],
  ])('takes back the next one if the completed task %s', async (_name, change) => {
    const task = await makeRepeating(anna);
    for (const title of ['first', 'second']) await makeTask(anna, { parentId: task.id, title });
    await complete(anna, task.id);
    await change(task);
    expect(await open(anna, task.id)).toMatchObject({ completed: false, recurrence: task.recurrence });
    expect(stateOf(await occurrencesOf(anna, task))).toEqual([[task.id, false]]);
  });

  test('opens it without recurrence if the next one is completed too', async () => {
    const task = await makeRepeating(anna);
    await complete(anna, task.id);
    await complete(anna, nextIdOf(task.id));
    expect(await open(anna, task.id)).toMatchObject({ recurrence: null });
    expect(stateOf(await occurrencesOf(anna, task))).toEqual([
      [nextIdOf(task.id), true],
      [nextIdOf(task.id, 2), false],
    ]);
  });

  test.each(['deleted', 'ended'])('makes it the open occurrence again if the open one was %s', async (how) => {
    const task = await makeRepeating(anna);
    await makeTask(anna, { parentId: task.id });
    await complete(anna, task.id);
    if (how === 'deleted') await remove(anna, nextIdOf(task.id));
    else await update(anna, nextIdOf(task.id), { recurrence: null });
    expect(await open(anna, task.id)).toMatchObject({ completed: false, recurrence: task.recurrence });
    expect((await subtasks(task.id)).map(({ completed }) => completed)).toEqual([false]);
    // The user's own deletion, or the task that stays, keeps its id.
    await complete(anna, task.id);
    const next = await openOccurrence(anna, task);
    expect([nextIdOf(task.id), task.id]).not.toContain(next.id);
    const trash = await service.sql('SELECT FROM trash WHERE entity_id = $1', [nextIdOf(task.id)]);
    expect(trash).toHaveLength(how === 'deleted' ? 1 : 0);
  });

  test('of an occurrence that was completed without a next one opens its subtasks', async () => {
    const task = await makeRepeating(anna, { rule: 'FREQ=DAILY;COUNT=1' });
    const child = await makeTask(anna, { parentId: task.id });
    await makeTask(anna, { parentId: child.id });
    await complete(anna, task.id);
    expect(await open(anna, task.id)).toMatchObject({ recurrence: task.recurrence });
    const found = [...(await subtasks(task.id)), ...(await subtasks(child.id))];
    expect(found.map(({ completed }) => completed)).toEqual([false, false]);
  });

  test.each(['open', 'deleted'])('of several opens the latest first, with the last one %s', async (state) => {
    const task = await makeRepeating(anna);
    for (let count = 0; count < 3; count += 1) await complete(anna, nextIdOf(task.id, count));
    if (state === 'deleted') await remove(anna, nextIdOf(task.id, 3));
    const ids = [0, 1, 2].map((count) => nextIdOf(task.id, count));
    expect(await updateMany(anna, ids, { completed: false })).toBe(3);
    expect(stateOf(await occurrencesOf(anna, task))).toEqual([[nextIdOf(task.id, 2), false]]);
    const others = await Promise.all(ids.slice(0, 2).map((id) => repeating.reload(anna, id)));
    expect(others).toMatchObject([
      { completed: false, recurrence: null },
      { completed: false, recurrence: null },
    ]);
    expect(await repeating.reload(anna, nextIdOf(task.id, 3))).toBeNull();
  });

  test('opens subtasks that one bulk request completed together with it', async () => {
    const task = await makeRepeating(anna);
    await fill(service, anna, 3000);
    // Rows are written by id, so these two in different milliseconds.
    const id = newId('Task').replace('task_0', 'task_7');
    const child = await makeTask(anna, { id, parentId: task.id });
    const tasks = await service.sql<{ id: string }>('SELECT id FROM tasks WHERE space_id = $1', [anna.id]);
    await updateMany(
      anna,
      tasks.map(({ id }) => id),
      { completed: true },
    );
    const [done] = await subtasks(task.id);
    expect(done?.completedAt).toBe((await repeating.reload(anna, task.id))?.completedAt);
    await open(anna, task.id);
    expect(stateOf(await subtasks(task.id))).toEqual([[child.id, false]]);
  });

  test('leaves the next one alone in a space that the caller cannot see', async () => {
    const workspace = await makeWorkspace(anna, bob);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeRepeating(bob, {}, { projectId: project.id, dueDate: '2040-01-01' });
    await complete(bob, task.id);
    await update(bob, task.id, { projectId: null });
    await bob.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspace.id });
    expect(await open(bob, task.id)).toMatchObject({ completed: false, recurrence: null });
    expect(await openOccurrence(anna, task)).toMatchObject({ id: nextIdOf(task.id) });
    await addMember(anna, workspace.id, bob);
    expect(await openOccurrence(bob, task)).toMatchObject({ id: nextIdOf(task.id) });
  });

  test('does not put a repeating task below another', async () => {
    const [parent, child] = [await makeRepeating(anna), await makeRepeating(anna, { rule: 'FREQ=DAILY;COUNT=1' })];
    await complete(anna, child.id);
    await update(anna, child.id, { parentId: parent.id });
    await complete(anna, parent.id);
    // One call opens both.
    await updateMany(anna, [child.id, parent.id], { completed: false });
    const found = [await repeating.reload(anna, parent.id), await repeating.reload(anna, child.id)];
    expect(found.map((task) => task?.completed)).toEqual([false, false]);
    expect(found.filter((task) => task?.recurrence)).toHaveLength(1);
  });

  test('and moving it counts with the new parent', async () => {
    const [parent, task] = [await makeRepeating(anna), await makeRepeating(anna, { rule: 'FREQ=DAILY;COUNT=1' })];
    await complete(anna, task.id);
    const below = { completed: false, parentId: parent.id };
    expect(await update(anna, task.id, below)).toMatchObject({ ...below, recurrence: null });

    const [other, second] = [await makeRepeating(anna), await makeRepeating(anna)];
    await complete(anna, second.id);
    await update(anna, second.id, { parentId: other.id });
    const atTop = { completed: false, parentId: null };
    expect(await update(anna, second.id, atTop)).toMatchObject({ ...atTop, recurrence: second.recurrence });
    expect(await openOccurrence(anna, second)).toMatchObject({ id: second.id });
  });
});
