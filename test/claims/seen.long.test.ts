import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { cursorOfNow, Socket } from '../changes/stream.ts';
import { connect } from '../kit/application.ts';
import type { Client } from '../kit/client.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, User } from '../kit/users.ts';
import { fetchBatch, Replica } from '../sync/replica.ts';
import { Endpoint } from '../webhooks/endpoint.ts';
import { makeWebhook, nearby } from '../webhooks/webhooks.ts';
import { claimOf, expire, mustClaim, release, renew, type ShownClaim, untilEnded } from './claims.ts';

let service: Service;
let anna: User;
let ben: User;
let agent: Program;
let workspaceId: string;
let projectId: string;
let id: string;
beforeAll(async () => {
  service = await startService(nearby);
});
afterAll(() => service.close());
beforeEach(async () => {
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
  workspaceId = (await makeWorkspace(anna, ben)).id;
  projectId = (await makeProject(anna, { workspaceId })).id;
  id = (await makeTask(anna, { projectId })).id;
  agent = await makeProgram(service, ben, { name: 'robot' });
});

interface SeenChange {
  kind: string;
  taskId: string;
  changedFields: string[];
  actor: { id: string } | null;
  client: string | null;
  task: { claim: ShownClaim | null } | null;
}

const query = `subscription ($after: String) {
  taskChanges(after: $after) {
    kind taskId changedFields actor { id } client task { claim { fence holder { id } client since } }
  }
}`;

interface Result {
  data: { taskChanges: SeenChange };
}

interface Stream {
  take: () => Promise<SeenChange>;
  close: () => void;
}

const transports: Record<string, (user: User) => Promise<Stream>> = {
  async WebSocket(user) {
    const variables = { after: await cursorOfNow(user) };
    const socket = await Socket.ready(service.url, user.cookie);
    socket.send({ type: 'subscribe', id: '1', payload: { query, variables } });
    return {
      take: async () => ((await socket.messages.take()).payload as Result).data.taskChanges,
      close: () => socket.close(),
    };
  },
  async SSE(user) {
    const variables = JSON.stringify({ after: await cursorOfNow(user) });
    const parameters = new URLSearchParams({ query, variables });
    const stream = await EventStream.open(service, user, `/graphql?${parameters.toString()}`, {
      'x-graphql-yoga-csrf': '1',
    });
    return {
      take: async () => (JSON.parse((await stream.take()).data ?? '') as Result).data.taskChanges,
      close: stream.close,
    };
  },
};

const remove = (userId: string) =>
  anna.data('mutation ($id: ID!, $userId: ID!) { removeWorkspaceMember(workspaceId: $id, userId: $userId) { id } }', {
    ...{ id: workspaceId, userId },
  });

describe.each(Object.entries(transports))('task changes over %s', (_name, open) => {
  test('have a claim and its release, with who did it; renewing is no change', async () => {
    const stream = await open(anna);
    const fence = await mustClaim(agent, id);
    const claim = { fence, holder: { id: ben.id }, client: 'robot' };
    const own = { kind: 'UPDATED', taskId: id, changedFields: ['claim'] };
    expect(await stream.take()).toMatchObject({ ...own, actor: { id: ben.id }, client: 'robot', task: { claim } });
    await renew(agent, fence);
    await release(anna, fence);
    expect(await stream.take()).toMatchObject({
      ...own,
      actor: { id: anna.id },
      client: 'node',
      task: { claim: null },
    });
    stream.close();
  });

  const ends: [string, (fence: string) => Promise<unknown>][] = [
    ['its time', (fence) => expire(service, fence)],
    ['its token', () => ben.data('mutation ($id: ID!) { revokeAccessToken(id: $id) }', { id: agent.tokenId })],
    ['the membership of its holder', () => remove(ben.id)],
  ];
  test.each(ends)('have the end of a claim after %s', async (_after, end) => {
    const fence = await mustClaim(agent, id);
    const stream = await open(anna);
    await end(fence);
    const change = await stream.take();
    expect(change).toMatchObject({ kind: 'UPDATED', taskId: id, task: { claim: null } });
    expect(change.changedFields).toEqual(['claim']);
    stream.close();
  });

  test('have the end of a claim after the grant of its application', async () => {
    const application = await connect(service, ben);
    await mustClaim(application, id);
    const stream = await open(anna);
    await ben.data('mutation ($id: ID!) { revokeApplication(id: $id) }', { id: application.tokenId });
    expect(await stream.take()).toMatchObject({ taskId: id, changedFields: ['claim'], task: { claim: null } });
    stream.close();
  });

  test('have no claim for others than the members', async () => {
    const stranger = await signUp(service);
    const stream = await open(stranger);
    await release(agent, await mustClaim(agent, id));
    const own = await makeTask(stranger);
    expect(await stream.take()).toMatchObject({ kind: 'CREATED', taskId: own.id });
    stream.close();
  });
});

test('a claim is seen where its task is: by members of that space, and by tokens of that space', async () => {
  const [stranger, clara] = [await signUp(service), await signUp(service)];
  const other = await makeWorkspace(anna, ben, clara);
  const target = await makeProject(anna, { workspaceId: other.id });
  const [here, there] = [
    await makeProgram(service, ben, { scopes: ['READ'], spaceIds: [workspaceId] }),
    await makeProgram(service, ben, { scopes: ['READ'], spaceIds: [other.id] }),
  ];
  const fence = await mustClaim(agent, id);
  const listed = async (reader: Client) =>
    (await reader.get<{ claims: { fence: string }[] }>('/api/v2/claims')).body.claims.map((claim) => claim.fence);
  const replicated = async (reader: Client) => {
    const replica = new Replica();
    await replica.pull(reader);
    return (replica.find(id)?.['claim'] as ShownClaim | undefined)?.fence;
  };
  const readers = { anna, clara, stranger, here, there };
  const seen = async () => {
    const names: string[] = [];
    for (const [name, reader] of Object.entries(readers)) {
      const shown = (await claimOf(reader, id))?.fence;
      expect([name, await listed(reader)]).toEqual([name, shown === undefined ? [] : [shown]]);
      // Tokens have no replicas.
      if (reader instanceof User) expect([name, await replicated(reader)]).toEqual([name, shown]);
      if (shown === fence) names.push(name);
    }
    return names;
  };
  expect(await seen()).toEqual(['anna', 'here']);
  await anna.patch(`/api/v2/todo/${id}`, { projectId: target.id });
  expect(await seen()).toEqual(['anna', 'clara', 'there']);
});

describe('a replica', () => {
  const claimIn = (replica: Replica) => replica.find(id)?.['claim'];
  const pulled = async (replica: Replica, reader: Client) => {
    await replica.pull(reader);
    return claimIn(replica);
  };

  test('has a claim from the next batch on, until its end', async () => {
    const replica = new Replica();
    expect(await pulled(replica, anna)).toBeNull();
    const fence = await mustClaim(agent, id);
    const claim = { fence, holder: { id: ben.id }, client: 'robot' };
    expect(await pulled(replica, anna)).toMatchObject(claim);
    await renew(agent, fence);
    expect(await fetchBatch(anna, replica.cursor)).toMatchObject({ tasks: [], hasMore: false });
    await expire(service, fence);
    await untilEnded(service, fence);
    expect(await pulled(replica, anna)).toBeNull();
  });

  test('has no claim of a holder who left, nor one that the task left behind', async () => {
    const replica = new Replica();
    const fence = await mustClaim(agent, id);
    const own = await makeProject(anna);
    await replica.pull(anna);
    await anna.patch(`/api/v2/todo/${id}`, { projectId: own.id });
    expect(await pulled(replica, anna)).toBeNull();
    await anna.patch(`/api/v2/todo/${id}`, { projectId });
    expect(await pulled(replica, anna)).toBeNull();
    const next = await mustClaim(agent, id);
    expect(BigInt(next) > BigInt(fence)).toBe(true);
    expect(await pulled(replica, anna)).toMatchObject({ fence: next });
    await ben.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspaceId });
    await untilEnded(service, next);
    expect(await pulled(replica, anna)).toBeNull();
  });
});

describe('a webhook', () => {
  let endpoint: Endpoint;
  beforeEach(async () => {
    endpoint = await Endpoint.open();
  });
  const closing = async (work: () => Promise<void>) => work().finally(() => endpoint.close());

  test('has a claim and each end as one change, with who did it', () =>
    closing(async () => {
      await makeWebhook(anna, endpoint.url, { maxChanges: 1 });
      const fence = await mustClaim(agent, id);
      const claimed = { kind: 'updated', taskId: id, changedFields: ['claim'] };
      expect(await endpoint.nextChanges(1)).toMatchObject([{ ...claimed, actorId: ben.id, client: 'robot' }]);
      await renew(agent, fence);
      await release(agent, fence);
      expect(await endpoint.nextChanges(1)).toMatchObject([{ ...claimed, actorId: ben.id, client: 'robot' }]);
      const next = await mustClaim(agent, id);
      await endpoint.nextChanges(1);
      await expire(service, next);
      expect(await endpoint.nextChanges(1)).toMatchObject([{ ...claimed, actorId: null, client: null }]);
      // The documented shape of a task has no new key.
      for (const { changes } of endpoint.all) expect(changes[0]?.task).not.toHaveProperty('claim');
    }));

  test('of other fields has none, and of claims has nothing else', () =>
    closing(async () => {
      const other = await Endpoint.open();
      await makeWebhook(anna, endpoint.url, { fields: ['claim'] });
      await makeWebhook(anna, other.url, { fields: ['title'] });
      const fence = await mustClaim(agent, id);
      await anna.patch(`/api/v2/todo/${id}`, { title: 'changed' });
      await release(agent, fence);
      const fieldsOf = (changes: { changedFields: string[] }[]) => changes.map(({ changedFields }) => changedFields);
      expect(fieldsOf(await endpoint.nextChanges(2))).toEqual([['claim'], ['claim']]);
      expect(fieldsOf(await other.nextChanges(1))).toEqual([['title']]);
      await other.close();
    }));
});
