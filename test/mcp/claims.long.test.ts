import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { claimOf, mustClaim, release, untilEnded } from '../claims/claims.ts';
import { connect, refresh } from '../kit/application.ts';
import { makeProject, makeTag, makeTask } from '../kit/make.ts';
import { Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Agent } from './agent.ts';

interface Claimed {
  task: { id: string; title: string };
  fence: string;
  expiresAt: string;
}

let service: Service;
let anna: User;
let agent: Agent;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
  agent = await Agent.of(service, anna);
});

const titlesOf = async (args: object) =>
  (await agent.call<{ tasks: { title: string }[] }>('list_tasks', args)).tasks.map(({ title }) => title);

describe('claim_task', () => {
  test('takes the first task that fits, and says if none does', async () => {
    const project = await makeProject(anna, { name: 'Garden' });
    await makeTask(anna, { title: 'elsewhere', priority: 'high' });
    await makeTask(anna, { title: 'later', projectId: project.id });
    await makeTask(anna, { title: 'first', projectId: project.id, priority: 'medium' });
    const first = await agent.call<Claimed>('claim_task', { project: 'garden', seconds: 60 });
    expect(first).toMatchObject({ task: { title: 'first', project: 'Garden', claimedBy: 'script' } });
    expect(first.fence).toMatch(/^\d+$/);
    expect(Date.parse(first.expiresAt)).toBeGreaterThan(Date.now());
    expect(await titlesOf({ claimed: true })).toEqual(['first']);
    expect(await titlesOf({ claimed: false, project: 'Garden' })).toEqual(['later']);
    expect(await agent.call('claim_task', { project: 'garden' })).toMatchObject({ task: { title: 'later' } });
    expect(await agent.call('claim_task', { project: 'garden' })).toEqual({ claimed: false });
    expect(await agent.call('claim_task')).toMatchObject({ task: { title: 'elsewhere' } });
  });

  test('takes every condition', async () => {
    const tag = await makeTag(anna, { name: 'heavy' });
    await makeTask(anna, { title: 'other' });
    await makeTask(anna, { title: 'heavy', tags: [tag.id], priority: 'low', dueDate: '2020-01-01' });
    expect(await agent.call('claim_task', { tag: 'heavy', due: 'today' })).toEqual({ claimed: false });
    expect(await agent.call('claim_task', { tag: 'heavy', priority: 'high' })).toEqual({ claimed: false });
    const fitting = { tag: 'heavy', due: 'overdue', priority: 'low' };
    expect(await agent.call('claim_task', fitting)).toMatchObject({ task: { title: 'heavy' } });
    expect(await agent.fault('claim_task', { project: 'x' })).toMatch(/^VALIDATION_FAILED: project must be the id or/);
  });

  test('takes one task by its id, which nobody has claimed', async () => {
    const { id } = await makeTask(anna);
    await mustClaim(anna, id);
    expect(await agent.call('list_tasks')).toMatchObject({ tasks: [{ claimedBy: 'node' }] });
    expect(await agent.call('fetch', { id })).toMatchObject({ metadata: { claimedBy: 'node' } });
    expect(await agent.fault('claim_task', { id })).toMatch(/^TASK_CLAIMED: .*; claim_task without an id takes one/);
    expect(await agent.fault('claim_task', { id: 'task_00000000000000000000000000' })).toMatch(/^NOT_FOUND: /);
    const done = await makeTask(anna);
    await anna.patch(`/api/v2/todo/${done.id}`, { completed: true });
    expect(await agent.fault('claim_task', { id: done.id })).toBe(
      'VALIDATION_FAILED: id must be the id of an open task',
    );
  });

  test('renews by the fence alone', async () => {
    const { id } = await makeTask(anna);
    const { fence, expiresAt } = await agent.call<Claimed>('claim_task', { id });
    const renewed = await agent.call<Claimed>('claim_task', { fence, seconds: 3600 });
    expect(renewed).toMatchObject({ task: { id }, fence });
    expect(Date.parse(renewed.expiresAt)).toBeGreaterThan(Date.parse(expiresAt));
    for (const [args, fault] of [
      [{ id, fence }, 'id must not be given with fence'],
      [{ due: 'today', fence }, 'due must not be given with fence'],
      [{ id, project: 'x' }, 'project must not be given with id'],
      [{ fence: 'x' }, 'fence must be the fence of a claim, a number of up to 18 digits'],
      [{ fence, seconds: 9 }, 'seconds must be a whole number from 10 to 3600'],
    ] as const)
      expect(await agent.fault('claim_task', args)).toBe(`VALIDATION_FAILED: ${fault}`);
    expect(await (await Agent.of(service, anna)).fault('claim_task', { fence })).toMatch(/^FORBIDDEN: /);
    await release(anna, fence);
    expect(await agent.fault('claim_task', { fence })).toMatch(/^CLAIM_LOST: .*; leave its task/);
  });
});

test('release_claim ends a claim, once', async () => {
  const { id } = await makeTask(anna);
  const { fence } = await agent.call<Claimed>('claim_task', { id });
  expect(await (await Agent.of(service, anna)).fault('release_claim', { fence })).toMatch(/^FORBIDDEN: /);
  expect(await agent.call('release_claim', { fence })).toEqual({ taskId: id });
  expect(await agent.fault('release_claim', { fence })).toMatch(/^CLAIM_LOST: /);
  expect(await claimOf(anna, id)).toBeNull();
});

describe('a call under a fence', () => {
  let id: string;
  let fence: string;
  beforeEach(async () => {
    ({ id } = await makeTask(anna, { title: 'mine' }));
    ({ fence } = await agent.call<Claimed>('claim_task', { id }));
  });

  const calls = (): [string, object][] => [
    ['create_tasks', { tasks: [{ title: 'new' }] }],
    ['update_tasks', { tasks: [{ id, title: 'changed' }] }],
    ['comment', { taskId: id, text: 'soon' }],
    ['organize', { type: 'tag', name: 'heavy' }],
    ['delete', { ids: [id] }],
  ];

  test('writes while the claim is in force', async () => {
    for (const [name, args] of calls())
      expect(await agent.call(name, { ...args, fence })).toMatchObject({ operationId: expect.any(String) });
  });

  test('writes nothing after it', async () => {
    await release(agent.program, fence);
    for (const [name, args] of calls()) {
      expect(await agent.fault(name, { ...args, fence })).toMatch(/^CLAIM_LOST: /);
      expect(await agent.fault(name, { ...args, fence: 'x' })).toMatch(/^VALIDATION_FAILED: fence must be/);
    }
    expect(await titlesOf({})).toEqual(['mine']);
    expect(await agent.call('overview')).toMatchObject({ tags: [] });
    expect(await agent.fault('undo', { operationIds: ['x'], fence })).toMatch(/must not have fence/);
  });

  test('is the same call for its key without the fence', async () => {
    const call = { tasks: [{ title: 'new' }], key: 'once' };
    const first = await agent.call('create_tasks', { ...call, fence });
    await release(agent.program, fence);
    expect(await agent.call('create_tasks', { ...call, fence })).toEqual(first);
    expect(await agent.call('create_tasks', call)).toEqual(first);
  });

  test('completes its task, and comments on it before', async () => {
    await agent.call('comment', { taskId: id, text: 'done', fence });
    await agent.call('update_tasks', { tasks: [{ id, completed: true }], fence });
    expect(await agent.fault('update_tasks', { tasks: [{ id, title: 'more' }], fence })).toMatch(/^CLAIM_LOST: /);
  });
});

test('a claim of an application is renewed, used and released by its next access token', async () => {
  const application = await connect(service, anna);
  const { id } = await makeTask(anna);
  const first = await Agent.as(service, application);
  const { fence } = await first.call<Claimed>('claim_task', { id });
  expect(await claimOf(anna, id)).toMatchObject({ fence, client: 'Assistant' });
  const { body } = await refresh(service, application);
  // As the end of its hour.
  await service.sql(
    `UPDATE access_tokens SET expires_at = now() WHERE grant_id = $1 AND created_at < (
     SELECT max(created_at) FROM access_tokens WHERE grant_id = $1)`,
    [application.tokenId],
  );
  const next = await Agent.as(service, new Program(service, body.access_token));
  expect(await next.call('claim_task', { fence, seconds: 3600 })).toMatchObject({ task: { id } });
  expect(await next.call('update_tasks', { tasks: [{ id, title: 'changed' }], fence })).toMatchObject({
    tasks: [{ title: 'changed', claimedBy: 'Assistant' }],
  });
  const other = await Agent.as(service, await connect(service, anna));
  expect(await other.fault('update_tasks', { tasks: [{ id, title: 'no' }], fence })).toMatch(/^CLAIM_LOST: /);
  expect(await next.call('release_claim', { fence })).toEqual({ taskId: id });
  const { fence: last } = await next.call<Claimed>('claim_task', { id });
  await anna.data(`mutation { revokeApplication(id: "${application.tokenId}") }`);
  await untilEnded(service, last);
  expect(await claimOf(anna, id)).toBeNull();
});
