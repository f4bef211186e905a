import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { cursorOfNow, Stream } from './stream.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

const endSession = ({ sessionId }: User) => service.sql('DELETE FROM sessions WHERE sid = $1', [sessionId]);

describe('the end of a session', () => {
  test('by sign-out closes its sockets with 4401, and no others', async () => {
    const anna = await signUp(service);
    const secondSession = await signInAgain(service, anna);
    const [stream, other] = [await Stream.open(service, anna), await Stream.open(service, secondSession)];
    await makeTask(anna);
    await Promise.all([stream.take(), other.take()]);
    await anna.post('/api/v1/user/logout');
    expect(await stream.socket.closed).toMatchObject({ code: 4401 });
    const { id } = await makeTask(secondSession);
    expect(await other.take()).toMatchObject({ taskId: id });
    other.close();
  });

  test("by a change of password ends the account's other streams", async () => {
    const anna = await signUp(service);
    const secondSession = await signInAgain(service, anna);
    const [own, other] = [await Stream.open(service, anna), await Stream.open(service, secondSession)];
    const events = await EventStream.open(service, secondSession, '/api/v2/events');
    await makeTask(anna);
    await Promise.all([own.take(), other.take(), events.take()]);
    await anna.put('/api/v1/user/password', {
      currentPassword: anna.password,
      newPassword: 'another',
      confirmNewPassword: 'another',
    });
    expect(await other.socket.closed).toMatchObject({ code: 4401 });
    expect(await events.take()).toMatchObject({ event: 'end', data: expect.stringContaining('UNAUTHENTICATED') });
    const { id } = await makeTask(anna);
    expect(await own.take()).toMatchObject({ taskId: id });
    own.close();
  });

  test('in the database comes before the next delivery', async () => {
    const anna = await signUp(service);
    const secondSession = await signInAgain(service, anna);
    const stream = await Stream.open(service, anna);
    await endSession(anna);
    await makeTask(secondSession);
    expect(await stream.socket.closed).toMatchObject({ code: 4401 });
    expect(stream.changes.size).toBe(0);
  });

  test('ends a stream without events', async () => {
    const anna = await signUp(service);
    const stream = await Stream.open(service, anna);
    const sse = await EventStream.open(
      service,
      anna,
      `/graphql?query=${encodeURIComponent('subscription { taskChanges { taskId } }')}`,
      { 'x-graphql-yoga-csrf': '1' },
    );
    await endSession(anna);
    expect(await stream.socket.closed).toMatchObject({ code: 4401 });
    expect(await sse.body).toContain('UNAUTHENTICATED');
  });
});

describe('the loss of a membership', () => {
  async function team() {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const remove = () =>
      anna.data('mutation ($id: ID!, $user: ID!) { removeWorkspaceMember(workspaceId: $id, userId: $user) { id } }', {
        id: workspace.id,
        user: ben.id,
      });
    return { anna, ben, workspace, project, remove };
  }

  test('narrows a stream before the next delivery', async () => {
    const { anna, ben, workspace, project } = await team();
    const stream = await Stream.open(service, ben);
    await makeTask(anna, { projectId: project.id });
    const { cursor } = await stream.take();
    // Changes the membership outside the service, so no notification comes before the change.
    await service.sql('DELETE FROM memberships WHERE space_id = $1 AND user_id = $2', [workspace.id, ben.id]);
    await makeTask(anna, { projectId: project.id });
    const own = await makeTask(ben);
    expect(await stream.take()).toMatchObject({ taskId: own.id });
    const resumed = await Stream.open(service, ben, { after: cursor });
    expect(await resumed.take()).toMatchObject({ taskId: own.id });
    resumed.close();
    stream.close();
  });

  test('ends a stream of a project of the workspace', async () => {
    const { anna, ben, project, remove } = await team();
    const stream = await Stream.open(service, ben, { projectId: project.id });
    await makeTask(anna, { projectId: project.id });
    await stream.take();
    await remove();
    expect(await stream.ended).toBe('FORBIDDEN');
    const secondStream = await Stream.open(service, ben, { projectId: project.id });
    expect(await secondStream.ended).toBe('VALIDATION_FAILED');
    for (const each of [stream, secondStream]) each.close();
  });
});

describe('the end of a workspace', () => {
  test('narrows the streams of its last member, ends streams of its projects, and keeps cursors valid', async () => {
    const anna = await signUp(service);
    const workspace = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const [all, some] = [await Stream.open(service, anna), await Stream.open(service, anna, { projectId: project.id })];
    await makeTask(anna, { projectId: project.id });
    const [{ cursor }] = [await all.take(), await some.take()];
    await anna.data('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id: workspace.id });
    expect(await some.ended).toBe('FORBIDDEN');
    const own = await makeTask(anna);
    expect(await all.take()).toMatchObject({ kind: 'CREATED', taskId: own.id });
    const resumed = await Stream.open(service, anna, { after: cursor });
    expect(await resumed.take()).toMatchObject({ kind: 'CREATED', taskId: own.id });
    for (const each of [all, some, resumed]) each.close();
  });
});

test('the changes feed has the deletions of a deleted project', async () => {
  const anna = await signUp(service);
  const project = await makeProject(anna);
  const { id } = await makeTask(anna, { projectId: project.id });
  const after = await cursorOfNow(anna);
  await anna.delete(`/api/v2/projects/${project.id}`);
  const stream = await Stream.open(service, anna, { after, projectId: project.id });
  expect(await stream.take()).toMatchObject({ kind: 'DELETED', taskId: id });
  expect(await stream.ended).toBe('VALIDATION_FAILED');
  stream.close();
});
