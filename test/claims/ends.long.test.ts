import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { lockSpaces } from '../kit/locks.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import {
  changesAfter,
  claim,
  claimOf,
  cursorOf,
  expire,
  lost,
  mustClaim,
  release,
  renew,
  rename,
  titleOf,
  untilEnded,
} from './claims.ts';

let service: Service;
let anna: User;
let agent: Program;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
  agent = await makeProgram(service, anna, {});
});

describe('a claim ends', () => {
  const cases: [string, (id: string, fence: string) => Promise<unknown>][] = [
    ['if its time passes', (_id, fence) => expire(service, fence)],
    [
      'if it would last for hours, because the clock of the database was set back',
      (_id, fence) =>
        service.sql("UPDATE claims SET expires_at = expires_at + interval '2 hours' WHERE fence = $1", [fence]),
    ],
    ['if the task is completed', (id) => anna.patch(`/api/v2/todo/${id}`, { completed: true })],
    [
      'if the task is completed with others',
      async (id) => anna.patch(`/api/v2/todo/bulk?todoIds=${id},${(await makeTask(anna)).id}`, { completed: true }),
    ],
    ['if the token ends', () => anna.data('mutation ($id: ID!) { revokeAccessToken(id: $id) }', { id: agent.tokenId })],
    [
      'if the token expires',
      () => service.sql('UPDATE access_tokens SET expires_at = now() WHERE id = $1', [agent.tokenId]),
    ],
  ];
  test.each(cases)('%s', async (_name, end) => {
    const { id } = await makeTask(anna);
    const fence = await mustClaim(agent, id);
    const cursor = await cursorOf(anna);
    await end(id, fence);
    await untilEnded(service, fence);
    expect(await claimOf(anna, id)).toBeNull();
    const changes = (await changesAfter(anna, cursor)).filter(({ taskId }) => taskId === id);
    expect(changes).toHaveLength(1);
    expect(changes[0]?.changedFields).toContain('claim');
    expect(await release(anna, fence)).toMatchObject(lost);
  });

  test('if the session ends', async () => {
    const { id } = await makeTask(anna);
    const other = await signInAgain(service, anna);
    const fence = await mustClaim(other, id);
    await other.post('/api/v1/user/logout');
    await untilEnded(service, fence);
    expect(await claimOf(anna, id)).toBeNull();
  });

  test('if the membership of the holder ends', async () => {
    const colleague = await signUp(service);
    const workspace = await makeWorkspace(anna, colleague);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const { id } = await makeTask(anna, { projectId: project.id });
    const own = await makeTask(colleague);
    const fence = await mustClaim(colleague, id);
    await anna.data(
      'mutation ($id: ID!, $userId: ID!) { removeWorkspaceMember(workspaceId: $id, userId: $userId) { id } }',
      {
        ...{ id: workspace.id, userId: colleague.id },
      },
    );
    expect(await rename(colleague, own.id, 'no', fence)).toMatchObject(lost);
    await untilEnded(service, fence);
    expect(await claimOf(anna, id)).toBeNull();
  });

  test('if the task moves where its holder cannot see it, and stays elsewhere', async () => {
    const colleague = await signUp(service);
    const [shared, also] = [await makeWorkspace(anna, colleague), await makeWorkspace(anna, colleague)];
    const [from, to] = [
      await makeProject(anna, { workspaceId: shared.id }),
      await makeProject(anna, { workspaceId: also.id }),
    ];
    const own = await makeProject(anna);
    const { id } = await makeTask(anna, { projectId: from.id });
    const fence = await mustClaim(colleague, id);
    await anna.patch(`/api/v2/todo/${id}`, { projectId: to.id });
    expect(await claimOf(anna, id)).toMatchObject({ fence });
    await anna.patch(`/api/v2/todo/${id}`, { projectId: own.id });
    expect(await claimOf(anna, id)).toBeNull();
    expect(await renew(colleague, fence)).toMatchObject(lost);
  });

  test('if the task moves where the token of its holder does not reach', async () => {
    const program = await makeProgram(service, anna, { spaceIds: [anna.id] });
    const workspace = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const [{ id }, other] = [await makeTask(anna), await makeTask(anna)];
    const fence = await mustClaim(program, id);
    await anna.patch(`/api/v2/todo/${id}`, { projectId: project.id });
    expect(await claimOf(anna, id)).toBeNull();
    expect(await rename(program, other.id, 'no', fence)).toMatchObject(lost);
    expect(await claim(agent, { taskId: id })).toMatchObject({ status: 200 });
  });

  test('with the task, and with the account of its holder', async () => {
    const { id } = await makeTask(anna);
    const fence = await mustClaim(agent, id);
    const deletion = await anna.delete(`/api/v2/todo/${id}`);
    expect(await service.sql('SELECT FROM claims WHERE fence = $1', [fence])).toEqual([]);
    await anna.post(`/api/v2/operations/${deletion.headers.get('X-Operation-Id')}/undo`, {});
    expect(await claimOf(anna, id)).toBeNull();
    const colleague = await signUp(service);
    const workspace = await makeWorkspace(anna, colleague);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const shared = await makeTask(anna, { projectId: project.id });
    await mustClaim(colleague, shared.id);
    expect(await colleague.delete('/api/v1/user', { password: colleague.password })).toMatchObject({
      status: 200,
    });
    expect(await claimOf(anna, shared.id)).toBeNull();
  });
});

test('a space that another writer has locked delays the ends in no other space', async () => {
  const colleague = await signUp(service);
  const fence = await mustClaim(agent, (await makeTask(anna)).id);
  const other = await mustClaim(colleague, (await makeTask(colleague)).id);
  const writer = await lockSpaces(service, anna.id);
  await expire(service, fence);
  const waiting = () =>
    service.sql(
      "SELECT query_start FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '/* endClaims%' AND wait_event_type = 'Lock'",
    );
  await until('the end waits', async () => (await waiting()).length > 0);
  const begun = await waiting();
  await expire(service, other);
  await untilEnded(service, other);
  expect(await waiting()).toEqual(begun);
  await writer.release();
  await untilEnded(service, fence);
});

describe('the history', () => {
  test('has operations of claims without anything to undo, and none in a task', async () => {
    const { id, title } = await makeTask(anna);
    const claimed = await claim(agent, { taskId: id });
    const operationId = claimed.headers.get('X-Operation-Id');
    expect(operationId).toMatch(/^op_/);
    const released = await release(agent, String(claimed.body.claim?.fence));
    const { operations } = await anna.data<{
      operations: { nodes: { id: string; client: string; summary: string; undoable: boolean }[] };
    }>('{ operations(first: 2) { nodes { id client summary undoable } } }');
    const ofClaim = { client: 'script', summary: 'Changed the claim of a task', undoable: false };
    expect(operations.nodes).toEqual([
      { ...ofClaim, id: released.headers.get('X-Operation-Id') },
      { ...ofClaim, id: operationId },
    ]);
    const { task } = await anna.data<{ task: { history: { nodes: object[] } } }>(
      'query ($id: ID!) { task(id: $id) { history { nodes { id } } } }',
      { id },
    );
    expect(task.history.nodes).toHaveLength(1);
    const fence = await mustClaim(agent, id);
    expect((await anna.post(`/api/v2/operations/${operationId}/undo`, {})).body).toMatchObject({
      errors: [{ message: 'has nothing in it to undo' }],
    });
    expect(await claimOf(anna, id)).toMatchObject({ fence });
    expect(await titleOf(anna, id)).toBe(title);
  });
});
