import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { clean, operationOf, readTask, undo } from './undoing.ts';

let service: Service;
let anna: User;
let ben: User;
let workspace: string;
beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = [await signUp(service), await signUp(service)];
  workspace = (await makeWorkspace(anna, ben)).id;
});

describe('undo', () => {
  const keyed = async (mutations: string, variables: object) => {
    const key = crypto.randomUUID();
    const query = `mutation ($id: ID!, $project: ID!) { ${mutations} }`;
    const options = { headers: { 'Idempotency-Key': key } };
    const { body } = await anna.post<object>('/graphql', { query, variables }, options);
    expect(body).not.toHaveProperty('errors');
    return key;
  };

  test('restores a task that one operation changed, moved to another space and deleted there', async () => {
    const project = (await makeProject(anna, { workspaceId: workspace })).id;
    const { id } = await makeTask(anna, { title: 'one', description: 'all' });
    const before = await readTask(anna, id);
    const key = await keyed(
      `a: updateTask(id: $id, input: { title: "two" }) { id }
       b: updateTask(id: $id, input: { projectId: $project, priority: HIGH }) { id }
       c: updateTask(id: $id, input: { description: "less" }) { id }
       d: deleteTask(id: $id)`,
      { id, project },
    );
    expect(await undo(anna, key)).toMatchObject({ ...clean, applied: 1 });
    expect(await readTask(anna, id)).toEqual(before);
  });

  test('leaves a later subtask with its task, which cannot move back to a deleted project', async () => {
    const [from, to] = [await makeProject(anna), await makeProject(anna)];
    const { id } = await makeTask(anna, { projectId: from.id });
    const moved = operationOf(await anna.patch(`/api/v2/todo/${id}`, { projectId: to.id }));
    const child = await makeTask(anna, { parentId: id });
    await anna.delete(`/api/v2/projects/${from.id}`);
    const conflicts = [{ id, field: 'project', reason: 'its project is gone' }];
    expect(await undo(anna, moved)).toMatchObject({ applied: 0, conflicts });
    expect(await readTask(anna, child.id)).toMatchObject({ project: { id: to.id }, parent: { id } });
  });

  test('changes no order of a project that a section cannot leave', async () => {
    const [from, to] = [await makeProject(anna), await makeProject(anna)];
    const pathOf = ({ id }: { id: string }) => `/api/v2/projects/${id}/sections`;
    const { section } = (await anna.post<{ section: { id: string } }>(pathOf(from), { name: 'moved' })).body;
    for (const name of ['first', 'second']) await anna.post(pathOf(to), { name });
    const moved = operationOf(await anna.patch(`${pathOf(from)}/${section.id}`, { projectId: to.id }));
    const before = (await anna.get(pathOf(to))).body;
    await anna.delete(`/api/v2/projects/${from.id}`);
    const conflicts = [{ id: section.id, field: 'project', reason: 'its project is gone' }];
    expect(await undo(anna, moved)).toMatchObject({ applied: 0, conflicts, operationId: null });
    expect((await anna.get(pathOf(to))).body).toEqual(before);
  });

  test('refuses a bad body over REST, also with an idempotency key in the path', async () => {
    const { id } = await makeTask(anna);
    const key = crypto.randomUUID();
    await anna.patch(`/api/v2/todo/${id}`, { title: 'two' }, { headers: { 'Idempotency-Key': key } });
    expect(await anna.post(`/api/v2/operations/${key}/undo`, { dryRun: 'yes' })).toMatchObject({ status: 400 });
    expect(await anna.post(`/api/v2/operations/op_${'0'.repeat(26)}/undo`, { dryRun: 'yes' })).toMatchObject({
      status: 404,
    });
  });

  test("names the time of the last change that the caller may see, and not of others' tags", async () => {
    const project = await makeProject(anna, { workspaceId: workspace });
    const { id } = await makeTask(anna, { projectId: project.id });
    const tag = await makeTag(ben);
    const operation = operationOf(await anna.patch(`/api/v2/todo/${id}`, { title: 'two' }));
    const later = operationOf(await ben.patch(`/api/v2/todo/${id}`, { title: 'three' }));
    await ben.patch(`/api/v2/todo/${id}`, { tags: [tag.id] });
    const [{ at } = { at: new Date() }] = await service.sql<{ at: Date }>('SELECT at FROM operations WHERE id = $1', [
      later,
    ]);
    const reason = `was changed again, since ${at.toISOString()}`;
    expect(await undo(anna, operation)).toMatchObject({ applied: 0, conflicts: [{ field: 'title', reason }] });
  });

  test('deletes a created task after thousands of changes', async () => {
    const created = await anna.post<{ todo: { id: string } }>('/api/v2/todo', { title: 'made' });
    await service.sql(
      `INSERT INTO history (operation_id, space_id, type, kind, entity_ids, images)
       SELECT new_id('op'), $1, 'TASK', 'UPDATED', ARRAY[$2], ARRAY['{"title":["made","made"]}'] FROM generate_series(1, 10000)`,
      [anna.id, created.body.todo.id],
    );
    expect(await undo(anna, operationOf(created))).toMatchObject({ ...clean, applied: 1 });
  });

  test('names what was emptied from the trash since, and restores the rest', async () => {
    const [kept, emptied] = [await makeTask(anna), await makeTask(anna)];
    await makeTask(anna, { parentId: emptied.id });
    const operation = operationOf(await anna.delete(`/api/v2/todo/bulk?todoIds=${kept.id},${emptied.id}`));
    await anna.data('mutation ($ids: [ID!]) { emptyTrash(ids: $ids) }', { ids: [emptied.id] });
    const conflicts = [{ type: 'task', id: emptied.id, field: null, reason: 'was emptied from the trash' }];
    expect(await undo(anna, operation)).toMatchObject({ applied: 1, conflicts });
    expect(await readTask(anna, kept.id)).toMatchObject({ id: kept.id });
  });

  test('changes nothing for an operation that deleted and restored a task', async () => {
    const project = (await makeProject(anna)).id;
    const { id } = await makeTask(anna, { title: 'one', projectId: project });
    const before = await readTask(anna, id);
    const key = await keyed(
      `a: deleteTask(id: $id)
       b: restore(ids: [$id]) { applied }
       c: updateTask(id: $id, input: { projectId: $project }) { id }`,
      { id, project },
    );
    expect(await undo(anna, key)).toMatchObject({ applied: 0, conflicts: [] });
    expect(await readTask(anna, id)).toEqual(before);
  });
});
