import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { syncQuery } from '../../client/src/replica/batch.ts';
import { decodeOpaque, encodeOpaque } from '../../src/platform/opaque.ts';
import { addMember, invite, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { fetchBatch, listEntities, Replica } from './replica.ts';

let service: Service;
let anna: User;
let ben: User;
let replica: Replica;

beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
  replica = new Replica();
});

/** Returns the batches about an act. Anna's replica equals the lists before and after it. */
async function sentOf(work: () => Promise<unknown>) {
  await replica.pull(anna);
  expect(replica.entities).toEqual(await listEntities(anna));
  await work();
  const batches = await replica.pull(anna);
  expect(replica.entities).toEqual(await listEntities(anna));
  return batches;
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();

describe('a first load', () => {
  test('has everything that the caller may see, in batches of the requested size', async () => {
    const workspace = await makeWorkspace(anna, ben);
    for (const fields of [{}, { workspaceId: workspace.id }]) {
      const project = await makeProject(anna, fields);
      const section = await makeSection(anna, project.id);
      const parent = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
      await makeTask(anna, { parentId: parent.id, tagIds: [(await makeTag(anna)).id] });
    }
    await makeTask(ben);
    await makeTag(ben);
    for (const first of [1, 2, 3, 500]) {
      const own = new Replica();
      const batches = await own.pull(anna, first);
      expect(own.entities).toEqual(await listEntities(anna));
      expect(batches.map(({ full }) => full)).toEqual(batches.map((_, index) => index === 0));
      expect(batches[0]?.user).toMatchObject({ id: anna.id });
      for (const { user, workspaces, projects, sections, tags, tasks } of batches) {
        const rows = [workspaces, projects, sections, tags, tasks].flat();
        expect(rows.length + Number(user !== null)).toBeLessThanOrEqual(first);
      }
      // Everything comes once.
      expect(batches.flatMap(({ tasks }) => tasks)).toHaveLength(4);
      expect(batches.flatMap(({ projects }) => projects)).toHaveLength(3);
    }
  });

  test('ends at one moment together with simultaneous changes', async () => {
    const tasks = await Promise.all(Array.from({ length: 9 }, () => makeTask(anna)));
    const [first, second, third] = tasks;
    replica.apply(await fetchBatch(anna, null, 5));
    await anna.data('mutation ($id: ID!, $after: ID!) { moveTask(id: $id, after: $after) { id } }', {
      id: tasks.at(-1)?.id,
      after: first?.id,
    });
    await anna.delete(`/api/v2/todo/${second?.id}`);
    await anna.patch(`/api/v2/todo/${third?.id}`, { title: 'Changed' });
    await makeTask(anna);
    await replica.pull(anna, 5);
    expect(replica.entities).toEqual(await listEntities(anna));
  });
});

describe('a batch', () => {
  test('is empty without changes, and its cursor stays valid', async () => {
    await replica.pull(anna);
    const { cursor } = replica;
    const batch = await fetchBatch(anna, cursor);
    expect(batch).toEqual({
      cursor,
      full: false,
      hasMore: false,
      user: null,
      ...{ workspaces: [], projects: [], sections: [], tags: [], tasks: [], comments: [], deleted: [], mutations: [] },
    });
  });

  test('has each entity once, in its current state', async () => {
    const [batch] = await sentOf(async () => {
      const task = await makeTask(anna);
      for (const title of ['One', 'Two', 'Three']) await anna.patch(`/api/v2/todo/${task.id}`, { title });
    });
    expect(batch?.tasks).toMatchObject([{ title: 'Three' }]);
  });

  test('has only a tombstone for a created and deleted entity', async () => {
    let id = '';
    const [batch] = await sentOf(async () => {
      ({ id } = await makeTask(anna));
      await anna.delete(`/api/v2/todo/${id}`);
    });
    expect(batch).toMatchObject({ tasks: [], deleted: [{ type: 'TASK', id }] });
  });

  test('has a renamed tag, without its tasks', async () => {
    const tag = await makeTag(anna);
    await makeTask(anna, { tagIds: [tag.id] });
    await replica.pull(anna);
    await anna.patch(`/api/v2/tag/${tag.id}`, { name: 'Renamed' });
    expect(await fetchBatch(anna, replica.cursor)).toMatchObject({
      tags: [{ id: tag.id, name: 'Renamed' }],
      tasks: [],
    });
  });

  test('has the user with new preferences', async () => {
    const [batch] = await sentOf(() => anna.put('/api/v1/user/user-preferences', { reminderBefore: 45 }));
    expect(batch?.user).toMatchObject({ id: anna.id, preferences: { reminderBefore: 45 } });
  });

  test('is cut within a transaction that exceeds its size', async () => {
    const project = await makeProject(anna);
    const tasks = await Promise.all(Array.from({ length: 7 }, () => makeTask(anna, { projectId: project.id })));
    await replica.pull(anna);
    const ids = tasks.map(({ id }) => id);
    await anna.data('mutation ($ids: [ID!]!) { updateTasks(ids: $ids, input: { completed: true }) { count } }', {
      ids,
    });
    const batches = await replica.pull(anna, 3);
    expect(batches.map(({ tasks, hasMore }) => [tasks.length, hasMore])).toEqual([
      [3, true],
      [3, true],
      [1, false],
    ]);
    expect(replica.entities).toEqual(await listEntities(anna));
  });
});

describe('access', () => {
  test('a joined workspace comes with its contents', async () => {
    const workspace = await makeWorkspace(ben);
    const project = await makeProject(ben, { workspaceId: workspace.id });
    const section = await makeSection(ben, project.id);
    const task = await makeTask(ben, { projectId: project.id });
    const [batch] = await sentOf(() => addMember(ben, workspace.id, anna));
    expect(batch).toMatchObject({
      workspaces: [{ id: workspace.id }],
      projects: [{ id: project.id }],
      sections: [{ id: section.id }],
      tasks: [{ id: task.id }],
    });
  });

  test('a left workspace comes as a tombstone, whatever was moved out of it before', async () => {
    const workspace = await makeWorkspace(ben, anna);
    const project = await makeProject(ben, { workspaceId: workspace.id });
    const [kept] = [await makeTask(anna, { projectId: project.id }), await makeTask(anna, { projectId: project.id })];
    const batches = await sentOf(async () => {
      await anna.patch(`/api/v2/todo/${kept.id}`, { projectId: null });
      await anna.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspace.id });
      await makeTask(ben, { projectId: project.id });
    });
    expect(batches[0]?.deleted).toContainEqual({ type: 'WORKSPACE', id: workspace.id });
    expect(idsOf(replica.entities.tasks)).toContain(kept.id);
  });

  test('a workspace that was left and joined again comes again, without entities that were deleted in between', async () => {
    const workspace = await makeWorkspace(ben, anna);
    const project = await makeProject(ben, { workspaceId: workspace.id });
    const tag = await makeTag(anna);
    const deletedTask = await makeTask(ben, { projectId: project.id });
    await makeTask(anna, { projectId: project.id, tagIds: [tag.id] });
    await sentOf(async () => {
      await anna.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspace.id });
      await ben.delete(`/api/v2/todo/${deletedTask.id}`);
      await addMember(ben, workspace.id, anna);
    });
  });

  test("an entity that moves out of sight comes as a tombstone, and others' entities never come", async () => {
    const shared = await makeWorkspace(ben, anna);
    const project = await makeProject(ben, { workspaceId: shared.id });
    const task = await makeTask(ben, { projectId: project.id });
    const [batch] = await sentOf(() => ben.patch(`/api/v2/todo/${task.id}`, { projectId: null, title: 'Secret' }));
    expect(batch?.deleted).toContainEqual({ type: 'TASK', id: task.id });
    const [other] = await sentOf(async () => {
      await makeTag(ben);
      await makeTask(ben, { tagIds: [(await makeTag(ben)).id], projectId: project.id });
    });
    expect(other?.tags).toEqual([]);
    expect(other?.tasks).toMatchObject([{ tags: [] }]);
  });

  test('a new name of a member sends the workspace, and an invitation sends the invited user', async () => {
    const workspace = await makeWorkspace(ben, anna);
    const [renamed] = await sentOf(() => ben.put('/api/v1/user/name', { name: 'Benedict' }));
    expect(idsOf(renamed?.workspaces ?? [])).toContain(workspace.id);
    expect(JSON.stringify(renamed)).toContain('Benedict');
    const other = await makeWorkspace(ben);
    const [invited] = await sentOf(() => invite(ben, other.id, anna.email));
    expect(invited?.user).toMatchObject({ invitations: [{ workspaceName: other.name }] });
  });

  test('a section moves its tasks to another workspace, into sight and out of it', async () => {
    const hiddenWorkspace = await makeWorkspace(ben);
    const shared = await makeWorkspace(ben, anna);
    const from = await makeProject(ben, { workspaceId: shared.id });
    const to = await makeProject(ben, { workspaceId: hiddenWorkspace.id });
    const section = await makeSection(ben, from.id);
    const task = await makeTask(ben, { projectId: from.id, projectSectionId: section.id });
    const move = (projectId: string, of: string) =>
      ben.patch(`/api/v2/projects/${of}/sections/${section.id}`, { projectId });
    const [batch] = await sentOf(() => move(to.id, from.id));
    expect(batch?.deleted).toEqual(
      expect.arrayContaining([
        { type: 'SECTION', id: section.id },
        { type: 'TASK', id: task.id },
      ]),
    );
    const [back] = await sentOf(() => move(from.id, to.id));
    expect(back).toMatchObject({ sections: [{ id: section.id }], tasks: [{ id: task.id }] });
  });
});

describe('arguments', () => {
  const codeOf = async (after: string | null, first?: number) => {
    const { errors } = await anna.graphql(
      'query ($after: String, $first: Int) { sync(after: $after, first: $first) { cursor } }',
      { after, first },
    );
    return errors?.[0]?.extensions['code'];
  };

  test('first is from 1 to 5,000', async () => {
    expect(await codeOf(null, 0)).toBe('VALIDATION_FAILED');
    expect(await codeOf(null, 5001)).toBe('VALIDATION_FAILED');
    expect(await codeOf(null, 5000)).toBeUndefined();
  });

  test('the largest batch may have all fields of a replica', async () => {
    const { errors } = await (await signUp(service)).graphql(syncQuery(true), { first: 5_000 });
    expect(errors).toBeUndefined();
  });

  test('a cursor must belong to the caller', async () => {
    await replica.pull(ben);
    const { cursor: changeCursor } = (await anna.data<{ changes: { cursor: string } }>('{ changes { cursor } }'))
      .changes;
    const madeUpCursors = [
      [anna.id, 1, { [anna.id]: [1, 1, 1, 'x\0'] }],
      [anna.id, 1, { [anna.id]: [1, 1, 1, 'x', 'y'] }],
      [anna.id, 1, { [anna.id]: [1e20, 1, 1, 'x'] }],
      [anna.id, 0, { [anna.id]: [1, 1, 1, 'x', 4, 'a\0', 'task'] }],
    ].map((parts) => Buffer.from(JSON.stringify(parts)).toString('base64url'));
    for (const cursor of ['', 'x', 'W10', replica.cursor, changeCursor, ...madeUpCursors])
      expect(await codeOf(cursor)).toBe('CURSOR_EXPIRED');
  });

  test('a cursor names at most the possible number of spaces and keys', async () => {
    await replica.pull(anna);
    const [id, isConsistent, spaces] = decodeOpaque(replica.cursor ?? '') as [
      string,
      number,
      Record<string, unknown[]>,
    ];
    const own = spaces[id] ?? [];
    const others = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`space_${index}`, own])) as Record<
        string,
        unknown[]
      >;
    const cursorOf = (changed: object) => encodeOpaque([id, isConsistent, { ...spaces, ...changed }]);
    const loading = (...after: string[]) => cursorOf({ [id]: [...own, 4, ...after] });
    expect(await codeOf(loading('a0', 'task_0'))).toBeUndefined();
    expect(await codeOf(loading('a0', 'task_0', 'a1'))).toBe('CURSOR_EXPIRED');
    expect(await codeOf(cursorOf(others(900)))).toBeUndefined();
    expect(await codeOf(cursorOf(others(3001)))).toBe('CURSOR_EXPIRED');
  });
});
