import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createReplica,
  memoryStorage,
  type MutationHandle,
  pending,
  problem,
  type Replica,
  status,
  tags,
  tasks,
  user,
  workspaces,
} from 'taskgate-client';
import { addMember, invite, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { withTimeout } from '../kit/until.ts';
import { contentOf } from './content.ts';
import { clientAs, contentOfService, fetchAs, untilLive, untilShown } from './kit.ts';
import { Network } from './network.ts';

describe('createReplica()', () => {
  let service: Service;
  let anna: User;
  const open: Replica[] = [];
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
  });
  afterAll(async () => {
    await Promise.all(open.map((replica) => replica.close()));
  });

  const openAs = async (user: User, options = {}) => {
    const replica = await createReplica({ client: clientAs(service, user, options), storage: memoryStorage() });
    open.push(replica);
    return replica;
  };

  test.each([
    ['a WebSocket', {}],
    ['Server-Sent Events', { webSocket: null }],
  ])('loads the account, and follows it over %s', async (_name, options) => {
    const bob = await signUp(service);
    const workspace = await makeWorkspace(anna, bob);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const section = await makeSection(anna, project.id);
    const tag = await makeTag(bob);
    const parent = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
    const child = await makeTask(bob, { parentId: parent.id, tags: [tag.id] });
    const replica = await openAs(bob, options);
    await untilLive(replica);
    expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, bob)));
    expect(replica.read(tasks.children(parent.id)).map(({ id }) => id)).toEqual([child.id]);

    await anna.delete(`/api/v2/projects/${project.id}/sections/${section.id}`);
    await bob.delete(`/api/v2/tag/bulk?tagIds=${tag.id}`);
    const last = await makeTask(anna, { projectId: project.id });
    await untilShown(replica, tasks.byId(last.id), (task) => task !== undefined);
    expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, bob)));

    await anna.delete(`/api/v2/projects/${project.id}`);
    await untilShown(replica, tasks.all(), ({ length }) => length === 0);
    expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, bob)));
  });

  test('shows invitations to both sides when they are sent and answered', async () => {
    const [anna, bob] = [await signUp(service), await signUp(service)];
    const { id, name } = await makeWorkspace(anna);
    const open = async (of: User) => createReplica({ client: clientAs(service, of), storage: memoryStorage() });
    const [inviter, invitee] = [await open(anna), await open(bob)];
    await Promise.all([inviter, invitee].map(untilLive));
    const untilOpen = (count: number) =>
      Promise.all([
        untilShown(invitee, user, (me) => me?.invitations?.length === count),
        untilShown(inviter, workspaces.byId(id), (workspace) => workspace?.invitations.length === count),
      ]);
    const declinedId = await invite(anna, id, bob.email);
    const [me] = await untilOpen(1);
    expect(me?.invitations).toMatchObject([{ workspaceName: name, invitedBy: { email: anna.email } }]);
    await bob.data('mutation ($id: ID!) { declineInvitation(id: $id) }', { id: declinedId });
    await untilOpen(0);
    const acceptedId = await invite(anna, id, bob.email);
    await untilOpen(1);
    await bob.data('mutation ($id: ID!) { acceptInvitation(id: $id) { id } }', { id: acceptedId });
    await untilOpen(0);
    expect(contentOf(invitee)).toEqual(await contentOfService(clientAs(service, bob)));
    await Promise.all([inviter.close(), invitee.close()]);
  });

  test('shows its stored data, then the changes that it has missed', async () => {
    const user = await signUp(service);
    const before = await makeTask(user);
    const storage = memoryStorage();
    const first = await createReplica({ client: clientAs(service, user), storage });
    await untilLive(first);
    await first.close();
    await makeTask(user);
    const requests: unknown[] = [];
    const recordingFetch: typeof fetch = (input, init) => {
      requests.push(JSON.parse(init?.body as string));
      return fetchAs(user)(input, init);
    };
    const second = await createReplica({ client: clientAs(service, user, { fetch: recordingFetch }), storage });
    open.push(second);
    expect(second.read(tasks.all()).map(({ id }) => id)).toEqual([before.id]);
    await untilLive(second);
    expect(contentOf(second)).toEqual(await contentOfService(clientAs(service, user)));
    expect(requests).toMatchObject([{ variables: { after: expect.any(String) } }]);
  });

  test('starts over when its cursor has expired', async () => {
    const user = await signUp(service);
    const remainingTask = await makeTask(user);
    const storage = memoryStorage();
    const first = await createReplica({ client: clientAs(service, user), storage });
    await untilLive(first);
    await first.close();
    await storage.write(
      new Map<string, unknown>([
        ['cursor', 'expired'],
        ['task_gone', { ...first.read(tasks.byId(remainingTask.id)), id: 'task_gone' }],
      ]),
    );
    const second = await createReplica({ client: clientAs(service, user), storage });
    open.push(second);
    await untilLive(second);
    expect(contentOf(second)).toEqual(await contentOfService(clientAs(service, user)));
    expect([...(await storage.load()).keys()]).not.toContain('task_gone');
  });

  test('drops a workspace that the user leaves', async () => {
    const [owner, member] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(owner);
    const project = await makeProject(owner, { workspaceId: workspace.id });
    await makeTask(owner, { projectId: project.id });
    const replica = await openAs(member);
    await untilLive(replica);
    await addMember(owner, workspace.id, member);
    await untilShown(replica, tasks.byProject(project.id), ({ length }) => length === 1);
    await member.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspace.id });
    await untilShown(replica, tasks.byProject(project.id), ({ length }) => length === 0);
    expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, member)));
  });

  test('reports why it is offline, and is live again once that is over', async () => {
    const user = await signUp(service);
    const session: { cookie?: string | undefined } = {};
    const fetchAsCaller: typeof fetch = (input, init) => fetchAs(session)(input, init);
    const client = clientAs(service, user, { fetch: fetchAsCaller });
    const replica = await createReplica({ client, storage: memoryStorage() });
    open.push(replica);
    await untilShown(replica, problem, (error) => error?.code === 'UNAUTHENTICATED');
    expect(replica.read(status)).toBe('offline');
    session.cookie = user.cookie;
    replica.reconnect();
    await untilLive(replica);
    expect(replica.read(problem)).toBeUndefined();
  });

  test.each([
    ['at its start', true],
    ['while it is open', false],
  ])(
    'waits for its account, and applies and sends nothing, if the session belongs to another one %s',
    async (_label, isAtStart) => {
      const [user, other] = [await signUp(service), await signUp(service)];
      await Promise.all([makeTask(user), makeTask(other)]);
      const session = { cookie: user.cookie };
      const network = new Network(session);
      const storage = memoryStorage();
      const client = clientAs(service, session, { fetch: network.fetch });
      const start = async () => {
        const replica = await createReplica({ client, storage, account: user.id });
        open.push(replica);
        return replica;
      };
      let replica = await start();
      await untilLive(replica);
      network.isCut = true;
      const { id = '' } = replica.mutate('createTask', { input: { title: 'unsent' } });
      if (isAtStart) await replica.close();
      client.close();
      await untilShown(replica, status, (now) => now === 'offline');
      const displayed = contentOf(replica);
      const stored = await storage.load();
      [network.isCut, session.cookie] = [false, other.cookie];
      if (isAtStart) replica = await start();
      else replica.reconnect();
      await untilShown(replica, problem, (error) => error?.code === 'UNAUTHENTICATED');
      expect(replica.read(status)).toBe('offline');
      expect(contentOf(replica)).toEqual(displayed);
      expect(await storage.load()).toEqual(stored);
      expect(replica.read(pending)).toHaveLength(1);
      expect(network.sent).toEqual([]);

      session.cookie = user.cookie;
      replica.reconnect();
      await untilLive(replica);
      await untilShown(replica, pending, ({ length }) => length === 0);
      await untilShown(replica, tasks.byId(id), (task) => task?.title === 'unsent');
      expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, user)));
    },
  );

  test('undoes the latest mutation, repeatedly: drops it if it is unsent, else the service undoes it, also while it is being sent', async () => {
    const user = await signUp(service);
    const network = new Network(user);
    const replica = await openAs(user, { fetch: network.fetch, webSocket: null });
    await untilLive(replica);
    const settled = (...handles: MutationHandle[]) =>
      withTimeout('the mutations to be settled', Promise.all(handles.map((handle) => handle.settled)));
    const { id = '' } = replica.mutate('createTask', { input: { title: 'one' } });
    await settled(replica.mutate('updateTask', { id, input: { title: 'two' } }));
    await settled(replica.mutate('updatePreferences', { input: { reminderBefore: 7 } }));
    await settled(replica.mutate('updateTask', { id, input: { title: '' } }));
    expect(network.sent).toHaveLength(4);
    network.isCut = true;
    const droppedHandle = replica.mutate('updateTask', { id, input: { title: 'three' } });
    const undo = () => {
      const handle = replica.undo();
      if (!handle) throw new Error('there is nothing to undo');
      return handle;
    };
    expect(await settled(undo(), droppedHandle)).toEqual([{ status: 'confirmed' }, { status: 'dropped' }]);
    expect(replica.read(tasks.byId(id))?.title).toBe('two');
    expect(replica.read(pending)).toEqual([]);
    // The response is lost, but the mutation may have happened.
    network.isCut = false;
    replica.reconnect();
    let answer: () => void = () => undefined;
    const isSent = new Promise<void>((resolve) => {
      network.beforeResponse = () => new Promise((answered) => ([answer] = [answered, resolve()]));
    });
    const tag = replica.mutate('createTag', { name: 'on its way' });
    await withTimeout('the tag to be sent', isSent);
    network.beforeResponse = () => undefined;
    const undoHandle = undo();
    network.isCut = true;
    answer();
    await settled(tag);
    expect(replica.read(tags.all())).toEqual([]);
    network.isCut = false;
    replica.reconnect();
    expect(await settled(tag, undoHandle, undo())).toEqual(Array(3).fill({ status: 'confirmed' }));
    expect(replica.read(tags.all())).toEqual([]);
    expect(replica.read(tasks.byId(id))?.title).toBe('one');
    await settled(undo());
    expect(replica.read(tasks.all())).toEqual([]);
    expect(replica.undo()).toBeUndefined();
    expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, user)));
    expect(network.sent.filter(({ query }) => query.includes('undo('))).toHaveLength(3);
  });

  test('drops nothing while it becomes the leader, because the former leader may have sent it', async () => {
    const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    const locks = { request: (_name: string, _options: object, work: () => Promise<void>) => work() };
    Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { locks } });
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const loads = [Promise.resolve(), released];
    const memory = memoryStorage();
    const load = async () => (await loads.shift(), memory.load());
    try {
      const client = clientAs(service, {});
      const replica = await createReplica({ client, storage: { ...memory, load, sharedAs: 'coming to lead' } });
      open.push(replica);
      replica.mutate('createTask', { input: { title: 'one' } });
      replica.undo();
      expect(replica.read(pending).map(({ name }) => name)).toEqual(['createTask', 'undo']);
    } finally {
      release();
      Reflect.deleteProperty(globalThis, 'navigator');
      if (before) Object.defineProperty(globalThis, 'navigator', before);
    }
  });
});
