import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { nextId } from '../../packages/recurrence/series.ts';
import { makeTag, makeTask } from '../kit/make.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

interface Undone {
  applied: number;
  conflicts: { id: string | null; field: string | null; reason: string }[];
}

let anna: User;
beforeAll(async () => {
  anna = await signUp(await sharedService());
});

const fields = `id title completed completedAt dueDate dueTime isAllDay sortKey reminder createdAt parentId
  recurrence { rule basis timeZone start date time number seriesId } tags { id }`;
interface Task {
  id: string;
  title: string;
  completed: boolean;
  recurrence: { number: number; seriesId: string } | null;
}
const state = async () =>
  (await anna.data<{ tasks: { nodes: Task[] } }>(`{ tasks(first: 100) { nodes { ${fields} } } }`)).tasks.nodes;
const taskOf = async (id: string) => (await state()).find((task) => task.id === id);

/** @returns id of the operation */
async function act(document: string, variables: object): Promise<string> {
  await anna.data(document, { ...variables });
  const { operations } = await anna.data<{ operations: { nodes: { id: string }[] } }>(
    '{ operations(first: 1) { nodes { id } } }',
  );
  return operations.nodes[0]?.id ?? '';
}
const update = (id: string, input: object) =>
  act('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', { id, input });
const remove = (id: string) => act('mutation ($id: ID!) { deleteTask(id: $id) }', { id });
async function undo(id: string) {
  const { undo } = await anna.data<{ undo: Undone & { operation: { id: string } | null } }>(
    'mutation ($id: ID!) { undo(operationId: $id) { operation { id } applied conflicts { id field reason } } }',
    { id },
  );
  return { ...undo, operationId: undo.operation?.id ?? '' };
}
const summaryOf = async (id: string) =>
  (await anna.data<{ operation: { summary: string } }>('query ($id: ID!) { operation(id: $id) { summary } }', { id }))
    .operation.summary;

const second = 'the series has another open occurrence';

let id: string;
let child: string;
beforeEach(async () => {
  for (const task of await state()) await anna.delete(`/api/v2/todo/${task.id}`);
  const tag = await makeTag(anna);
  ({ id } = await makeTask(anna, { dueDate: '2035-01-01', tags: [tag.id] }));
  ({ id: child } = await makeTask(anna, { parentId: id, dueDate: '2034-12-31', tags: [tag.id] }));
  await anna.put(`/api/v2/todo/${id}/recurrence`, { rule: 'FREQ=DAILY' });
});

describe('undo', () => {
  test('of a completion gives exactly the state before, and its undo the one after, three times', async () => {
    const before = await state();
    let operation = await update(id, { completed: true });
    const after = await state();
    expect(after).toHaveLength(4);
    for (const expected of [before, after, before, after, before, after]) {
      const { operationId, conflicts } = await undo(operation);
      expect(conflicts).toEqual([]);
      expect(await state()).toEqual(expected);
      operation = operationId;
    }
  });

  test.each([
    ['opening', { completed: true }, { completed: false }],
    ['a rule', {}, { recurrence: { rule: 'FREQ=WEEKLY' } }],
    ['a moved series', {}, { dueDate: '2035-02-01', recurrence: { rule: 'FREQ=DAILY' } }],
    ['an end', {}, { recurrence: null }],
  ])('of %s gives exactly the state before', async (_name, first, input) => {
    if (Object.keys(first).length > 0) await update(id, first);
    const before = await state();
    const operation = await update(id, input);
    const after = await state();
    expect(after).not.toEqual(before);
    const { operationId, conflicts } = await undo(operation);
    expect(conflicts).toEqual([]);
    expect(await state()).toEqual(before);
    expect((await undo(operationId)).conflicts).toEqual([]);
    expect(await state()).toEqual(after);
  });

  test('of the repetition of a subtask gives exactly the state before', async () => {
    await update(id, { recurrence: null });
    const before = await state();
    const operation = await update(child, { recurrence: { rule: 'FREQ=DAILY' } });
    const after = await state();
    const { operationId, conflicts } = await undo(operation);
    expect(conflicts).toEqual([]);
    expect(await state()).toEqual(before);
    expect((await undo(operationId)).conflicts).toEqual([]);
    expect(await state()).toEqual(after);
  });

  test('of a skip gives exactly the state before', async () => {
    const before = await state();
    const operation = await act('mutation ($id: ID!) { skipOccurrence(id: $id) { id } }', { id });
    expect(await state()).toMatchObject([{ recurrence: { number: 2 } }, {}]);
    expect((await undo(operation)).conflicts).toEqual([]);
    expect(await state()).toEqual(before);
  });

  test('of a completion leaves the next occurrence if that was edited, and opens the task without recurrence', async () => {
    const operation = await update(id, { completed: true });
    await update(nextId(id), { title: 'edited' });
    const { conflicts } = await undo(operation);
    expect(conflicts).toContainEqual({ id, field: 'recurrence', reason: second });
    expect(await taskOf(id)).toMatchObject({ completed: false, recurrence: null });
    expect(await taskOf(nextId(id))).toMatchObject({ title: 'edited', completed: false, recurrence: { number: 2 } });
  });

  test('of a deletion brings an occurrence back without recurrence if the series has another open one', async () => {
    await update(id, { completed: true });
    const deletion = await remove(nextId(id));
    await update(id, { completed: false });
    const { conflicts } = await undo(deletion);
    expect(conflicts).toEqual([{ id: nextId(id), field: 'recurrence', reason: second }]);
    expect(await taskOf(nextId(id))).toMatchObject({ completed: false, recurrence: null });
    expect(await taskOf(id)).toMatchObject({ completed: false, recurrence: { number: 1 } });
  });

  test('of an end is a conflict if the series goes on elsewhere', async () => {
    await update(id, { completed: true });
    const end = await update(nextId(id), { recurrence: null });
    await update(id, { completed: false });
    const { conflicts, applied } = await undo(end);
    expect({ conflicts, applied }).toEqual({
      conflicts: [{ id: nextId(id), field: 'recurrence', reason: second }],
      applied: 0,
    });
  });

  test('of an end is a conflict if a task above or below repeats now', async () => {
    const end = await update(id, { recurrence: null });
    await update(child, { recurrence: { rule: 'FREQ=DAILY' } });
    expect((await undo(end)).conflicts).toEqual([{ id, field: 'recurrence', reason: 'a task above or below repeats' }]);
    expect(await taskOf(child)).toMatchObject({ recurrence: { number: 1 } });
  });

  test.each(['move', 'deletion'])('of a %s puts no repeating subtask below another', async (change) => {
    const { id: top } = await makeTask(anna);
    const { id: middle } = await makeTask(anna, { parentId: top });
    await update(id, { parentId: middle });
    const operation = await (change === 'move' ? update(middle, { parentId: null }) : remove(middle));
    await update(top, { dueDate: '2035-01-01', recurrence: { rule: 'FREQ=DAILY' } });
    const { conflicts, operationId } = await undo(operation);
    expect(conflicts).toEqual([{ id, field: 'recurrence', reason: 'a task above or below repeats' }]);
    expect(await taskOf(middle)).toMatchObject({ parentId: top });
    expect(await taskOf(id)).toMatchObject({ parentId: middle, recurrence: null });
    expect(await taskOf(top)).toMatchObject({ recurrence: { number: 1 } });
    expect((await undo(operationId)).conflicts).toEqual([]);
  });
});

test('a restore brings a second open occurrence back without recurrence', async () => {
  await update(id, { completed: true });
  await remove(nextId(id));
  await update(id, { completed: false });
  const { restore } = await anna.data<{ restore: Undone }>(
    'mutation ($ids: [ID!]!) { restore(ids: $ids) { applied conflicts { id field reason } } }',
    { ids: [nextId(id)] },
  );
  expect(restore).toEqual({ applied: 2, conflicts: [{ id: nextId(id), field: 'recurrence', reason: second }] });
  expect(await taskOf(nextId(id))).toMatchObject({ completed: false, recurrence: null });
});

test('the summary describes the action of the person', async () => {
  const completion = await update(id, { completed: true });
  expect(await summaryOf(completion)).toBe('Completed 1 task');
  const opening = await update(id, { completed: false });
  expect(await summaryOf(opening)).toBe('Reopened 1 task');
  expect(await summaryOf((await undo(opening)).operationId)).toBe('Undone: completed 1 task');
  await update(id, { completed: false });
  for (const others of [
    { description: 'd' },
    { title: 'Other' },
    { addAssigneeIds: [anna.id] },
    { recurrence: { rule: 'FREQ=WEEKLY' } },
  ]) {
    expect(await summaryOf(await update(id, { completed: true, ...others }))).toBe('Completed 1 task');
    await update(id, { completed: false });
  }
  await update(id, { completed: true });
  const skip = await act('mutation ($id: ID!) { skipOccurrence(id: $id) { id } }', { id: nextId(id) });
  expect(await summaryOf(skip)).toBe('Changed 1 task');
});

test('the history of a task shows its recurrence', async () => {
  await update(id, { recurrence: null });
  const { task } = await anna.data<{
    task: { history: { nodes: { fields: { name: string; before: unknown; after: unknown }[] }[] } };
  }>('query ($id: ID!) { task(id: $id) { history(first: 2) { nodes { fields { name before after } } } } }', { id });
  const recurrence = { rule: 'FREQ=DAILY', number: 1, date: '2035-01-01' };
  const shown = task.history.nodes.map((change) => change.fields.find(({ name }) => name === 'recurrence'));
  expect(shown).toMatchObject([
    { before: recurrence, after: null },
    { before: null, after: recurrence },
  ]);
});
