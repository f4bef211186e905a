import { expect, test } from '@jest/globals';
import { memoryStorage, type ReplicaStorage } from 'taskgate-client';
import { type OutboxEntry, recordKeyOf } from '../../client/src/replica/outbox.ts';
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

test('what another tab has stored while the storage is read is not lost', async () => {
  let read: () => void = () => undefined;
  const storage: ReplicaStorage = {
    ...memoryStorage(),
    // What it gives is from before what the other tab then stores.
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
