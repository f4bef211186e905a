import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { roles, type Role } from '../../src/platform/roles.ts';
import { lockSpaces, openLockHolder, untilWaiting } from '../kit/locks.ts';
import { addMember, invite, makeProject, makeTask, makeWorkspace, makeWorkspaceOfAdmins } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { type CapturedLog, captureLog } from '../kit/log-lines.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
let captured: CapturedLog;
let cleo: User;
let workspace: { id: string };
afterAll(async () => {
  await service.close();
  captured.release();
});
beforeAll(async () => {
  captured = captureLog();
  service = await startService({ LOG_LEVEL: 'info' });
  [anna, ben, cleo] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
});
beforeEach(async () => {
  workspace = await makeWorkspace(anna, ben);
});

const failure = (code: string) => ({ errors: [{ extensions: { code } }] });
const setRole = `mutation ($in: ID!, $user: ID!, $role: WorkspaceRole!) {
  setWorkspaceRole(workspaceId: $in, userId: $user, role: $role) { role memberships { role member { id } } }
}`;
const set = (caller: User, user: User, role: string, { id } = workspace) =>
  caller.graphql(setRole, { in: id, user: user.id, role });
const remove = (caller: User, user: User, { id } = workspace) =>
  caller.graphql('mutation ($in: ID!, $user: ID!) { removeWorkspaceMember(workspaceId: $in, userId: $user) { id } }', {
    in: id,
    user: user.id,
  });
const leave = (caller: User, { id } = workspace) =>
  caller.graphql('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id });
const rolesIn = async ({ id } = workspace) => {
  const rows = await service.sql<{ user: string; role: Role }>(
    'SELECT user_id AS "user", role FROM memberships WHERE space_id = $1 ORDER BY created_at, user_id',
    [id],
  );
  return rows.map(({ user, role }) => [user, role]);
};
const logged = ({ id } = workspace) =>
  captured.line({ event: 'privilege_permissions_changed', change: 'role', workspaceId: id });
const path = (...parts: string[]) => ['/api/v2/workspaces', workspace.id, ...parts].join('/');

describe('a role', () => {
  test('is ADMIN for the creator, and that of the invitation for others', async () => {
    for (const role of roles) {
      const dora = await signUp(service);
      await addMember(anna, workspace.id, dora, role);
      expect(await dora.data('query ($id: ID!) { workspace(id: $id) { role } }', workspace)).toEqual({
        workspace: { role },
      });
    }
    const query =
      'query ($id: ID!) { workspace(id: $id) { memberships { role joinedAt member { id email } } members { id } } }';
    const { workspace: shown } = await ben.data<{
      workspace: { memberships: { role: Role; member: { id: string } }[]; members: { id: string }[] };
    }>(query, workspace);
    expect(shown.memberships.map(({ role }) => role)).toEqual(['ADMIN', 'EDITOR', ...roles]);
    expect(shown.memberships.map(({ member }) => member.id)).toEqual(shown.members.map(({ id }) => id));
    expect(shown.memberships[1]).toEqual({
      role: 'EDITOR',
      joinedAt: expect.stringMatching(/Z$/),
      member: { id: ben.id, email: ben.email },
    });
  });

  test('changes by an ADMIN, also by repeating it, and over REST', async () => {
    const answer = {
      data: { setWorkspaceRole: { role: 'ADMIN', memberships: [{ role: 'ADMIN' }, { role: 'COMMENTER' }] } },
    };
    expect(await set(anna, ben, 'COMMENTER')).toMatchObject(answer);
    expect(await set(anna, ben, 'COMMENTER')).toMatchObject(answer);
    const member = {
      id: ben.id,
      name: null,
      email: ben.email,
      image: null,
      role: 'viewer',
      joinedAt: expect.any(String),
    };
    expect(await anna.put(path('members', ben.id), { role: 'viewer' })).toMatchObject({
      status: 200,
      body: { member },
    });
    const { body } = await ben.get<{ members: unknown[] }>(path('members'));
    expect(body.members).toEqual([{ ...member, id: anna.id, email: anna.email, role: 'admin' }, member]);
    expect(await cleo.get(path('members'))).toMatchObject({ status: 404 });
  });

  test('is not changed by others, for strangers, or to a role that does not exist', async () => {
    for (const role of ['VIEWER', 'COMMENTER', 'EDITOR']) {
      await set(anna, ben, role);
      expect(await set(ben, ben, 'ADMIN')).toMatchObject(failure('FORBIDDEN'));
      expect(await ben.put(path('members', ben.id), { role: 'nonsense' })).toMatchObject({ status: 403 });
    }
    expect(await set(cleo, cleo, 'ADMIN')).toMatchObject(failure('NOT_FOUND'));
    expect(await set(anna, cleo, 'VIEWER')).toMatchObject(failure('NOT_FOUND'));
    for (const role of ['OWNER', 'editor', '']) expect(await set(anna, ben, role)).toMatchObject({ errors: [{}] });
    expect(await anna.put(path('members', ben.id), { role: 'EDITOR' })).toMatchObject({ status: 400 });
    expect(await anna.put(path('members', 'nonsense'), { role: 'editor' })).toMatchObject({ status: 404 });
    expect(await rolesIn()).toEqual([
      [anna.id, 'ADMIN'],
      [ben.id, 'EDITOR'],
    ]);
  });

  test('is not changed by access tokens', async () => {
    const program = await makeProgram(service, anna);
    expect(await program.graphql(setRole, { in: workspace.id, user: ben.id, role: 'VIEWER' })).toMatchObject(
      failure('FORBIDDEN'),
    );
    expect(await program.put(path('members', ben.id), { role: 'viewer' })).toMatchObject({ status: 403 });
  });

  test('limits tokens: the lesser of scope and role applies, and unknown ids stay NOT_FOUND', async () => {
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeTask(anna, { projectId: project.id });
    const program = await makeProgram(service, ben, { spaceIds: [workspace.id] });
    expect(await program.patch(`/api/v2/todo/${task.id}`, { title: 'a' })).toMatchObject({ status: 200 });
    await set(anna, ben, 'VIEWER');
    expect(await program.patch(`/api/v2/todo/${task.id}`, { title: 'b' })).toMatchObject({ status: 403 });
    const other = await makeTask(ben);
    expect(await program.patch(`/api/v2/todo/${other.id}`, { title: 'b' })).toMatchObject({ status: 404 });
    expect(await program.get(`/api/v2/todo/${task.id}`)).toMatchObject({ body: { todo: { title: 'a' } } });
  });

  test('is in the security log', async () => {
    await set(anna, ben, 'VIEWER');
    expect(await logged()).toMatchObject({ memberId: ben.id, userId: anna.id, role: 'VIEWER' });
  });

  test('reaches cached responses and replicas, with the own role of each', async () => {
    const read = 'query ($id: ID!) { workspace(id: $id) { role memberships { role } } }';
    const batch =
      'query ($after: String) { sync(after: $after) { cursor workspaces { id role memberships { role } } } }';
    interface Batch {
      sync: { cursor: string; workspaces: { id: string }[] };
    }
    const { sync } = await ben.data<Batch>(batch);
    await ben.data(read, workspace);
    await set(anna, ben, 'COMMENTER');
    const shown = { role: 'COMMENTER', memberships: [{ role: 'ADMIN' }, { role: 'COMMENTER' }] };
    expect(await ben.data(read, workspace)).toEqual({ workspace: shown });
    const next = await ben.data<Batch>(batch, { after: sync.cursor });
    expect(next.sync.workspaces).toEqual([{ id: workspace.id, ...shown }]);
    const rest = await ben.get<{ workspaces: { id: string; members: { id: string; role: string }[] }[] }>(
      '/api/v2/sync',
    );
    const own = rest.body.workspaces.find(({ id }) => id === workspace.id);
    expect(own?.members.map(({ role }) => role)).toEqual(['admin', 'commenter']);
  });

  test('counts for a write that waits for the lock of the space', async () => {
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeTask(anna, { projectId: project.id });
    const lockHolder = await lockSpaces(service, workspace.id);
    const pending = ben.patch(`/api/v2/todo/${task.id}`, { title: 'Late' });
    await untilWaiting(service, 1);
    await lockHolder.sql(`UPDATE memberships SET role = 'COMMENTER' WHERE space_id = $1 AND user_id = $2`, [
      workspace.id,
      ben.id,
    ]);
    await lockHolder.release();
    expect(await pending).toMatchObject({ status: 403 });
    expect(await anna.get(`/api/v2/todo/${task.id}`)).toMatchObject({ body: { todo: { title: task.title } } });
  });
});

describe('the last ADMIN', () => {
  test('is not demoted or removed and does not leave, with other members and without', async () => {
    for (const isAlone of [false, true]) {
      if (isAlone) await leave(ben);
      for (const attempt of [set(anna, anna, 'EDITOR'), remove(anna, anna), leave(anna)]) {
        expect(await attempt).toMatchObject(failure('FORBIDDEN'));
      }
      expect(await anna.delete(path('members', anna.id))).toMatchObject({ status: 403 });
      expect(await rolesIn()).toEqual(expect.arrayContaining([[anna.id, 'ADMIN']]));
    }
  });

  test('leaves after another member has become ADMIN', async () => {
    await set(anna, ben, 'ADMIN');
    expect(await leave(anna)).toMatchObject({ data: { leaveWorkspace: workspace.id } });
    expect(await rolesIn()).toEqual([[ben.id, 'ADMIN']]);
  });

  test('stays if the two last ones demote or remove each other or leave at once, a hundred times', async () => {
    const shared = await makeWorkspaceOfAdmins(anna, ben);
    const ends: ((caller: User, other: User) => ReturnType<typeof set>)[] = [
      (caller, other) => set(caller, other, 'EDITOR', shared),
      (caller, other) => remove(caller, other, shared),
      (caller) => leave(caller, shared),
    ];
    for (let round = 0; round < 100; round += 1) {
      const end = ends[round % ends.length] ?? leave;
      const answers = await Promise.all([end(anna, ben), end(ben, anna)]);
      expect(answers.filter(({ errors }) => errors)).toHaveLength(1);
      expect((await rolesIn(shared)).filter(([, role]) => role === 'ADMIN')).toHaveLength(1);
      await service.sql(
        `INSERT INTO memberships (space_id, user_id, role) SELECT $1, unnest($2::text[]), 'ADMIN'
         ON CONFLICT (space_id, user_id) DO UPDATE SET role = 'ADMIN'`,
        [shared.id, [anna.id, ben.id]],
      );
    }
  });

  test.each<[Role[], number]>([
    [['VIEWER', 'EDITOR', 'EDITOR'], 1],
    [['VIEWER', 'COMMENTER'], 1],
    [['VIEWER', 'VIEWER'], 0],
  ])(
    'who deletes their account is followed by the longest-standing member with the highest role: %j',
    async (others, heir) => {
      const owner = await signUp(service);
      const members = await Promise.all(others.map(() => signUp(service)));
      const shared = await makeWorkspace(owner);
      for (const [index, role] of others.entries()) await addMember(owner, shared.id, members[index] ?? owner, role);
      const { sync } = await (members[heir] ?? ben).data<{ sync: { cursor: string } }>('{ sync { cursor } }');
      expect(await owner.delete('/api/v1/user', { password: owner.password })).toMatchObject({ status: 200 });
      expect(await rolesIn(shared)).toEqual(
        members.map(({ id }, index) => [id, index === heir ? 'ADMIN' : others[index]]),
      );
      expect(await logged(shared)).toMatchObject({ memberId: members[heir]?.id, userId: owner.id, role: 'ADMIN' });
      const next = 'query ($after: String) { sync(after: $after) { workspaces { id role } } }';
      expect(await members[heir]?.data(next, { after: sync.cursor })).toEqual({
        sync: { workspaces: [{ id: shared.id, role: 'ADMIN' }] },
      });
    },
  );

  test('is replaced if SQL by hand demotes or removes them, also in two transactions at once', async () => {
    const shared = await makeWorkspaceOfAdmins(anna, ben);
    await addMember(anna, shared.id, cleo);
    const demote = `UPDATE memberships SET role = 'VIEWER' WHERE space_id = $1 AND user_id = $2`;
    const [one, other] = [await openLockHolder(service), await openLockHolder(service)];
    await one.sql(demote, [shared.id, anna.id]);
    const second = other.sql(demote, [shared.id, ben.id]);
    await one.release();
    await second;
    await other.release();
    expect(await rolesIn(shared)).toEqual([
      [anna.id, 'VIEWER'],
      [ben.id, 'VIEWER'],
      [cleo.id, 'ADMIN'],
    ]);
    await service.sql('DELETE FROM memberships WHERE space_id = $1 AND user_id = $2', [shared.id, cleo.id]);
    expect(await rolesIn(shared)).toEqual([
      [anna.id, 'ADMIN'],
      [ben.id, 'VIEWER'],
    ]);
  });

  test('changes by SQL in two steps of one transaction', async () => {
    const holder = await openLockHolder(service);
    const change = 'UPDATE memberships SET role = $3::"WorkspaceRole" WHERE space_id = $1 AND user_id = $2';
    await holder.sql(change, [workspace.id, anna.id, 'EDITOR']);
    await holder.sql(change, [workspace.id, ben.id, 'ADMIN']);
    await holder.release();
    expect(await rolesIn()).toEqual([
      [anna.id, 'EDITOR'],
      [ben.id, 'ADMIN'],
    ]);
  });
});

describe('an invitation with a role', () => {
  const open = async () => {
    const { workspace: shown } = await anna.data<{ workspace: { invitations: { id: string; role: Role }[] } }>(
      'query ($id: ID!) { workspace(id: $id) { invitations { id role } } }',
      workspace,
    );
    return shown.invitations;
  };

  test('gets the role of a second one, without another mail', async () => {
    const email = randomEmail();
    const id = await invite(anna, workspace.id, email, 'VIEWER');
    await service.mailbox.take(email);
    expect(await open()).toEqual([{ id, role: 'VIEWER' }]);
    expect(await invite(anna, workspace.id, email, 'ADMIN')).toBe(id);
    expect(await open()).toEqual([{ id, role: 'ADMIN' }]);
    expect(await anna.post(path('invitations'), { email, role: 'commenter' })).toMatchObject({
      status: 201,
      body: { invitation: { id, role: 'commenter' } },
    });
    expect(await service.sql('SELECT FROM sent_invitations WHERE email = $1', [email])).toHaveLength(1);
    expect(await anna.post(path('invitations'), { email, role: 'ADMIN' })).toMatchObject({ status: 400 });
  });

  test('gives the role that it has when it is accepted', async () => {
    const id = await invite(anna, workspace.id, cleo.email, 'ADMIN');
    await invite(anna, workspace.id, cleo.email, 'VIEWER');
    await cleo.data('mutation ($id: ID!) { acceptInvitation(id: $id) { id } }', { id });
    expect(await rolesIn()).toEqual(expect.arrayContaining([[cleo.id, 'VIEWER']]));
  });

  test.each([
    ['demoted', (user: User) => set(anna, user, 'EDITOR')],
    ['removed', (user: User) => remove(anna, user)],
  ])('ends if its sender is %s', async (_label, act) => {
    await set(anna, ben, 'ADMIN');
    await Promise.all([invite(ben, workspace.id, randomEmail()), invite(anna, workspace.id, 'x@x.example', 'VIEWER')]);
    const kept = await invite(anna, workspace.id, randomEmail());
    await invite(ben, workspace.id, 'x@x.example', 'ADMIN');
    await act(ben);
    expect(await open()).toEqual([{ id: kept, role: 'EDITOR' }]);
  });
});
