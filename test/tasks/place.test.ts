import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
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

const update = (id: string, input: object, user = anna) =>
  user.graphql('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', {
    id,
    input,
  });

const bulk = (ids: string[], input: object, user = anna) =>
  user.graphql(
    'mutation ($ids: [ID!]!, $input: BulkUpdateTasksInput!) { updateTasks(ids: $ids, input: $input) { count } }',
    {
      ids,
      input,
    },
  );

const updatedTask = (id: string) => ({ data: { updateTask: { id } } });
const problem = (path: string) => ({
  errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [expect.objectContaining({ path })] } }],
});
const notFound = { errors: [{ extensions: { code: 'NOT_FOUND' } }] };

async function placeOf(id: string) {
  const [row] = await service.sql(
    'SELECT project_id AS "projectId", section_id AS "sectionId", parent_id AS "parentId", space_id AS "spaceId" FROM tasks WHERE id = $1',
    [id],
  );
  return row;
}

async function makeChain(levels: number, fields: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let level = 0; level < levels; level += 1) {
    ids.push((await makeTask(anna, { parentId: ids.at(-1), ...(level === 0 && fields) })).id);
  }
  return ids;
}

describe('updateTask with parentId', () => {
  test('moves a task with its subtree below another task, into its project and section, and with null to the top', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const place = { projectId: project.id, sectionId: section.id, spaceId: anna.id };
    const parent = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
    const [top = '', child = ''] = await makeChain(2);
    expect(await update(top, { parentId: parent.id })).toMatchObject(updatedTask(top));
    expect(await placeOf(top)).toEqual({ ...place, parentId: parent.id });
    expect(await placeOf(child)).toEqual({ ...place, parentId: top });
    expect(await update(top, { parentId: null })).toMatchObject(updatedTask(top));
    expect(await placeOf(top)).toEqual({ ...place, parentId: null });
    expect(await placeOf(child)).toEqual({ ...place, parentId: top });
  });

  test('moves out of its parent and to another project at once', async () => {
    const project = await makeProject(anna);
    const [, child = ''] = await makeChain(2);
    expect(await update(child, { projectId: project.id })).toMatchObject(problem('input.projectId'));
    expect(await update(child, { parentId: null, projectId: project.id })).toMatchObject(updatedTask(child));
    expect(await placeOf(child)).toMatchObject({ projectId: project.id, parentId: null });
  });

  test('changes the parent and other fields together', async () => {
    const parent = await makeTask(anna);
    const [top = '', child = ''] = await makeChain(2);
    await update(top, { parentId: parent.id, title: 'Both', completed: true });
    const rows = await service.sql('SELECT title, completed FROM tasks WHERE id = ANY ($1)', [[top]]);
    expect(rows).toEqual([{ title: 'Both', completed: true }]);
    expect(await service.sql('SELECT completed FROM tasks WHERE id = $1', [child])).toEqual([{ completed: false }]);
  });

  test('refuses the task itself and its subtasks', async () => {
    const [top = '', middle = '', bottom = ''] = await makeChain(3);
    for (const parentId of [top, middle, bottom]) {
      expect(await update(top, { parentId })).toMatchObject(problem('input.parentId'));
    }
    expect(await placeOf(top)).toMatchObject({ parentId: null });
    expect(await update(bottom, { parentId: top })).toMatchObject(updatedTask(bottom));
  });

  test('refuses a tree of more than ten levels', async () => {
    const deepParent = await makeChain(7);
    const [low = ''] = await makeChain(3);
    const [high = ''] = await makeChain(4);
    expect(await update(low, { parentId: deepParent[6] })).toMatchObject(updatedTask(low));
    expect(await update(high, { parentId: deepParent[6] })).toMatchObject(problem('input.parentId'));
    expect(await update(high, { parentId: deepParent[5] })).toMatchObject(updatedTask(high));
  });

  test("refuses parents that are unknown or another account's, and other projects than the parent's", async () => {
    const [task, foreign, project] = [await makeTask(anna), await makeTask(ben), await makeProject(anna)];
    for (const parentId of [foreign.id, 'nonsense', '', 'task_01h2xcejqtf2nbrexx3vqjhp41', project.id]) {
      expect(await update(task.id, { parentId })).toMatchObject(problem('input.parentId'));
    }
    const parent = await makeTask(anna);
    expect(await update(task.id, { parentId: parent.id, projectId: project.id })).toMatchObject(
      problem('input.projectId'),
    );
  });

  test("does not find another account's task", async () => {
    const [task, foreign] = [await makeTask(anna), await makeTask(ben)];
    expect(await update(foreign.id, { parentId: task.id })).toMatchObject(notFound);
    expect(await update('nonsense', {})).toMatchObject(notFound);
  });
});

describe('updateTask', () => {
  test('null clears the tags, and an absent list keeps them', async () => {
    const tag = await makeTag(anna);
    const task = await makeTask(anna, { tags: [tag.id] });
    const tags = () => service.sql('SELECT tag_id FROM task_tags WHERE task_id = $1', [task.id]);
    await update(task.id, { title: 'x' });
    expect(await tags()).toEqual([{ tag_id: tag.id }]);
    await update(task.id, { tagIds: null });
    expect(await tags()).toEqual([]);
  });
});

describe('updateTasks', () => {
  test('moves parents with their listed and unlisted children', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const [first, second] = [await makeChain(3), await makeChain(2)];
    const ids = [first[0] ?? '', first[1] ?? '', second[0] ?? ''];
    const input = { projectId: project.id, sectionId: section.id };
    expect(await bulk(ids, input)).toMatchObject({ data: { updateTasks: { count: 3 } } });
    for (const chain of [first, second]) {
      for (const [level, id] of chain.entries()) {
        expect(await placeOf(id)).toEqual({ ...input, spaceId: anna.id, parentId: chain[level - 1] ?? null });
      }
    }
  });

  test('changes only fields of the listed tasks while their subtrees move too', async () => {
    const project = await makeProject(anna);
    const [top = '', child = ''] = await makeChain(2);
    await bulk([top], { projectId: project.id, priority: 'HIGH', completed: true });
    const rows = await service.sql(
      'SELECT project_id, priority, completed FROM tasks WHERE id = ANY ($1) ORDER BY created_at',
      [[top, child]],
    );
    expect(rows).toEqual([
      { project_id: project.id, priority: 'HIGH', completed: true },
      { project_id: project.id, priority: null, completed: false },
    ]);
  });

  test('refuses an empty input, even without a task', async () => {
    const task = await makeTask(anna);
    expect(await bulk([task.id], {})).toMatchObject(problem('input'));
    expect(await bulk([], { priority: 'LOW' })).toEqual({ data: { updateTasks: { count: 0 } } });
  });
});

describe('a move between a personal project and that of a workspace', () => {
  const tagsOf = async (id: string) =>
    (await service.sql<{ tag_id: string }>('SELECT tag_id FROM task_tags WHERE task_id = $1', [id])).map(
      ({ tag_id }) => tag_id,
    );

  test('moves the subtree too, without the tags of users who are not members', async () => {
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const [hersTask, hisTask] = [await makeTag(anna), await makeTag(ben)];
    const [top = '', child = ''] = await makeChain(2, { projectId: project.id });
    for (const id of [top, child]) {
      await update(id, { tagIds: [hersTask.id] });
      await update(id, { tagIds: [hisTask.id] }, ben);
      expect((await tagsOf(id)).sort()).toEqual([hersTask.id, hisTask.id].sort());
    }
    expect(await update(top, { projectId: null })).toMatchObject(updatedTask(top));
    for (const id of [top, child]) {
      expect(await placeOf(id)).toMatchObject({ spaceId: anna.id });
      expect(await tagsOf(id)).toEqual([hersTask.id]);
    }
    expect(await ben.data('query ($id: ID!) { task(id: $id) { id } }', { id: child })).toEqual({ task: null });
    expect(await update(top, { projectId: project.id })).toMatchObject(updatedTask(top));
    for (const id of [top, child]) expect(await tagsOf(id)).toEqual([hersTask.id]);
    expect(await ben.data('query ($id: ID!) { task(id: $id) { id tags { id } } }', { id: child })).toEqual({
      task: { id: child, tags: [] },
    });
  });

  test('keeps only the new tags of the same request', async () => {
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const [old, freshTask, hisTask] = [await makeTag(anna), await makeTag(anna), await makeTag(ben)];
    const task = await makeTask(anna, { projectId: project.id, tags: [old.id] });
    await update(task.id, { tagIds: [hisTask.id] }, ben);
    expect(await update(task.id, { projectId: null, tagIds: [freshTask.id] })).toMatchObject(updatedTask(task.id));
    expect(await tagsOf(task.id)).toEqual([freshTask.id]);
  });

  test('of a member who takes a shared task to their own inbox', async () => {
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeTask(anna, { projectId: project.id });
    expect(await update(task.id, { projectId: null }, ben)).toMatchObject(updatedTask(task.id));
    expect(await placeOf(task.id)).toMatchObject({ spaceId: ben.id });
    expect(await update(task.id, { title: 'x' })).toMatchObject(notFound);
  });
});
