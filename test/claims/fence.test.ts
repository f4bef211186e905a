import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Socket } from '../changes/stream.ts';
import type { GraphqlAnswer } from '../kit/client.ts';
import { lockSpaces, openLockHolder, untilWaiting } from '../kit/locks.ts';
import { invite, makeComment, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { mutations, type Targets } from '../kit/mutations.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { makeWebhook, webhooksOf } from '../webhooks/webhooks.ts';
import { claimOf, expire, lost, mustClaim, release, rename, titleOf, under } from './claims.ts';

let service: Service;
let anna: User;
let agent: Program;
let task: { id: string; title: string };
let fence: string;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
  agent = await makeProgram(service, anna);
  task = await makeTask(anna);
  fence = await mustClaim(agent, task.id);
});

const renaming = 'mutation ($id: ID!) { updateTask(id: $id, input: { title: "renamed" }) { id } }';

type Write = (fence: unknown) => Promise<GraphqlAnswer<object>>;

const post = async (extra: object, headers: Record<string, string> = {}) =>
  (
    await agent.post<GraphqlAnswer<object>>(
      '/graphql',
      { query: renaming, variables: { id: task.id }, ...extra },
      { headers },
    )
  ).body;

const doors: [string, Write][] = [
  ['the header of GraphQL', (named) => post({}, { 'X-Claim-Fence': String(named) })],
  ['extensions over HTTP', (named) => post({ extensions: { fence: named } })],
  [
    'a batch',
    async (named) => {
      const operation = { query: renaming, variables: { id: task.id }, extensions: { fence: named } };
      const { body } = await agent.post<GraphqlAnswer<object>[]>('/graphql', [operation]);
      return body[0] ?? {};
    },
  ],
  [
    'extensions over WebSocket',
    async (named) => {
      const socket = await Socket.ready(service.url, undefined, {
        headers: { Authorization: `Bearer ${agent.token}` },
      });
      const { type, payload } = await socket.run(renaming, { id: task.id }, { fence: named });
      socket.close();
      return type === 'error' ? { errors: payload as never } : (payload as GraphqlAnswer<object>);
    },
  ],
];

describe.each(doors)('a write that names the fence by %s', (_door, write) => {
  test('is done while the claim is in force', async () => {
    expect((await write(fence)).errors).toBeUndefined();
    expect(await titleOf(anna, task.id)).toBe('renamed');
  });

  test('is refused after the claim', async () => {
    await release(agent, fence);
    expect(await write(fence)).toMatchObject({ errors: [{ extensions: { code: 'CLAIM_LOST' } }] });
    expect(await titleOf(anna, task.id)).toBe(task.title);
  });

  test('is refused if the fence is malformed', async () => {
    const message = expect.stringMatching(/must be the fence of a claim/);
    const malformed = { errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ message }] } }] };
    for (const named of ['', 'x', '-1', `${fence}.0`, '9'.repeat(19)])
      expect(await write(named)).toMatchObject(malformed);
    expect(await titleOf(anna, task.id)).toBe(task.title);
  });
});

test('a fence must be the same in header and extensions', async () => {
  expect(await post({ extensions: { fence: `${fence}0` } }, { 'X-Claim-Fence': fence })).toMatchObject({
    errors: [{ extensions: { errors: [{ path: 'extensions.fence' }] } }],
  });
  expect(await post({ extensions: { fence: Number(fence) } })).toMatchObject({
    errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
  });
});

test('a fence limits writes to other tasks, and of REST', async () => {
  const other = await makeTask(anna);
  expect(await rename(agent, other.id, 'with', fence)).toMatchObject({ status: 200 });
  await expire(service, fence);
  expect(await rename(agent, other.id, 'without', fence)).toMatchObject(lost);
  expect(await agent.post('/api/v2/todo', { title: 'new' }, under(fence))).toMatchObject(lost);
  expect(await agent.post('/api/v2/claims', { filter: {} }, under(fence))).toMatchObject(lost);
  expect(await titleOf(anna, other.id)).toBe('with');
  expect(await rename(agent, other.id, 'malformed', 'x')).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'X-Claim-Fence' }] },
  });
});

describe('every mutation', () => {
  async function targetsOf(): Promise<Targets> {
    const { id: workspaceId } = await makeWorkspace(anna);
    const [project, otherProject, tag] = [await makeProject(anna), await makeProject(anna), await makeTag(anna)];
    const boris = await signUp(service);
    const [deleted, claimed, other] = [await makeTask(anna), await makeTask(anna), await makeTask(anna)];
    const deletion = await anna.delete(`/api/v2/todo/${deleted.id}`);
    return {
      ...{ workspaceId, projectId: project.id, otherProjectId: otherProject.id, tagId: tag.id },
      ...{ taskId: task.id, otherTaskId: other.id, userId: anna.id, email: boris.email },
      ...{ deletedId: deleted.id, operationId: deletion.headers.get('X-Operation-Id') ?? '' },
      invitationId: await invite(boris, (await makeWorkspace(boris)).id, anna.email),
      sectionId: (await makeSection(anna, project.id)).id,
      commentId: (await makeComment(anna, task.id)).id,
      fence: await mustClaim(anna, claimed.id),
    };
  }

  test('is refused under a lost fence', async () => {
    const targets = await targetsOf();
    const invitationId = await invite(anna, targets.workspaceId, randomEmail());
    await release(agent, fence);
    const codes: Record<string, unknown> = {};
    for (const [name, fieldsOf] of Object.entries(mutations)) {
      const fields = fieldsOf(name === 'revokeInvitation' ? { ...targets, invitationId } : targets);
      const { body } = await anna.post<GraphqlAnswer<object>>(
        '/graphql',
        { query: `mutation { ${fields} }` },
        under(fence),
      );
      codes[name] = body.errors?.[0]?.extensions['code'];
    }
    expect(codes).toEqual(Object.fromEntries(Object.keys(mutations).map((name) => [name, 'CLAIM_LOST'])));
  });

  test('of webhooks is refused under a lost fence', async () => {
    const { webhook } = await makeWebhook(agent, 'https://hooks.example/');
    await release(agent, fence);
    const path = `/api/v2/webhooks/${webhook.id}`;
    expect(await agent.patch(path, { enabled: false }, under(fence))).toMatchObject(lost);
    expect(await agent.delete(path, undefined, under(fence))).toMatchObject(lost);
    expect(await webhooksOf(agent)).toMatchObject([{ id: webhook.id, state: expect.not.stringMatching('paused') }]);
  });

  test('of sessions, passwords and secrets takes no fence', async () => {
    const path = 'X-Claim-Fence';
    const refusal = { code: 'VALIDATION_FAILED', errors: [{ path, message: expect.stringMatching(/^must not be/) }] };
    expect(await anna.post('/api/v1/user/logout', undefined, under(fence))).toMatchObject({
      status: 400,
      body: refusal,
    });
    const query = `mutation { revokeAccessToken(id: "${agent.tokenId}") }`;
    expect((await anna.post('/graphql', { query }, under(fence))).body).toMatchObject({
      errors: [{ extensions: refusal }],
    });
    const mixed = `mutation { deleteTask(id: "${task.id}") revokeAccessToken(id: "${agent.tokenId}") }`;
    expect((await anna.post('/graphql', { query: mixed, extensions: { fence } })).body).toMatchObject({
      errors: [{ extensions: { errors: [{ path: 'extensions.fence' }] } }],
    });
    expect(await claimOf(anna, task.id)).toMatchObject({ fence });
  });
});

test('a fence of another credential is lost', async () => {
  expect(await rename(anna, task.id, 'no', fence)).toMatchObject(lost);
  expect(await rename(await makeProgram(service, anna), task.id, 'no', fence)).toMatchObject(lost);
  expect(await rename(await signUp(service), task.id, 'no', fence)).toMatchObject(lost);
  expect(await titleOf(anna, task.id)).toBe(task.title);
});

test('reads ignore a fence', async () => {
  for (const named of ['x', '1']) {
    expect(await agent.get('/api/v2/todo', under(named))).toMatchObject({ status: 200 });
    const body = { query: '{ tags { id } }', extensions: { fence: named } };
    expect((await agent.post('/graphql', body, under(named))).body).toEqual({ data: { tags: [] } });
  }
});

test('a replay under an idempotency key stays a replay', async () => {
  const headers = { ...under(fence).headers, 'Idempotency-Key': crypto.randomUUID() };
  const write = () => agent.patch(`/api/v2/todo/${task.id}`, { title: 'once' }, { headers });
  expect(await write()).toMatchObject({ status: 200 });
  await release(agent, fence);
  const again = await write();
  expect(again.status).toBe(200);
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  const other = { headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() } };
  expect(await agent.patch(`/api/v2/todo/${task.id}`, { title: 'twice' }, other)).toMatchObject(lost);
  expect(await titleOf(anna, task.id)).toBe('once');
});

test('an operation may end the claim by its first write, and go on', async () => {
  const query = `mutation ($id: ID!) {
    updateTask(id: $id, input: { completed: true }) { id }
    createComment(taskId: $id, text: "done") { id }
  }`;
  const extensions = () => ({ fence, idempotencyKey: crypto.randomUUID() });
  const run = () => agent.post('/graphql', { query, variables: { id: task.id }, extensions: extensions() });
  expect((await run()).body).not.toHaveProperty('errors');
  expect((await run()).body).toMatchObject({ errors: [{ extensions: { code: 'CLAIM_LOST' } }] });
});

test('a write that waits for the lock of its space while the claim ends is refused', async () => {
  const lock = await lockSpaces(service, anna.id);
  const write = rename(agent, task.id, 'late', fence);
  await untilWaiting(service, 1);
  await lock.sql('DELETE FROM claims WHERE fence = $1', [fence]);
  await lock.release();
  expect(await write).toMatchObject(lost);
  expect(await titleOf(anna, task.id)).toBe(task.title);
});

test('a claim does not end between the check of a write and its commit', async () => {
  const workspace = await makeWorkspace(anna);
  const project = await makeProject(anna, { workspaceId: workspace.id });
  const other = await makeTask(anna, { projectId: project.id });
  // Holds the rows of the other space's task, after the checks of the write.
  const lock = await openLockHolder(service);
  await lock.sql('SELECT FROM tasks WHERE id = $1 FOR UPDATE', [other.id]);
  const write = rename(agent, other.id, 'in time', fence);
  await untilWaiting(service, 1);
  const ending = release(anna, fence);
  await untilWaiting(service, 2);
  await lock.release();
  expect(await write).toMatchObject({ status: 200 });
  expect(await ending).toMatchObject({ status: 200 });
  expect(await titleOf(anna, other.id)).toBe('in time');
});

test('a person edits and completes a claimed task at once, and the next write of the agent is refused', async () => {
  expect(await anna.patch(`/api/v2/todo/${task.id}`, { title: 'by Anna' })).toMatchObject({ status: 200 });
  expect(await claimOf(anna, task.id)).toMatchObject({ fence });
  expect(await anna.patch(`/api/v2/todo/${task.id}`, { completed: true })).toMatchObject({ status: 200 });
  expect(await claimOf(anna, task.id)).toBeNull();
  expect(await rename(agent, task.id, 'by the agent', fence)).toMatchObject(lost);
  expect(await titleOf(anna, task.id)).toBe('by Anna');
});
