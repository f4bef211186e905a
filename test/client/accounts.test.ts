import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createReplica,
  memoryStorage,
  pending,
  problem,
  refused,
  type Replica,
  type ReplicaOptions,
  status,
  tasks,
} from 'taskgate-client';
import type { Client } from '../../client/src/client.ts';
import { Sender } from '../../client/src/replica/sender.ts';
import type { OutboxEntry } from '../../client/src/replica/outbox.ts';
import { titlesOf } from '../idempotency/keyed.ts';
import { makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { clientAs, fetchAs, untilLive, untilShown, webSocketAs } from './kit.ts';

const create = 'mutation { createTask(input: { title: "milk" }) { id } }';
const syncStream = 'subscription { sync { user { id } } }';
const unauthenticated = { code: 'UNAUTHENTICATED' };

let service: Service;
let [anna, bert] = [] as unknown as [User, User];
beforeAll(async () => {
  service = await sharedService();
});

describe('a client that names an account', () => {
  beforeAll(async () => {
    [anna, bert] = [await signUp(service), await signUp(service)];
  });

  test.each([
    ['of the client', { account: true }],
    ['of a request', { account: false }],
  ])('does nothing with the session of another account: account %s', async (_name, { account }) => {
    const options = account ? {} : { account: anna.id };
    for (const webSocket of [null, webSocketAs(bert)]) {
      const client = clientAs(service, bert, { webSocket, ...(account && { account: anna.id }) });
      await expect(client.graphql(create, {}, options)).rejects.toMatchObject(unauthenticated);
      await expect(client.batch([{ document: create }], options)).rejects.toMatchObject(unauthenticated);
      await expect(client.rest.createTask({ body: { title: 'milk' }, ...options })).rejects.toMatchObject(
        unauthenticated,
      );
      await expect(client.subscribe(syncStream, {}, options).next()).rejects.toMatchObject(unauthenticated);
      client.close();
    }
    expect(await titlesOf(service, bert)).toEqual([]);
  });

  test('works with the session of that account', async () => {
    for (const webSocket of [null, webSocketAs(anna)]) {
      const client = clientAs(service, anna, { webSocket, account: anna.id });
      await client.graphql(create);
      await client.batch([{ document: create }]);
      await client.rest.createTask({ body: { title: 'milk' } });
      const stream = client.subscribe(syncStream);
      expect((await stream.next()).value).toEqual({ sync: { user: { id: anna.id } } });
      await stream.return();
      client.close();
    }
    expect(await titlesOf(service, anna)).toHaveLength(6);
  });
});

describe('a replica whose session changes to another account', () => {
  let open: Replica[] = [];
  beforeAll(async () => {
    [anna, bert] = [await signUp(service), await signUp(service)];
    await makeTask(bert, { title: 'of Bert' });
  });
  afterEach(async () => {
    for (const replica of open) await replica.close();
    open = [];
  });

  const openReplica = async (client: ReplicaOptions['client'], options: Partial<ReplicaOptions> = {}) => {
    const replica = await createReplica({ client, storage: memoryStorage(), ...options });
    open.push(replica);
    return replica;
  };

  /** A caller whose socket stays with Anna's session after the cookie has become Bert's. */
  const switching = () => {
    const currentUser = { cookie: anna.cookie };
    const fetch: typeof globalThis.fetch = (input, init) => fetchAs(currentUser)(input, init);
    return { currentUser, client: clientAs(service, anna, { fetch }) };
  };

  test('keeps unsent mutations for its own account, even while its socket is still open', async () => {
    const { currentUser, client } = switching();
    const replica = await openReplica(client, { account: anna.id });
    await untilLive(replica);
    currentUser.cookie = bert.cookie;
    for (const title of ['one', 'two', 'three']) replica.mutate('createTask', { input: { title } });
    expect(await untilShown(replica, problem, (error) => error !== undefined)).toMatchObject(unauthenticated);
    expect(replica.read(status)).toBe('offline');
    expect(replica.read(tasks.all()).map(({ title }) => title)).toEqual(['one', 'two', 'three']);
    expect(replica.read(refused)).toEqual([]);
    expect(await titlesOf(service, bert)).toEqual(['of Bert']);
    currentUser.cookie = anna.cookie;
    replica.reconnect();
    await untilShown(replica, pending, ({ length }) => length === 0);
    expect(await titlesOf(service, anna)).toEqual(['one', 'two', 'three']);
    expect(await titlesOf(service, bert)).toEqual(['of Bert']);
  });

  test('refuses unsent mutations if it becomes a replica of the other account', async () => {
    const { currentUser, client } = switching();
    const replica = await openReplica(client);
    await untilLive(replica);
    currentUser.cookie = bert.cookie;
    const { settled } = replica.mutate('createTask', { input: { title: 'of Anna' } });
    expect(await settled).toMatchObject({ status: 'refused', error: { code: 'FORBIDDEN' } });
    await untilShown(replica, tasks.all(), (all) => all[0]?.title === 'of Bert');
    expect(await titlesOf(service, bert)).toEqual(['of Bert']);
    expect(await titlesOf(service, anna)).not.toContain('of Anna');
  });

  test.each(['WebSocket', 'Server-Sent Events'])('does not follow the other account over %s', async (transport) => {
    const isStream = (init?: RequestInit) => new Headers(init?.headers).get('Accept') === 'text/event-stream';
    const fetchAsOther: typeof fetch = (input, init) => fetchAs(isStream(init) ? bert : anna)(input, init);
    const webSocket = transport === 'WebSocket' ? webSocketAs(bert) : null;
    const replica = await openReplica(clientAs(service, anna, { fetch: fetchAsOther, webSocket }), {
      account: anna.id,
    });
    expect(await untilShown(replica, problem, (error) => error !== undefined)).toMatchObject(unauthenticated);
    expect(replica.read(tasks.all()).map(({ title }) => title)).not.toContain('of Bert');
  });
});

test('a mutation that another tab made for the previous account is refused, and never sent', async () => {
  const stop = new AbortController();
  const entry: OutboxEntry = {
    key: 'mut_1',
    name: 'createTag',
    account: 'user_before',
    document: '',
    variables: { name: 'tag' },
    hints: {},
    at: '2026-01-01T00:00:00.000Z',
    state: 'queued',
  };
  const sent: unknown[] = [];
  const client = { graphql: (document: unknown) => Promise.resolve(sent.push(document)) } as unknown as Client;
  const settled = new Map<string, unknown>();
  const sender = new Sender(client, {
    takeQueued: () => [entry],
    account: () => 'user_now',
    onUnauthenticated: () => undefined,
    onSettled: (outcomes) => {
      for (const [key, error] of outcomes) settled.set(key, error?.code);
      stop.abort();
      return Promise.resolve();
    },
  });
  sender.open();
  await sender.run(stop.signal);
  expect([sent, [...settled]]).toEqual([[], [['mut_1', 'FORBIDDEN']]]);
});
