import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addMember, makeProject, makeSection, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let [anna, ben, cleo]: [User, User, User] = [] as never;
/** Of all three, and of Anna and Ben. */
let [workspaceId, otherId]: [string, string] = [] as never;
let [projectId, otherProjectId]: [string, string] = [] as never;
let taskId: string;

beforeAll(async () => {
  service = await sharedService();
  [anna, ben, cleo] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
});
beforeEach(async () => {
  workspaceId = (await makeWorkspace(anna, ben, cleo)).id;
  otherId = (await makeWorkspace(anna, ben)).id;
  projectId = (await makeProject(anna, { workspaceId })).id;
  otherProjectId = (await makeProject(anna, { workspaceId: otherId })).id;
  taskId = (await makeTask(anna, { projectId })).id;
});

const update = async (input: object, id = taskId, user = anna): Promise<void> => {
  await user.data('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', {
    id,
    input,
  });
};
const assign = (users: User[], id = taskId) => update({ assigneeIds: users.map((user) => user.id) }, id);

const leave = (user: User, id = workspaceId) => user.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id });

const assigneesOf = async (id = taskId) => {
  const [task] = await service.sql<{ ids: string[] }>('SELECT to_jsonb(assignee_ids) AS ids FROM tasks WHERE id = $1', [
    id,
  ]);
  return task?.ids;
};
const idsOf = (...users: User[]) => users.map(({ id }) => id);

const lastOperation = async (id = taskId) => {
  const [row] = await service.sql<{ id: string }>(
    'SELECT operation_id AS id FROM history WHERE entity_ids @> ARRAY[$1] ORDER BY operation_id DESC LIMIT 1',
    [id],
  );
  return row?.id ?? '';
};
const undo = async (operationId: string) =>
  (
    await anna.data<{ undo: { operation: { id: string } | null; conflicts: object[] } }>(
      'mutation ($id: ID!) { undo(operationId: $id) { operation { id } conflicts { id field reason } } }',
      { id: operationId },
    )
  ).undo;

const conflict = (reason: string) => ({ id: taskId, field: 'assignees', reason });
const left = 'an assignee is no longer a member of the space';

describe('an undo', () => {
  test('removes who was added, adds who was removed, and keeps the order', async () => {
    await assign([anna, ben]);
    await update({ addAssigneeIds: idsOf(cleo), removeAssigneeIds: idsOf(anna) });
    const { operation, conflicts } = await undo(await lastOperation());
    expect(conflicts).toEqual([]);
    expect(await assigneesOf()).toEqual(idsOf(anna, ben));
    await undo(operation?.id ?? '');
    expect(await assigneesOf()).toEqual(idsOf(ben, cleo));
  });

  test('keeps later changes of others', async () => {
    await assign([anna]);
    await update({ addAssigneeIds: idsOf(ben), removeAssigneeIds: idsOf(anna), title: 'Other' });
    const operation = await lastOperation();
    await update({ addAssigneeIds: idsOf(cleo) }, taskId, cleo);
    expect((await undo(operation)).conflicts).toEqual([]);
    expect(await assigneesOf()).toEqual(idsOf(cleo, anna));
  });

  test('does not assign a former member: a conflict', async () => {
    await assign([anna, cleo]);
    await update({ assigneeIds: idsOf(ben), title: 'Other' });
    const operation = await lastOperation();
    await leave(cleo);
    expect((await undo(operation)).conflicts).toEqual([conflict(left)]);
    expect(await assigneesOf()).toEqual(idsOf(anna));
  });

  test('does not assign more than ten: a conflict', async () => {
    const more = await Promise.all(Array.from({ length: 9 }, () => signUp(service)));
    for (const user of more) await addMember(anna, workspaceId, user);
    await assign([anna, ben]);
    await update({ assigneeIds: null });
    const operation = await lastOperation();
    await assign(more);
    expect((await undo(operation)).conflicts).toEqual([conflict('there would be more than 10 assignees')]);
    expect(await assigneesOf()).toEqual(idsOf(...more));
  });

  test('changes nothing if everything is as before', async () => {
    await assign([ben]);
    const operation = await lastOperation();
    await update({ assigneeIds: null });
    expect(await undo(operation)).toEqual({ operation: null, conflicts: [] });
  });
});

describe('a task that returns from the trash', () => {
  test('has those of its assignees who are still members, and its creator if the account exists', async () => {
    const dora = await signUp(service);
    await addMember(anna, workspaceId, dora);
    const { id } = await makeTask(dora, { projectId });
    await assign([cleo, ben, dora], id);
    await anna.delete(`/api/v2/todo/${id}`);
    const operation = await lastOperation(id);
    await leave(cleo);
    await dora.data('mutation ($password: String) { deleteAccount(password: $password) }', { password: dora.password });
    expect((await undo(operation)).conflicts).toEqual([{ ...conflict(left), id }]);
    const read = 'SELECT to_jsonb(assignee_ids) AS ids, created_by_id AS creator FROM tasks WHERE id = $1';
    expect(await service.sql(read, [id])).toEqual([{ ids: idsOf(ben), creator: null }]);
  });
});

test('the end of a membership can be undone for the tasks of the member, once they are a member again', async () => {
  await assign([ben, cleo]);
  await leave(cleo);
  const operation = await lastOperation();
  const { operation: read } = await anna.data<{ operation: object }>(
    'query ($id: ID!) { operation(id: $id) { undoable summary } }',
    { id: operation },
  );
  expect(read).toEqual({ undoable: true, summary: 'Changed the members of a workspace' });
  expect(await undo(operation)).toEqual({ operation: null, conflicts: [conflict(left)] });
  await addMember(anna, workspaceId, cleo);
  expect(await undo(operation)).toMatchObject({ operation: { id: expect.any(String) }, conflicts: [] });
  expect(await assigneesOf()).toEqual(idsOf(ben, cleo));
});

describe('a move to another space', () => {
  const moves: [string, () => Promise<void>][] = [
    ['own', () => update({ projectId: otherProjectId })],
    [
      'with its section',
      async () => {
        const section = await makeSection(anna, projectId);
        await update({ projectId, sectionId: section.id });
        const document = 'mutation ($id: ID!, $to: ID!) { updateSection(id: $id, projectId: $to) { id } }';
        await anna.data(document, { id: section.id, to: otherProjectId });
      },
    ],
    [
      'with its parent',
      async () => {
        const parent = await makeTask(anna, { projectId });
        await update({ parentId: parent.id });
        await update({ projectId: otherProjectId }, parent.id);
      },
    ],
    [
      'by SQL',
      async () => {
        const move = 'UPDATE tasks SET project_id = $2, space_id = $3 WHERE id = $1';
        await service.sql(move, [taskId, otherProjectId, otherId]);
      },
    ],
  ];

  test.each(moves)('keeps the members of the new space, and an undo assigns all again: %s', async (_name, move) => {
    await assign([cleo, ben]);
    await move();
    expect(await assigneesOf()).toEqual(idsOf(ben));
    const operation = await lastOperation();
    expect((await undo(operation)).conflicts).toEqual([]);
    expect(await assigneesOf()).toEqual(idsOf(cleo, ben));
  });

  test('assigns members of the new space in the same update, and refuses others', async () => {
    await assign([cleo]);
    await update({ projectId: otherProjectId, addAssigneeIds: idsOf(ben) });
    expect(await assigneesOf()).toEqual(idsOf(ben));
    const refused = anna.graphql(
      'mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }',
      { id: taskId, input: { projectId, assigneeIds: idsOf(cleo) } },
    );
    expect((await refused).errors).toBeUndefined();
    const again = await anna.graphql(
      'mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }',
      { id: taskId, input: { projectId: otherProjectId, assigneeIds: idsOf(cleo) } },
    );
    expect(again).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'input.assigneeIds' }] } }],
    });
    expect(await service.sql('SELECT project_id FROM tasks WHERE id = $1', [taskId])).toEqual([
      { project_id: projectId },
    ]);
  });
});
