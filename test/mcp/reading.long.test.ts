import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeComment, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { FixedClock } from '../notifications/deliveries.ts';
import { Agent } from './agent.ts';

interface Tasks {
  tasks: { id: string; title: string }[];
  total: number;
  cursor?: string;
}

/** 23:30 on 10 March in Honolulu, and 23:30 on 11 March in Kiritimati. */
const evening = Date.parse('2030-03-11T09:30:00Z');
const hour = 60 * 60 * 1000;

let service: Service;
let anna: User;
let agent: Agent;
const clock = new FixedClock(new Date(evening).toISOString());
beforeAll(async () => {
  service = await startService({}, { clock });
});
afterAll(() => service.close());
beforeEach(async () => {
  clock.set(evening);
  anna = await signUp(service);
  agent = await Agent.of(service, anna);
});

const titlesOf = async (args: object) => (await agent.call<Tasks>('list_tasks', args)).tasks.map(({ title }) => title);

const complete = ({ id }: { id: string }) => anna.patch(`/api/v2/todo/${id}`, { completed: true });

const live = (timeZone: string) =>
  anna.data('mutation ($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { id } }', {
    input: { timeZone },
  });

describe('overview', () => {
  test('has what other tools take', async () => {
    const boris = await signUp(service);
    const workspace = await makeWorkspace(anna, boris);
    const shop = await makeProject(anna, { name: 'Shop', workspaceId: workspace.id });
    const shelf = await makeSection(anna, shop.id, { name: 'Shelf' });
    const tag = await makeTag(anna, { name: 'heavy' });
    await makeTask(anna, { title: 'sell', projectId: shop.id });
    await complete(await makeTask(anna, { title: 'sold', projectId: shop.id }));
    await makeTask(anna, { title: 'late', dueDate: '2030-03-01' });
    await makeTask(anna, { title: 'now', dueDate: '2030-03-11' });
    const overview = await agent.call<{ projects: object[] }>('overview');
    expect(overview).toMatchObject({
      ...{ user: { id: anna.id, name: anna.email }, today: '2030-03-11', timeZone: 'UTC' },
      inboxId: expect.stringMatching(/^proj_/),
      spaces: [
        { id: anna.id, members: [{ id: anna.id }] },
        { id: workspace.id, members: expect.arrayContaining([{ id: boris.id, name: boris.email }]) },
      ],
      tags: [{ id: tag.id, name: 'heavy' }],
      counts: { overdue: 1, today: 1 },
    });
    expect(overview.projects).toContainEqual({
      ...{ id: shop.id, name: 'Shop', spaceId: workspace.id, open: 1 },
      sections: [{ id: shelf.id, name: 'Shelf' }],
    });
  });

  test('shows a token only its spaces', async () => {
    const workspace = await makeWorkspace(anna);
    const limited = await Agent.of(service, anna, { spaceIds: [workspace.id] });
    const overview = await limited.call<{ spaces: { id: string }[] }>('overview');
    expect(overview.spaces.map(({ id }) => id)).toEqual([workspace.id]);
    expect(overview).not.toHaveProperty('inboxId');
  });

  test('of a thousand projects with long names fits', async () => {
    await service.sql(
      `INSERT INTO projects (id, space_id, name, slug)
       SELECT 'proj_' || lpad(n::text, 26, '0'), $1, repeat('ä', 200), 'slug-' || n FROM generate_series(1, 1000) AS n`,
      [anna.id],
    );
    const { projects } = await agent.call<{ projects: object[] }>('overview');
    expect(projects.length).toBeGreaterThan(10);
    expect((await agent.fault('list_tasks', { project: 'x' })).length).toBeLessThan(64 * 1024);
  });
});

test('overview of many members keeps every space', async () => {
  const workspaces = await Promise.all(Array.from({ length: 30 }, () => makeWorkspace(anna)));
  const members = await Promise.all(Array.from({ length: 30 }, () => signUp(service)));
  await service.sql(
    `WITH named AS (UPDATE users SET name = repeat('😀', 250) WHERE id = ANY ($1::text[]) RETURNING id)
     INSERT INTO memberships (space_id, user_id) SELECT workspace, id FROM named, unnest($2::text[]) AS workspace`,
    [members.map(({ id }) => id), workspaces.map(({ id }) => id)],
  );
  await makeProject(anna, { name: 'Garden' });
  const { spaces, projects } = await agent.call<{ spaces: { members: object[] }[]; projects: object[] }>('overview');
  expect(spaces).toHaveLength(31);
  expect(projects).toHaveLength(2);
  const [, ...shown] = spaces.map((space) => space.members.length);
  expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(1);
  expect(Math.max(...shown)).toBeGreaterThan(0);
});

describe('search and fetch', () => {
  test('find tasks, projects and tags, and show them', async () => {
    const project = await makeProject(anna, { name: 'Garden' });
    const section = await makeSection(anna, project.id, { name: 'Beds' });
    const tag = await makeTag(anna, { name: 'garden' });
    const task = await makeTask(anna, {
      ...{ title: 'dig the garden', description: 'deep', priority: 'high', dueDate: '2030-03-12', color: '#00ff00' },
      ...{ projectId: project.id, projectSectionId: section.id, tags: [tag.id] },
    });
    await makeTask(anna, { title: 'spade', parentId: task.id });
    await makeComment(anna, task.id, { text: 'on Sunday' });
    const { results } = await agent.call<{ results: { id: string }[] }>('search', { query: 'garden' });
    expect(results).toEqual([
      { id: task.id, title: 'dig the garden', url: `${service.url}/tasks/${task.id}` },
      { id: project.id, title: 'Garden', url: `${service.url}/projects/${project.id}` },
      { id: tag.id, title: 'garden', url: `${service.url}/tags/${tag.id}` },
    ]);
    const shown = await agent.call<{ text: string }>('fetch', { id: task.id });
    const isWhole = { isAllDay: true, muted: false, color: '#00ff00', sortKey: expect.any(String), tagIds: [tag.id] };
    expect(shown).toMatchObject({ metadata: isWhole });
    expect(shown).toMatchObject({
      ...{ id: task.id, title: 'dig the garden', url: `${service.url}/tasks/${task.id}` },
      metadata: { projectId: project.id, sectionId: section.id, priority: 'high', dueDate: '2030-03-12' },
    });
    for (const part of ['deep', '- spade', `${anna.email}, 20`, ': on Sunday']) expect(shown.text).toContain(part);
    expect(await agent.call('fetch', { id: project.id })).toMatchObject({
      ...{ title: 'Garden', metadata: { open: 2, spaceId: anna.id } },
    });
    expect(await agent.call('fetch', { id: tag.id })).toMatchObject({
      text: expect.stringContaining('dig the garden'),
    });
    expect(await agent.fault('fetch', { id: section.id })).toMatch(/^NOT_FOUND: /);
    expect(await agent.fault('search', { query: ' ' })).toMatch(/^VALIDATION_FAILED: query must not be blank/);
  });

  test('cut a text that is too long', async () => {
    const task = await makeTask(anna, { description: '"'.repeat(16_384) });
    await makeComment(anna, task.id, { text: '😀'.repeat(5000) });
    const { text } = await agent.call<{ text: string }>('fetch', { id: task.id });
    expect(text).toMatch(/^"+…$/);
    const emoji = await makeTask(anna, { description: '😀'.repeat(16_384) });
    expect((await agent.call<{ text: string }>('fetch', { id: emoji.id })).text).toMatch(/^(😀){4000,}…$/u);
  });

  test('say how many tags they leave out', async () => {
    const { id } = await makeTask(anna, { title: 'tagged' });
    await service.sql(
      `WITH made AS (
         INSERT INTO tags (id, space_id, name, color)
         SELECT 'tag_' || lpad(n::text, 26, '0'), $1, n || repeat('"', 240), 'RED' FROM generate_series(1, 1000) AS n RETURNING id
       ) INSERT INTO task_tags (task_id, tag_id, space_id) SELECT $2, id, $1 FROM made`,
      [anna.id, id],
    );
    const { tasks } = await agent.call<{ tasks: { tags: string[]; moreTags: number }[] }>('list_tasks');
    const [{ tags, moreTags } = { tags: [], moreTags: 0 }] = tasks;
    expect(tags.length).toBeGreaterThan(10);
    expect(tags.length + moreTags).toBe(1000);
    const { metadata } = await agent.call<{ metadata: { tagIds: string[] } }>('fetch', { id });
    expect(metadata).toMatchObject({ tagIds: { length: 100 }, moreTags: 900 });
  });
});

describe('list_tasks', () => {
  test('filters by names and ids, and orders', async () => {
    const boris = await signUp(service);
    const workspace = await makeWorkspace(anna, boris);
    const shop = await makeProject(anna, { name: 'Shop', workspaceId: workspace.id });
    const shelf = await makeSection(anna, shop.id, { name: 'Shelf' });
    const tag = await makeTag(anna, { name: 'heavy' });
    const parent = await makeTask(anna, {
      title: 'b',
      projectId: shop.id,
      projectSectionId: shelf.id,
      priority: 'low',
    });
    await makeTask(anna, { title: 'c', parentId: parent.id, tags: [tag.id], priority: 'high' });
    await complete(await makeTask(anna, { title: 'a', dueDate: '2030-03-20' }));
    await anna.data('mutation ($id: ID!, $who: [ID!]) { updateTask(id: $id, input: { assigneeIds: $who }) { id } }', {
      id: parent.id,
      who: [boris.id],
    });
    expect(await titlesOf({})).toEqual(['b', 'c']);
    expect(await titlesOf({ completed: true })).toEqual(['a']);
    expect(await titlesOf({ project: 'SHOP', order: 'priority' })).toEqual(['c', 'b']);
    expect(await titlesOf({ section: shelf.id })).toEqual(['b', 'c']);
    expect(await titlesOf({ tag: 'Heavy' })).toEqual(['c']);
    expect(await titlesOf({ parentId: parent.id })).toEqual(['c']);
    expect(await titlesOf({ assignee: boris.email })).toEqual(['b']);
    expect(await titlesOf({ assignee: 'me' })).toEqual([]);
    expect(await titlesOf({ priority: 'low' })).toEqual(['b']);
    expect(await titlesOf({ due: 'none' })).toEqual(['b', 'c']);
    expect(await agent.call('list_tasks', { project: 'shop', priority: 'low' })).toEqual({
      tasks: [
        {
          ...{ id: parent.id, title: 'b', project: 'Shop', section: 'Shelf', priority: 'low', completed: false },
          ...{ tags: [], assignees: [boris.email], subtasks: 1, url: `${service.url}/tasks/${parent.id}` },
        },
      ],
      total: 1,
    });
  });

  test('explains wrong arguments', async () => {
    const homes = [await makeProject(anna, { name: 'Home' }), await makeProject(anna, { name: 'Home' })];
    const ambiguous = await agent.fault('list_tasks', { project: 'home' });
    for (const { id } of homes) expect(ambiguous).toContain(`Home (${id})`);
    expect(await agent.fault('list_tasks', { tag: 'x' })).toBe(
      'VALIDATION_FAILED: tag must be the id or name of a tag, and there is none',
    );
    const unknown = await agent.fault('list_tasks', { colour: 'red' });
    expect(unknown).toMatch(/^VALIDATION_FAILED: must not have colour: the arguments are project, section, tag, due/);
    for (const limit of [0, 101, 1.5, '5', null])
      for (const name of ['list_tasks', 'history'])
        expect(await agent.fault(name, { limit })).toMatch(
          /^VALIDATION_FAILED: limit must (be a whole number from 1 to 100|be a number|not be null)$/,
        );
    expect(await agent.fault('list_tasks', { cursor: 'x' })).toMatch(/^VALIDATION_FAILED: cursor must be a cursor /);
    await makeTask(anna);
    await makeTask(anna);
    const { cursor } = await agent.call<{ cursor: string }>('list_tasks', { limit: 1 });
    const { cursor: ofHistory } = await agent.call<{ cursor: string }>('history', { limit: 1 });
    const foreign: [string, object][] = [
      ['list_tasks', { cursor, order: 'due' }],
      ['list_tasks', { cursor: ofHistory }],
      ['history', { cursor }],
    ];
    for (const [name, args] of foreign)
      expect(await agent.fault(name, args)).toMatch(/^VALIDATION_FAILED: cursor must be a cursor of this list/);
  });

  test('ends a page before its size with the longest titles', async () => {
    const titles = Array.from({ length: 30 }, (_each, index) => `${'😀'.repeat(490)} ${index}`);
    for (const title of titles) await makeTask(anna, { title });
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await agent.call<Tasks>('list_tasks', { limit: 100, ...(cursor && { cursor }) });
      expect(page.tasks.length).toBeLessThan(30);
      found.push(...page.tasks.map(({ title }) => title));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(found).toEqual(titles);
  });
});

describe('days', () => {
  const days = ['2030-03-09', '2030-03-10', '2030-03-11', '2030-03-12', '2030-03-13', '2030-03-18', '2030-03-19'];
  const listOf = async (due: string) => (await titlesOf({ due, order: 'due' })).join(' ');
  beforeEach(async () => {
    for (const day of days) await makeTask(anna, { title: day.slice(8), dueDate: day });
  });

  test('are those of Honolulu at 23:30', async () => {
    await live('Pacific/Honolulu');
    expect(await agent.call('overview')).toMatchObject({
      ...{ today: '2030-03-10', timeZone: 'Pacific/Honolulu', counts: { overdue: 1, today: 1 } },
    });
    expect(await listOf('overdue')).toBe('09');
    expect(await listOf('today')).toBe('10');
    expect(await listOf('tomorrow')).toBe('11');
    expect(await listOf('week')).toBe('10 11 12 13');
  });

  test('are those of Kiritimati at 00:30', async () => {
    clock.set(evening + hour);
    await live('Pacific/Kiritimati');
    expect(await agent.call('overview')).toMatchObject({ today: '2030-03-12', counts: { overdue: 3, today: 1 } });
    expect(await listOf('overdue')).toBe('09 10 11');
    expect(await listOf('today')).toBe('12');
    expect(await listOf('week')).toBe('12 13 18');
    const { tasks } = await agent.call<Tasks>('create_tasks', {
      tasks: [
        { title: 'one', dueDate: 'today', dueTime: '08:00' },
        { title: 'two', dueDate: 'tomorrow' },
      ],
    });
    expect(tasks).toMatchObject([
      { dueDate: '2030-03-12', dueTime: '2030-03-11T18:00:00.000Z' },
      { dueDate: '2030-03-13' },
    ]);
  });
});

test('history lists operations, of all spaces or of a task', async () => {
  const task = await makeTask(anna, { title: 'milk' });
  await makeTask(anna, { title: 'bread' });
  await agent.call('update_tasks', { tasks: [{ id: task.id, priority: 'high' }] });
  const { operations, cursor } = await agent.call<{ operations: { summary: string }[]; cursor: string }>('history', {
    limit: 2,
  });
  expect(operations).toMatchObject([
    { actor: anna.email, client: 'script', undoable: true, at: expect.any(String) },
    { actor: anna.email, client: 'node' },
  ]);
  const rest = await agent.call<{ operations: object[] }>('history', { cursor });
  expect(rest.operations).toHaveLength(2);
  expect(await agent.call('history', { taskId: task.id })).toMatchObject({ operations: { length: 2 } });
  expect(await agent.fault('history', { taskId: 'x' })).toMatch(/^NOT_FOUND: /);
});
