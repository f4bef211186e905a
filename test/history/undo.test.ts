import { beforeAll, describe, expect, test } from '@jest/globals';
import { syncedKinds } from '../../src/platform/entities.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { mutations } from '../kit/mutations.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { variablesByMutation, withoutUndo } from './acts.ts';
import { clean, operationOf, readTask, taskFields, undo } from './undoing.ts';

let service: Service;
let anna: User;
let ben: User;
let workspace: string;
beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = [await signUp(service), await signUp(service)];
  workspace = (await makeWorkspace(anna, ben)).id;
});

const stateOf = async (user: User, projectId: string) => {
  const { tasks } = await user.data<{ tasks: { nodes: { id: string }[] } }>(
    `query ($ids: [ID!]) { tasks(filter: { projectIds: $ids }, first: 500) { nodes { ${taskFields} } } }`,
    { ids: [projectId] },
  );
  const todos = tasks.nodes;
  const sections = (await user.get(`/api/v2/projects/${projectId}/sections`)).body;
  return { todos, sections };
};

describe('undo', () => {
  test.each<[string, Record<string, unknown>, object]>([
    ['a title', { title: 'one' }, { title: 'two' }],
    ['the completion', {}, { completed: true }],
    ['a time', { isAllDay: false, dueTime: '2026-12-01T10:00:00.000Z' }, { isAllDay: true }],
    ['cleared fields', { description: 'long', priority: 'low', color: '#fff' }, { description: null, priority: null }],
  ])('restores %s', async (_name, initialFields, change) => {
    const { id } = await makeTask(anna, initialFields);
    const before = await readTask(anna, id);
    const operation = operationOf(await anna.patch(`/api/v2/todo/${id}`, change));
    const after = await readTask(anna, id);
    expect(after).not.toEqual(before);
    const undoResult = await undo(anna, operation);
    expect(undoResult).toMatchObject({ ...clean, applied: 1 });
    expect(await readTask(anna, id)).toEqual(before);
    expect(await undo(anna, undoResult.operationId ?? '')).toMatchObject(clean);
    expect(await readTask(anna, id)).toEqual(after);
  });

  test('restores a project with its sections, tasks on three levels and tags', async () => {
    const project = await makeProject(anna, { name: 'Garden' });
    const section = await makeSection(anna, project.id);
    const tag = await makeTag(anna);
    const place = { projectId: project.id };
    const top = await makeTask(anna, { ...place, projectSectionId: section.id, tags: [tag.id] });
    const middle = await makeTask(anna, { ...place, parentId: top.id });
    await makeTask(anna, { ...place, parentId: middle.id, tags: [tag.id] });
    const before = await stateOf(anna, project.id);
    const operation = operationOf(await anna.delete(`/api/v2/projects/${project.id}`));
    expect(await undo(anna, operation)).toMatchObject({ ...clean, applied: 5 });
    expect(await stateOf(anna, project.id)).toEqual(before);
  });

  test('deletes a created entity unless another operation has edited it or put something into it', async () => {
    const createdTask = await anna.post<{ todo: { id: string } }>('/api/v2/todo', { title: 'made' });
    expect(await undo(anna, operationOf(createdTask))).toMatchObject({ ...clean, applied: 1 });
    expect(await readTask(anna, createdTask.body.todo.id)).toBeNull();
    const built = await anna.post<{ todo: { id: string; projectId: string } }>('/api/v2/todo', { title: 'built' });
    const { id } = built.body.todo;
    await makeTask(anna, { parentId: id });
    expect(await undo(anna, operationOf(built))).toMatchObject({
      applied: 0,
      operationId: null,
      conflicts: [{ type: 'task', id, reason: expect.stringContaining('built upon') }],
    });
    const editedTask = await anna.post<{ todo: { id: string } }>('/api/v2/todo', { title: 'edited' });
    await anna.patch(`/api/v2/todo/${editedTask.body.todo.id}`, { title: 'again' });
    expect(await undo(anna, operationOf(editedTask))).toMatchObject({
      applied: 0,
      conflicts: [{ id: editedTask.body.todo.id }],
    });
  });

  test('keeps later changes of other operations, and restores the rest', async () => {
    const { id } = await makeTask(anna, { title: 'one' });
    const operation = operationOf(await anna.patch(`/api/v2/todo/${id}`, { title: 'two', priority: 'high' }));
    await anna.patch(`/api/v2/todo/${id}`, { title: 'three' });
    expect(await undo(anna, operation)).toMatchObject({
      applied: 1,
      conflicts: [{ type: 'task', id, field: 'title', reason: expect.stringMatching(/changed again, since 20/) }],
    });
    expect(await readTask(anna, id)).toMatchObject({ title: 'three', priority: null });
  });

  test('restores an entity to the next valid place', async () => {
    const project = await makeProject(anna);
    const parent = await makeTask(anna, { projectId: project.id });
    const child = await makeTask(anna, { projectId: project.id, parentId: parent.id });
    const operation = operationOf(await anna.delete(`/api/v2/todo/${child.id}`));
    await anna.delete(`/api/v2/todo/${parent.id}`);
    const second = await undo(anna, operation);
    expect(second.conflicts).toMatchObject([{ id: child.id, field: 'parent' }]);
    const secondDeletion = operationOf(await anna.delete(`/api/v2/todo/${child.id}`));
    await anna.delete(`/api/v2/projects/${project.id}`);
    expect((await undo(anna, secondDeletion)).conflicts).toMatchObject([{ id: child.id, field: 'project' }]);
    expect(await readTask(anna, child.id)).toMatchObject({ parent: null });
  });

  test('moves a task back between spaces, with its subtasks and later additions', async () => {
    const project = await makeProject(anna, { workspaceId: workspace });
    const tag = await makeTag(ben);
    const top = await makeTask(ben, { projectId: project.id, tags: [tag.id] });
    const child = await makeTask(ben, { projectId: project.id, parentId: top.id });
    const before = await readTask(ben, top.id);
    const moved = operationOf(await anna.patch(`/api/v2/todo/${top.id}`, { projectId: null }));
    expect(await readTask(ben, top.id)).toBeNull();
    const later = await makeTask(anna, { parentId: top.id });
    expect(await undo(ben, moved)).toMatchObject({ applied: 0 });
    expect(await undo(anna, moved)).toMatchObject({ ...clean, applied: 3 });
    expect(await readTask(ben, top.id)).toEqual(before);
    expect(await readTask(ben, later.id)).toMatchObject({ parent: { id: top.id }, project: { id: project.id } });
    expect(await readTask(ben, child.id)).toMatchObject({ project: { id: project.id } });
  });

  test("adds the caller's tag again that a move to another space took off, and undoes that undo", async () => {
    const project = await makeProject(anna, { workspaceId: workspace });
    const tag = await makeTag(anna);
    const task = await makeTask(anna, { projectId: project.id, tags: [tag.id] });
    const before = await readTask(anna, task.id);
    const moved = operationOf(await anna.patch(`/api/v2/todo/${task.id}`, { projectId: null, tags: [] }));
    const after = await readTask(anna, task.id);
    const undoResult = await undo(anna, moved);
    expect(await readTask(anna, task.id)).toEqual(before);
    expect(await undo(anna, undoResult.operationId ?? '')).toMatchObject({ ...clean, applied: 1 });
    expect(await readTask(anna, task.id)).toEqual(after);
  });

  test("restores another member's deletion with the tags of all members", async () => {
    const project = await makeProject(anna, { workspaceId: workspace });
    const [annas, bensTag] = [await makeTag(anna), await makeTag(ben)];
    const task = await makeTask(anna, { projectId: project.id, tags: [annas.id] });
    await ben.patch(`/api/v2/todo/${task.id}`, { tags: [bensTag.id] });
    const before = [await readTask(anna, task.id), await readTask(ben, task.id)];
    const operation = operationOf(await ben.delete(`/api/v2/todo/${task.id}`));
    expect(await undo(anna, operation)).toMatchObject({ ...clean, applied: 1 });
    expect([await readTask(anna, task.id), await readTask(ben, task.id)]).toEqual(before);
  });

  test('restores tags, sections and their names', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const tag = await makeTag(anna);
    const task = await makeTask(anna, { projectId: project.id, projectSectionId: section.id, tags: [tag.id] });
    const before = await readTask(anna, task.id);
    const tagDeletion = operationOf(await anna.delete(`/api/v2/tag/bulk?tagIds=${tag.id}`));
    const sectionDeletion = operationOf(await anna.delete(`/api/v2/projects/${project.id}/sections/${section.id}`));
    const tagUpdate = operationOf(await anna.patch(`/api/v2/todo/${task.id}`, { tags: [(await makeTag(anna)).id] }));
    for (const each of [tagUpdate, sectionDeletion, tagDeletion]) expect(await undo(anna, each)).toMatchObject(clean);
    expect(await readTask(anna, task.id)).toEqual(before);
    const secondTagDeletion = operationOf(await anna.delete(`/api/v2/tag/bulk?tagIds=${tag.id}`));
    await makeTag(anna, { name: tag.name });
    expect(await undo(anna, secondTagDeletion)).toMatchObject({
      applied: 0,
      conflicts: [{ type: 'tag', field: null }],
    });
  });

  test('is a conflict if only tags were changed and the task was deleted since', async () => {
    const [{ id }, tag] = [await makeTask(anna), await makeTag(anna)];
    const tagUpdate = operationOf(await anna.patch(`/api/v2/todo/${id}`, { tags: [tag.id] }));
    await anna.delete(`/api/v2/todo/${id}`);
    const reason = expect.stringMatching(/^was deleted, since /);
    expect(await undo(anna, tagUpdate)).toMatchObject({
      applied: 0,
      conflicts: [{ type: 'task', id, field: null, reason }],
    });
  });

  test('returns the same result in a dry run, without a change', async () => {
    const { id } = await makeTask(anna, { title: 'one' });
    const operationId = operationOf(await anna.patch(`/api/v2/todo/${id}`, { title: 'two' }));
    const { undo: dry } = await anna.data<{ undo: object }>(
      'mutation ($operationId: ID!) { undo(operationId: $operationId, dryRun: true) { operation { id } applied conflicts { id } } }',
      { operationId },
    );
    expect(dry).toEqual({ operation: null, applied: 1, conflicts: [] });
    expect(await readTask(anna, id)).toMatchObject({ title: 'two' });
    expect(await undo(anna, operationId)).toMatchObject({ applied: 1 });
  });

  test('restores tasks between the same siblings after all sort keys were renewed', async () => {
    const { id: projectId } = await makeProject(anna);
    const ids: string[] = [];
    for (const sortKey of ['m', 'n', 'o', 'p', 'p ']) ids.push((await makeTask(anna, { projectId, sortKey })).id);
    const [a = '', b = '', c = '', d = '', e = ''] = ids;
    const move = (id: string, place: object) => anna.post(`/api/v2/todo/${id}/move`, place);
    const created = await anna.post<{ todo: { id: string } }>('/api/v2/todo', { title: 'f', projectId });
    const moved = operationOf(await move(c, { before: a }));
    const deleted = operationOf(await anna.delete(`/api/v2/todo/${b}`));
    // The keys of `d` and `e` leave no room between them.
    await move(a, { after: d });
    const order = async () => (await stateOf(anna, projectId)).todos.map(({ id }) => id);
    expect(await order()).toEqual([c, d, a, e, created.body.todo.id]);
    expect(await undo(anna, deleted)).toMatchObject(clean);
    expect(await order()).toEqual([c, b, d, a, e, created.body.todo.id]);
    expect(await undo(anna, moved)).toMatchObject(clean);
    expect(await undo(anna, operationOf(created))).toMatchObject(clean);
    expect(await order()).toEqual([b, c, d, a, e]);
  });

  test('creates no circle and no eleventh level', async () => {
    const { id: projectId } = await makeProject(anna);
    const under = async (parentId?: string) => (await makeTask(anna, { projectId, parentId })).id;
    const put = async (id: string, parentId: string | null) =>
      operationOf(await anna.post(`/api/v2/todo/${id}/move`, { parentId }));
    const [top, other] = [await under(), await under()];
    const child = await under(top);
    const released = await put(child, null);
    await put(top, child);
    expect(await undo(anna, released)).toMatchObject({ applied: 0, conflicts: [{ id: child, field: 'parent' }] });
    await put(child, other);
    expect(await readTask(anna, top)).toMatchObject({ parent: { id: child } });
    let lowest = other;
    for (let level = 2; level <= 8; level += 1) lowest = await under(lowest);
    const down = await put(child, lowest);
    expect(await undo(anna, down)).toMatchObject(clean);
    // The eighth level has no room for its three levels.
    const moveAway = await put(child, lowest).then(() => put(child, null));
    await under(top);
    expect(await undo(anna, moveAway)).toMatchObject({
      applied: 0,
      conflicts: [{ id: child, field: 'parent', reason: expect.stringContaining('ten levels') }],
    });
  });

  test('is tested at random for each mutation and kind of entity', () => {
    expect([...Object.keys(variablesByMutation), ...withoutUndo].sort()).toEqual(Object.keys(mutations).sort());
    for (const kind of syncedKinds.filter((each) => each !== 'Workspace')) {
      for (const verb of ['create', 'update', 'delete']) {
        const names = [`${verb}${kind}`, `${verb}${kind}s`];
        expect({ kind, verb, isTried: names.some((name) => name in variablesByMutation) }).toEqual({
          kind,
          verb,
          isTried: true,
        });
      }
    }
  });

  test("accepts the idempotency key of the caller's own mutation", async () => {
    const { id } = await makeTask(anna, { title: 'one' });
    const headers = { 'Idempotency-Key': `key ${id}` };
    await anna.patch(`/api/v2/todo/${id}`, { title: 'two' }, { headers });
    const path = `/api/v2/operations/${encodeURIComponent(headers['Idempotency-Key'])}/undo`;
    expect(await ben.post(path)).toMatchObject({ status: 404 });
    expect(await anna.post(path)).toMatchObject({ status: 200, body: { applied: 1 } });
    expect(await readTask(anna, id)).toMatchObject({ title: 'one' });
  });

  test('refuses an operation that is already undone, unknown, invisible or without images', async () => {
    const { id } = await makeTask(anna, { title: 'one' });
    const operation = operationOf(await anna.patch(`/api/v2/todo/${id}`, { title: 'two' }));
    const undoBody = async (user: User, each: string) => (await user.post(`/api/v2/operations/${each}/undo`)).body;
    expect(await undoBody(ben, operation)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await undoBody(anna, 'op_no')).toMatchObject({ code: 'NOT_FOUND' });
    await undo(anna, operation);
    const refusal = { code: 'VALIDATION_FAILED', errors: [{ path: 'operationId' }] };
    expect(await undoBody(anna, operation)).toMatchObject(refusal);
    const profile = operationOf(await anna.send('PUT', '/api/v1/user/name', { name: 'Anna' }));
    expect(await undoBody(anna, profile)).toMatchObject(refusal);
  });
});
