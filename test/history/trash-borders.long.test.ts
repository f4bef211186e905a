import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { eraseEmptied } from '../../src/history/emptying.ts';
import { openLockHolder, lockSpaces, untilWaiting } from '../kit/locks.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { complete, makeRepeating, nextIdOf, open } from '../tasks/repeating.ts';
import { operationOf } from './undoing.ts';

let service: Service;
let anna: User;
let ben: User;
let workspace: string;
let project: string;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Entry {
  id: string;
  title: string;
  entities: number;
}

async function world() {
  [anna, ben] = [await signUp(service), await signUp(service)];
  workspace = (await makeWorkspace(anna, ben)).id;
  project = (await makeProject(anna, { workspaceId: workspace })).id;
}

const trashOf = async (user: User) => (await user.get<{ trash: Entry[] }>('/api/v2/trash')).body.trash;
const restore = (user: User, ...ids: string[]) => user.post('/api/v2/trash/restore', { ids });
const undo = (user: User, answer: { headers: Headers }) => user.post(`/api/v2/operations/${operationOf(answer)}/undo`);
const emptyTrash = async (user: User, ids?: string[]) =>
  (await user.data<{ emptyTrash: number }>('mutation ($ids: [ID!]) { emptyTrash(ids: $ids) }', { ids })).emptyTrash;
const move = (user: User, id: string, projectId: string | null) => user.patch(`/api/v2/todo/${id}`, { projectId });
const restored = { status: 200, body: { conflicts: [] } };

describe('emptyTrash', () => {
  beforeEach(world);

  test.each([
    ['without ids', undefined],
    ['with ids', (id: string) => [id]],
  ])('%s keeps entries that another account deleted in its own space', async (_name, idsOf) => {
    const task = await makeTask(anna, { title: 'secret', projectId: project });
    await ben.delete(`/api/v2/todo/${task.id}`);
    await restore(ben, task.id);
    await move(anna, task.id, null);
    const deleted = await anna.delete(`/api/v2/todo/${task.id}`);
    const own = await makeTask(ben);
    await ben.delete(`/api/v2/todo/${own.id}`);
    const before = await trashOf(anna);
    expect(await emptyTrash(ben, idsOf?.(own.id))).toBe(1);
    expect(await trashOf(anna)).toEqual(before);
    const { operation } = await anna.data<{ operation: { changes: { nodes: { fields: object[] }[] } } }>(
      'query ($id: ID!) { operation(id: $id) { changes { nodes { fields { name before } } } } }',
      { id: operationOf(deleted) },
    );
    expect(operation.changes.nodes[0]?.fields).toContainEqual({ name: 'title', before: 'secret' });
    expect(await restore(anna, task.id)).toMatchObject(restored);
  });
});

describe('the locks of emptyTrash', () => {
  beforeEach(world);

  test('cover only the spaces with entries to erase', async () => {
    const task = await makeTask(anna);
    await anna.delete(`/api/v2/todo/${task.id}`);
    const held = await lockSpaces(service, workspace);
    expect(await emptyTrash(anna)).toBe(1);
    await held.release();
  });

  /** The erasing connection is lost. */
  const endErasing = () =>
    service.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '/* eraseImages */%' AND pid <> pg_backend_pid()",
    );

  test('end before images are erased: a member can write then, and an interrupted emptying continues', async () => {
    const { id } = await makeTask(anna, { title: 'secret', projectId: project });
    await anna.patch(`/api/v2/todo/${id}`, { title: 'still secret' });
    await anna.delete(`/api/v2/todo/${id}`);
    const held = await openLockHolder(service);
    await held.sql('SELECT FROM history WHERE entity_ids @> ARRAY[$1] FOR UPDATE', [id]);
    const emptying = emptyTrash(anna);
    await untilWaiting(service, 1);
    await makeTask(ben, { projectId: project });
    expect(await trashOf(anna)).toEqual([]);
    expect(await restore(anna, id)).toMatchObject({ status: 404 });
    await endErasing();
    expect(await emptying).toBe(1);
    await held.release();
    await eraseEmptied(service.services.connections);
    expect(await service.sql('SELECT FROM history WHERE entity_ids @> ARRAY[$1]', [id])).toEqual([]);
  });

  test('gives the id of an entry to no next occurrence before its images are erased', async () => {
    const { id } = await makeRepeating(anna, {}, { dueDate: '2040-01-01', projectId: project });
    await complete(anna, id);
    await open(anna, id);
    const takenBack = nextIdOf(id);
    const held = await openLockHolder(service);
    await held.sql('SELECT FROM history WHERE entity_ids @> ARRAY[$1] FOR UPDATE', [takenBack]);
    const emptying = emptyTrash(anna, [takenBack]);
    await untilWaiting(service, 1);
    await complete(anna, id);
    await endErasing();
    expect(await emptying).toBe(1);
    await held.release();
    await eraseEmptied(service.services.connections);
    const images = "SELECT FROM history WHERE entity_ids @> ARRAY[$1] AND kind = 'DELETED'";
    expect(await service.sql(images, [takenBack])).toEqual([]);
  });
});

describe('the id of an entity', () => {
  beforeEach(world);

  const creations: Record<
    string,
    { make: () => Promise<{ id: string }>; path: (id: string) => string; again: string }
  > = {
    task: {
      make: () => makeTask(anna, { projectId: project }),
      path: (id) => `/api/v2/todo/${id}`,
      again: 'createTask(input: { id: $id, title: "taken" }) { id }',
    },
    project: {
      make: () => makeProject(anna, { workspaceId: workspace }),
      path: (id) => `/api/v2/projects/${id}`,
      again: 'createProject(id: $id, name: "taken") { id }',
    },
    section: {
      make: () => makeSection(anna, project),
      path: (id) => `/api/v2/projects/${project}/sections/${id}`,
      again: 'createSection(id: $id, projectId: $project, name: "taken") { id }',
    },
    tag: {
      make: () => makeTag(anna),
      path: (id) => `/api/v2/tag/bulk?tagIds=${id}`,
      again: 'createTag(id: $id, name: "taken") { id }',
    },
  };

  test.each(Object.keys(creations))('of a deleted %s cannot be reused until nothing can restore it', async (kind) => {
    const { make, path, again } = creations[kind] as NonNullable<(typeof creations)[string]>;
    const { id } = await make();
    const own = (await makeProject(ben)).id;
    const take = async (user: User, $id: string) => {
      const query = `mutation ($id: ID!${again.includes('$project') ? ', $project: ID!' : ''}) { ${again} }`;
      const { body } = await user.post<{ errors?: { message: string; extensions: object }[] }>(
        '/graphql',
        { query, variables: { id: $id, project: own } },
        { headers: { 'x-graphql-yoga-csrf': '1' } },
      );
      return body.errors?.[0];
    };
    const living = await take(ben, id);
    expect(living?.extensions).toMatchObject({ code: 'VALIDATION_FAILED' });
    await anna.delete(path(id));
    await anna.data('mutation ($w: ID!, $u: ID!) { removeWorkspaceMember(workspaceId: $w, userId: $u) { id } }', {
      w: workspace,
      u: ben.id,
    });
    expect(await take(ben, id)).toEqual(living);
    expect(await restore(anna, id)).toMatchObject(restored);
  });

  test('cannot be reused if only the history of another space has it', async () => {
    const task = await makeTask(anna, { projectId: project });
    await move(ben, task.id, null);
    await ben.delete('/api/v1/user', { password: ben.password });
    const again = await anna.post(
      '/graphql',
      {
        query: 'mutation ($id: ID!) { createTask(input: { id: $id, title: "x" }) { id } }',
        variables: { id: task.id },
      },
      { headers: { 'x-graphql-yoga-csrf': '1' } },
    );
    expect(again.body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
  });

  test('can be used if it is new', async () => {
    const id = newId('Task');
    const { createTask } = await anna.data<{ createTask: object }>(
      'mutation ($id: ID!) { createTask(input: { id: $id, title: "x" }) { id } }',
      { id },
    );
    expect(createTask).toEqual({ id });
  });
});

describe('an older deletion', () => {
  beforeEach(world);

  test('is no entry for restore, emptyTrash and undo', async () => {
    const task = await makeTask(anna, { title: 'old', projectId: project });
    const other = await makeTask(anna, { projectId: project });
    const first = await ben.delete(`/api/v2/todo/bulk?todoIds=${task.id},${other.id}`);
    await restore(ben, task.id);
    await restore(ben, other.id);
    await move(anna, task.id, null);
    await anna.patch(`/api/v2/todo/${task.id}`, { title: 'new' });
    await anna.delete(`/api/v2/todo/${task.id}`);
    expect(await trashOf(ben)).toEqual([]);
    expect(await restore(ben, task.id)).toMatchObject({ status: 404 });
    const emptied = await ben.post(
      '/graphql',
      { query: 'mutation ($ids: [ID!]) { emptyTrash(ids: $ids) }', variables: { ids: [task.id] } },
      { headers: { 'x-graphql-yoga-csrf': '1' } },
    );
    expect(emptied.body).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    expect(await undo(ben, first)).toMatchObject({
      status: 200,
      body: { applied: 0, operationId: null, conflicts: [{ id: null }] },
    });
    expect(await restore(anna, task.id)).toMatchObject(restored);
    expect(await anna.get(`/api/v2/todo/${task.id}`)).toMatchObject({ body: { todo: { title: 'new' } } });
  });

  test('in the same space cannot be undone', async () => {
    const task = await makeTask(anna, { title: 'old', projectId: project });
    const other = await makeTask(anna, { projectId: project });
    const first = await anna.delete(`/api/v2/todo/bulk?todoIds=${task.id},${other.id}`);
    await restore(anna, task.id);
    await restore(anna, other.id);
    await anna.patch(`/api/v2/todo/${task.id}`, { title: 'new' });
    await anna.delete(`/api/v2/todo/${task.id}`);
    expect(await undo(ben, first)).toMatchObject({
      body: { applied: 0, conflicts: [{ id: task.id, reason: expect.stringContaining('was deleted again') }] },
    });
    expect(await restore(ben, task.id)).toMatchObject(restored);
    expect(await anna.get(`/api/v2/todo/${task.id}`)).toMatchObject({ body: { todo: { title: 'new' } } });
  });
});

test('operations show no id of a workspace to a token of the personal space, even if a task there has a personal tag', async () => {
  await world();
  const tag = await makeTag(anna);
  const task = await makeTask(anna, { projectId: project });
  const [other] = [await makeTask(anna)];
  const tagged = await anna.patch(`/api/v2/todo/bulk?todoIds=${task.id},${other.id}`, { tags: [tag.id] });
  await anna.delete(`/api/v2/tag/bulk?tagIds=${tag.id}`);
  const program = await makeProgram(service, anna, { spaceIds: [anna.id] });
  const { operations } = await program.data<{ operations: { nodes: { summary: string }[] } }>(
    '{ operations { nodes { id summary changes { nodes { id fields { name before after } } } } } }',
  );
  const text = JSON.stringify(operations);
  for (const hidden of [task.id, workspace, project]) expect(text).not.toContain(hidden);
  expect(text).toContain(other.id);
  expect(operations.nodes.map(({ summary }) => summary)).toContain('Changed the tags of 1 task');
  const undone = await program.post(`/api/v2/operations/${operationOf(tagged)}/undo`);
  for (const hidden of [task.id, workspace, project]) expect(JSON.stringify(undone.body)).not.toContain(hidden);
});

describe('a deletion in a shared and a private space', () => {
  beforeEach(world);

  test('does not count as undone if a member restores the shared part', async () => {
    const shared = await makeTask(ben, { projectId: project });
    const own = await makeTask(ben);
    const deleted = await ben.delete(`/api/v2/todo/bulk?todoIds=${shared.id},${own.id}`);
    expect(await restore(anna, shared.id)).toMatchObject(restored);
    expect(await undo(ben, deleted)).toMatchObject({ status: 200, body: { applied: 1 } });
    expect(await ben.get(`/api/v2/todo/${own.id}`)).toMatchObject({ status: 200 });
  });

  test('does not count as undone again after a restore', async () => {
    const task = await makeTask(ben);
    const deleted = await ben.delete(`/api/v2/todo/${task.id}`);
    const first = await undo(ben, deleted);
    await undo(ben, first);
    expect(await restore(ben, task.id)).toMatchObject(restored);
    const { operation } = await ben.data<{ operation: { undoneBy: string } }>(
      'query ($id: ID!) { operation(id: $id) { undoneBy } }',
      { id: operationOf(deleted) },
    );
    expect(operation.undoneBy).toBe(operationOf(first));
  });

  test('has nothing to undo after it was emptied, even if another member had tagged a task', async () => {
    const tag = await makeTag(anna);
    const task = await makeTask(ben, { projectId: project });
    await anna.patch(`/api/v2/todo/${task.id}`, { tags: [tag.id] });
    const deleted = await ben.delete(`/api/v2/todo/${task.id}`);
    expect(await emptyTrash(ben, [task.id])).toBe(1);
    expect(await undo(ben, deleted)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });
});
