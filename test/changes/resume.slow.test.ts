import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { addMember, makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { errorCodesOf, expired } from './doors.ts';
import { Replica } from './replica.ts';
import { cursorOfNow, poll, Stream } from './stream.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const setTitle = (user: User, id: string, title: string) => user.patch(`/api/v2/todo/${id}`, { title });

describe('resuming', () => {
  test('continues after any change, also within a transaction, over either transport', async () => {
    const anna = await signUp(service);
    const start = await cursorOfNow(anna);
    const tasks = await Promise.all([1, 2, 3].map(() => makeTask(anna)));
    await anna.patch(`/api/v2/todo/bulk?todoIds=${tasks.map(({ id }) => id).join()}`, { reminder: true });
    await setTitle(anna, tasks[1]?.id ?? '', 'Last');
    const { nodes: all } = await poll(anna, start);
    expect(all.map(({ kind }) => kind)).toEqual([
      ...['CREATED', 'CREATED', 'CREATED'],
      ...['UPDATED', 'UPDATED', 'UPDATED', 'UPDATED'],
    ]);
    for (const [index, { cursor }] of all.entries()) {
      const rest = all.slice(index + 1).map(({ taskId, cursor: own }) => [taskId, own]);
      const { nodes } = await poll(anna, cursor);
      expect(nodes.map(({ taskId, cursor: own }) => [taskId, own])).toEqual(rest);
      const stream = await Stream.open(service, anna, { after: cursor });
      expect((await stream.takeMany(rest.length)).map(({ taskId, cursor: own }) => [taskId, own])).toEqual(rest);
      stream.close();
    }
  });

  test('pages through the log by any size of page', async () => {
    const anna = await signUp(service);
    const start = await cursorOfNow(anna);
    for (let count = 0; count < 7; count += 1) await makeTask(anna);
    const allChanges = await poll(anna, start, 500);
    expect(allChanges).toMatchObject({ hasNextPage: false });
    for (const size of [1, 2, 3, 7, 8]) {
      const received: string[] = [];
      let page = await poll(anna, start, size);
      for (; ; page = await poll(anna, page.cursor, size)) {
        received.push(...page.nodes.map(({ taskId }) => taskId));
        if (!page.hasNextPage) break;
      }
      expect(received).toEqual(allChanges.nodes.map(({ taskId }) => taskId));
      expect(await poll(anna, page.cursor)).toMatchObject({ nodes: [], hasNextPage: false });
    }
  });

  test('delivers concurrent transactions as a whole if they commit out of order', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const [own, shared] = [await makeTask(anna), await makeTask(anna, { projectId: project.id })];
    const stream = await Stream.open(service, anna);
    const [first, second] = [new pg.Client(service.databaseUrl), new pg.Client(service.databaseUrl)];
    await Promise.all([first.connect(), second.connect()]);
    await first.query('BEGIN');
    await first.query("UPDATE tasks SET title = 'first' WHERE id = $1", [own.id]);
    await second.query('BEGIN');
    await second.query("UPDATE tasks SET title = 'second' WHERE id = $1", [shared.id]);
    await second.query('COMMIT');
    expect(await stream.take()).toMatchObject({ taskId: shared.id, task: { title: 'second' } });
    await first.query("UPDATE tasks SET title = 'first too' WHERE id = $1", [shared.id]);
    await first.query('COMMIT');
    const rest = await stream.takeMany(2);
    expect(new Map(rest.map(({ taskId, task }) => [taskId, task?.title]))).toEqual(
      new Map([
        [own.id, 'first'],
        [shared.id, 'first too'],
      ]),
    );
    await Promise.all([first.end(), second.end()]);
    stream.close();
  });

  test('begins with the changes since the join in a space that was joined in the meantime', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const before = await cursorOfNow(ben);
    const live = await Stream.open(service, ben, { after: before });
    await makeTask(anna, { projectId: project.id });
    await addMember(anna, workspace.id, ben);
    const { id } = await makeTask(anna, { projectId: project.id });
    expect((await poll(ben, before)).nodes.map(({ taskId }) => taskId)).toEqual([id]);
    expect(await live.take()).toMatchObject({ kind: 'CREATED', taskId: id });
    live.close();
  });

  test('starts over if the clock was set back since a space was joined', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const before = await cursorOfNow(ben);
    await addMember(anna, workspace.id, ben);
    await service.sql("UPDATE memberships SET created_at = created_at + interval '1 day' WHERE space_id = $1", [
      workspace.id,
    ]);
    await makeTask(anna, { projectId: project.id });
    expect(await errorCodesOf(service, ben, before)).toEqual(expired);
  });
});

describe('a replica built from the stream alone', () => {
  test('equals the database, however often the stream breaks off while others write', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, ben);
    const shared = await makeProject(anna, { workspaceId: workspace.id });
    const own = await makeProject(anna);
    const tags = [await makeTag(anna), await makeTag(anna)];
    const action = fc.record({
      kind: fc.constantFrom('create', 'title', 'complete', 'tag', 'move', 'bulk', 'delete', 'child'),
      pick: fc.nat(50),
      by: fc.constantFrom('anna', 'ben'),
      breaks: fc.integer({ min: 0, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 30 }), async (actions) => {
        const replicas = [await Replica.open(service, anna), await Replica.open(service, ben)];
        const ids = [(await makeTask(anna)).id, (await makeTask(ben, { projectId: shared.id })).id];
        const writers = actions.map(({ kind, pick, by, breaks }, index) => async () => {
          const user = by === 'anna' ? anna : ben;
          const id = ids[pick % ids.length] ?? '';
          if (breaks === 0) await Promise.all(replicas.map((replica) => replica.reconnect()));
          const place = by === 'anna' && pick % 2 === 0 ? {} : { projectId: shared.id };
          if (kind === 'create') ids.push((await makeTask(user, place)).id);
          else if (kind === 'child') {
            const { body } = await user.post<{ todo?: { id: string } }>('/api/v2/todo', { title: 'c', parentId: id });
            if (body.todo) ids.push(body.todo.id);
          } else if (kind === 'title') await setTitle(user, id, `title ${index}`);
          else if (kind === 'complete') await user.patch(`/api/v2/todo/${id}`, { completed: pick % 3 > 0 });
          else if (kind === 'tag')
            await anna.patch(`/api/v2/todo/${id}`, { tags: tags.slice(pick % 3).map((tag) => tag.id) });
          else if (kind === 'move') {
            await anna.patch(`/api/v2/todo/${id}`, { projectId: [null, shared.id, own.id][pick % 3] ?? null });
          } else if (kind === 'bulk') {
            await user.patch(`/api/v2/todo/bulk?todoIds=${ids.slice(-5).join()}`, { reminder: pick % 2 === 0 });
          } else await user.delete(`/api/v2/todo/${id}`);
        });
        // Three writers at a time make overlapping transactions.
        for (let index = 0; index < writers.length; index += 3)
          await Promise.all(writers.slice(index, index + 3).map((write) => write()));
        for (const replica of replicas) await replica.expectEqual();
      }),
      { numRuns: 3 },
    );
  });
});

test('the size of a page of changes is from 0 to 500', async () => {
  const anna = await signUp(service);
  const requestPage = async (first: number) => {
    const { errors } = await anna.graphql(
      `{ changes(after: "${await cursorOfNow(anna)}", first: ${first}) { cursor } }`,
    );
    return errors?.map(({ extensions }) => extensions.code) ?? [];
  };
  expect(await Promise.all([0, 500].map(requestPage))).toEqual([[], []]);
  expect(await Promise.all([-1, 501].map(requestPage))).toEqual([['VALIDATION_FAILED'], ['VALIDATION_FAILED']]);
});
