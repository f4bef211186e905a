import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pruneStoredResponses } from '../../src/platform/idempotency.ts';
import { newKey, withKey } from '../idempotency/keyed.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';
import { fetchBatch, Replica, SyncStream } from './replica.ts';

let service: Service;
let anna: User;
let ben: User;
let replica: Replica;

beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});
beforeEach(async () => {
  replica = new Replica();
  await replica.pull(anna);
});

const write = (key: string, body: object = { title: 'Keyed' }) =>
  anna.post<{ todo: { id: string } }>('/api/v2/todo', body, withKey(key));

describe('a keyed mutation', () => {
  test('is named once to each replica, in the batch with its effect', async () => {
    const key = newKey();
    const { todo } = (await write(key)).body;
    await write(key);
    const other = new Replica();
    other.cursor = replica.cursor;
    for (const each of [replica, other]) {
      const [batch] = await each.pull(anna);
      expect(batch).toMatchObject({ tasks: [{ id: todo.id }], mutations: [key] });
      expect(await fetchBatch(anna, each.cursor)).toMatchObject({ mutations: [] });
    }
  });

  test('is named if it had no effect, and not if it failed', async () => {
    const [none, failed] = [newKey(), newKey()];
    expect(
      await anna.delete('/api/v2/todo/bulk?todoIds=task_01h455vb4pex5vsknk084sn02q', undefined, withKey(none)),
    ).toMatchObject({ status: 200 });
    expect(await write(failed, { title: '' })).toMatchObject({ status: 400 });
    expect(await fetchBatch(anna, replica.cursor)).toMatchObject({ tasks: [], deleted: [], mutations: [none] });
  });

  test('is named only to its author, whichever client sent it, and not in a first load', async () => {
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const bensReplica = new Replica();
    await bensReplica.pull(ben);
    await replica.pull(anna);
    const key = newKey();
    const { todo } = (await write(key, { title: 'Shared', projectId: project.id })).body;
    expect(await fetchBatch(ben, bensReplica.cursor)).toMatchObject({ tasks: [{ id: todo.id }], mutations: [] });
    expect(await fetchBatch(anna, replica.cursor)).toMatchObject({ tasks: [{ id: todo.id }], mutations: [key] });
    expect(await fetchBatch(anna, null)).toMatchObject({ full: true, mutations: [] });
  });

  test('is not named before its effect, however small the batches are', async () => {
    const workspace = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    await replica.pull(anna);
    const keys: string[] = [];
    for (const projectId of [project.id, null, project.id]) {
      await makeTask(anna, { projectId: project.id });
      keys.push(newKey());
      await write(keys.at(-1) ?? '', { title: `Task ${keys.length}`, projectId });
    }
    const namedKeys: string[] = [];
    for (;;) {
      const batch = await fetchBatch(anna, replica.cursor, 1);
      replica.apply(batch);
      for (const key of batch.mutations) {
        const title = `Task ${keys.indexOf(key) + 1}`;
        expect(replica.entities.tasks).toContainEqual(expect.objectContaining({ title }));
      }
      namedKeys.push(...batch.mutations);
      if (!batch.hasMore) break;
    }
    expect(namedKeys).toEqual(keys);
  });

  test('is named when the replica has to start over', async () => {
    const workspace = await makeWorkspace(ben, anna);
    const project = await makeProject(ben, { workspaceId: workspace.id });
    await replica.pull(anna);
    await makeTask(ben, { projectId: project.id });
    await makeTask(ben, { projectId: project.id });
    const key = newKey();
    const { todo } = (await write(key)).body;
    replica.apply(await fetchBatch(anna, replica.cursor, 1));
    await anna.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspace.id });
    const batches = await replica.pull(anna, 2);
    expect(batches[0]).toMatchObject({ full: true, mutations: [] });
    expect(batches.flatMap(({ mutations }) => mutations)).toEqual([key]);
    expect(replica.entities.tasks.map(({ id }) => id)).toContain(todo.id);
    expect(replica.entities.workspaces.map(({ id }) => id)).not.toContain(workspace.id);
  });

  test('is named as long as the log is kept, and its response is kept for a day', async () => {
    const key = newKey();
    await write(key);
    const pruneAfter = async (age: string) => {
      await service.sql(`UPDATE idempotency_keys SET created_at = statement_timestamp() - interval '${age}'`);
      return pruneStoredResponses(service.services.connections, 7);
    };
    expect(await pruneAfter('25 hours')).toBe(0);
    expect(await service.sql("SELECT FROM idempotency_keys WHERE body <> ''")).toEqual([]);
    // The log keeps a change for up to half of its retention longer, and until the next pruning.
    expect(await pruneAfter('11 days')).toBe(0);
    expect(await fetchBatch(anna, replica.cursor)).toMatchObject({ mutations: [key] });
  });

  test('has its response deleted with many others by pages, each with one statement', async () => {
    const key = newKey();
    await write(key);
    await service.sql(
      `INSERT INTO idempotency_keys (user_id, key, fingerprint, body, revision)
       SELECT user_id, 'many' || n, fingerprint, body, -n
       FROM idempotency_keys CROSS JOIN generate_series(1, 1500) AS n WHERE key = $1`,
      [key],
    );
    await service.sql("UPDATE idempotency_keys SET created_at = created_at - interval '25 hours' WHERE body <> ''");
    const { statements } = await recordStatements(() => pruneStoredResponses(service.services.connections, 7));
    expect(statements.filter(({ name }) => name === 'forgetResponses')).toHaveLength(2);
    expect(await service.sql("SELECT FROM idempotency_keys WHERE body <> ''")).toEqual([]);
  });

  test('is named live', async () => {
    const stream = await SyncStream.open(service, anna, replica.cursor);
    const key = newKey();
    const { todo } = (await write(key)).body;
    const [batch] = await stream.feed(replica, ({ tasks }) => tasks.some(({ id }) => id === todo.id));
    expect(batch?.mutations).toEqual([key]);
    stream.close();
  });
});
