import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { log } from '@taskgate/base';
import { writePolicy } from '../../packages/postgres/queues.ts';
import { loadOf } from '../../packages/work/load.ts';
import { inTurn } from '../../src/platform/transaction.ts';
import type { Answer } from '../kit/client.ts';
import { captureLog } from '../kit/log-lines.ts';
import { type LockHolder, openLockHolder, lockSpaces, untilWaiting } from '../kit/locks.ts';
import {
  invite,
  makeProject,
  makeSection,
  makeTag,
  makeTask,
  makeWorkspace,
  type RestProject,
  type RestSection,
  type RestTag,
  type RestTask,
} from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import { until } from '../kit/until.ts';

let service: Service;
let anna: User;
let ben: User;

beforeAll(async () => {
  service = await startService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});
afterAll(() => service.close());

let held: LockHolder | undefined;
afterEach(() => held?.release());

const removeMember = (workspaceId: string, { id }: User) =>
  anna.data('mutation ($w: ID!, $u: ID!) { removeWorkspaceMember(workspaceId: $w, userId: $u) { id } }', {
    w: workspaceId,
    u: id,
  });

describe('writers that wait for a space', () => {
  test('do not affect others, and continue when it is free', async () => {
    held = await lockSpaces(service, anna.id);
    const writes = Array.from({ length: 100 }, () => anna.post('/api/v2/todo', { title: 'x' }));
    await untilWaiting(service, writePolicy.slotsPerResource);
    expect(await ben.get('/api/v2/todo')).toMatchObject({ status: 200 });
    expect(await ben.post('/api/v2/todo', { title: 'y' })).toMatchObject({ status: 201 });
    expect(await anna.get('/api/v2/todo')).toMatchObject({ status: 200 });
    expect(await service.anonymous.get('/readyz')).toMatchObject({ status: 200 });
    await signInAgain(service, ben);
    await held.release();
    // On a slow machine, some have timed out.
    for (const { status } of await Promise.all(writes)) expect([201, 503]).toContain(status);
    expect(await anna.post('/api/v2/todo', { title: 'x' })).toMatchObject({ status: 201 });
  });

  test('are refused after a while, with Retry-After', async () => {
    held = await lockSpaces(service, anna.id);
    const writes = Array.from({ length: writePolicy.slotsPerResource + 1 }, () =>
      anna.post('/api/v2/todo', { title: 'x' }),
    );
    for (const { status, headers, body } of await Promise.all(writes)) {
      expect({ status, body }).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
      expect(headers.get('retry-after')).toBe('1');
    }
  });

  test('are given up when their caller hangs up, unless they have begun, which is no error of the service', async () => {
    const { level } = log;
    const captured = captureLog();
    log.level = 'warn';
    held = await lockSpaces(service, anna.id);
    const callers = Array.from({ length: writePolicy.slotsPerResource + 1 }, () => new AbortController());
    const write = ({ signal }: AbortController, title: string) =>
      fetch(`${service.url}/api/v2/todo`, {
        method: 'POST',
        headers: { cookie: anna.cookie ?? '', 'content-type': 'application/json' },
        body: JSON.stringify({ title }),
        signal,
      });
    const [first, ...others] = callers.slice(0, -1).map((caller) => write(caller, 'begun'));
    await untilWaiting(service, writePolicy.slotsPerResource);
    const last = callers.at(-1) ?? new AbortController();
    const waiting = write(last, 'waits');
    await until('one write waits', () => loadOf('writes').waiting === 1);
    for (const caller of [callers[0], last]) caller?.abort();
    await expect(first).rejects.toThrow('aborted');
    await expect(waiting).rejects.toThrow('aborted');
    await until('no write waits', () => loadOf('writes').waiting === 0);
    await held.release();
    await Promise.all(others);
    const titles = () =>
      service.sql(`SELECT title FROM tasks WHERE space_id = $1 AND title IN ('begun', 'waits')`, [anna.id]);
    await until(
      'the writes that had begun are done',
      async () => (await titles()).length >= writePolicy.slotsPerResource,
    );
    // Another write has had its turn since, so the abandoned one would have had it too.
    await anna.post('/api/v2/todo', { title: 'x' });
    expect(await titles()).toEqual(Array(writePolicy.slotsPerResource).fill({ title: 'begun' }));
    log.level = level;
    captured.release();
    expect(captured.lines).toEqual([]);
  });

  test('of one account are at most a third of all writers, whatever they wait for', async () => {
    let free = () => {};
    const freed = new Promise<void>((resolve) => (free = resolve));
    let begun = 0;
    const hold = () => {
      begun += 1;
      return freed;
    };
    const { slots, slotsPerKey, slotsPerResource } = writePolicy;
    const writes = Array.from({ length: slots + 2 }, (_, index) =>
      inTurn(service.services.connections, [`key ${index}`], hold, { id: 'anna' }),
    );
    await expect(
      inTurn(service.services.connections, ['another key'], () => Promise.resolve('done'), { id: 'ben' }),
    ).resolves.toBe('done');
    expect(begun).toBe(slotsPerKey);
    // An account may write elsewhere while others keep a key busy.
    const busy = Array.from({ length: slotsPerResource }, () =>
      inTurn(service.services.connections, ['busy'], hold, { id: 'cleo' }),
    );
    const behind = Array.from({ length: slotsPerKey + 1 }, () =>
      inTurn(service.services.connections, ['busy'], hold, { id: 'ben' }),
    );
    await expect(
      inTurn(service.services.connections, ['another key'], () => Promise.resolve('done'), { id: 'ben' }),
    ).resolves.toBe('done');
    free();
    await Promise.all([...writes, ...busy, ...behind]);
  });

  test('are refused at once if too many wait', async () => {
    let free = () => {};
    const freed = new Promise<void>((resolve) => (free = resolve));
    const waiting = Array.from({ length: writePolicy.slotsPerResource + 1_000 }, () =>
      inTurn(service.services.connections, ['key'], () => freed),
    );
    await expect(inTurn(service.services.connections, ['key', 'more'], () => freed)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    await expect(inTurn(service.services.connections, ['other'], () => Promise.resolve('done'))).resolves.toBe('done');
    free();
    await Promise.all(waiting);
  });
});

interface World {
  workspaceId: string;
  project: RestProject;
  section: RestSection;
  task: RestTask;
  other: RestTask;
  tag: RestTag;
  /** Of an address without an account. */
  invitation: string;
}

const gql = async (user: User, mutation: string): Promise<number> => {
  const { errors } = await user.graphql(`mutation { ${mutation} }`);
  const statuses = { NOT_FOUND: 404, VALIDATION_FAILED: 400, UNAUTHENTICATED: 401, FORBIDDEN: 403 };
  return errors ? statuses[errors[0]?.extensions.code as keyof typeof statuses] : 200;
};
const statusOf = async (answer: Promise<Answer<unknown>>) => (await answer).status;

/** Every way to write to a workspace, with the status for a former member. */
const writes: [string, number, (user: User, world: World) => Promise<number>][] = [
  [
    'create a task',
    400,
    (user, { project }) => statusOf(user.post('/api/v2/todo', { title: 'x', projectId: project.id })),
  ],
  ['create a subtask', 400, (user, { task }) => statusOf(user.post('/api/v2/todo', { title: 'x', parentId: task.id }))],
  ['change a task', 404, (user, { task }) => statusOf(user.patch(`/api/v2/todo/${task.id}`, { title: 'y' }))],
  ['tag a task', 404, (user, { task, tag }) => statusOf(user.patch(`/api/v2/todo/${task.id}`, { tags: [tag.id] }))],
  ['move a task out', 404, (user, { task }) => statusOf(user.patch(`/api/v2/todo/${task.id}`, { projectId: null }))],
  [
    'reorder a task',
    404,
    (user, { task, other }) => gql(user, `moveTask(id: "${task.id}", after: "${other.id}") { id }`),
  ],
  ['delete a task', 404, (user, { task }) => statusOf(user.delete(`/api/v2/todo/${task.id}`))],
  [
    'create a project',
    403,
    (user, { workspaceId }) => statusOf(user.post('/api/v2/projects', { name: 'x', workspaceId })),
  ],
  ['change a project', 404, (user, { project }) => statusOf(user.put(`/api/v2/projects/${project.id}`, { name: 'y' }))],
  ['delete a project', 404, (user, { project }) => statusOf(user.delete(`/api/v2/projects/${project.id}`))],
  [
    'create a section',
    404,
    (user, { project }) => statusOf(user.post(`/api/v2/projects/${project.id}/sections`, { name: 'x' })),
  ],
  ['change a section', 404, (user, { section }) => gql(user, `updateSection(id: "${section.id}", name: "y") { id }`)],
  ['delete a section', 404, (user, { section }) => gql(user, `deleteSection(id: "${section.id}")`)],
  [
    'invite somebody',
    404,
    (user, { workspaceId }) =>
      gql(user, `inviteToWorkspace(workspaceId: "${workspaceId}", email: "dora@example.com") { id }`),
  ],
  ['revoke an invitation', 404, (user, { invitation }) => gql(user, `revokeInvitation(id: "${invitation}")`)],
  [
    'rename the workspace',
    404,
    (user, { workspaceId: id }) => gql(user, `updateWorkspace(id: "${id}", name: "y") { id }`),
  ],
  ['delete the workspace', 404, (user, { workspaceId }) => gql(user, `deleteWorkspace(id: "${workspaceId}")`)],
  ['leave the workspace', 404, (user, { workspaceId }) => gql(user, `leaveWorkspace(id: "${workspaceId}")`)],
  [
    'remove a member',
    404,
    (user, { workspaceId }) =>
      gql(user, `removeWorkspaceMember(workspaceId: "${workspaceId}", userId: "${anna.id}") { id }`),
  ],
];

describe('the rights of a write are read under the lock', () => {
  let world: World;
  beforeEach(async () => {
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId });
    const section = await makeSection(anna, project.id);
    const [task, other] = [
      await makeTask(anna, { projectId: project.id }),
      await makeTask(anna, { projectId: project.id }),
    ];
    const invitation = await invite(anna, workspaceId, 'cleo@example.com');
    world = { workspaceId, project, section, task, other, tag: await makeTag(ben), invitation };
  });

  const state = () =>
    service.sql(
      `SELECT to_jsonb(tasks) - 'search' AS row FROM tasks WHERE space_id = $1
       UNION ALL SELECT to_jsonb(projects) FROM projects WHERE space_id = $1
       UNION ALL SELECT to_jsonb(sections) FROM sections WHERE space_id = $1
       UNION ALL SELECT to_jsonb(task_tags) FROM task_tags JOIN tasks ON tasks.id = task_id WHERE tasks.space_id = $1
       UNION ALL SELECT to_jsonb(invitations) FROM invitations WHERE space_id = $1
       UNION ALL SELECT to_jsonb(spaces) - 'revision' - 'history_nonce' FROM spaces WHERE id = $1
       UNION ALL SELECT to_jsonb(memberships) FROM memberships WHERE space_id = $1 AND user_id = $2
       ORDER BY row`,
      [world.workspaceId, anna.id],
    );

  test.each(writes)('a member who was removed during the wait cannot %s', async (_name, refusal, write) => {
    const before = await state();
    held = await lockSpaces(service, world.workspaceId);
    const answer = write(ben, world);
    await untilWaiting(service, 1);
    await held.sql('DELETE FROM memberships WHERE space_id = $1 AND user_id = $2', [world.workspaceId, ben.id]);
    await held.release();
    expect(await answer).toBe(refusal);
    expect(await state()).toEqual(before);
  });

  test.each(writes)('a caller whose session ended during the wait cannot %s', async (_name, _refusal, write) => {
    const [before, session] = [await state(), await signInAgain(service, ben)];
    const other = service.client(session.cookie);
    held = await lockSpaces(service, world.workspaceId);
    const answer = write(session, world);
    await untilWaiting(service, 1);
    expect(await other.post('/api/v1/user/logout')).toMatchObject({ status: 200 });
    await held.release();
    expect(await answer).toBe(401);
    expect(await state()).toEqual(before);
  });

  test('a session ends after its write', async () => {
    const session = await signInAgain(service, ben);
    const other = service.client(session.cookie);
    held = await openLockHolder(service);
    await held.sql('SELECT FROM tasks WHERE id = $1 FOR UPDATE', [world.task.id]);
    const answer = session.patch(`/api/v2/todo/${world.task.id}`, { title: 'in time' });
    await untilWaiting(service, 1);
    const logout = other.post('/api/v1/user/logout');
    await untilWaiting(service, 2);
    await held.release();
    expect([(await answer).status, (await logout).status]).toEqual([200, 200]);
    expect((await session.get('/api/v2/todo')).status).toBe(401);
  });

  test('a member who is removed while they tag tasks leaves no tags behind', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await makeWorkspace(anna, ben);
      const project = await makeProject(anna, { workspaceId: id });
      const tasks = await Promise.all(Array.from({ length: 4 }, () => makeTask(anna, { projectId: project.id })));
      const tag = await makeTag(ben);
      await Promise.all([
        ...tasks.map((task) => ben.patch(`/api/v2/todo/${task.id}`, { tags: [tag.id] })),
        ben.post('/api/v2/todo', { title: 'x', projectId: project.id, tags: [tag.id] }),
        removeMember(id, ben),
      ]);
      expect(await service.sql('SELECT FROM task_tags WHERE tag_id = $1', [tag.id])).toEqual([]);
    }
  });

  test('a password change waits for no writer', async () => {
    const password = 'another password';
    held = await lockSpaces(service, anna.id);
    const writes = Array.from({ length: 5 }, () => anna.post('/api/v2/todo', { title: 'x' }));
    await untilWaiting(service, writePolicy.slotsPerResource);
    const body = { currentPassword: anna.password, newPassword: password, confirmNewPassword: password };
    expect(await anna.put('/api/v1/user/password', body)).toMatchObject({ status: 200 });
    await held.release();
    for (const { status } of await Promise.all(writes)) expect([201, 503]).toContain(status);
  });
});
