import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { lockSpaces, untilWaiting } from '../kit/locks.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let people: User[];
let anna: User;
let ben: User;
let cleo: User;
let stranger: User;
let workspaceId: string;
let projectId: string;

beforeAll(async () => {
  service = await sharedService();
  people = await Promise.all(Array.from({ length: 11 }, () => signUp(service)));
  [anna, ben, cleo] = people as [User, User, User];
  stranger = await signUp(service);
  workspaceId = (await makeWorkspace(anna)).id;
  await service.sql('INSERT INTO memberships (space_id, user_id) SELECT $1, unnest($2::text[])', [
    workspaceId,
    people.slice(1).map(({ id }) => id),
  ]);
  projectId = (await makeProject(anna, { workspaceId })).id;
});

let taskId: string;
beforeEach(async () => {
  taskId = (await makeTask(anna, { projectId })).id;
});

const createDocument =
  'mutation ($input: CreateTaskInput!) { createTask(input: $input) { id assigneeIds createdById } }';
const create = (user: User, input: object) =>
  user.graphql<{ createTask: { id: string; assigneeIds: string[]; createdById: string } }>(createDocument, {
    input: { title: 'Paint', projectId, ...input },
  });

const updateDocument =
  'mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id assigneeIds } }';
const update = (user: User, input: object, id = taskId) =>
  user.graphql<{ updateTask: { assigneeIds: string[] } }>(updateDocument, { id, input });

const bulk = (user: User, ids: string[], input: object) =>
  user.graphql<{ updateTasks: { count: number } }>(
    'mutation ($ids: [ID!]!, $input: BulkUpdateTasksInput!) { updateTasks(ids: $ids, input: $input) { count } }',
    { ids, input },
  );

const assigneesOf = async (id = taskId) => {
  const [task] = await service.sql<{ ids: string[] }>('SELECT to_jsonb(assignee_ids) AS ids FROM tasks WHERE id = $1', [
    id,
  ]);
  return task?.ids;
};
const assign = (ids: string[], id = taskId) =>
  service.sql('UPDATE tasks SET assignee_ids = $2 WHERE id = $1', [id, ids]);

const revisionOf = async (space = workspaceId) =>
  (await service.sql<{ revision: string }>('SELECT revision FROM spaces WHERE id = $1', [space]))[0]?.revision;

const refusedAt = (path: string) => ({
  errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } }],
});

/** `task_assignees` equals the column, whatever a test has done. */
const unlisted = () =>
  service.sql(`(SELECT id, unnest(assignee_ids) FROM tasks EXCEPT SELECT task_id, user_id FROM task_assignees)
    UNION ALL (SELECT task_id, user_id FROM task_assignees EXCEPT SELECT id, unnest(assignee_ids) FROM tasks)`);
afterEach(async () => expect(await unlisted()).toEqual([]));

describe('assigneeIds', () => {
  test('assigns members of any number up to ten, in the given order', async () => {
    const ids = people
      .slice(1)
      .map(({ id }) => id)
      .reverse();
    const { data } = await create(anna, { assigneeIds: ids });
    expect(data?.createTask).toMatchObject({ assigneeIds: ids, createdById: anna.id });
    const query = 'query ($id: ID!) { task(id: $id) { assignees { id email } } }';
    const { task } = await ben.data<{ task: { assignees: object[] } }>(query, { id: data?.createTask.id });
    expect(task.assignees).toEqual(
      people
        .slice(1)
        .reverse()
        .map(({ id, email }) => ({ id, email })),
    );
  });

  test('replaces all, keeps the order of those who stay, and null removes all', async () => {
    await update(anna, { assigneeIds: [ben.id, cleo.id] });
    const { data } = await update(anna, { assigneeIds: [anna.id, cleo.id] });
    expect(data?.updateTask.assigneeIds).toEqual([cleo.id, anna.id]);
    expect((await update(anna, { assigneeIds: null })).data?.updateTask.assigneeIds).toEqual([]);
  });

  test('assigns in a personal space only its user', async () => {
    const { id } = await makeTask(anna);
    expect((await update(anna, { assigneeIds: [anna.id] }, id)).data?.updateTask.assigneeIds).toEqual([anna.id]);
    expect(await update(anna, { assigneeIds: [ben.id] }, id)).toMatchObject(refusedAt('input.assigneeIds'));
  });

  test.each(['addAssigneeIds', 'removeAssigneeIds'])('is refused beside %s', async (name) => {
    const refused = refusedAt('input.assigneeIds');
    expect(await update(anna, { assigneeIds: [], [name]: [ben.id] })).toMatchObject(refused);
    expect(await bulk(anna, [taskId], { assigneeIds: null, [name]: [ben.id] })).toMatchObject(refused);
  });
});

describe('who cannot be assigned', () => {
  const inputs = [
    ['assigneeIds', 'input.assigneeIds'],
    ['addAssigneeIds', 'input.addAssigneeIds'],
  ] as const;

  test.each(inputs)(
    '%s answers alike for strangers, former members and unknown ids, and writes nothing',
    async (name, path) => {
      const former = await signUp(service);
      await addMember(anna, workspaceId, former);
      await former.graphql('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspaceId });
      const before = await revisionOf();
      const ids = [stranger.id, former.id, newId('User'), newId('Task'), 'user_', '\u0000', '\ud800'];
      const answers = await Promise.all(ids.map((id) => update(anna, { title: 'Other', [name]: [ben.id, id] })));
      expect(answers[0]).toMatchObject(refusedAt(path));
      for (const answer of answers.slice(1, 5)) expect(answer.errors).toEqual(answers[0]?.errors);
      for (const answer of answers.slice(5)) expect(answer.errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
      expect(await revisionOf()).toBe(before);
      expect(await assigneesOf()).toEqual([]);
    },
  );

  test('a new task is not created with a stranger', async () => {
    const before = await revisionOf();
    expect(await create(anna, { assigneeIds: [anna.id, stranger.id] })).toMatchObject(refusedAt('input.assigneeIds'));
    expect(await revisionOf()).toBe(before);
  });

  test('nobody beyond ten: neither at once nor by an addition', async () => {
    const all = people.map(({ id }) => id);
    expect(await update(anna, { assigneeIds: all })).toMatchObject(refusedAt('input.assigneeIds'));
    expect(await create(anna, { assigneeIds: all })).toMatchObject(refusedAt('input.assigneeIds'));
    await assign(all.slice(0, 10));
    expect(await update(anna, { title: 'Other', addAssigneeIds: all.slice(9) })).toMatchObject(
      refusedAt('input.addAssigneeIds'),
    );
    expect(await assigneesOf()).toEqual(all.slice(0, 10));
    const { data } = await update(anna, { addAssigneeIds: all.slice(10), removeAssigneeIds: all.slice(0, 1) });
    expect(data?.updateTask.assigneeIds).toEqual(all.slice(1));
  });

  test('a bulk with one task that does not fit changes none', async () => {
    const own = await makeTask(anna);
    const before = await revisionOf();
    const answer = await bulk(anna, [taskId, own.id], { priority: 'HIGH', addAssigneeIds: [ben.id] });
    expect(answer).toMatchObject(refusedAt('input.addAssigneeIds'));
    expect(await revisionOf()).toBe(before);
  });

  test('nobody by SQL', async () => {
    await expect(assign([stranger.id])).rejects.toThrow('members of the space');
    await expect(assign([ben.id, ben.id])).rejects.toThrow('members of the space');
    await expect(assign(people.map(({ id }) => id))).rejects.toThrow('tasks_assignee_ids_check');
  });
});

describe('addAssigneeIds and removeAssigneeIds', () => {
  test('change nothing and make no operation, if nothing differs', async () => {
    await assign([ben.id]);
    const before = await revisionOf();
    const input = { addAssigneeIds: [ben.id], removeAssigneeIds: [cleo.id, stranger.id, 'x'] };
    expect((await update(anna, input)).data?.updateTask.assigneeIds).toEqual([ben.id]);
    expect((await update(anna, { assigneeIds: [ben.id] })).data?.updateTask.assigneeIds).toEqual([ben.id]);
    expect((await bulk(anna, [taskId], input)).data?.updateTasks.count).toBe(1);
    expect(await revisionOf()).toBe(before);
  });

  test('are refused with the same id in both', async () => {
    const input = { addAssigneeIds: [ben.id], removeAssigneeIds: [ben.id] };
    expect(await update(anna, input)).toMatchObject(refusedAt('input.removeAssigneeIds'));
  });

  test('of two people who remove two assignees while the space is locked are both done', async () => {
    await assign([anna.id, ben.id, cleo.id]);
    const lock = await lockSpaces(service, workspaceId);
    const changes = [update(ben, { removeAssigneeIds: [ben.id] }), update(cleo, { removeAssigneeIds: [cleo.id] })];
    await untilWaiting(service, 1);
    await lock.release();
    for (const { errors } of await Promise.all(changes)) expect(errors).toBeUndefined();
    expect(await assigneesOf()).toEqual([anna.id]);
  });

  test('of ten people at once are all done, and an eleventh is refused', async () => {
    const ten = people.slice(0, 10);
    await Promise.all(ten.map((user) => update(user, { addAssigneeIds: [user.id] })));
    expect((await assigneesOf())?.toSorted()).toEqual(ten.map(({ id }) => id).sort());
    const eleventh = people[10]?.id;
    expect(await update(anna, { addAssigneeIds: [eleventh] })).toMatchObject(refusedAt('input.addAssigneeIds'));
  });

  test('of eleven people at once are ten times done', async () => {
    const answers = await Promise.all(people.map((user) => update(user, { addAssigneeIds: [user.id] })));
    expect(answers.filter(({ errors }) => errors)).toHaveLength(1);
    expect(await assigneesOf()).toHaveLength(10);
  });

  test('add a member who leaves at the same moment, and is not assigned afterwards', async () => {
    const guest = await signUp(service);
    await addMember(anna, workspaceId, guest);
    const lock = await lockSpaces(service, workspaceId);
    const added = update(anna, { addAssigneeIds: [guest.id] });
    await untilWaiting(service, 1);
    const left = guest.graphql('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspaceId });
    await lock.release();
    await Promise.all([added, left]);
    expect(await assigneesOf()).toEqual([]);
  });
});

describe('the log and the history', () => {
  test('name the field assignees', async () => {
    await update(anna, { addAssigneeIds: [ben.id] });
    const [change] = await service.sql('SELECT fields FROM task_changes WHERE $1 = ANY (task_ids) AND kind = $2', [
      taskId,
      'UPDATED',
    ]);
    expect(change).toEqual({ fields: ['assignees'] });
    const query = 'query ($id: ID!) { task(id: $id) { history(first: 1) { nodes { fields { name before after } } } } }';
    expect(await anna.data(query, { id: taskId })).toEqual({
      task: { history: { nodes: [{ fields: [{ name: 'assignees', before: [], after: [ben.id] }] }] } },
    });
  });
});

describe('the filters assigneeId and assigned', () => {
  test('find the tasks of a member in all spaces that the viewer sees', async () => {
    const [user, other] = [await signUp(service), await signUp(service)];
    const shared = await makeWorkspace(user, other);
    const project = await makeProject(user, { workspaceId: shared.id });
    const elsewhere = await makeProject(other, { workspaceId: (await makeWorkspace(other)).id });
    const [own, common, free, hidden] = [
      await makeTask(user),
      await makeTask(user, { projectId: project.id }),
      await makeTask(user, { projectId: project.id }),
      await makeTask(other, { projectId: elsewhere.id }),
    ];
    await assign([user.id], own.id);
    await assign([other.id, user.id], common.id);
    await assign([other.id], hidden.id);
    const found = async (filter: object) => {
      const query = 'query ($filter: TaskFilter) { tasks(filter: $filter) { totalCount nodes { id } } }';
      const { tasks } = await user.data<{ tasks: { totalCount: number; nodes: { id: string }[] } }>(query, { filter });
      expect(tasks.totalCount).toBe(tasks.nodes.length);
      return tasks.nodes.map(({ id }) => id).sort();
    };
    expect(await found({ assigneeId: user.id })).toEqual([own.id, common.id].sort());
    expect(await found({ assigneeId: other.id })).toEqual([common.id]);
    expect(await found({ assigneeId: user.id, projectId: project.id })).toEqual([common.id]);
    expect(await found({ assigneeId: 'nonsense' })).toEqual([]);
    expect(await found({ assigned: true })).toEqual([own.id, common.id].sort());
    expect(await found({ assigned: false })).toEqual([free.id]);
  });

  test('find a task again after its deletion, an undo, another order and a move', async () => {
    const user = await signUp(service);
    await addMember(anna, workspaceId, user);
    const found = async () => {
      const query = `{ tasks(filter: { assigneeId: "${user.id}" }) { nodes { id } } }`;
      const { tasks } = await anna.data<{ tasks: { nodes: { id: string }[] } }>(query);
      expect(await unlisted()).toEqual([]);
      return tasks.nodes.map(({ id }) => id);
    };
    await update(anna, { assigneeIds: [user.id, ben.id] });
    await update(anna, { assigneeIds: [ben.id, user.id] });
    expect(await found()).toEqual([taskId]);
    const deleted = await anna.delete(`/api/v2/todo/${taskId}`);
    expect(await found()).toEqual([]);
    await anna.post(`/api/v2/operations/${deleted.headers.get('x-operation-id') ?? ''}/undo`);
    expect(await found()).toEqual([taskId]);
    const elsewhere = await makeProject(anna, { workspaceId: (await makeWorkspace(anna)).id });
    await update(anna, { projectId: elsewhere.id });
    expect(await found()).toEqual([]);
  });
});

test('the next occurrence of a task has its assignees and creator', async () => {
  await update(ben, { recurrence: { rule: 'FREQ=DAILY' }, dueDate: '2030-01-01', assigneeIds: [cleo.id, ben.id] });
  await update(ben, { completed: true });
  const query = `query ($id: ID!) { tasks(filter: { projectId: $id, completed: false, repeating: true }) {
    nodes { assigneeIds createdById }
  } }`;
  const { tasks } = await anna.data<{ tasks: { nodes: object[] } }>(query, { id: projectId });
  expect(tasks.nodes).toEqual([{ assigneeIds: [cleo.id, ben.id], createdById: anna.id }]);
});
