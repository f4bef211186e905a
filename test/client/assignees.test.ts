import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createReplica,
  memoryStorage,
  type MutationHandle,
  type Mutations,
  type Replica,
  tasks,
} from 'taskgate-client';
import { makeProject, makeSection, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { withTimeout } from '../kit/until.ts';
import { contentOf, foreseeable } from './content.ts';
import { clientAs, contentOfService, untilShown } from './kit.ts';
import { Network } from './network.ts';

let service: Service;
let anna: User;
let ben: User;
let cleo: User;
let network: Network;
let replica: Replica;
let ours: string;
let theirs: string;
beforeAll(async () => {
  service = await sharedService();
  [anna, ben, cleo] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
  ours = (await makeProject(anna, { workspaceId: (await makeWorkspace(anna, ben, cleo)).id })).id;
  theirs = (await makeProject(anna, { workspaceId: (await makeWorkspace(anna, cleo)).id })).id;
  network = new Network(anna);
  const client = clientAs(service, anna, { fetch: network.fetch, webSocket: null });
  replica = await createReplica({ client, storage: memoryStorage() });
});
afterAll(() => replica.close());

/** Cuts the network, as soon as the replica has the task. */
async function goOfflineWith(id: string): Promise<void> {
  await untilShown(replica, tasks.byId(id), (task) => task !== undefined);
  network.isCut = true;
}

async function goOnline(made: readonly MutationHandle[]): Promise<void> {
  network.isCut = false;
  replica.reconnect();
  const settled = await withTimeout('the mutations', Promise.all(made.map((mutation) => mutation.settled)));
  expect(settled.map(({ status }) => status)).toEqual(made.map(() => 'confirmed'));
}

/** Makes the mutations offline. Returns the assignees that it shows, which are also the ones that the service has then. */
async function assigneesAfter(id: string, ...inputs: Mutations['updateTask']['input'][]) {
  await goOfflineWith(id);
  const made = inputs.map((input) => replica.mutate('updateTask', { id, input }));
  const shown = replica.read(tasks.byId(id))?.assigneeIds;
  const expected = foreseeable(contentOf(replica));
  await goOnline(made);
  expect(foreseeable(contentOf(replica))).toEqual(expected);
  expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, anna)));
  return shown;
}

async function assigned(projectId: string, assigneeIds: string[], fields: object = {}): Promise<string> {
  const input = { title: 'Paint', projectId, assigneeIds, ...fields };
  const document = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { id } }';
  const { createTask } = await anna.data<{ createTask: { id: string } }>(document, { input });
  return createTask.id;
}

test('additions, removals and replacements show in the order of assignment', async () => {
  const id = await assigned(ours, [ben.id]);
  expect(await assigneesAfter(id, { addAssigneeIds: [anna.id, ben.id] })).toEqual([ben.id, anna.id]);
  expect(await assigneesAfter(id, { removeAssigneeIds: [ben.id], addAssigneeIds: [cleo.id] })).toEqual([
    anna.id,
    cleo.id,
  ]);
  expect(await assigneesAfter(id, { assigneeIds: [ben.id, cleo.id] })).toEqual([cleo.id, ben.id]);
  expect(await assigneesAfter(id, { assigneeIds: [] }, { title: 'Sand' })).toEqual([]);
});

test('a move keeps the members of the new space, for subtasks too', async () => {
  const id = await assigned(ours, [ben.id, cleo.id, anna.id]);
  const below = await assigned(ours, [cleo.id, ben.id], { parentId: id });
  await untilShown(replica, tasks.byId(below), (task) => task !== undefined);
  expect(await assigneesAfter(id, { projectId: theirs, addAssigneeIds: [anna.id] })).toEqual([cleo.id, anna.id]);
  expect(replica.read(tasks.byId(below))?.assigneeIds).toEqual([cleo.id]);
  expect(await assigneesAfter(id, { projectId: null })).toEqual([anna.id]);
  expect(replica.read(tasks.byId(below))?.assigneeIds).toEqual([]);
});

test('a section takes its tasks along, with the members of the new space', async () => {
  const section = await makeSection(anna, ours);
  const id = await assigned(ours, [ben.id, cleo.id], { sectionId: section.id });
  await goOfflineWith(id);
  const move = replica.mutate('updateSection', { id: section.id, projectId: theirs });
  expect(replica.read(tasks.byId(id))?.assigneeIds).toEqual([cleo.id]);
  await goOnline([move]);
  expect(replica.read(tasks.byId(id))?.assigneeIds).toEqual([cleo.id]);
});

test('tasks.assignedTo has the tasks of a member in all spaces, also unsent ones', async () => {
  const personal = await makeTask(anna, { title: 'Rest' });
  await goOfflineWith(personal.id);
  const before = replica.read(tasks.assignedTo(anna.id)).length;
  const input = { title: 'Call', projectId: theirs, assigneeIds: [anna.id, anna.id] };
  const made = [
    replica.mutate('createTask', { input }),
    replica.mutate('updateTasks', { ids: [personal.id], input: { addAssigneeIds: [anna.id] } }),
  ];
  const titles = () => replica.read(tasks.assignedTo(anna.id)).map(({ title }) => title);
  expect(titles()).toHaveLength(before + 2);
  const shown = titles();
  await goOnline(made);
  expect(titles()).toEqual(shown);
  expect(shown).toEqual(expect.arrayContaining(['Call', 'Rest']));
});
