import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createReplica, memoryStorage, type Replica, tasks } from 'taskgate-client';
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
