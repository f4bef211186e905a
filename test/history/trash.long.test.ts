import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eraseEmptied } from '../../src/history/emptying.ts';
import { lockSpaces, untilWaiting } from '../kit/locks.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { randomName } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { tablesWith, untilForgotten } from '../kit/tables.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
let workspace: string;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  [anna, ben] = [await signUp(service), await signUp(service)];
  workspace = (await makeWorkspace(anna, ben)).id;
});
afterAll(() => service.close());

interface Entry {
  id: string;
  type: string;
  title: string;
  entities: number;
}

const trashOf = async (user: User) => (await user.get<{ trash: Entry[] }>('/api/v2/trash')).body.trash;
const restore = (user: User, ...ids: string[]) => user.post<{ applied: number }>('/api/v2/trash/restore', { ids });
const emptyTrash = async (user: User, ids?: string[]) =>
  (await user.data<{ emptyTrash: number }>('mutation ($ids: [ID!]) { emptyTrash(ids: $ids) }', { ids })).emptyTrash;

/** Tables with a text. The words of tasks stay for the search. */
const tablesBut = async (text: string) => (await tablesWith(service, text)).filter((name) => name !== 'task_words');

describe('the trash', () => {
  test('names the space of each entry', async () => {
    const shared = await makeProject(anna, { workspaceId: workspace });
    const own = await makeProject(anna);
    for (const { id } of [shared, own]) await anna.delete(`/api/v2/projects/${id}`);
    const { trash } = await anna.data<{ trash: { nodes: object[] } }>('{ trash { nodes { id spaceId } } }');
    expect(trash.nodes).toEqual([
      { id: own.id, spaceId: anna.id },
      { id: shared.id, spaceId: workspace },
    ]);
  });

  test('lists the top of each deletion by pages, newest first, and counts its contents', async () => {
    const project = await makeProject(anna, { name: 'Garden' });
    const parent = await makeTask(anna, { title: 'parent', projectId: project.id });
    await makeTask(anna, { parentId: parent.id });
    const lonelyTask = await makeTask(anna, { title: 'alone' });
    const tag = await makeTag(anna, { name: 'green' });
    await anna.delete(`/api/v2/todo/bulk?todoIds=${parent.id},${lonelyTask.id}`);
    await anna.delete(`/api/v2/tag/bulk?tagIds=${tag.id}`);
    await anna.delete(`/api/v2/projects/${project.id}`);
    const entries = await trashOf(anna);
    expect(entries.slice(0, 2)).toMatchObject([
      { id: project.id, type: 'project', title: 'Garden', entities: 1 },
      { id: tag.id, type: 'tag', title: 'green', entities: 1 },
    ]);
    const tasks = entries.slice(2).map(({ title, entities }) => `${title} ${entities}`);
    expect(tasks.sort()).toEqual(['alone 1', 'parent 2']);
    type Page = { trash: Entry[]; cursor: string; hasMore: boolean };
    const paged: Entry[] = [];
    for (let after = '', hasMore = true; hasMore;) {
      const { body } = await anna.get<Page>(`/api/v2/trash?limit=1${after && `&after=${after}`}`);
      paged.push(...body.trash);
      ({ cursor: after, hasMore } = body);
    }
    expect(paged).toEqual(entries);
    expect(await trashOf(ben)).toEqual([]);
  });

  test('restores entries with their contents', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const tasks = [];
    for (const title of ['a', 'b']) {
      tasks.push(await makeTask(anna, { title, projectId: project.id, projectSectionId: section.id }));
    }
    const [a, b] = tasks.map(({ id }) => id);
    await makeTask(anna, { parentId: a });
    await anna.delete(`/api/v2/todo/bulk?todoIds=${a},${b}`);
    expect(await restore(anna, a ?? '')).toMatchObject({ status: 200, body: { applied: 2, conflicts: [] } });
    expect((await trashOf(anna)).map(({ id }) => id)).toContain(b);
    expect((await trashOf(anna)).map(({ id }) => id)).not.toContain(a);
    await anna.delete(`/api/v2/projects/${project.id}/sections/${section.id}`);
    expect(await restore(anna, section.id, b ?? '')).toMatchObject({ body: { applied: 4, conflicts: [] } });
    const { task } = await anna.data<{ task: object }>(`{ task(id: "${a}") { section { id } } }`);
    expect(task).toEqual({ section: { id: section.id } });
    expect(await restore(anna, a ?? '')).toMatchObject({ status: 404 });
    expect(await restore(ben, b ?? '')).toMatchObject({ status: 404 });
  });

  test('lists an entity once if it was deleted again', async () => {
    const project = await makeProject(anna);
    const { id } = await makeTask(anna, { title: 'twice', projectId: project.id });
    const entriesOf = async () => (await trashOf(anna)).filter((entry) => [id, project.id].includes(entry.id));
    for (let time = 0; time < 2; time += 1) {
      await anna.delete(`/api/v2/todo/${id}`);
      expect(await entriesOf()).toMatchObject([{ id, title: 'twice', entities: 1 }]);
      await restore(anna, id);
    }
    await anna.delete(`/api/v2/projects/${project.id}`);
    expect(await entriesOf()).toMatchObject([{ id: project.id, entities: 2 }]);
  });

  test('does not show in responses of the contract, which omit deleted entities', async () => {
    const dora = await signUp(service);
    const name = randomName('gone');
    const [keptTask, project] = [await makeProject(dora), await makeProject(dora, { name })];
    const place = { projectId: keptTask.id, projectSectionId: (await makeSection(dora, keptTask.id, { name })).id };
    const [tag, other] = [await makeTag(dora, { name }), await makeTag(dora)];
    const task = await makeTask(dora, { ...place, title: name, tags: [tag.id, other.id] });
    const child = await makeTask(dora, { ...place, title: name, parentId: task.id });
    const last = await makeTask(dora, { title: 'last', tags: [tag.id] });
    await makeSection(dora, project.id, { name });
    const inProject = await makeTask(dora, { title: name, projectId: project.id });
    const lists = [
      ...['/projects', '/projects/personal?search=', `/projects/${keptTask.id}/sections`, '/tag', '/tag?search=gone'],
      ...['/todo', `/todo?tagIds=${tag.id}`, `/todo/search?q=${name}`, '/export'],
    ];
    const naming = async () => {
      const found = [];
      for (const list of lists) {
        if (JSON.stringify((await dora.get(`/api/v2${list}`)).body).includes(name)) found.push(list);
      }
      return found;
    };
    const singlePaths = [task, child, inProject].map(({ id }) => `/todo/${id}`);
    singlePaths.push(`/projects/${project.id}`, `/projects/${project.id}/sections`);
    const statuses = async () => {
      const answers = [];
      for (const single of singlePaths) answers.push((await dora.get(`/api/v2${single}`)).status);
      return [...new Set(answers)];
    };
    const counted = async () => {
      const { tags } = (await dora.get<{ tags: { id: string; _count: object }[] }>('/api/v2/tag')).body;
      return [tag, other].map(({ id }) => tags.find((each) => each.id === id)?._count);
    };
    expect(await naming()).toEqual(lists);
    expect(await statuses()).toEqual([200]);
    expect(await counted()).toEqual([{ todos: 2 }, { todos: 1 }]);
    await dora.delete(`/api/v2/todo/${task.id}`);
    expect(await counted()).toEqual([{ todos: 1 }, { todos: 0 }]);
    await dora.delete(`/api/v2/projects/${keptTask.id}/sections/${place.projectSectionId}`);
    await dora.delete(`/api/v2/projects/${project.id}`);
    const count = (await dora.get<object>('/api/v2/tag/count')).body;
    await dora.delete(`/api/v2/tag/bulk?tagIds=${tag.id}`);
    expect((await dora.get('/api/v2/tag/count')).body).not.toEqual(count);
    expect(await trashOf(dora)).toHaveLength(4);
    expect(await naming()).toEqual([]);
    expect(await statuses()).toEqual([404]);
    expect(await dora.get(`/api/v2/todo/${last.id}`)).toMatchObject({ body: { todo: { tags: [] } } });
    expect(await dora.patch(`/api/v2/todo/${task.id}`, { title: 'x' })).toMatchObject({ status: 404 });
  });

  test('leaves nothing behind when it is emptied', async () => {
    const marker = `marker${crypto.randomUUID().replaceAll('-', '')}`;
    const make = async () => {
      const { id } = await makeTask(anna, { title: 'first' });
      await anna.patch(`/api/v2/todo/${id}`, { title: marker });
      await anna.patch(`/api/v2/todo/${id}`, { title: 'last' });
      return { id, operation: (await anna.delete(`/api/v2/todo/${id}`)).headers.get('x-operation-id') };
    };
    const { id, operation } = await make();
    expect(await tablesBut(marker)).toEqual(['history']);
    expect(await emptyTrash(anna, [id])).toBe(1);
    expect(await tablesBut(marker)).toEqual([]);
    expect(await anna.post(`/api/v2/operations/${operation}/undo`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'operationId' }] },
    });
    await make();
    const project = await makeProject(anna, { workspaceId: workspace });
    const [annas, bensEntries] = [
      await makeTask(anna, { projectId: project.id }),
      await makeTask(anna, { projectId: project.id }),
    ];
    await anna.delete(`/api/v2/todo/${annas.id}`);
    await ben.delete(`/api/v2/todo/${bensEntries.id}`);
    expect(await emptyTrash(anna)).toBeGreaterThan(1);
    expect(await tablesBut(marker)).toEqual([]);
    expect((await trashOf(anna)).map(({ id: each }) => each)).toEqual([bensEntries.id]);
  });

  test('keeps entries that are restored while it is emptied', async () => {
    const task = await makeTask(anna, { title: 'one' });
    await anna.patch(`/api/v2/todo/${task.id}`, { title: 'two' });
    await anna.delete(`/api/v2/todo/${task.id}`);
    const lockHolder = await lockSpaces(service, anna.id);
    const restored = restore(anna, task.id);
    await untilWaiting(service, 1);
    const emptyResult = anna.graphql('mutation ($ids: [ID!]) { emptyTrash(ids: $ids) }', { ids: [task.id] });
    await untilWaiting(service, 2);
    await lockHolder.release();
    expect((await restored).body).toMatchObject({ applied: 1 });
    expect((await emptyResult).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect((await anna.get<{ history: object[] }>(`/api/v2/todo/${task.id}/history`)).body.history).toHaveLength(4);
  });

  test('lists and empties a deletion of thousands of tasks', async () => {
    const dora = await signUp(service);
    const { id } = await makeProject(dora);
    const idOf = (number: number) => `task_01h455vb4pex5vsknkk${String(number).padStart(7, '0')}`;
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, parent_id, title, sort_key)
       SELECT 'task_01h455vb4pex5vsknkk' || lpad(n::text, 7, '0'), $1, $2,
         CASE WHEN n > 500 THEN 'task_01h455vb4pex5vsknkk' || lpad((1 + n % 500)::text, 7, '0') END, 'gone', 'a' || lpad(n::text, 6, '0')
       FROM generate_series(1, 4000) AS n`,
      [dora.id, id],
    );
    const ids = Array.from({ length: 500 }, (_, number) => idOf(number + 1));
    expect(await dora.delete(`/api/v2/todo/bulk?todoIds=${ids.join(',')}`)).toMatchObject({ status: 200 });
    const { body } = await dora.get<{ trash: Entry[] }>('/api/v2/trash?limit=500');
    expect(body.trash.map(({ entities }) => entities)).toEqual(ids.map(() => 8));
    expect(await emptyTrash(dora)).toBe(500);
    // The request leaves the rest to the background work.
    await eraseEmptied(service.services.connections);
    expect(await service.sql('SELECT FROM history WHERE space_id = $1 AND type = $2', [dora.id, 'TASK'])).toEqual([]);
  });

  test('is deleted with its account or workspace, like the history', async () => {
    const marker = `marker${crypto.randomUUID().replaceAll('-', '')}`;
    const carla = await signUp(service);
    const { id } = await makeWorkspace(carla, ben);
    const shared = await makeProject(carla, { workspaceId: id, name: marker });
    const tag = await makeTag(ben);
    const task = await makeTask(ben, { title: marker, projectId: shared.id, tags: [tag.id] });
    await carla.delete(`/api/v2/todo/${task.id}`);
    await carla.patch(`/api/v2/todo/${(await makeTask(carla, { title: marker })).id}`, { title: 'x' });
    await ben.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id });
    await carla.data('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id });
    const other = await makeWorkspace(carla, ben);
    await makeProject(carla, { workspaceId: other.id });
    await carla.data('mutation ($password: String) { deleteAccount(password: $password) }', {
      password: carla.password,
    });
    expect(await tablesBut(marker)).toEqual([]);
    await untilForgotten(service, carla.id);
    const { operations } = await ben.data<{ operations: { nodes: { actor: object | null }[] } }>(
      `{ operations(spaceId: "${other.id}", first: 100) { nodes { actor { id } client summary } } }`,
    );
    expect(operations.nodes.length).toBeGreaterThan(0);
    expect(operations.nodes.map(({ actor }) => actor).filter(Boolean)).toMatchObject(
      operations.nodes.flatMap(({ actor }) => (actor ? [{ id: ben.id }] : [])),
    );
  });
});

describe('the history of a task', () => {
  test('has the actor and the fields of each change that the viewer may see', async () => {
    const project = await makeProject(anna, { workspaceId: workspace, name: 'Shared' });
    const [annas, bensHistory] = [await makeTag(anna), await makeTag(ben)];
    const { id } = await makeTask(anna, { title: 'private' });
    await anna.patch(`/api/v2/todo/${id}`, { title: 'secret', tags: [annas.id] });
    await anna.patch(`/api/v2/todo/${id}`, { projectId: project.id });
    await ben.patch(`/api/v2/todo/${id}`, { dueTime: '2027-01-02T03:04:05.000Z', isAllDay: false });
    await ben.patch(`/api/v2/todo/${id}`, { tags: [bensHistory.id] });
    type History = { history: { kind: string; actor: { id: string }; fields: { name: string }[] }[] };
    const historyOf = async (user: User) => (await user.get<History>(`/api/v2/todo/${id}/history`)).body.history;
    const describeHistory = (history: History['history']) =>
      history.map(
        ({ kind, actor, fields }) =>
          `${kind} ${actor.id === anna.id ? 'anna' : 'ben'} ${fields.map(({ name }) => name).join()}`,
      );
    expect(describeHistory(await historyOf(ben))).toEqual([
      'updated ben tags',
      'updated ben dueTime,isAllDay',
      'created anna ',
    ]);
    expect(describeHistory(await historyOf(anna))).toEqual([
      'updated ben dueTime,isAllDay',
      'updated anna project',
      'updated anna title,tags',
      'created anna ',
    ]);
    expect((await historyOf(anna))[0]?.fields[0]).toEqual({
      name: 'dueTime',
      before: null,
      after: '2027-01-02T03:04:05.000Z',
    });
    expect(JSON.stringify(await historyOf(ben))).not.toContain('secret');
  });

  test('has operations with a summary', async () => {
    const project = await makeProject(anna, { name: 'Yard' });
    const ids = [(await makeTask(anna)).id, (await makeTask(anna)).id];
    await anna.patch(`/api/v2/todo/bulk?todoIds=${ids.join(',')}`, { projectId: project.id });
    await anna.delete(`/api/v2/todo/bulk?todoIds=${ids.join(',')}`);
    await anna.send('PUT', '/api/v1/user/name', { name: 'Anna' });
    await anna.data('mutation { updatePreferences(input: { reminderBefore: 7 }) { id } }');
    await makeWorkspace(anna, ben);
    const { operations } = await anna.data<{ operations: { nodes: { summary: string; undoable: boolean }[] } }>(
      '{ operations(first: 6) { nodes { summary undoable undoOf client actor { email } } } }',
    );
    expect(operations.nodes).toMatchObject([
      { summary: 'Changed the members of a workspace', undoable: false },
      { summary: 'Changed the members of a workspace', undoable: false },
      { summary: 'Changed preferences', undoable: false },
      { summary: 'Changed the profile', undoable: false },
      { summary: 'Deleted 2 tasks', undoable: true, undoOf: null, actor: { email: anna.email } },
      { summary: 'Moved 2 tasks to Yard', client: expect.any(String) },
    ]);
  });
});
