import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { EventStream } from '../changes/sse.ts';
import { Socket, Stream } from '../changes/stream.ts';
import type { Client } from '../kit/client.ts';
import { deadlocks, openLockHolder, lockSpaces, untilWaiting } from '../kit/locks.ts';
import {
  invite,
  type ListedTask,
  makeProject,
  makeSection,
  makeTag,
  makeTask,
  makeWorkspace,
  makeWorkspaceOfAdmins,
} from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { tablesWith, untilForgotten } from '../kit/tables.ts';
import { signInAgain, signUp, signUpByMail, type User } from '../kit/users.ts';

const profile = '/api/v1/user/profile';
const signedOut = { status: 401, body: { code: 'UNAUTHENTICATED' } };

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'on' });
});
afterAll(() => service.close());

const deleteAccount = (user: Client, password?: string) =>
  user.graphql('mutation ($password: String) { deleteAccount(password: $password) }', { password });

const deleted = { data: { deleteAccount: true } };

const validationError = (path: string) => ({
  errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [expect.objectContaining({ path })] } }],
});

async function uploadAvatar(user: Client) {
  const background = { r: 1, g: 2, b: 3 };
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set('name', 'Anna');
  form.set('image', new Blob([image]), 'me');
  expect(await user.post(profile, form)).toMatchObject({ status: 200 });
}

describe('deleteAccount', () => {
  test('leaves nothing that names the account, except requested codes and the address of invitations', async () => {
    const [anna, ben] = [await signUpByMail(service), await signUp(service)];
    await uploadAvatar(anna);
    const [own, shared, bensTask] = [
      await makeWorkspace(anna),
      await makeWorkspace(anna, ben),
      await makeWorkspace(ben),
    ];
    const project = await makeProject(anna, { workspaceId: shared.id });
    const section = await makeSection(anna, project.id);
    const tag = await makeTag(anna);
    await makeTask(anna, { tags: [tag.id] });
    const task = await makeTask(anna, { projectId: project.id, projectSectionId: section.id, tags: [tag.id] });
    await makeTask(anna, { parentId: task.id });
    await makeTask(anna, { projectId: (await makeProject(anna, { workspaceId: own.id })).id });
    await invite(anna, shared.id, 'somebody@example.com');
    await invite(ben, bensTask.id, anna.email);
    await signInAgain(service, anna);
    expect(await deleteAccount(anna, anna.password)).toMatchObject(deleted);
    expect(anna.cookie).toBeUndefined();
    await untilForgotten(service, anna.id);
    expect(await tablesWith(service, anna.email)).toEqual(['invitations', 'one_time_codes', 'sent_invitations']);
    await untilForgotten(service, own.id);
    expect(await tablesWith(service, tag.id)).toEqual([]);
    expect(await service.sql('SELECT FROM avatars')).toEqual([]);
    const { todos } = (await ben.get<{ todos: ListedTask[] }>('/api/v2/todo')).body;
    expect(todos).toMatchObject([
      { id: task.id, tags: [], children: [expect.objectContaining({ parentId: task.id })] },
      {},
    ]);
    expect(await ben.data('{ workspaces { id members { id } invitations { id } } }')).toMatchObject({
      workspaces: [
        { id: shared.id, members: [{ id: ben.id }], invitations: [] },
        { id: bensTask.id, members: [{ id: ben.id }], invitations: [expect.anything()] },
      ],
    });
  });

  test('frees the address, which can no longer sign in, and can sign up as another account', async () => {
    const anna = await signUp(service);
    await makeTask(anna);
    expect(await deleteAccount(anna, anna.password)).toMatchObject(deleted);
    const { email, password } = anna;
    expect(await service.anonymous.post('/api/v1/user/signin', { email, password })).toMatchObject({ status: 400 });
    expect(await service.mailbox.take(email)).toMatchObject({ subject: 'Your Taskgate account was deleted' });
    const newAccount = await signUpByMail(service, { email });
    expect(newAccount.id).not.toBe(anna.id);
    expect(await newAccount.get('/api/v2/todo')).toMatchObject({ body: { todos: [] } });
  });

  test('ends all sessions and their open connections', async () => {
    const anna = await signUp(service);
    const other = await signInAgain(service, anna);
    const socket = await Socket.ready(service.url, other.cookie);
    const subscription = await Stream.open(service, other);
    const events = await EventStream.open(service, other, '/api/v2/events');
    expect(await deleteAccount(anna, anna.password)).toMatchObject(deleted);
    expect((await socket.closed).code).toBe(4401);
    expect(['UNAUTHENTICATED', '4401']).toContain(await subscription.ended);
    expect(await events.body).toContain('UNAUTHENTICATED');
    expect(await other.get(profile)).toMatchObject(signedOut);
  });

  test('notifies the members of its workspaces, and the users that it had invited', async () => {
    const [anna, ben, cleo] = [await signUp(service), await signUp(service), await signUp(service)];
    const { id } = await makeWorkspace(anna, ben);
    await invite(anna, id, cleo.email);
    const [members, invitations] = ['{ workspaces { members { id } } }', '{ viewer { invitations { id } } }'];
    expect(await ben.data(members)).toEqual({ workspaces: [{ members: [{ id: anna.id }, { id: ben.id }] }] });
    expect(await cleo.data(invitations)).toEqual({ viewer: { invitations: [expect.anything()] } });
    expect(await deleteAccount(anna, anna.password)).toMatchObject(deleted);
    expect(await ben.data(members)).toEqual({ workspaces: [{ members: [{ id: ben.id }] }] });
    expect(await cleo.data(invitations)).toEqual({ viewer: { invitations: [] } });
  });

  test('deletes the invitations that it sent for a workspace that it has left', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const { id } = await makeWorkspaceOfAdmins(ben, anna);
    await invite(anna, id, 'guest-of-anna@example.com');
    await anna.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id });
    expect(await deleteAccount(anna, anna.password)).toMatchObject(deleted);
    expect(await ben.data('{ workspaces { invitations { id } } }')).toEqual({ workspaces: [{ invitations: [] }] });
    const sent = 'SELECT invited_by_id FROM sent_invitations WHERE email = $1';
    expect(await service.sql(sent, ['guest-of-anna@example.com'])).toEqual([{ invited_by_id: null }]);
  });

  test('needs the password if one is set', async () => {
    const anna = await signUp(service);
    for (const password of [undefined, '', 'wrong', `${anna.password} `]) {
      expect(await deleteAccount(anna, password)).toMatchObject(validationError('password'));
    }
    expect(await anna.get(profile)).toMatchObject({ status: 200 });
    await service.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [anna.id]);
    expect(await deleteAccount(anna)).toMatchObject(deleted);
  });

  test('counts wrong passwords together with those of password changes: the tenth ends the session', async () => {
    const anna = await signUp(service);
    const change = { currentPassword: 'wrong', newPassword: 'new', confirmNewPassword: 'new' };
    for (let count = 1; count <= 5; count += 1) {
      expect(await deleteAccount(anna, 'wrong')).toMatchObject(validationError('password'));
      expect(await anna.put('/api/v1/user/password', change)).toMatchObject({ status: 400 });
    }
    expect(await anna.get(profile)).toMatchObject(signedOut);
    expect(await signInAgain(service, anna)).toBeDefined();
  });

  test('is refused without a session, and over WebSocket, which cannot clear the cookie', async () => {
    expect(await deleteAccount(service.anonymous)).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
    const anna = await signUp(service);
    const socket = await Socket.ready(service.url, anna.cookie);
    const { payload } = await socket.run('mutation ($password: String) { deleteAccount(password: $password) }', anna);
    expect(JSON.stringify(payload)).toContain('FORBIDDEN');
    expect(await anna.get(profile)).toMatchObject({ status: 200 });
    socket.close();
  });
});

describe('deleteAccount at the same time', () => {
  test('waits for the commit of a write of another session', async () => {
    const anna = await signUp(service);
    const write = await openLockHolder(service);
    await write.sql('SELECT FROM sessions WHERE sid = $1 FOR KEY SHARE', [anna.sessionId]);
    const other = await signInAgain(service, anna);
    const deletion = deleteAccount(other, anna.password);
    await untilWaiting(service, 1);
    await write.release();
    expect(await deletion).toMatchObject(deleted);
  });

  test('removes the member, or prevents the acceptance of an invitation', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const { id } = await makeWorkspace(ben);
    const invitation = await invite(ben, id, anna.email);
    // The deletion waits for the locks of its spaces, while the viewer joins another one.
    const lockHolder = await lockSpaces(service, anna.id);
    const deletion = deleteAccount(anna, anna.password);
    await untilWaiting(service, 1);
    await lockHolder.sql('INSERT INTO memberships (space_id, user_id) VALUES ($1, $2)', [id, anna.id]);
    await lockHolder.release();
    expect(await deletion).toMatchObject(deleted);
    expect(await ben.data('{ workspaces { members { id } } }')).toEqual({
      workspaces: [{ members: [{ id: ben.id }] }],
    });
    expect(invitation).toBeDefined();
  });

  test('does not happen if it was requested with a password that is changed', async () => {
    const anna = await signUp(service);
    const lockHolder = await lockSpaces(service, anna.id);
    const deletion = deleteAccount(anna, anna.password);
    await untilWaiting(service, 1);
    await service.sql("UPDATE users SET password_hash = 'another' WHERE id = $1", [anna.id]);
    await lockHolder.release();
    expect(await deletion).toMatchObject(validationError('password'));
    expect(await anna.get(profile)).toMatchObject({ status: 200 });
  });

  test('happens once, without a deadlock or fault, whatever other sessions and members do', async () => {
    for (let round = 0; round < 2; round += 1) {
      const [anna, ben] = [await signUp(service), await signUp(service)];
      const workspaces = [await makeWorkspace(anna, ben), await makeWorkspace(ben, anna)];
      const [here, there] = workspaces.map(({ id }) => id) as [string, string];
      const { id: projectId } = await makeProject(ben, { workspaceId: there });
      const invitation = await invite(ben, (await makeWorkspace(ben)).id, anna.email);
      const others: User[] = [await signInAgain(service, anna), await signInAgain(service, anna)];
      const [second, third] = others as [User, User];
      const answers = await Promise.all([
        deleteAccount(anna, anna.password),
        deleteAccount(second, anna.password),
        second.graphql('mutation ($id: ID!) { declineInvitation(id: $id) }', { id: invitation }),
        third.graphql('mutation ($id: ID!) { acceptInvitation(id: $id) { id } }', { id: invitation }),
        third.graphql('mutation ($id: ID!) { createTask(input: { title: "x", projectId: $id }) { id } }', {
          id: projectId,
        }),
        ben.graphql(
          'mutation ($id: ID!, $user: ID!) { removeWorkspaceMember(workspaceId: $id, userId: $user) { id } }',
          {
            id: there,
            user: anna.id,
          },
        ),
        ben.graphql('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: here }),
        ben.graphql('mutation { updateProfile(name: "Ben") { id } }'),
        service.anonymous.post('/api/v1/user/signin', { email: anna.email, password: anna.password }),
      ]);
      const codes = answers.flatMap((answer) =>
        'errors' in answer ? (answer.errors ?? []).map(({ extensions }) => extensions.code) : [],
      );
      for (const code of ['INTERNAL', 'UNAVAILABLE']) expect(codes).not.toContain(code);
      expect(await service.sql('SELECT FROM users WHERE id = $1', [anna.id])).toEqual([]);
      await untilForgotten(service, anna.id);
      expect(
        await service.sql(
          "SELECT FROM spaces WHERE kind = 'WORKSPACE' AND id NOT IN (SELECT space_id FROM memberships)",
        ),
      ).toEqual([]);
    }
    expect(await deadlocks(service)).toBe(0);
  });
});
