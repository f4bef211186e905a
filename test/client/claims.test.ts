import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createReplica,
  memoryStorage,
  type MutationHandle,
  type MutationName,
  type Replica,
  tasks,
} from 'taskgate-client';
import { recordKeyOf } from '../../client/src/replica/outbox.ts';
import { ReplicaState } from '../../client/src/replica/state.ts';
import { expire, mustClaim, release } from '../claims/claims.ts';
import { makeTask } from '../kit/make.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { withTimeout } from '../kit/until.ts';
import { contentOf, foreseeable } from './content.ts';
import { clientAs, contentOfService, untilShown } from './kit.ts';
import { Network } from './network.ts';

let service: Service;
let anna: User;
let agent: Program;
let network: Network;
let replica: Replica;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
  agent = await makeProgram(service, anna, {});
  network = new Network(anna);
  const client = clientAs(service, anna, { fetch: network.fetch, webSocket: null });
  replica = await createReplica({ client, storage: memoryStorage() });
});
afterAll(async () => {
  await replica.close();
  await service.close();
});

const untilClaimed = async (id: string, fence: string | undefined) =>
  (await untilShown(replica, tasks.byId(id), (task) => task !== undefined && task.claim?.fence === fence))?.claim;

async function claimed(fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = await makeTask(anna, fields);
  await untilClaimed(id, await mustClaim(agent, id));
  return id;
}

async function goOnline(made: readonly MutationHandle[]): Promise<void> {
  network.isCut = false;
  replica.reconnect();
  const settled = await withTimeout('the mutations', Promise.all(made.map((mutation) => mutation.settled)));
  expect(settled.map(({ status }) => status)).toEqual(made.map(() => 'confirmed'));
}

test('a claim, its release, the next claim and its end reach a replica', async () => {
  const { id } = await makeTask(anna);
  const fence = await mustClaim(agent, id);
  expect(await untilClaimed(id, fence)).toMatchObject({ client: 'script', holder: { id: anna.id } });
  expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, anna)));
  await release(anna, fence);
  expect(await untilClaimed(id, undefined)).toBeNull();
  const next = await mustClaim(agent, id);
  await untilClaimed(id, next);
  await expire(service, next);
  expect(await untilClaimed(id, undefined)).toBeNull();
});

test('offline, a completion and a deletion end claims, and nothing brings them back', async () => {
  const [done, deleted, renamed] = [await claimed(), await claimed(), await claimed()];
  const repeated = await claimed({ dueDate: '2026-12-01' });
  const series = replica.mutate('updateTask', { id: repeated, input: { recurrence: { rule: 'FREQ=DAILY' } } });
  await series.settled;
  network.isCut = true;
  const made = [
    replica.mutate('updateTasks', { ids: [done, repeated], input: { completed: true } }),
    replica.mutate('updateTasks', { ids: [done], input: { completed: false } }),
    replica.mutate('updateTask', { id: renamed, input: { title: 'Renamed' } }),
    replica.mutate('deleteTask', { id: deleted }),
  ];
  const shown = replica.read(tasks.all()).filter(({ claim }) => claim !== null);
  expect(shown.map(({ id }) => id)).toEqual([renamed]);
  const expected = foreseeable(contentOf(replica));
  await goOnline(made);
  expect(foreseeable(contentOf(replica))).toEqual(expected);
  expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, anna)));
});

test('an unsent undo shows no claim that the undone mutation has ended', () => {
  const state = new ReplicaState();
  const at = '2026-11-20T22:30:00.000Z';
  const project = { __typename: 'Project', id: 'proj_1', isDefault: true, name: 'Inbox' };
  const claim = { fence: '1', client: 'script', holder: { id: anna.id }, since: at };
  const task = { ...{ __typename: 'Task', id: 'task_1', title: 'Milk', projectId: 'proj_1' }, completed: false, claim };
  state.apply(new Map([project, task].map((each) => [each.id, each])));
  const mutate = (key: string, name: MutationName, variables: object, hints: object) =>
    state.apply(new Map([[recordKeyOf(key), { key, name, document: '', variables, hints, at, state: 'queued' }]]));
  mutate('mut_1', 'deleteTask', { id: 'task_1' }, {});
  mutate('mut_2', 'undo', { operationId: 'mut_1' }, { before: state.before('mut_1') });
  expect(state.view.entity('task_1')).toEqual(task);
  const confirmed = [recordKeyOf('mut_1'), 'task_1'].map((key): [string, undefined] => [key, undefined]);
  state.apply(new Map(confirmed));
  expect(state.view.entity('task_1')).toEqual({ ...task, claim: null });
});
