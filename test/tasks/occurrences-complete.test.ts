import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { isReplayed, withKey, newKey } from '../idempotency/keyed.ts';
import type { Answer } from '../kit/client.ts';
import { addMember, makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import * as repeating from './repeating.ts';

const { makeRepeating, complete, occurrencesOf, openOccurrence, nextIdOf } = repeating;

let service: Service;
let anna: User;
let bob: User;
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  [anna, bob] = [await signUp(service), await signUp(service)];
  await anna.patch('/api/v1/user/user-preferences', { timeZone: 'Europe/Berlin' });
  await bob.patch('/api/v1/user/user-preferences', { timeZone: 'America/Los_Angeles' });
});

const ticked = 'completed: true';
const ways: Record<string, (id: string) => Promise<Answer<unknown>>> = {
  PATCH: (id) => anna.patch(`/api/v2/todo/${id}`, { completed: true }),
  'PATCH of many': (id) => anna.patch(`/api/v2/todo/bulk?todoIds=${id}`, { completed: true }),
  updateTask: (id) =>
    anna.post('/graphql', { query: `mutation { updateTask(id: "${id}", input: { ${ticked} }) { id } }` }),
  updateTasks: (id) =>
    anna.post('/graphql', { query: `mutation { updateTasks(ids: ["${id}"], input: { ${ticked} }) { count } }` }),
  'a document with several mutations': (id) =>
    anna.post('/graphql', {
      query: `mutation {
        a: updateTask(id: "${id}", input: { ${ticked} }) { id }
        b: updateTasks(ids: ["${id}"], input: { ${ticked} }) { count }
      }`,
    }),
  'a document under a key': (id) =>
    anna.post(
      '/graphql',
      {
        query: `mutation {
          a: updateTasks(ids: ["${id}"], input: { ${ticked} }) { count }
          b: updateTask(id: "${id}", input: { ${ticked} }) { id }
        }`,
      },
      withKey(newKey()),
    ),
  'PATCH with a tag': async (id) =>
    anna.patch(`/api/v2/todo/${id}`, { completed: true, tags: [(await makeTag(anna)).id] }),
  'a token': async (id) => (await makeProgram(service, anna)).patch(`/api/v2/todo/${id}`, { completed: true }),
};

describe('completing an occurrence', () => {
  test.each(Object.entries(ways))('by %s makes the next one', async (_name, way) => {
    const task = await makeRepeating(anna);
    const { status, body } = await way(task.id);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: expect.not.objectContaining({ errors: expect.anything() }),
    });
    const [done, next, ...others] = await occurrencesOf(anna, task);
    expect(others).toEqual([]);
    expect(done).toMatchObject({ id: task.id, completed: true, dueDate: '2040-01-01', recurrence: task.recurrence });
    expect(next).toMatchObject({
      id: nextIdOf(task.id),
      title: task.title,
      completed: false,
      completedAt: null,
      createdAt: done?.completedAt,
      updatedAt: done?.completedAt,
      dueDate: '2040-01-02',
      recurrence: { ...task.recurrence, date: '2040-01-02', number: 2 },
    });
  });

  test('counts only the listed tasks of a bulk request', async () => {
    const [task, plain] = [await makeRepeating(anna), await makeTask(anna)];
    await makeTask(anna, { parentId: task.id });
    const { body } = await anna.patch(`/api/v2/todo/bulk?todoIds=${task.id},${plain.id}`, { completed: true });
    expect(body).toMatchObject({ todos: 2 });
  });

  test('by a request that is sent again under its key makes one', async () => {
    const task = await makeRepeating(anna);
    const send = (key: string) => anna.patch(`/api/v2/todo/${task.id}`, { completed: true }, withKey(key));
    const key = newKey();
    const answers = [await send(key), await send(key), await send(newKey())];
    expect(answers.map(isReplayed)).toEqual([false, true, false]);
    expect(await occurrencesOf(anna, task)).toHaveLength(2);
  });

  test('is refused to a token that only reads', async () => {
    const task = await makeRepeating(anna);
    const reader = await makeProgram(service, anna, { scopes: ['READ'] });
    expect(await reader.patch(`/api/v2/todo/${task.id}`, { completed: true })).toMatchObject({ status: 403 });
    expect((await repeating.trySkip(reader, task.id)).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect(await occurrencesOf(anna, task)).toEqual([task]);
  });

  test('that is completed already makes none, and opening an open one changes nothing', async () => {
    const task = await makeRepeating(anna);
    await repeating.open(anna, task.id);
    await complete(anna, task.id);
    await complete(anna, task.id, { title: 'Done' });
    expect(await repeating.updateMany(anna, [task.id, task.id], { completed: true })).toBe(1);
    expect(await occurrencesOf(anna, task)).toMatchObject([{ title: 'Done' }, { id: nextIdOf(task.id) }]);
    expect(await occurrencesOf(anna, task)).toHaveLength(2);
  });

  test('applies the other fields of the request first', async () => {
    const task = await makeRepeating(anna);
    const [project, tag] = [await makeProject(anna), await makeTag(anna)];
    const done = await complete(anna, task.id, {
      title: 'New',
      priority: 'HIGH',
      projectId: project.id,
      tagIds: [tag.id],
      dueDate: '2040-05-05',
    });
    expect(done).toMatchObject({ title: 'New', dueDate: '2040-05-05', completed: true });
    const next = { title: 'New', dueDate: '2040-01-02', tags: [{ id: tag.id }] };
    expect(await repeating.siblings(anna, { projectId: project.id })).toMatchObject([{ id: task.id }, next]);
  });

  test.each<[string, object, object[]]>([
    ['a new rule', { recurrence: { rule: 'FREQ=WEEKLY' } }, [{ date: '2040-01-01' }, { date: '2040-01-08' }]],
    [
      'a new rule from a new date',
      { dueDate: '2040-03-01', recurrence: { rule: 'FREQ=WEEKLY' } },
      [
        { date: '2040-03-01', number: 1 },
        { date: '2040-03-08', number: 2 },
      ],
    ],
  ])('with %s makes the next one by it', async (_name, input, recurrences) => {
    const task = await makeRepeating(anna);
    await complete(anna, task.id, input);
    const found = await occurrencesOf(anna, task);
    expect(found.map(({ recurrence }) => recurrence)).toMatchObject(recurrences);
  });

  test('with the first rule of a task makes the next one', async () => {
    const { id } = await makeTask(anna, { dueDate: '2040-01-01' });
    const done = await complete(anna, id, { recurrence: { rule: 'FREQ=DAILY' } });
    expect(done).toMatchObject({ id, completed: true, recurrence: { number: 1 } });
    expect(await openOccurrence(anna, done)).toMatchObject({ id: nextIdOf(id), dueDate: '2040-01-02' });
  });

  test('with an end of the series makes none', async () => {
    const task = await makeRepeating(anna);
    expect(await complete(anna, task.id, { recurrence: null })).toMatchObject({ completed: true, recurrence: null });
    expect(await occurrencesOf(anna, task)).toEqual([]);
    expect(await repeating.reload(anna, nextIdOf(task.id))).toBeNull();
  });

  test('ends the series after the last date, of COUNT and of UNTIL', async () => {
    for (const rule of ['FREQ=DAILY;COUNT=3', 'FREQ=DAILY;UNTIL=20400103']) {
      const task = await makeRepeating(anna, { rule });
      await makeTask(anna, { parentId: task.id });
      for (let id = task.id, count = 0; count < 3; count += 1, id = nextIdOf(id)) await complete(anna, id);
      const found = await occurrencesOf(anna, task);
      expect(found.map(({ completed, recurrence }) => [completed, recurrence?.number])).toEqual([
        [true, 1],
        [true, 2],
        [true, 3],
      ]);
      const [last] = await repeating.siblings(anna, { parentId: found[2]?.id ?? '' });
      expect(last).toMatchObject({ completed: true, completedAt: found[2]?.completedAt });
    }
  });

  test('is one operation with an update and a creation', async () => {
    const task = await makeRepeating(anna);
    const { changes } = await anna.data<{ changes: { cursor: string } }>('{ changes { cursor } }');
    const { headers } = await anna.patch(`/api/v2/todo/${task.id}`, { completed: true });
    const path = `/api/v2/changes?after=${encodeURIComponent(changes.cursor)}`;
    const found = await anna.get<{ changes: { kind: string; taskId: string; operationId: string }[] }>(path);
    const operationId = headers.get('x-operation-id');
    expect(found.body.changes).toMatchObject([
      { kind: 'updated', taskId: task.id, operationId, changedFields: ['completed', 'completedAt'] },
      { kind: 'created', taskId: nextIdOf(task.id), operationId, changedFields: [] },
    ]);
  });

  test('of another member copies the tags of each, in the zone of the series', async () => {
    const workspace = await makeWorkspace(anna, bob);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const fields = { projectId: project.id, dueTime: '2030-03-30T08:00:00Z', isAllDay: false };
    const task = await makeRepeating(anna, {}, fields);
    const tags = [await makeTag(anna), await makeTag(bob)] as const;
    await repeating.update(anna, task.id, { tagIds: [tags[0].id] });
    await repeating.update(bob, task.id, { tagIds: [tags[1].id] });
    await complete(bob, task.id);
    for (const [index, user] of [anna, bob].entries()) {
      expect(await openOccurrence(user, task)).toMatchObject({
        dueDate: '2030-03-31',
        dueTime: '2030-03-31T07:00:00.000Z',
        tags: [{ id: tags[index]?.id }],
        recurrence: { time: '09:00', timeZone: 'Europe/Berlin' },
      });
    }
  });

  test('keeps the next one muted for those who muted it', async () => {
    const workspace = await makeWorkspace(anna, bob);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeRepeating(anna, {}, { projectId: project.id });
    await bob.put(`/api/v2/todo/${task.id}/muted`, { muted: true });
    await complete(anna, task.id);
    const query = `{ task(id: "${nextIdOf(task.id)}") { muted } }`;
    expect([await bob.data(query), await anna.data(query)]).toEqual([
      { task: { muted: true } },
      { task: { muted: false } },
    ]);
  });

  test('needs access, and a series of other spaces is not shown', async () => {
    const task = await makeRepeating(anna);
    expect((await repeating.tryUpdate(bob, task.id, { completed: true })).errors).toMatchObject([
      { extensions: { code: 'NOT_FOUND' } },
    ]);
    expect(await repeating.trySkip(bob, task.id)).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    expect(await repeating.updateMany(bob, [task.id], { completed: true })).toBe(0);
    expect(await occurrencesOf(bob, task)).toEqual([]);
    expect(await occurrencesOf(anna, task)).toEqual([task]);
  });

  test('without a date in its due fields goes on by the series', async () => {
    const task = await makeRepeating(anna, {}, { dueTime: '2040-01-01T08:00:00Z', isAllDay: false });
    await repeating.update(anna, task.id, { dueDate: null, dueTime: null, isAllDay: true });
    await complete(anna, task.id);
    expect(await openOccurrence(anna, task)).toMatchObject({
      dueDate: '2040-01-02',
      dueTime: '2040-01-02T08:00:00.000Z',
      isAllDay: false,
    });
  });

  test('of a member who has left is not possible, and their tags are gone from the next one', async () => {
    const workspace = await makeWorkspace(anna);
    await addMember(anna, workspace.id, bob);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeRepeating(anna, {}, { projectId: project.id, dueDate: '2040-01-01' });
    await repeating.update(bob, task.id, { tagIds: [(await makeTag(bob)).id] });
    await bob.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspace.id });
    expect(await repeating.updateMany(bob, [task.id], { completed: true })).toBe(0);
    await complete(anna, task.id);
    expect(await service.sql('SELECT FROM task_tags WHERE task_id = $1', [nextIdOf(task.id)])).toEqual([]);
  });
});

describe('filters of tasks', () => {
  test('repeating and seriesId', async () => {
    const [task, plain, other] = [await makeRepeating(anna), await makeTask(anna), await makeRepeating(anna)];
    await complete(anna, task.id);
    const ids = async (filter: string) => {
      const { tasks } = await anna.data<{ tasks: { nodes: { id: string }[]; totalCount: number } }>(
        `{ tasks(filter: { ${filter} }, orderBy: CREATED_AT, direction: ASC) { nodes { id } totalCount } }`,
      );
      expect(tasks.totalCount).toBe(tasks.nodes.length);
      return tasks.nodes.map(({ id }) => id);
    };
    const next = nextIdOf(task.id);
    expect(await ids('repeating: true')).toEqual([task.id, other.id, next]);
    expect(await ids('repeating: true, completed: false')).toEqual([other.id, next]);
    expect(await ids('repeating: false')).toEqual([plain.id]);
    expect(await ids(`seriesId: "${task.recurrence?.seriesId}"`)).toEqual([task.id, next]);
    expect(await ids(`seriesId: "${task.recurrence?.seriesId}", completed: true`)).toEqual([task.id]);
    for (const bad of ['seriesId: "seri_x"', `seriesId: "${task.id}"`]) {
      expect(await ids(bad)).toEqual([]);
    }
  });
});
