import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../src/platform/ids.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { fill } from '../kit/tasks.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;

beforeAll(async () => {
  service = await sharedService();
});

const query = 'query ($filter: TaskFilter) { tasks(filter: $filter) { nodes { id title } totalCount } }';

const list = async (user: User, filter: object) =>
  (await user.data<{ tasks: { nodes: { id: string; title: string }[]; totalCount: number } }>(query, { filter })).tasks;
const titles = async (user: User, filter: object) => (await list(user, filter)).nodes.map(({ title }) => title);

describe('tasks(filter)', () => {
  let anna: User;
  let [projectId, sectionId, tagId, otherTagId] = ['', '', '', ''];

  beforeAll(async () => {
    anna = await signUp(service);
    ({ id: projectId } = await makeProject(anna));
    ({ id: sectionId } = await makeSection(anna, projectId));
    [{ id: tagId }, { id: otherTagId }] = [await makeTag(anna), await makeTag(anna)];
    const place = { projectId, projectSectionId: sectionId };
    const parent = await makeTask(anna, { title: 'high', priority: 'high', dueDate: '2026-01-01', tags: [tagId] });
    await makeTask(anna, { title: 'low', priority: 'low', dueDate: '2026-01-02', tags: [tagId, otherTagId] });
    await makeTask(anna, { title: 'sub', parentId: parent.id, dueDate: '2026-01-03' });
    await makeTask(anna, { title: 'in project', projectId });
    const doneTask = await makeTask(anna, { title: 'in section', ...place });
    await anna.patch(`/api/v2/todo/${doneTask.id}`, { completed: true });
    for (const [index, title] of ['high', 'low', 'sub', 'in project', 'in section'].entries()) {
      await service.sql('UPDATE tasks SET sort_key = $1 WHERE title = $2 AND space_id = $3', [
        `k${index}`,
        title,
        anna.id,
      ]);
    }
  });

  test.each<[object, string[]]>([
    [{}, ['high', 'low', 'sub', 'in project', 'in section']],
    [{ completed: true }, ['in section']],
    [{ completed: false }, ['high', 'low', 'sub', 'in project']],
    [{ priority: ['HIGH'] }, ['high']],
    [{ priority: ['LOW', 'HIGH'] }, ['high', 'low']],
    [{ priority: [] }, []],
    [{ dueBefore: '2026-01-02' }, ['high']],
    [{ dueAfter: '2026-01-02' }, ['sub']],
    [{ dueAfter: '2026-01-01', dueBefore: '2026-01-03' }, ['low']],
    [{ hasDueDate: true }, ['high', 'low', 'sub']],
    [{ hasDueDate: false }, ['in project', 'in section']],
    [{ hasDueDate: false, dueAfter: '2026-01-01' }, []],
    [{ hasDueDate: true, dueAfter: '2026-01-02' }, ['sub']],
    [{ projectIds: [] }, []],
    [{ projectIds: ['nonsense'] }, []],
    [{ parentId: 'nonsense' }, []],
    [{ updatedAfter: '9999-12-31T00:00:00Z' }, []],
    [{ updatedAfter: '2026-01-01T00:00:00Z' }, ['high', 'low', 'sub', 'in project', 'in section']],
    [{ text: 'in' }, ['in project', 'in section']],
    [{ text: 'IN sec' }, ['in section']],
    [{ text: 'porject' }, ['in project']],
    [{ text: 'in', completed: false }, ['in project']],
    [{ text: '!' }, []],
    [{ text: 'nowhere' }, []],
    [{ text: null }, ['high', 'low', 'sub', 'in project', 'in section']],
    [{ topLevel: true }, ['high', 'low', 'in project', 'in section']],
    [{ topLevel: false }, ['sub']],
    [{ completed: null, priority: null, topLevel: null }, ['high', 'low', 'sub', 'in project', 'in section']],
    [{ completed: false, topLevel: true, priority: ['LOW'] }, ['low']],
    [{ projectId: 'nonsense' }, []],
    [{ sectionId: 'nonsense' }, []],
    [{ tagIds: ['nonsense'] }, []],
    [{ tagIds: [] }, []],
  ])('%j', async (filter, expected) => {
    const { nodes, totalCount } = await list(anna, filter);
    expect(nodes.map(({ title }) => title)).toEqual(expected);
    expect(totalCount).toBe(expected.length);
  });

  test('by project, section and tags', async () => {
    expect(await titles(anna, { projectId })).toEqual(['in project', 'in section']);
    expect(await titles(anna, { sectionId })).toEqual(['in section']);
    expect(await titles(anna, { tagIds: [tagId] })).toEqual(['high', 'low']);
    expect(await titles(anna, { tagIds: [tagId, otherTagId, 'nonsense'] })).toEqual(['high', 'low']);
  });

  test('by several projects, and by one of them', async () => {
    const { id: other } = await makeProject(anna);
    await makeTask(anna, { title: 'elsewhere', projectId: other });
    const titlesMatching = (filter: object) => titles(anna, filter);
    expect(await titlesMatching({ projectIds: [other, projectId, 'nonsense'] })).toEqual([
      'elsewhere',
      'in project',
      'in section',
    ]);
    expect(await titlesMatching({ projectIds: [other, projectId], projectId: other })).toEqual(['elsewhere']);
    expect(await titlesMatching({ projectIds: [other], projectId })).toEqual([]);
    await service.sql('DELETE FROM tasks WHERE project_id = $1', [other]);
  });

  test('by their parent: its direct subtasks', async () => {
    const [parent] = (await list(anna, { priority: ['HIGH'] })).nodes;
    const [child] = (await list(anna, { parentId: parent?.id })).nodes;
    expect(child?.title).toBe('sub');
    const { id } = await makeTask(anna, { title: 'below sub', parentId: child?.id });
    expect(await titles(anna, { parentId: parent?.id })).toEqual(['sub']);
    expect(await titles(anna, { parentId: child?.id })).toEqual(['below sub']);
    expect(await titles(anna, { parentId: parent?.id, topLevel: true })).toEqual([]);
    await anna.delete(`/api/v2/todo/${id}`);
  });

  test('by the time of their last change in milliseconds, excluding that moment', async () => {
    const user = await signUp(service);
    for (const title of ['high', 'low']) await makeTask(user, { title });
    await service.sql(
      `UPDATE tasks SET updated_at = CASE title WHEN 'low' THEN timestamptz '2001-01-01 00:00:00.002Z'
         ELSE '2001-01-01 00:00:00.001Z' END WHERE space_id = $1`,
      [user.id],
    );
    const after = (updatedAfter: string) => titles(user, { updatedAfter });
    expect(await after('2001-01-01T00:00:00.000Z')).toHaveLength(2);
    expect(await after('2001-01-01T00:00:00.001Z')).toEqual(['low']);
    expect(await after('2001-01-01T01:00:00.001+01:00')).toEqual(['low']);
    expect(await after('2001-01-01T00:00:00.002Z')).toEqual([]);
  });

  test.each(['', ' ', 'x'.repeat(501), 'a\0'])('refuses the text %j', async (text) => {
    const { errors } = await anna.graphql(query, { filter: { text } });
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'filter.text' }] } }]);
  });

  test('shows nothing of another account, whatever the filter names', async () => {
    const ben = await signUp(service);
    for (const filter of [
      {},
      { text: 'high' },
      { projectId },
      { projectIds: [projectId] },
      { sectionId },
      { tagIds: [tagId] },
    ]) {
      expect(await list(ben, filter)).toMatchObject({ nodes: [], totalCount: 0 });
    }
    expect(await ben.data('query ($id: ID!) { project(id: $id) { id } }', { id: projectId })).toEqual({
      project: null,
    });
  });
});

describe('tasks(filter: { text })', () => {
  const search = `query ($text: String!, $tag: ID!, $filter: TaskFilter) {
    search(query: $text) { tasks { id } }
    tasks(filter: $filter, orderBy: TITLE) { nodes { id title } totalCount }
    tag(id: $tag) { tasks(filter: $filter, orderBy: TITLE) { nodes { id } } }
  }`;
  interface Found {
    search: { tasks: { id: string }[] };
    tasks: { nodes: { id: string; title: string }[]; totalCount: number };
    tag: { tasks: { nodes: { id: string }[] } };
  }
  const vocabulary = ['garden', 'gardener', 'graden', 'harden', 'wall', 'walk', 'water', '2026', 'a', 'über'];
  const words = (max: number) =>
    fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: max }).map((each) => each.join(' '));
  const arbitraryQuery = fc.oneof(
    words(3),
    fc.constantFrom('gar', 'wal wat', 'gardne', 'wlal', 'watre gardn', '20', 'ü', 'garden 2027'),
  );

  test('finds the same tasks as the search, in the requested order, in all spaces', async () => {
    const user = await signUp(service);
    const workspace = await makeWorkspace(user);
    const shared = await makeProject(user, { workspaceId: workspace.id });
    const tag = await makeTag(user);
    const spaces = [
      [user.id, (await makeProject(user)).id],
      [workspace.id, shared.id],
    ];
    const task = fc.record({ title: words(3), description: fc.option(words(2)), place: fc.constantFrom(0, 1) });
    await fc.assert(
      fc.asyncProperty(fc.array(task, { maxLength: 20 }), arbitraryQuery, async (tasks, text) => {
        await service.sql('DELETE FROM tasks WHERE space_id = ANY ($1)', [[user.id, workspace.id]]);
        await service.sql('DELETE FROM trash');
        const rows = tasks.map(({ place, ...row }) => ({ ...row, id: newId('Task'), of: spaces[place] }));
        await service.sql(
          `WITH made AS (
             INSERT INTO tasks (id, space_id, project_id, title, description, sort_key)
             SELECT id, "of" ->> 0, "of" ->> 1, title, description, 'a'
             FROM json_to_recordset($1) AS row (id text, "of" json, title text, description text) RETURNING id
           )
           INSERT INTO task_tags (task_id, tag_id, space_id) SELECT id, $2, $3 FROM made`,
          [JSON.stringify(rows), tag.id, user.id],
        );
        const found = await user.data<Found>(search, { text, filter: { text }, tag: tag.id });
        const ids = found.search.tasks.map(({ id }) => id).sort();
        expect(found.tasks.nodes.map(({ id }) => id).sort()).toEqual(ids);
        expect(found.tasks.totalCount).toBe(ids.length);
        expect(found.tag.tasks.nodes.map(({ id }) => id)).toEqual(found.tasks.nodes.map(({ id }) => id));
        const orderedTitles = found.tasks.nodes.map(({ title }) => title);
        expect(orderedTitles).toEqual(orderedTitles.toSorted(new Intl.Collator('und').compare));
      }),
      { numRuns: 25 },
    );
  });

  test('finds all matches, not only the best', async () => {
    const user = await signUp(service);
    await fill(service, user, 700);
    await service.sql(`UPDATE tasks SET due_date = '2030-01-01' WHERE space_id = $1 AND title = 'task 650'`, [user.id]);
    expect((await list(user, { text: 'task' })).totalCount).toBe(700);
    expect(await titles(user, { text: 'tas', hasDueDate: true })).toEqual(['task 650']);
  });
});
