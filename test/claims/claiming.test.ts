import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addMember, makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { openLockHolder } from '../kit/locks.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import {
  changesAfter,
  claim,
  claimOf,
  cursorOf,
  expire,
  lost,
  mustClaim,
  refused,
  release,
  renew,
  rename,
  taken,
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

describe('a claim', () => {
  test('is shown on the task and in the list, with a fence that grows', async () => {
    const [first, second] = [await makeTask(anna), await makeTask(anna)];
    const { status, body } = await claim(agent, { taskId: first.id });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { claim: { taskId: first.id }, todo: { id: first.id } },
    });
    const fence = String(body.claim?.fence);
    const next = await mustClaim(agent, second.id);
    expect(BigInt(next) > BigInt(fence)).toBe(true);
    expect(await claimOf(anna, first.id)).toEqual({
      ...{ fence, holder: { id: anna.id }, client: 'script', since: expect.any(String) },
    });
    const { body: list } = await anna.get('/api/v2/claims');
    expect(list).toMatchObject({
      claims: [
        { fence: next, taskId: second.id },
        { fence, taskId: first.id },
      ],
    });
    const filtered = await anna.data(
      '{ yes: tasks(filter: { claimed: true }) { totalCount } no: tasks(filter: { claimed: false }) { totalCount } }',
    );
    expect(filtered).toEqual({ yes: { totalCount: 2 }, no: { totalCount: 0 } });
  });

  test('refuses everybody else, and its holder', async () => {
    const { id } = await makeTask(anna);
    await mustClaim(agent, id);
    expect(await claim(agent, { taskId: id })).toMatchObject(taken);
    expect(await claim(anna, { taskId: id })).toMatchObject(taken);
  });

  test('is the same under one idempotency key', async () => {
    const { id } = await makeTask(anna);
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const first = await claim(agent, { taskId: id }, key);
    const second = await claim(agent, { taskId: id }, key);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
  });

  test('needs an open task that the caller sees', async () => {
    const { id } = await makeTask(anna);
    const stranger = await signUp(service);
    expect(await claim(stranger, { taskId: id })).toMatchObject({ status: 404 });
    await anna.patch(`/api/v2/todo/${id}`, { completed: true });
    expect(await claim(anna, { taskId: id })).toMatchObject({ status: 400, body: { errors: [{ path: 'taskId' }] } });
    expect(await claim(anna, {})).toMatchObject({ status: 400, body: { errors: [{ path: 'taskId' }] } });
    expect(await claim(anna, { taskId: id, filter: {} })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'filter' }] },
    });
    for (const seconds of [9, 3601, 10.5])
      expect(await claim(anna, { taskId: id, seconds })).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'seconds' }] },
      });
  });

  test('needs write access, by role and by token', async () => {
    const [viewer, editor] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, editor);
    await addMember(anna, workspace.id, viewer, 'VIEWER');
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const { id } = await makeTask(anna, { projectId: project.id });
    expect(await claim(viewer, { taskId: id })).toMatchObject(refused);
    expect((await claim(viewer, { filter: {} })).body).toEqual({ claim: null, todo: null });
    const reader = await makeProgram(service, editor, { scopes: ['READ'] });
    expect(await claim(reader, { taskId: id })).toMatchObject(refused);
    const elsewhere = await makeProgram(service, editor, { spaceIds: [editor.id] });
    expect(await claim(elsewhere, { taskId: id })).toMatchObject({ status: 404 });
    const fence = await mustClaim(editor, id);
    expect(await release(viewer, fence)).toMatchObject(refused);
    expect(await release(await signUp(service), fence)).toMatchObject(lost);
  });

  test('is renewed without a change, by its credential alone', async () => {
    const { id } = await makeTask(anna);
    const fence = await mustClaim(agent, id, 10);
    const cursor = await cursorOf(anna);
    const { status, body } = await renew(agent, fence, { seconds: 3600 });
    expect({ status, body }).toMatchObject({ status: 200, body: { claim: { fence, taskId: id } } });
    expect(Date.parse(body.claim.expiresAt) - Date.now()).toBeGreaterThan(3_000_000);
    expect(await changesAfter(anna, cursor)).toEqual([]);
    expect(await renew(anna, fence)).toMatchObject(refused);
    expect(await renew(await makeProgram(service, anna), fence)).toMatchObject(refused);
  });

  test('is released by its credential and by sessions, not by another program', async () => {
    const colleague = await signUp(service);
    const workspace = await makeWorkspace(anna, colleague);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const { id } = await makeTask(anna, { projectId: project.id });
    const released = { status: 200, body: { msg: 'claim released successfully' } };
    let fence = await mustClaim(agent, id);
    expect(await release(await makeProgram(service, anna), fence)).toMatchObject(refused);
    expect(await release(agent, fence)).toMatchObject(released);
    expect(await claimOf(anna, id)).toBeNull();
    for (const other of [colleague, anna]) {
      fence = await mustClaim(agent, id);
      expect(await release(other, fence)).toMatchObject(released);
      expect(await release(other, fence)).toMatchObject(lost);
    }
  });

  test('that went to another agent is not taken back by an old fence', async () => {
    const { id } = await makeTask(anna);
    const old = await mustClaim(agent, id);
    await release(agent, old);
    const fence = await mustClaim(await makeProgram(service, anna), id);
    expect(await release(anna, old)).toMatchObject(lost);
    expect(await claimOf(anna, id)).toMatchObject({ fence });
  });

  test.each(['x', '-1', '1'.repeat(19), '1.5', ' 1'])('with the fence "%s" is malformed', async (fence) => {
    const path = encodeURIComponent(fence);
    for (const answer of [await renew(agent, path), await release(agent, path)])
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path: 'fence' }] } });
  });

  test.each(['0', '999999999999999999'])('with the fence "%s" is lost', async (fence) => {
    expect(await renew(agent, fence)).toMatchObject(lost);
    expect(await release(agent, fence)).toMatchObject(lost);
  });
});

describe('a filter', () => {
  test('takes the first open task by priority, due date and time, sort key', async () => {
    const project = await makeProject(anna);
    const make = (title: string, fields: object = {}) => makeTask(anna, { title, projectId: project.id, ...fields });
    await make('last');
    await make('due', { dueDate: '2026-12-02' });
    await make('low', { priority: 'low' });
    await make('high, later', { priority: 'high', dueDate: '2026-12-02' });
    await make('high, all day', { priority: 'high', dueDate: '2026-12-01' });
    const dueTime = '2026-12-01T20:00:00.000Z';
    await make('high, at 20', { priority: 'high', dueDate: '2026-12-01', isAllDay: false, dueTime });
    await make('high, none', { priority: 'high' });
    const done = await make('done', { priority: 'high', dueDate: '2026-11-01' });
    await anna.patch(`/api/v2/todo/${done.id}`, { completed: true });
    const titles: (string | undefined)[] = [];
    for (let n = 0; n < 8; n += 1)
      titles.push((await claim(agent, { filter: { projectId: project.id } })).body.todo?.title);
    expect(titles).toEqual([
      ...['high, at 20', 'high, all day', 'high, later', 'high, none', 'low', 'due', 'last', undefined],
    ]);
  });

  test('has the conditions of REST', async () => {
    const [project, tag] = [await makeProject(anna), await makeTag(anna)];
    const parent = await makeTask(anna, { priority: 'high' });
    const child = await makeTask(anna, { parentId: parent.id });
    const tagged = await makeTask(anna, { tags: [tag.id], projectId: project.id, priority: 'medium' });
    const taskOf = async (filter: object) => (await claim(agent, { filter })).body.todo?.id;
    expect(await taskOf({ parentId: parent.id })).toBe(child.id);
    expect(await taskOf({ tagIds: [tag.id], priority: ['low'] })).toBeUndefined();
    expect(await taskOf({ tagIds: [tag.id], priority: ['low', 'medium'] })).toBe(tagged.id);
    expect(await taskOf({ projectSectionId: 'sect_none' })).toBeUndefined();
    const bad = { status: 400, body: { errors: [{ path: expect.stringMatching(/^filter\.priority/) }] } };
    expect(await claim(agent, { filter: { priority: ['HIGHEST'] } })).toMatchObject(bad);
  });

  test('gives fifty callers forty tasks, one each', async () => {
    const [workspace, project] = [await makeWorkspace(anna), await makeProject(anna)];
    const shared = await makeProject(anna, { workspaceId: workspace.id });
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        makeTask(anna, { projectId: n % 2 ? project.id : shared.id, priority: 'high' }),
      ),
    );
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        agent.data<{ claimTask: { task: { id: string } } | null }>(
          'mutation ($ids: [ID!]) { claimTask(filter: { projectIds: $ids }) { task { id } } }',
          { ids: [project.id, shared.id] },
        ),
      ),
    );
    const ids = answers.flatMap(({ claimTask }) => claimTask?.task.id ?? []);
    expect(ids.sort()).toEqual(made.map(({ id }) => id).sort());
  });

  test('ends while the caller joins a workspace whose task would be the first', async () => {
    const colleague = await signUp(service);
    const workspace = await makeWorkspace(colleague);
    const project = await makeProject(colleague, { workspaceId: workspace.id });
    const first = await makeTask(colleague, { projectId: project.id, priority: 'high' });
    const { id } = await makeTask(anna);
    // The claim has read the caller's spaces and waits.
    const holder = await openLockHolder(service);
    await holder.sql('LOCK TABLE claims');
    const answer = claim(agent, { filter: {} });
    const waiting =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '/* firstToClaim%' AND wait_event_type = 'Lock'";
    await until('the claim waits', async () => (await service.sql(waiting)).length > 0);
    await holder.sql("INSERT INTO memberships (user_id, space_id, role) VALUES ($1, $2, 'EDITOR')", [
      anna.id,
      workspace.id,
    ]);
    await holder.release();
    expect((await answer).body).toMatchObject({ claim: { taskId: id } });
    expect((await claim(agent, { filter: {} })).body).toMatchObject({ claim: { taskId: first.id } });
  });

  test('takes a task whose claim has just expired', async () => {
    const { id } = await makeTask(anna);
    const fence = await mustClaim(agent, id);
    await expire(service, fence);
    expect((await claim(agent, { filter: {} })).body).toMatchObject({ claim: { taskId: id }, todo: { id } });
    expect(await rename(agent, id, 'late', fence)).toMatchObject(lost);
  });
});
