import { beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import * as repeating from './repeating.ts';

const { makeRepeating, complete, nextIdOf, occurrencesOf, openOccurrence, reload, siblings, update, updateMany } =
  repeating;

let service: Service;
let anna: User;
let bob: User;
let workspace: { id: string };
let projectId: string;
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  [anna, bob] = [await signUp(service), await signUp(service)];
  workspace = await makeWorkspace(anna, bob);
  ({ id: projectId } = await makeProject(anna, { workspaceId: workspace.id }));
});

/** Runs `work` of a user, and `change` when it first plans occurrences, before it takes the lock. */
async function whilePlanning<Result>(
  user: User,
  work: () => Promise<Result>,
  change: () => Promise<unknown>,
): Promise<Result> {
  const { turns } = service.services;
  const next = turns.next.bind(turns);
  const spy = jest.spyOn(turns, 'next');
  try {
    return await new Promise<Result>((resolve, reject) => {
      let own = 0;
      spy.mockImplementation(async (...args) => {
        // Other accounts wait for turns too.
        if (args[0] === user.id) own += 1;
        if (args[0] === user.id && own === 1) await change();
        await next(...args);
      });
      work().then(resolve, reject);
    });
  } finally {
    expect(spy).toHaveBeenCalled();
    spy.mockRestore();
  }
}

const due = { dueDate: '2040-01-01' };

describe('a completion that was planned before a change', () => {
  let task: repeating.RepeatingTask;
  let child: { id: string };
  beforeEach(async () => {
    task = await makeRepeating(anna, {}, { projectId, ...due });
    child = await makeTask(anna, { parentId: task.id, ...due });
  });
  const completing = (change: () => Promise<unknown>) => whilePlanning(anna, () => complete(anna, task.id), change);

  test('copies a new subtask too', async () => {
    let added = { id: '' };
    await completing(async () => (added = await makeTask(bob, { parentId: child.id })));
    expect(await siblings(anna, { parentId: nextIdOf(child.id) })).toMatchObject([{ id: nextIdOf(added.id) }]);
  });

  test('does not copy a subtask that was deleted', async () => {
    await completing(() => bob.delete(`/api/v2/todo/${child.id}`));
    expect(await siblings(anna, { parentId: nextIdOf(task.id) })).toEqual([]);
  });

  test('copies the new due time of a subtask', async () => {
    await completing(() => update(bob, child.id, { isAllDay: false, dueTime: '2040-01-01T12:00:00Z' }));
    expect(await siblings(anna, { parentId: nextIdOf(task.id) })).toMatchObject([
      { dueTime: '2040-01-02T12:00:00.000Z' },
    ]);
  });

  test('follows a new rule', async () => {
    await completing(() => update(bob, task.id, { recurrence: { rule: 'FREQ=WEEKLY' } }));
    expect(await openOccurrence(anna, task)).toMatchObject({ dueDate: '2040-01-08' });
  });

  test('makes none if the series was ended', async () => {
    await completing(() => update(bob, task.id, { recurrence: null }));
    expect(await reload(anna, task.id)).toMatchObject({ completed: true });
    expect(await reload(anna, nextIdOf(task.id))).toBeNull();
  });

  test('has the title, place and tags that the task got meanwhile', async () => {
    const [tag, first, last] = [
      await makeTag(bob),
      await makeTask(anna, { projectId }),
      await makeTask(anna, { projectId }),
    ];
    await completing(async () => {
      await update(bob, task.id, { title: 'New', tagIds: [tag.id] });
      await bob.data('mutation ($id: ID!, $after: ID!) { moveTask(id: $id, after: $after) { id } }', {
        id: task.id,
        after: first.id,
      });
    });
    expect(await openOccurrence(bob, task)).toMatchObject({ title: 'New', tags: [{ id: tag.id }] });
    const order = (await siblings(anna, { projectId })).map(({ id }) => id);
    expect(order).toEqual([first.id, task.id, nextIdOf(task.id), last.id]);
  });

  test('makes no second one if another member completed it', async () => {
    await completing(() => complete(bob, task.id));
    expect(await occurrencesOf(anna, task)).toHaveLength(2);
  });

  test('is not possible if the task was deleted, or the member removed', async () => {
    await expect(completing(() => bob.delete(`/api/v2/todo/${task.id}`))).rejects.toThrow('NOT_FOUND');
    const other = await makeRepeating(anna, {}, { projectId, ...due });
    const leave = () => bob.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspace.id });
    await expect(whilePlanning(bob, () => complete(bob, other.id), leave)).rejects.toThrow('NOT_FOUND');
    expect(await occurrencesOf(anna, other)).toEqual([other]);
  });

  test('of several keeps the plan of those that did not change', async () => {
    const others = [];
    for (let count = 0; count < 3; count += 1) others.push(await makeRepeating(anna, {}, due));
    const ids = [task, ...others].map(({ id }) => id);
    await whilePlanning(
      anna,
      () => updateMany(anna, ids, { completed: true }),
      () => makeTask(bob, { parentId: task.id }),
    );
    for (const each of [task, ...others])
      expect(await openOccurrence(anna, each)).toMatchObject({ id: nextIdOf(each.id) });
    expect(await siblings(anna, { parentId: nextIdOf(task.id) })).toHaveLength(2);
  });
});

/** Runs `work` of a user, and `change` between its first statement and its transaction. */
async function beforeTransaction<Result>(
  user: User,
  work: () => Promise<Result>,
  change: () => Promise<unknown>,
): Promise<Result> {
  const { writes } = service.services.connections;
  const run = writes.run.bind(writes) as (...args: unknown[]) => Promise<unknown>;
  const spy = jest.spyOn(writes, 'run') as unknown as jest.SpiedFunction<typeof run>;
  try {
    let own = 0;
    spy.mockImplementation(async (...args) => {
      // The service writes in the background too.
      if (args[0] === user.id) own += 1;
      if (args[0] === user.id && own === 2) await change();
      return run(...args);
    });
    return await work();
  } finally {
    expect(spy.mock.calls.length).toBeGreaterThan(2);
    spy.mockRestore();
  }
}

describe('an opening, if meanwhile another member', () => {
  let task: repeating.RepeatingTask;
  beforeEach(async () => {
    task = await makeRepeating(anna, {}, { projectId, ...due });
    await complete(anna, task.id);
  });
  const opening = (change: () => Promise<unknown>) =>
    beforeTransaction(anna, () => repeating.open(anna, task.id), change);

  test('completed the next one, leaves that', async () => {
    expect(await opening(() => complete(bob, nextIdOf(task.id)))).toMatchObject({ recurrence: null });
    expect(await openOccurrence(anna, task)).toMatchObject({ id: nextIdOf(task.id, 2) });
  });

  test('edited the next one, leaves that', async () => {
    expect(await opening(() => update(bob, nextIdOf(task.id), { title: 'His' }))).toMatchObject({ recurrence: null });
    expect(await openOccurrence(anna, task)).toMatchObject({ title: 'His' });
  });

  test('opened it, has nothing to do', async () => {
    expect(await opening(() => repeating.open(bob, task.id))).toMatchObject({ recurrence: task.recurrence });
    expect(await occurrencesOf(anna, task)).toMatchObject([{ id: task.id, completed: false }]);
  });

  test('completed another listed one, takes back the next one of that too', async () => {
    const other = await makeRepeating(anna, {}, { projectId, ...due });
    await beforeTransaction(
      anna,
      () => updateMany(anna, [task.id, other.id], { completed: false }),
      () => complete(bob, other.id),
    );
    for (const each of [task, other]) expect(await openOccurrence(anna, each)).toMatchObject({ id: each.id });
  });

  test('removed the caller, changes nothing', async () => {
    const leave = () => bob.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspace.id });
    await expect(beforeTransaction(bob, () => repeating.open(bob, task.id), leave)).rejects.toThrow('NOT_FOUND');
    expect(await openOccurrence(anna, task)).toMatchObject({ id: nextIdOf(task.id) });
  });
});
