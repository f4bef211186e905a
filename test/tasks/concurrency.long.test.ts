import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { lockSpaces, untilWaiting } from '../kit/locks.ts';
import type { GraphqlAnswer } from '../kit/client.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace, type RestTask } from '../kit/make.ts';
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

let projectId: string;
beforeEach(async () => {
  ({ id: projectId } = await makeProject(anna));
});

const repeatConcurrently = <Result>(count: number, make: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const update = (id: string, input: object, user = anna) =>
  user.graphql('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', {
    id,
    input,
  });
const move = (id: string, after: string) =>
  anna.graphql('mutation ($id: ID!, $after: ID!) { moveTask(id: $id, after: $after) { id } }', { id, after });
const remove = (ids: string[]) =>
  anna.graphql<{ deleteTasks: { count: number; deletedIds: string[] } }>(
    'mutation ($ids: [ID!]!) { deleteTasks(ids: $ids) { count deletedIds } }',
    { ids },
  );

const codes = (answers: GraphqlAnswer<unknown>[]) =>
  answers.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions.code);

describe('writers of one project at the same time', () => {
  test('forty creates and moves give distinct sort keys', async () => {
    const tasks: RestTask[] = [];
    for (let count = 0; count < 4; count += 1) tasks.push(await makeTask(anna, { projectId }));
    const [first, ...others] = tasks.map(({ id }) => id);
    const answers = await repeatConcurrently(40, async (index): Promise<GraphqlAnswer<unknown>> => {
      if (index % 2 === 0) return (await makeTask(anna, { projectId }), {});
      return move(others[index % 3] ?? '', index % 4 === 1 ? (first ?? '') : (others[(index + 1) % 3] ?? ''));
    });
    expect(codes(answers)).toEqual([]);
    const rows = await service.sql<{ sort_key: string }>('SELECT sort_key FROM tasks WHERE project_id = $1', [
      projectId,
    ]);
    expect(rows).toHaveLength(24);
    expect(new Set(rows.map((row) => row.sort_key)).size).toBe(24);
  });

  test.each(['a0', 'azz', '~', '~'.repeat(255)])('twenty creates after %s give distinct sort keys', async (sortKey) => {
    const first = await makeTask(anna, { projectId });
    expect(codes([await update(first.id, { sortKey })])).toEqual([]);
    const createdTasks = await repeatConcurrently(20, () => makeTask(anna, { projectId }));
    const rows = await service.sql<{ id: string; sort_key: string }>(
      'SELECT id, sort_key FROM tasks WHERE project_id = $1 ORDER BY sort_key',
      [projectId],
    );
    expect(new Set(rows.map((row) => row.sort_key)).size).toBe(21);
    expect(rows[0]?.id).toBe(first.id);
    // The keys in the responses are the stored ones, unless others got new keys to make room.
    if (sortKey.length < 200)
      expect(createdTasks.map((task) => task.sortKey).sort()).toEqual(rows.slice(1).map((row) => row.sort_key));
  });

  test('updates, moves and deletes of the same tasks never deadlock', async () => {
    const tasks = await repeatConcurrently(6, () => makeTask(anna, { projectId }));
    const ids = tasks.map(({ id }) => id);
    const answers = await repeatConcurrently(60, (index) => {
      const id = ids[index % 6] ?? '';
      const other = ids[(index + 1) % 6] ?? '';
      if (index % 3 === 0) return update(id, { title: `title ${index}` });
      if (index % 3 === 1) return move(id, other);
      return anna.graphql(
        'mutation ($ids: [ID!]!, $input: BulkUpdateTasksInput!) { updateTasks(ids: $ids, input: $input) { count } }',
        {
          ids: index % 2 === 0 ? ids : ids.toReversed(),
          input: { reminder: index % 4 === 0 },
        },
      );
    });
    expect(codes(answers)).toEqual([]);
    const deletes = await repeatConcurrently(12, (index) =>
      index % 2 === 0 ? remove([ids[index / 2] ?? '']) : move(ids[(index - 1) / 2] ?? '', ids[5] ?? ''),
    );
    expect(codes(deletes).filter((code) => code === 'INTERNAL')).toEqual([]);
    expect(await service.sql('SELECT FROM tasks WHERE project_id = $1', [projectId])).toEqual([]);
  });

  test('one of two deletes of a task counts it', async () => {
    const { id } = await makeTask(anna, { projectId });
    const answers = await repeatConcurrently(4, () => remove([id]));
    expect(answers.map(({ data }) => data?.deleteTasks.count).sort()).toEqual([0, 0, 0, 1]);
  });

  test('a delete includes the subtasks that exist when it has its turn', async () => {
    const [parent, child, leavingTask] = [await makeTask(anna, { projectId }), newId('Task'), newId('Task')];
    await makeTask(anna, { id: leavingTask, parentId: parent.id });
    const lockHolder = await lockSpaces(service, anna.id);
    const removed = remove([parent.id]);
    await untilWaiting(service, 1);
    await lockHolder.sql(
      `INSERT INTO tasks (id, space_id, project_id, parent_id, title, sort_key) VALUES ($1, $2, $3, $4, 'new', 'a0')`,
      [child, anna.id, projectId, parent.id],
    );
    await lockHolder.sql('UPDATE tasks SET parent_id = NULL WHERE id = $1', [leavingTask]);
    await lockHolder.release();
    const { deleteTasks } = (await removed).data ?? {};
    expect(deleteTasks).toEqual({ count: 1, deletedIds: expect.arrayContaining([parent.id, child]) });
    expect(deleteTasks?.deletedIds).toHaveLength(2);
    expect(await service.sql('SELECT id FROM tasks WHERE project_id = $1', [projectId])).toEqual([{ id: leavingTask }]);
  });

  test('moving A below B while B moves below A gives no circle', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = [await makeTask(anna, { projectId }), await makeTask(anna, { projectId })];
      const answers = await Promise.all([update(a.id, { parentId: b.id }), update(b.id, { parentId: a.id })]);
      expect(codes(answers)).toEqual(['VALIDATION_FAILED']);
    }
  });

  test('a task that becomes a subtask while it moves to another project does one of them', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [parent, task] = [await makeTask(anna, { projectId }), await makeTask(anna, { projectId })];
      const other = await makeProject(anna);
      const answers = await Promise.all([
        update(task.id, { parentId: parent.id }),
        update(task.id, { projectId: other.id }),
      ]);
      expect(codes(answers).filter((code) => code !== 'VALIDATION_FAILED')).toEqual([]);
      const [row] = await service.sql(
        'SELECT FROM tasks t JOIN tasks p ON p.id = t.parent_id WHERE t.id = $1 AND t.project_id <> p.project_id',
        [task.id],
      );
      expect(row).toBeUndefined();
    }
  });

  test('a subtask that is created while its parent moves away goes to the new project', async () => {
    for (let round = 0; round < 5; round += 1) {
      const parent = await makeTask(anna, { projectId });
      const other = await makeProject(anna);
      const [moved, created] = await Promise.all([
        update(parent.id, { projectId: other.id }),
        repeatConcurrently(3, () => makeTask(anna, { parentId: parent.id })),
      ]);
      expect(codes([moved])).toEqual([]);
      expect(created).toHaveLength(3);
      const rows = await service.sql('SELECT DISTINCT project_id FROM tasks WHERE parent_id = $1 OR id = $1', [
        parent.id,
      ]);
      expect(rows).toEqual([{ project_id: other.id }]);
    }
  });

  test('a task goes into a section while its project changes, or not', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [section, other] = [await makeSection(anna, projectId), await makeProject(anna)];
      const task = await makeTask(anna, { projectId });
      const answers = await Promise.all([
        update(task.id, { sectionId: section.id }),
        update(task.id, { projectId: other.id }),
      ]);
      expect(codes(answers).filter((code) => code !== 'VALIDATION_FAILED')).toEqual([]);
    }
  });

  test('a task in a project that is being deleted is created or refused', async () => {
    for (let round = 0; round < 3; round += 1) {
      const project = await makeProject(anna);
      const section = await makeSection(anna, project.id);
      const body = { title: 'x', projectId: project.id, projectSectionId: section.id };
      const [deleted, ...created] = await Promise.all([
        anna.delete(`/api/v2/projects/${project.id}`),
        ...Array.from({ length: 3 }, () => anna.post('/api/v2/todo', body)),
      ]);
      expect(deleted.status).toBe(200);
      expect(created.map(({ status }) => status).filter((status) => status !== 201 && status !== 400)).toEqual([]);
      expect(await service.sql('SELECT FROM tasks WHERE project_id = $1', [project.id])).toEqual([]);
    }
  });
});

describe('members of a workspace at the same time', () => {
  test('create and tag shared tasks, and move them out, without an error', async () => {
    const workspace = await makeWorkspace(anna, ben);
    const shared = await makeProject(anna, { workspaceId: workspace.id });
    const users = [anna, ben];
    const tags = await Promise.all(users.map((user) => makeTag(user)));
    const tagIds = (index: number) => [tags[index % 2]?.id ?? ''];
    const tasks = await repeatConcurrently(8, (index) =>
      makeTask(users[index % 2] ?? anna, { projectId: shared.id, tags: tagIds(index) }),
    );
    const answers = await repeatConcurrently(40, async (index): Promise<GraphqlAnswer<unknown>> => {
      const user = users[index % 2] ?? anna;
      const id = tasks[index % 8]?.id ?? '';
      if (index % 5 === 0) return (await makeTask(user, { projectId: shared.id, tags: tagIds(index) }), {});
      if (index % 5 === 1) return update(id, { tagIds: tagIds(index) }, user);
      if (index % 5 === 2) return update(id, { tagIds: [], projectId: shared.id }, user);
      if (index % 5 === 3) return update(id, { projectId: index % 2 === 0 ? null : shared.id }, user);
      return update(id, { title: `t${index}` }, user);
    });
    expect(codes(answers).filter((code) => code !== 'NOT_FOUND' && code !== 'VALIDATION_FAILED')).toEqual([]);
  });

  test('change a task that moves to another space while they wait for it', async () => {
    const workspace = await makeWorkspace(anna, ben);
    const shared = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeTask(anna, { projectId: shared.id });
    const other = await lockSpaces(service, anna.id, workspace.id);
    const changed = [update(task.id, { title: 'Hers' }), update(task.id, { title: 'His' }, ben)];
    await untilWaiting(service, 2);
    await other.sql('UPDATE tasks SET space_id = $1, project_id = $2 WHERE id = $3', [anna.id, projectId, task.id]);
    await other.release();
    expect(codes(await Promise.all(changed))).toEqual(['NOT_FOUND']);
    expect(await service.sql('SELECT title FROM tasks WHERE id = $1', [task.id])).toEqual([{ title: 'Hers' }]);
  });

  test('replace the tags that another process set meanwhile', async () => {
    const [task, tag] = [await makeTask(anna), await makeTag(anna)];
    const other = await lockSpaces(service, anna.id);
    const changed = update(task.id, { tagIds: [] });
    await untilWaiting(service, 1);
    await other.sql('INSERT INTO task_tags (task_id, tag_id, space_id) VALUES ($1, $2, $3)', [
      task.id,
      tag.id,
      anna.id,
    ]);
    await other.release();
    expect((await changed).errors).toBeUndefined();
    expect(await service.sql('SELECT FROM task_tags WHERE task_id = $1', [task.id])).toEqual([]);
  });
});
