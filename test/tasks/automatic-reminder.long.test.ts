import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ListedTask, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;

beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});

const setAutomaticReminder = (user: User, automaticRemainder: boolean) =>
  user.data('mutation ($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { automaticRemainder } }', {
    input: { automaticRemainder },
  });

interface CreatedTask {
  id: string;
  reminder: boolean;
}

async function createByMutation(user: User, fields: object): Promise<CreatedTask> {
  const mutation = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { id reminder } }';
  const { createTask } = await user.data<{ createTask: CreatedTask }>(mutation, { input: { title: 'new', ...fields } });
  return createTask;
}

const creations = [
  { way: 'a mutation', create: createByMutation },
  { way: 'POST', create: (user: User, fields: object): Promise<CreatedTask> => makeTask(user, { ...fields }) },
];

const dueDate = '2031-01-01';
const timed = { isAllDay: false, dueTime: '2031-01-01T10:00:00.000Z' };
const dueCases = [
  { due: 'no due date', fields: {}, hasDate: false },
  { due: 'a due date', fields: { dueDate }, hasDate: true },
  { due: 'a due time alone', fields: timed, hasDate: false },
  { due: 'both', fields: { dueDate, ...timed }, hasDate: true },
  { due: 'null for a due date', fields: { dueDate: null }, hasDate: false },
];
const reminderInputs = [{}, { reminder: null }, { reminder: false }, { reminder: true }];

describe.each(creations)('the reminder of a task that is created by $way', ({ create }) => {
  describe.each([false, true])('if automaticRemainder is %j', (automatic) => {
    beforeAll(() => setAutomaticReminder(anna, automatic));

    test.each(dueCases.flatMap((due) => reminderInputs.map((reminderInput) => ({ ...due, said: reminderInput }))))(
      'with $due, and $said said of it',
      async ({ fields, hasDate, said: reminderInput }) => {
        const expected = reminderInput.reminder ?? (automatic && hasDate);
        const { id, reminder } = await create(anna, { ...fields, ...reminderInput });
        expect(reminder).toBe(expected);
        const { task } = await anna.data<{ task: CreatedTask }>('query ($id: ID!) { task(id: $id) { reminder } }', {
          id,
        });
        expect(task.reminder).toBe(expected);
        const { body } = await anna.get<{ todos: ListedTask[] }>('/api/v2/todo');
        expect(body.todos.find((todo) => todo.id === id)).toMatchObject({ reminder: expected });
      },
    );
  });

  test('follows the preference of its creator in a workspace', async () => {
    await Promise.all([setAutomaticReminder(anna, true), setAutomaticReminder(ben, false)]);
    const { id: projectId } = await makeProject(anna, { workspaceId: (await makeWorkspace(anna, ben)).id });
    expect(await create(anna, { projectId, dueDate })).toMatchObject({ reminder: true });
    expect(await create(ben, { projectId, dueDate })).toMatchObject({ reminder: false });
    await Promise.all([setAutomaticReminder(anna, false), setAutomaticReminder(ben, true)]);
    expect(await create(anna, { projectId, dueDate })).toMatchObject({ reminder: false });
    expect(await create(ben, { projectId, dueDate })).toMatchObject({ reminder: true });
  });

  test('follows the preference below another task, and behind a sort key of a client', async () => {
    await setAutomaticReminder(anna, true);
    const { id: projectId } = await makeProject(anna);
    const { id: parentId } = await makeTask(anna, { projectId });
    await anna.patch(`/api/v2/todo/${parentId}`, { sortKey: '~' });
    expect(await create(anna, { parentId, dueDate })).toMatchObject({ reminder: true });
  });

  test('is sent to subscribers', async () => {
    await setAutomaticReminder(anna, true);
    const now = await anna.data<{ changes: { cursor: string }; sync: { cursor: string } }>(
      '{ changes { cursor } sync { cursor } }',
    );
    const { id } = await create(anna, { dueDate });
    const reported = await anna.data<{ changes: { nodes: { task: CreatedTask }[] }; sync: { tasks: CreatedTask[] } }>(
      `query ($changes: String, $sync: String) {
         changes(after: $changes) { nodes { task { id reminder } } } sync(after: $sync) { tasks { id reminder } }
       }`,
      { changes: now.changes.cursor, sync: now.sync.cursor },
    );
    expect(reported).toEqual({
      changes: { nodes: [{ task: { id, reminder: true } }] },
      sync: { tasks: [{ id, reminder: true }] },
    });
  });
});

test('a task keeps its reminder when the preference changes, and an update with a due date adds none', async () => {
  await setAutomaticReminder(anna, true);
  const [datedTask, undatedTask] = [await makeTask(anna, { dueDate }), await makeTask(anna)];
  await setAutomaticReminder(anna, false);
  await anna.patch(`/api/v2/todo/${datedTask.id}`, { dueDate: '2031-01-02' });
  await setAutomaticReminder(anna, true);
  await anna.patch(`/api/v2/todo/${undatedTask.id}`, { dueDate });
  const { body } = await anna.get<{ todos: ListedTask[] }>('/api/v2/todo');
  const reminderOf = ({ id }: CreatedTask) => body.todos.find((todo) => todo.id === id)?.reminder;
  expect([reminderOf(datedTask), reminderOf(undatedTask)]).toEqual([true, false]);
});
