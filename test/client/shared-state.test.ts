import { expect, test } from '@jest/globals';
import { memoryStorage, type ReplicaStorage } from 'taskgate-client';
import type { Client } from '../../client/src/client.ts';
import { TaskgateError } from '../../client/src/errors.ts';
import type { Batch } from '../../client/src/replica/batch.ts';
import { type OutboxEntry, recordKeyOf } from '../../client/src/replica/outbox.ts';
import { Sender } from '../../client/src/replica/sender.ts';
import { SharedState } from '../../client/src/replica/shared-state.ts';
import { ReplicaState } from '../../client/src/replica/state.ts';

const entryOf = (key: string): OutboxEntry => ({
  key,
  name: 'createTag',
  document: '',
  variables: { id: `tag_${key}`, name: key },
  hints: {},
  at: '2026-01-01T00:00:00.000Z',
  state: 'queued',
});

test('an answered mutation is not reported as refused when another account is loaded', () => {
  const state = new ReplicaState();
  const user = { __typename: 'User', id: 'user_1', name: null, email: null, image: null };
  const answered: OutboxEntry = { ...entryOf('mut_1'), state: 'answered' };
  const queued = entryOf('mut_2');
  state.apply(
    new Map<string, unknown>([
      ['user_1', user],
      [recordKeyOf('mut_1'), answered],
      [recordKeyOf('mut_2'), queued],
    ]),
  );
  const batch = {
    workspaces: [],
    comments: [],
    projects: [],
    sections: [],
    tags: [],
    tasks: [],
    deleted: [],
    mutations: [],
  };
  const other = { ...user, id: 'user_2' } as unknown as NonNullable<Batch['user']>;
  state.apply(state.recordsOf([{ ...batch, cursor: 'c', full: true, hasMore: false, user: other }]));
  expect(state.outbox.refused.map(({ key }) => key)).toEqual(['mut_2']);
  expect(state.outbox.pending).toEqual([]);
});

test('a mutation is not refused after one fault of the service that follows network errors', async () => {
  const answers = ['NETWORK_ERROR', 'NETWORK_ERROR', 'NETWORK_ERROR', 'NETWORK_ERROR', 'INTERNAL', ''];
  const stop = new AbortController();
  const messages: string[] = [];
  const graphql = () => {
    sender.open();
    const code = answers.shift() ?? '';
    setImmediate(() => sender.open());
    return code === '' ? Promise.resolve({}) : Promise.reject(new TaskgateError({ code, message: code }));
  };
  const sender = new Sender({ graphql } as unknown as Client, {
    takeQueued: () => [entryOf('mut_1')],
    account: () => undefined,
    onUnauthenticated: () => undefined,
    onSettled: (outcomes) => {
      for (const error of outcomes.values()) messages.push(error ? 'refused' : 'answered');
      stop.abort();
      return Promise.resolve();
    },
  });
  sender.open();
  await sender.run(stop.signal);
  expect(messages).toEqual(['answered']);
});

test('a mutation that another tab stores while the storage is read is not lost', async () => {
  let read: () => void = () => undefined;
  const storage: ReplicaStorage = {
    ...memoryStorage(),
    // The result is older than the next write of the other tab.
    load: () => new Promise((resolve) => (read = () => resolve(new Map()))),
  };
  const shared = new SharedState(new ReplicaState(), storage, { post: () => undefined });
  const loading = shared.load();
  await Promise.resolve();
  const entry = entryOf('mut_1');
  const received = shared.receive({ type: 'stored', records: [[recordKeyOf(entry.key), entry]] });
  read();
  await Promise.all([loading, received]);
  expect(shared.state.outbox.pending).toEqual([entry]);
});
