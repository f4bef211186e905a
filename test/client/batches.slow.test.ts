import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createReplica, memoryStorage, pending, type Replica, tasks } from 'taskgate-client';
import { keysOf } from '../idempotency/keyed.ts';
import { openLockHolder } from '../kit/locks.ts';
import { type Service, startService } from '../kit/service.ts';
import { withTimeout } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { contentOf } from './content.ts';
import { clientAs, contentOfService, untilLive, untilShown } from './kit.ts';
import { Network } from './network.ts';

describe('mutations that were made offline', () => {
  let service: Service;
  let user: User;
  let network: Network;
  let replica: Replica;

  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    user = await signUp(service);
    network = new Network(user);
    const client = clientAs(service, user, { fetch: network.fetch, webSocket: null });
    replica = await createReplica({ client, storage: memoryStorage() });
    await untilLive(replica);
    network.isCut = true;
  });
  afterEach(() => replica.close());
  afterAll(() => service.close());

  test('are sent in order, 50 in a request, each once even if a response is lost', async () => {
    const { id = '' } = replica.mutate('createTask', { input: { title: '0' } });
    for (let edit = 1; edit < 300; edit += 1) replica.mutate('updateTask', { id, input: { title: `${edit}` } });
    network.beforeResponse = () => {
      if (network.requests.length === 3) throw new TypeError('fetch failed');
    };
    network.isCut = false;
    replica.reconnect();
    await untilShown(replica, pending, ({ length }) => length === 0);
    expect(network.requests.length).toBeLessThanOrEqual(300 / 50 + 2);
    const keys = new Set(network.sent.map(({ key }) => key));
    expect(keys.size).toBe(300);
    expect(await keysOf(service, user)).toEqual([...keys].sort());
    expect(replica.read(tasks.byId(id))?.title).toBe('299');
    expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, user)));
  });

  test('continue after a refused one, and wait in order behind one that is retried', async () => {
    const titles = ['one', '', 'two', 'three'];
    const handles = titles.map((title) => replica.mutate('createTask', { input: { title } }));
    const keys = handles.map(({ key }) => key);
    const other = await openLockHolder(service);
    await other.sql('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [`${user.id} ${keys[2]}`]);
    network.beforeResponse = () => other.release();
    network.isCut = false;
    replica.reconnect();
    const outcomes = await withTimeout(
      'the mutations to be settled',
      Promise.all(handles.map(({ settled }) => settled)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['confirmed', 'refused', 'confirmed', 'confirmed']);
    expect(network.sent.map(({ key }) => key)).toEqual([...keys, ...keys.slice(2)]);
    expect(replica.read(tasks.all()).map(({ title }) => title)).toEqual(['one', 'two', 'three']);
  });
});
