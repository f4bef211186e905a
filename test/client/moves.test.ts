import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createReplica, memoryStorage, type MutationName, type Replica, tasks } from 'taskgate-client';
import { recordKeyOf } from '../../client/src/replica/outbox.ts';
import { ReplicaState } from '../../client/src/replica/state.ts';
import { makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { withTimeout } from '../kit/until.ts';
import { contentOf } from './content.ts';
import { clientAs, contentOfService, untilLive } from './kit.ts';
import { Network } from './network.ts';

let service: Service;
let user: User;
let network: Network;
let replica: Replica;
const ids: string[] = [];
beforeAll(async () => {
  service = await sharedService();
  user = await signUp(service);
  for (const title of ['a', 'b', 'c']) {
    const { id } = await makeTask(user, { title });
    await user.patch(`/api/v2/todo/${id}`, { sortKey: 'a5' });
    ids.push(id);
  }
  network = new Network(user);
  const client = clientAs(service, user, { fetch: network.fetch, webSocket: null });
  replica = await createReplica({ client, storage: memoryStorage() });
  await untilLive(replica);
});
afterAll(() => replica.close());

test('a replica shows a move among equal sort keys at once, with the keys that the service makes', async () => {
  const [a = '', b = '', c = ''] = ids;
  const sortKeysOfTasks = () => replica.read(tasks.all()).map(({ id, sortKey }) => [id, sortKey]);
  network.isCut = true;
  const move = replica.mutate('moveTask', { id: c, after: a });
  const expected = sortKeysOfTasks();
  expect(expected.map(([id]) => id)).toEqual([a, c, b]);
  network.isCut = false;
  replica.reconnect();
  expect(await withTimeout('the move', move.settled)).toEqual({ status: 'confirmed' });
  expect(sortKeysOfTasks()).toEqual(expected);
  expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, user)));
});

test('an unsent undo puts no task below its own subtask, where another device has moved the former parent', () => {
  const state = new ReplicaState();
  const task = (id: string, parentId: string | null): [string, object] => [
    id,
    { ...{ __typename: 'Task', id, title: id, projectId: 'proj_1', parentId }, tagIds: [], assigneeIds: [] },
  ];
  const mutate = (key: string, name: MutationName, variables: object, hints: object = {}) => {
    const entry = { key, name, document: '', variables, hints, at: '2026-11-20T22:30:00.000Z', state: 'queued' };
    state.apply(new Map([[recordKeyOf(key), entry]]));
  };
  const project = { __typename: 'Project', id: 'proj_1', isDefault: true, name: 'Inbox' };
  state.apply(new Map([['proj_1', project], task('a', 'b'), task('b', null), task('c', null)]));
  mutate('mut_1', 'updateTask', { id: 'a', input: { parentId: null } });
  mutate('mut_2', 'undo', { operationId: 'mut_1' }, { before: state.before('mut_1') });
  mutate('mut_3', 'updateTask', { id: 'c', input: { parentId: 'a' } });
  const parents = () =>
    ['a', 'b', 'c'].map((id) => state.view.entity(id)).map((each) => each && 'parentId' in each && each.parentId);
  expect(parents()).toEqual(['b', null, 'a']);
  state.apply(new Map<string, unknown>([[recordKeyOf('mut_1'), undefined], task('a', null), task('b', 'a')]));
  expect(parents()).toEqual([null, 'a', 'a']);
});
