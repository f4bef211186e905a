import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { recordPlans } from '../kit/plans.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;

beforeAll(async () => {
  service = await startService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});
afterAll(() => service.close());
beforeEach(() => service.sql('DELETE FROM task_changes'));

interface Change {
  kind: string;
  taskId: string;
  fields: string[];
}

/** The log of a space since the start of the test or the last {@link forget}. */
const changes = (spaceId: string) =>
  service.sql<Change>(
    `SELECT kind, id AS "taskId", ARRAY(SELECT unnest(fields) ORDER BY 1) AS fields
     FROM task_changes, unnest(task_ids) WITH ORDINALITY AS task (id, n) WHERE space_id = $1 ORDER BY revision, n`,
    [spaceId],
  );
const forget = () => service.sql('DELETE FROM task_changes');

const compareTaskIds = (left: Change, right: Change) => (left.taskId < right.taskId ? -1 : 1);
const updated = (taskId: string, ...fields: string[]) => ({ kind: 'UPDATED', taskId, fields });
const patch = (id: string, body: object) => anna.patch(`/api/v2/todo/${id}`, body);
const bulk = (ids: string[], body: object) => anna.patch(`/api/v2/todo/bulk?todoIds=${ids.join(',')}`, body);

async function updatedAt(id: string) {
  const [row] = await service.sql<{ at: Date }>('SELECT updated_at AS at FROM tasks WHERE id = $1', [id]);
  return row?.at;
}

describe('the change log', () => {
  test('has a CREATED of a new task, and an UPDATED of its tags', async () => {
    const plainTask = await makeTask(anna);
    expect(await changes(anna.id)).toEqual([{ kind: 'CREATED', taskId: plainTask.id, fields: [] }]);
    await forget();
    const tag = await makeTag(anna);
    const taggedTask = await makeTask(anna, { tags: [tag.id] });
    const created = { kind: 'CREATED', taskId: taggedTask.id, fields: [] };
    expect(await changes(anna.id)).toEqual([created, updated(taggedTask.id, 'tags')]);
  });

  test.each<[object, string[]]>([
    [{ title: 'new' }, ['title']],
    [{ description: 'new' }, ['description']],
    [{ priority: 'low' }, ['priority']],
    [{ dueDate: '2027-01-01' }, ['dueDate']],
    [{ isAllDay: null }, ['isAllDay']],
    [{ isAllDay: false, dueTime: '2027-01-01T10:00:00Z' }, ['dueTime', 'isAllDay']],
    [{ completed: true }, ['completed', 'completedAt']],
    [{ color: '#fff' }, ['color']],
    [{ sortKey: 'zz' }, ['sortKey']],
    [{ reminder: true }, ['reminder']],
    [{ title: 'new', priority: null, reminder: false }, ['title']],
  ])('of %j names the fields that changed', async (change, fields) => {
    const { id } = await makeTask(anna);
    await forget();
    await patch(id, change);
    expect(await changes(anna.id)).toEqual([updated(id, ...fields)]);
  });

  test('names section, project, parent and the former project', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const [task, parent] = [await makeTask(anna), await makeTask(anna, { projectId: project.id })];
    const child = await makeTask(anna, { parentId: task.id });
    const { projects } = (await anna.get<{ projects: { id: string }[] }>('/api/v2/projects')).body;
    await forget();
    await patch(task.id, { projectId: project.id, projectSectionId: section.id });
    const expected = [updated(task.id, 'project', 'section'), updated(child.id, 'project', 'section')];
    expect((await changes(anna.id)).sort(compareTaskIds)).toEqual(expected.sort(compareTaskIds));
    const places = await service.sql(
      'SELECT DISTINCT project_id AS now, previous_project_id AS before FROM task_changes',
    );
    expect(places).toEqual([{ now: project.id, before: projects[0]?.id }]);
    await forget();
    await anna.data('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', {
      id: child.id,
      input: { parentId: parent.id, sectionId: section.id },
    });
    expect(await changes(anna.id)).toEqual([updated(child.id, 'parent')]);
  });

  test('has an entry for each task that a bulk update changed', async () => {
    const [open, done] = [await makeTask(anna), await makeTask(anna)];
    await patch(done.id, { completed: true });
    await forget();
    await bulk([open.id, done.id], { completed: true });
    expect(await changes(anna.id)).toEqual([updated(open.id, 'completed', 'completedAt')]);
    await forget();
    await bulk([open.id, done.id], { priority: 'high' });
    const expected = [updated(open.id, 'priority'), updated(done.id, 'priority')];
    expect((await changes(anna.id)).sort(compareTaskIds)).toEqual(expected.sort(compareTaskIds));
  });

  test('has a DELETED of every deleted task and subtask, and none of their tags', async () => {
    const tag = await makeTag(anna);
    const top = await makeTask(anna, { tags: [tag.id] });
    const child = await makeTask(anna, { parentId: top.id, tags: [tag.id] });
    const other = await makeTask(anna);
    await forget();
    await anna.delete(`/api/v2/todo/${top.id}`);
    await anna.delete(`/api/v2/todo/bulk?todoIds=${other.id}`);
    const deleted = [top, child, other].map(({ id }) => ({ kind: 'DELETED', taskId: id, fields: [] }));
    expect((await changes(anna.id)).sort(compareTaskIds)).toEqual(deleted.sort(compareTaskIds));
  });

  test('names tags for added and removed tags', async () => {
    const [red, blue, green] = [await makeTag(anna), await makeTag(anna), await makeTag(anna)];
    const task = await makeTask(anna, { tags: [red.id] });
    await forget();
    await patch(task.id, { tags: [blue.id, green.id] });
    const kinds = await changes(anna.id);
    expect(new Set(kinds.map((change) => JSON.stringify(change)))).toEqual(
      new Set([JSON.stringify(updated(task.id, 'tags'))]),
    );
  });

  test.each([
    { title: 'same' },
    { description: null },
    { isAllDay: true, dueTime: '2026-11-20T10:00:00Z' },
    { completed: false },
    { tags: [] },
    { projectId: null },
    { projectSectionId: null },
    { title: ' same ', priority: null, dueDate: null, color: null, reminder: false, tags: [], projectId: null },
    {},
  ])('has no entry for %j without a change, and updatedAt stays', async (change) => {
    const { id } = await makeTask(anna, { title: 'same' });
    const before = await updatedAt(id);
    await forget();
    expect(await patch(id, change)).toMatchObject({ status: 200 });
    expect(await changes(anna.id)).toEqual([]);
    expect(await updatedAt(id)).toEqual(before);
  });

  test.each([{ completed: false }, { dueTime: '2026-11-20T10:00:00Z' }, { tags: [] }, { projectId: null }])(
    'has no entry for %j of many tasks without a change',
    async (change) => {
      const { id } = await makeTask(anna);
      const before = await updatedAt(id);
      await forget();
      expect(await bulk([id], change)).toMatchObject({ status: 200, body: { todos: 1 } });
      expect(await changes(anna.id)).toEqual([]);
      expect(await updatedAt(id)).toEqual(before);
    },
  );

  test('has no entry for tags that the task already has', async () => {
    const tag = await makeTag(anna);
    const { id } = await makeTask(anna, { tags: [tag.id] });
    await forget();
    await patch(id, { tags: [tag.id] });
    await bulk([id], { tags: [tag.id, tag.id] });
    expect(await changes(anna.id)).toEqual([]);
  });

  test('has no entry for refused writes', async () => {
    const project = await makeProject(anna);
    const parent = await makeTask(anna);
    const child = await makeTask(anna, { parentId: parent.id });
    await forget();
    expect(await patch(child.id, { title: 'x', projectId: project.id })).toMatchObject({ status: 400 });
    expect(await patch(child.id, { title: 'x', tags: ['nonsense'] })).toMatchObject({ status: 400 });
    expect(await changes(anna.id)).toEqual([]);
  });

  test('updatedAt rises with a change', async () => {
    const { id } = await makeTask(anna);
    await service.sql("UPDATE tasks SET updated_at = '2020-01-01Z' WHERE id = $1", [id]);
    await patch(id, { title: 'x' });
    expect((await updatedAt(id))?.getUTCFullYear()).toBeGreaterThan(2020);
  });

  test('notifies only the owner of tags on a shared task', async () => {
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeTask(anna, { projectId: project.id });
    const tag = await makeTag(anna);
    await forget();
    await patch(task.id, { tags: [tag.id] });
    expect(await changes(anna.id)).toEqual([updated(task.id, 'tags')]);
    expect([...(await changes(workspace.id)), ...(await changes(ben.id))]).toEqual([]);
  });

  test('has a DELETED and a CREATED of a task that moves to another space', async () => {
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeTask(anna, { projectId: project.id });
    await forget();
    await patch(task.id, { projectId: null });
    expect(await changes(workspace.id)).toMatchObject([{ kind: 'DELETED', taskId: task.id }]);
    expect(await changes(anna.id)).toMatchObject([{ kind: 'CREATED', taskId: task.id }]);
  });

  test('moveTask changes only the sort key of that task if there is room', async () => {
    const { id: projectId } = await makeProject(anna);
    const [first, second] = [await makeTask(anna, { projectId }), await makeTask(anna, { projectId })];
    await forget();
    await anna.data('mutation ($id: ID!, $before: ID) { moveTask(id: $id, before: $before) { id } }', {
      id: second.id,
      before: first.id,
    });
    expect(await changes(anna.id)).toEqual([updated(second.id, 'sortKey')]);
  });

  test('is deleted with its space', async () => {
    const workspace = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const [shared, own] = [await makeTask(anna, { projectId: project.id }), await makeTask(anna)];
    expect(await changes(workspace.id)).toMatchObject([{ taskId: shared.id }]);
    await service.sql('DELETE FROM spaces WHERE id = $1', [workspace.id]);
    expect(await service.sql('SELECT task_ids FROM task_changes')).toEqual([{ task_ids: [own.id] }]);
  });

  test('pairs the old and new rows of many tasks by hash or order, also where one task was changed first', async () => {
    for (let count = 0; count < 3; count += 1) await makeTask(anna);
    const change = 'UPDATE tasks SET reminder = NOT reminder WHERE id IN (SELECT id FROM tasks LIMIT $1)';
    const nodes = await recordPlans(service.databaseUrl, async (client) => {
      for (const limit of [1, 3]) await client.query(change, [limit]);
    });
    const pairs = nodes.filter((node) => node['Join Type'] === 'Full');
    expect(pairs.map((node) => node['Node Type'])).toEqual([
      expect.stringMatching(/^(Hash|Merge) Join$/),
      expect.stringMatching(/^(Hash|Merge) Join$/),
    ]);
  });
});
