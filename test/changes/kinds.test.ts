import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Stream } from './stream.ts';

let service: Service;
let anna: User;
let stream: Stream;

beforeAll(async () => {
  service = await sharedService();
});

beforeEach(async () => {
  anna = await signUp(service);
  stream = await Stream.open(service, anna);
});
afterEach(() => stream.close());

const update = (user: User, id: string, input: object) =>
  user.data('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', {
    id,
    input,
  });

describe('a subscription to changes', () => {
  test('sends a task that is created over REST, with its content', async () => {
    const { id, title } = await makeTask(anna);
    expect(await stream.take()).toMatchObject({
      kind: 'CREATED',
      taskId: id,
      changedFields: [],
      task: { id, title, tags: [], parent: null, section: null },
    });
  });

  test('sends a task that is created with tags once', async () => {
    const tag = await makeTag(anna);
    const { id } = await makeTask(anna, { tags: [tag.id] });
    expect(await stream.take()).toMatchObject({ kind: 'CREATED', taskId: id, task: { tags: [{ id: tag.id }] } });
    const next = await makeTask(anna);
    expect(await stream.take()).toMatchObject({ kind: 'CREATED', taskId: next.id });
  });

  test('names the changed fields of an update over GraphQL', async () => {
    const { id } = await makeTask(anna);
    await stream.take();
    await update(anna, id, { title: 'Buy milk', dueDate: '2026-12-24' });
    const change = await stream.take();
    expect(change).toMatchObject({ kind: 'UPDATED', taskId: id, task: { title: 'Buy milk' } });
    expect(change.changedFields.sort()).toEqual(['dueDate', 'title']);
  });

  test('sends completion, over REST', async () => {
    const { id } = await makeTask(anna);
    await stream.take();
    await anna.patch(`/api/v2/todo/${id}`, { completed: true });
    expect(await stream.take()).toMatchObject({
      kind: 'UPDATED',
      changedFields: ['completed', 'completedAt'],
      task: { completed: true },
    });
  });

  test('merges fields and tags of one update into one change', async () => {
    const tag = await makeTag(anna);
    const { id } = await makeTask(anna);
    await stream.take();
    await update(anna, id, { title: 'Both', tagIds: [tag.id] });
    const change = await stream.take();
    expect(change.changedFields.sort()).toEqual(['tags', 'title']);
    expect(change.task).toMatchObject({ title: 'Both', tags: [{ id: tag.id }] });
  });

  test('sends the tasks of a deleted tag', async () => {
    const tag = await makeTag(anna);
    const { id } = await makeTask(anna, { tags: [tag.id] });
    await stream.take();
    await anna.delete(`/api/v2/tag/bulk?tagIds=${tag.id}`);
    expect(await stream.take()).toMatchObject({
      kind: 'UPDATED',
      taskId: id,
      changedFields: ['tags'],
      task: { tags: [] },
    });
  });

  test('sends a move into a section and the deletion of the section', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const { id } = await makeTask(anna, { projectId: project.id });
    await stream.take();
    await update(anna, id, { sectionId: section.id });
    expect(await stream.take()).toMatchObject({ changedFields: ['section'], task: { section: { id: section.id } } });
    await anna.delete(`/api/v2/projects/${project.id}/sections/${section.id}`);
    expect(await stream.take()).toMatchObject({ kind: 'UPDATED', changedFields: ['section'], task: { section: null } });
  });

  test('sends every subtask of a deleted task', async () => {
    const parent = await makeTask(anna);
    const child = await makeTask(anna, { parentId: parent.id });
    const grandchild = await makeTask(anna, { parentId: child.id });
    await stream.takeMany(3);
    await anna.delete(`/api/v2/todo/${parent.id}`);
    const changes = await stream.takeMany(3);
    expect(changes.every(({ kind, task }) => kind === 'DELETED' && task === null)).toBe(true);
    expect(changes.map(({ taskId }) => taskId).sort()).toEqual([parent.id, child.id, grandchild.id].sort());
  });

  test('sends the tasks of a deleted project', async () => {
    const project = await makeProject(anna);
    const tasks = [await makeTask(anna, { projectId: project.id }), await makeTask(anna, { projectId: project.id })];
    await stream.takeMany(2);
    await anna.delete(`/api/v2/projects/${project.id}`);
    const changes = await stream.takeMany(2);
    expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(['DELETED']));
    expect(changes.map(({ taskId }) => taskId).sort()).toEqual(tasks.map(({ id }) => id).sort());
  });

  test('sends each task of a bulk update, with cursors that are all different', async () => {
    const tasks = [await makeTask(anna), await makeTask(anna), await makeTask(anna)];
    await stream.takeMany(3);
    await anna.patch(`/api/v2/todo/bulk?todoIds=${tasks.map(({ id }) => id).join()}`, { reminder: true });
    const changes = await stream.takeMany(3);
    expect(changes.map(({ changedFields }) => changedFields)).toEqual([['reminder'], ['reminder'], ['reminder']]);
    expect(new Set(changes.map(({ cursor }) => cursor)).size).toBe(3);
    expect(changes.map(({ taskId }) => taskId).sort()).toEqual(tasks.map(({ id }) => id).sort());
  });

  test('notices changes by direct SQL', async () => {
    const { id } = await makeTask(anna);
    await stream.take();
    await service.sql("UPDATE tasks SET title = 'By hand' WHERE id = $1", [id]);
    expect(await stream.take()).toMatchObject({
      kind: 'UPDATED',
      changedFields: ['title'],
      task: { title: 'By hand' },
    });
  });

  test('omits a task that one transaction creates and deletes', async () => {
    const [inbox] = await service.sql<{ id: string }>('SELECT id FROM projects WHERE space_id = $1 AND is_default', [
      anna.id,
    ]);
    await service.sql(`DO $$ BEGIN
      INSERT INTO tasks (id, space_id, project_id, title, sort_key) VALUES ('task_gone', '${anna.id}', '${inbox?.id}', 'x', 'a0');
      DELETE FROM tasks WHERE id = 'task_gone';
    END $$`);
    const { id } = await makeTask(anna);
    expect(await stream.take()).toMatchObject({ kind: 'CREATED', taskId: id });
  });
});

describe('a task that moves between spaces', () => {
  async function shared() {
    const ben = await signUp(service);
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    return { ben, project };
  }

  test('is one update for members of both, and a deletion or creation for members of one', async () => {
    const { ben, project } = await shared();
    const bensStream = await Stream.open(service, ben);
    const { id } = await makeTask(anna, { title: 'Moves' });
    await update(anna, id, { projectId: project.id });
    expect(await bensStream.take()).toMatchObject({ kind: 'CREATED', taskId: id, task: { title: 'Moves' } });
    await update(anna, id, { projectId: null });
    expect(await bensStream.take()).toMatchObject({ kind: 'DELETED', taskId: id, task: null });
    const [created, there, movedBack] = await stream.takeMany(3);
    expect(created).toMatchObject({ kind: 'CREATED', taskId: id });
    expect(there).toMatchObject({ kind: 'UPDATED', taskId: id, changedFields: ['project'] });
    expect(movedBack).toMatchObject({ kind: 'UPDATED', taskId: id, changedFields: ['project'] });
    bensStream.close();
  });

  test('shows all members their own tags, and sends them only to their owner', async () => {
    const { ben, project } = await shared();
    const bensStream = await Stream.open(service, ben);
    const tag = await makeTag(anna);
    const { id } = await makeTask(anna, { projectId: project.id, tags: [tag.id] });
    expect(await stream.take()).toMatchObject({ kind: 'CREATED', task: { tags: [{ id: tag.id }] } });
    expect(await bensStream.take()).toMatchObject({ kind: 'CREATED', task: { tags: [] } });
    await update(anna, id, { tagIds: [] });
    await update(anna, id, { title: 'After' });
    expect(await stream.take()).toMatchObject({ changedFields: ['tags'] });
    expect(await bensStream.take()).toMatchObject({ changedFields: ['title'] });
    bensStream.close();
  });

  test('leaves or enters a stream of one project', async () => {
    const [here, elsewhere] = [await makeProject(anna), await makeProject(anna)];
    const filtered = await Stream.open(service, anna, { projectId: here.id });
    const { id } = await makeTask(anna, { projectId: elsewhere.id });
    await update(anna, id, { projectId: here.id });
    expect(await filtered.take()).toMatchObject({ kind: 'CREATED', taskId: id });
    await update(anna, id, { title: 'Renamed' });
    expect(await filtered.take()).toMatchObject({ kind: 'UPDATED', changedFields: ['title'] });
    await update(anna, id, { projectId: elsewhere.id });
    expect(await filtered.take()).toMatchObject({ kind: 'DELETED', taskId: id });
    filtered.close();
  });
});
