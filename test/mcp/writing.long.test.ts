import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Agent, countOperations, type Task, type Tasks, titlesOf } from './agent.ts';

let service: Service;
let anna: User;
let agent: Agent;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
  agent = await Agent.of(service, anna);
});

describe('create_tasks', () => {
  test('creates tasks with everything that they can have, as one operation', async () => {
    const project = await makeProject(anna, { name: 'Garden' });
    const section = await makeSection(anna, project.id, { name: 'Beds' });
    const tag = await makeTag(anna, { name: 'Heavy' });
    const before = await countOperations(anna);
    const { tasks, operationId } = await agent.call<Tasks>('create_tasks', {
      tasks: [
        {
          ...{ title: 'dig', description: 'deep', project: 'garden', section: 'BEDS', tags: ['heavy'] },
          ...{ assignees: ['me'], priority: 'high', dueDate: '2030-05-01', dueTime: '18:30' },
          ...{ repeat: 'FREQ=WEEKLY', reminder: true, subtasks: ['spade', 'boots'] },
        },
        { title: 'milk' },
      ],
    });
    expect(tasks).toMatchObject([
      {
        ...{ title: 'dig', project: 'Garden', section: 'Beds', tags: ['Heavy'], priority: 'high', subtasks: 2 },
        ...{ dueDate: '2030-05-01', dueTime: '2030-05-01T18:30:00.000Z', completed: false, assignees: [anna.email] },
        repeats: expect.stringContaining('week'),
      },
      { title: 'milk', project: 'Inbox', subtasks: 0 },
    ]);
    expect(await countOperations(anna)).toBe(before + 1);
    expect(await titlesOf(agent)).toEqual(['boots', 'dig', 'milk', 'spade']);
    const { metadata } = await agent.call<{ metadata: object }>('fetch', { id: tasks[0]?.id });
    expect(metadata).toMatchObject({ projectId: project.id, sectionId: section.id, tagIds: [tag.id], reminder: true });
    await agent.call('undo', { operationIds: [operationId] });
    expect(await titlesOf(agent)).toEqual([]);
  });

  test('names the task with the fault and the candidates, and creates none', async () => {
    const project = await makeProject(anna, { name: 'Garden' });
    const tasks = Array.from({ length: 10 }, (_each, index) => ({
      title: `task ${index}`,
      project: index === 6 ? 'Gardn' : 'Garden',
    }));
    const fault = await agent.fault('create_tasks', { tasks });
    expect(fault).toMatch(/^VALIDATION_FAILED: tasks\[6\]\.project /);
    expect(fault).toContain(`Garden (${project.id})`);
    expect(await titlesOf(agent)).toEqual([]);
  });

  test('names the task that a rule of the service refuses, and creates none', async () => {
    const fault = await agent.fault('create_tasks', { tasks: [{ title: 'one' }, { title: ' ' }] });
    expect(fault).toMatch(/^VALIDATION_FAILED: tasks\[1\]\.title must be 1 to 500 characters long/);
    const rule = await agent.fault('create_tasks', { tasks: [{ title: 'one' }, { title: 'two', repeat: 'NEVER' }] });
    expect(rule).toMatch(/^VALIDATION_FAILED: tasks\[1\]\.repeat/);
    expect(await titlesOf(agent)).toEqual([]);
  });

  test('refuses a name of two projects with both ids', async () => {
    const homes = [await makeProject(anna, { name: 'Home' }), await makeProject(anna, { name: 'home' })];
    const fault = await agent.fault('create_tasks', { tasks: [{ title: 'paint', project: 'HOME' }] });
    for (const { id } of homes) expect(fault).toContain(id);
    const byId = { tasks: [{ title: 'paint', project: homes[1]?.id }] };
    expect(await agent.call('create_tasks', byId)).toMatchObject({ tasks: [{ project: 'home' }] });
  });

  test('repeats nothing under the same key', async () => {
    const call = { tasks: [{ title: 'milk' }], key: 'shopping' };
    const first = await agent.call('create_tasks', call);
    expect(await agent.call('create_tasks', call)).toEqual(first);
    expect(await titlesOf(agent)).toEqual(['milk']);
    const other = await agent.fault('create_tasks', { tasks: [{ title: 'bread' }], key: 'shopping' });
    expect(other).toMatch(/^IDEMPOTENCY_KEY_REUSED: /);
  });

  test('writes for an account whose names take more than a response may', async () => {
    await service.sql(
      `INSERT INTO tags (id, space_id, name, color)
       SELECT 'tag_' || lpad(n::text, 26, '0'), $1, rpad('tag ' || n, 255, 'x'), 'RED' FROM generate_series(1, 4000) AS n`,
      [anna.id],
    );
    const tag = await makeTag(anna, { name: 'heavy' });
    const call = { tasks: [{ title: 'milk', tags: ['heavy'] }], key: 'once' };
    expect(await agent.call('create_tasks', call)).toMatchObject({ tasks: [{ title: 'milk', tags: [tag.name] }] });
  });

  test('names its key to replicas, and no other', async () => {
    const syncFrom = (cursor?: string) =>
      anna.data<{ sync: { cursor: string; mutations: string[] } }>(
        'query ($after: String) { sync(after: $after, first: 5000) { cursor mutations } }',
        { after: cursor },
      );
    const { sync: start } = await syncFrom();
    await agent.call('create_tasks', { tasks: [{ title: 'milk' }] });
    await agent.call('create_tasks', { tasks: [{ title: 'bread' }], key: 'own' });
    const { sync } = await syncFrom(start.cursor);
    expect(sync.mutations).toEqual(['own']);
    expect(await service.sql('SELECT key FROM idempotency_keys WHERE user_id = $1', [anna.id])).toEqual([
      { key: 'own' },
    ]);
  });

  test('assigns members of the task’s space only', async () => {
    const [boris, eve] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, boris);
    await makeWorkspace(anna, eve);
    const project = await makeProject(anna, { name: 'Shop', workspaceId: workspace.id });
    const assigned = { tasks: [{ title: 'sell', project: 'Shop', assignees: [boris.email.toUpperCase()] }] };
    expect(await agent.call('create_tasks', assigned)).toMatchObject({ tasks: [{ assignees: [boris.email] }] });
    const fault = await agent.fault('create_tasks', {
      tasks: [{ title: 'sell', project: project.id, assignees: [eve.email] }],
    });
    expect(fault).toMatch(/^VALIDATION_FAILED: tasks\[0\]\.assignees\[0\] must be the id or name of a member/);
    expect(fault).toContain(boris.id);
  });

  test('takes fifty tasks with the longest titles, whose result still fits', async () => {
    const tasks = Array.from({ length: 50 }, () => ({ title: '😀'.repeat(500) }));
    const created = await agent.call<Tasks>('create_tasks', { tasks });
    expect(created.tasks).toHaveLength(50);
    expect(await agent.fault('create_tasks', { tasks: [...tasks, { title: 'more' }] })).toBe(
      'VALIDATION_FAILED: tasks must have 50 or fewer entries',
    );
  });

  test('says what a list and a priority must be', async () => {
    expect(await agent.fault('create_tasks', { tasks: [] })).toBe(
      'VALIDATION_FAILED: tasks must have 1 or more entries',
    );
    expect(await agent.fault('create_tasks', { tasks: [{ title: 'milk', priority: 'HIGH' }] })).toBe(
      'VALIDATION_FAILED: tasks[0].priority must be one of high, medium, low, an empty text',
    );
  });
});

describe('update_tasks', () => {
  test('changes, moves, completes and clears', async () => {
    const project = await makeProject(anna, { name: 'Garden' });
    const [one, two, three] = [
      await makeTask(anna, { title: 'one', description: 'long', priority: 'high', dueDate: '2030-01-01' }),
      await makeTask(anna, { title: 'two' }),
      await makeTask(anna, { title: 'three' }),
    ];
    const { tasks } = await agent.call<Tasks>('update_tasks', {
      tasks: [
        { id: one.id, description: '', priority: '', dueDate: '', project: 'Garden' },
        { id: two.id, completed: true, title: 'done' },
        { id: three.id, before: two.id },
      ],
    });
    expect(tasks.map(({ title }) => title)).toEqual(['one', 'done', 'three']);
    expect(tasks[0]).toMatchObject({ project: project.name });
    expect(tasks[0]).not.toHaveProperty('dueDate');
    expect(tasks[0]).not.toHaveProperty('priority');
    const text = await agent.call<{ text: string }>('fetch', { id: one.id });
    expect(text.text).toBe('');
    const inbox = await anna.data<{ inbox: { tasks: { nodes: { id: string }[] } } }>(
      '{ inbox { tasks { nodes { id } } } }',
    );
    expect(inbox.inbox.tasks.nodes.map(({ id }) => id)).toEqual([three.id, two.id]);
  });

  test('changes a task and its place in one entry, and shows each task once', async () => {
    const [one, two] = [await makeTask(anna, { title: 'one' }), await makeTask(anna, { title: 'two' })];
    const { tasks } = await agent.call<Tasks>('update_tasks', {
      tasks: [
        { id: one.id, title: 'last', after: two.id },
        { id: two.id, dueDate: '2030-01-01', dueTime: '10:00:30' },
        { id: one.id, priority: 'low' },
      ],
    });
    expect(tasks).toMatchObject([
      { id: one.id, title: 'last', priority: 'low' },
      { id: two.id, dueTime: '2030-01-01T10:00:30.000Z' },
    ]);
    const listed = await agent.call<Tasks>('list_tasks');
    expect(listed.tasks.map(({ title }) => title)).toEqual(['two', 'last']);
  });

  test('continues in a later entry for a task from what an earlier one has changed', async () => {
    const garden = await makeProject(anna, { name: 'Garden' });
    await makeSection(anna, garden.id, { name: 'Beds' });
    const { id } = await makeTask(anna);
    const entries = [
      { dueDate: '2030-01-01', dueTime: '10:00' },
      { dueDate: '2030-01-02' },
      { project: 'Garden' },
      { section: 'Beds' },
    ];
    const tasks = entries.map((entry) => ({ id, ...entry }));
    expect(await agent.call('update_tasks', { tasks })).toMatchObject({
      tasks: [{ dueDate: '2030-01-02', dueTime: '2030-01-02T10:00:00.000Z', project: 'Garden', section: 'Beds' }],
    });
  });

  test('is all or nothing', async () => {
    const task = await makeTask(anna, { title: 'one' });
    const tasks = [
      { id: task.id, title: 'two' },
      { id: 'task_00000000000000000000000000', title: 'three' },
    ];
    expect(await agent.fault('update_tasks', { tasks })).toMatch(/^VALIDATION_FAILED: tasks\[1\]\.id /);
    expect(await agent.fault('update_tasks', { tasks: [{ id: task.id }] })).toMatch(/^VALIDATION_FAILED: tasks\[0\] /);
    const unknown = await agent.fault('update_tasks', { tasks: [{ id: task.id, name: 'x' }] });
    expect(unknown).toMatch(/tasks\[0\] must not have name: the arguments are id, title, description/);
    expect(await titlesOf(agent)).toEqual(['one']);
  });
});

describe('comment, delete, organize', () => {
  test('comment', async () => {
    const task = await makeTask(anna);
    const said = await agent.call('comment', { taskId: task.id, text: 'soon' });
    expect(said).toMatchObject({ taskId: task.id, operationId: expect.stringMatching(/^op_/) });
    expect(await agent.call('fetch', { id: task.id })).toMatchObject({ text: expect.stringContaining(': soon') });
    const unknown = await agent.fault('comment', { taskId: 'task_00000000000000000000000000', text: 'x' });
    expect(unknown).toMatch(/^NOT_FOUND: .*; overview, search and list_tasks have the ids/);
  });

  test('delete takes all kinds, and undo brings them back', async () => {
    const project = await makeProject(anna, { name: 'Garden' });
    const section = await makeSection(anna, (await makeProject(anna)).id);
    const tag = await makeTag(anna, { name: 'heavy' });
    const parent = await makeTask(anna, { title: 'parent' });
    const child = await makeTask(anna, { title: 'child', parentId: parent.id });
    await makeTask(anna, { title: 'inside', projectId: project.id });
    const ids = [project.id, section.id, tag.id, parent.id, child.id];
    const { deleted, operationId } = await agent.call<{ deleted: string[]; operationId: string }>('delete', { ids });
    expect(deleted).toEqual(ids);
    expect(await titlesOf(agent)).toEqual([]);
    expect(await agent.fault('delete', { ids: [tag.id] })).toMatch(/^VALIDATION_FAILED: ids\[0\] /);
    expect(await agent.fault('delete', { ids: [project.id] })).toMatch(/^NOT_FOUND: ids\[0\]: /);
    expect(await agent.fault('delete', { ids: [anna.id] })).toMatch(/^VALIDATION_FAILED: ids\[0\] /);
    await agent.call('undo', { operationIds: [operationId] });
    expect(await titlesOf(agent)).toEqual(['child', 'inside', 'parent']);
  });

  test('delete is all or nothing', async () => {
    const [task, tag] = [await makeTask(anna, { title: 'milk' }), await makeTag(anna)];
    await agent.call('delete', { ids: [tag.id] });
    await agent.fault('delete', { ids: [task.id, tag.id] });
    expect(await titlesOf(agent)).toEqual(['milk']);
  });

  test('organize creates and changes', async () => {
    const workspace = await makeWorkspace(anna);
    const made = await agent.call<Task>('organize', { type: 'project', name: 'Garden', workspaceId: workspace.id });
    expect(made).toMatchObject({ name: 'Garden', operationId: expect.any(String) });
    const beds = await agent.call<Task>('organize', { type: 'section', name: 'Beds', project: 'garden' });
    expect(await agent.call('organize', { type: 'section', id: beds.id, name: 'Flowers' })).toMatchObject({
      name: 'Flowers',
    });
    const tag = await agent.call<Task>('organize', { type: 'tag', name: 'heavy', color: 'red' });
    expect(await agent.call('organize', { type: 'tag', id: tag.id, color: 'blue' })).toMatchObject({ id: tag.id });
    expect(await agent.call('organize', { type: 'project', name: 'Own', workspaceId: anna.id })).toMatchObject({
      name: 'Own',
    });
    expect(await agent.call('overview')).toMatchObject({
      projects: expect.arrayContaining([
        expect.objectContaining({ id: made.id, spaceId: workspace.id, sections: [{ id: beds.id, name: 'Flowers' }] }),
      ]),
    });
    const wrong: [object, string][] = [
      [{ type: 'project' }, 'name is required and must be a string'],
      [{ type: 'section', name: 'x' }, 'project is required and must be a string'],
      [{ type: 'tag', name: 'x', project: 'garden' }, 'must not have project: the arguments are name, color'],
      [{ type: 'project', id: made.id, workspaceId: anna.id }, 'must not have workspaceId: the arguments are name'],
      [{ type: 'section', name: 'x', project: 'x' }, 'project must be the id or name of a project: '],
    ];
    for (const [args, fault] of wrong)
      expect(await agent.fault('organize', args)).toContain(`VALIDATION_FAILED: ${fault}`);
    const unchanged: [string, string][] = [
      [made.id, 'name must be given'],
      [beds.id, 'name or project must be given'],
      [tag.id, 'name or color must be given'],
    ];
    for (const [index, [id, fault]] of unchanged.entries())
      expect(await agent.fault('organize', { type: ['project', 'section', 'tag'][index], id })).toBe(
        `VALIDATION_FAILED: ${fault}`,
      );
  });
});
