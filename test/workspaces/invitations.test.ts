import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { findInvitation } from '../../src/workspaces/data.ts';
import { invite, makeProject, makeTask, makeWorkspace, makeWorkspaceOfAdmins } from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

const appUrl = 'https://app.example.com/tasks';

let service: Service;
let anna: User;
let ben: User;
let cleo: User;

beforeAll(async () => {
  service = await startService({ APP_URL: appUrl });
  [anna, ben, cleo] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
  await anna.put('/api/v1/user/name', { name: 'Anna' });
});
afterAll(() => service.close());

let workspace: { id: string; name: string };
beforeEach(async () => {
  workspace = await makeWorkspace(anna);
});

const failure = (code: string, path?: string) => ({
  errors: [{ message: expect.any(String), extensions: { code, ...(path !== undefined && { errors: [{ path }] }) } }],
});

const fields = 'id workspaceId workspaceName email invitedBy { id name email image } createdAt expiresAt';
const send = `mutation ($in: ID!, $email: String!) { inviteToWorkspace(workspaceId: $in, email: $email) { ${fields} } }`;
const accept = 'mutation ($id: ID!) { acceptInvitation(id: $id) { id name members { id } projects { id } } }';
const decline = 'mutation ($id: ID!) { declineInvitation(id: $id) }';
const revoke = 'mutation ($id: ID!) { revokeInvitation(id: $id) }';

interface Invitation {
  id: string;
  workspaceId: string;
  createdAt: string;
  expiresAt: string;
}

const received = async (user: User) =>
  (await user.data<{ viewer: { invitations: Invitation[] } }>(`{ viewer { invitations { ${fields} } } }`)).viewer
    .invitations;
const sent = async (user: User, id: string) =>
  (
    await user.data<{ workspace: { invitations: Invitation[] } | null }>(
      `query ($id: ID!) { workspace(id: $id) { invitations { ${fields} } } }`,
      { id },
    )
  ).workspace?.invitations;
const membersOf = async (id: string) =>
  (await service.sql('SELECT user_id FROM memberships WHERE space_id = $1 ORDER BY created_at', [id])).map(
    (row) => row['user_id'],
  );
const expire = (id: string) =>
  service.sql("UPDATE invitations SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);

describe('inviteToWorkspace', () => {
  test('shows the invitation to members and to the account of the address, for 14 days', async () => {
    const { inviteToWorkspace: created } = await anna.data<{ inviteToWorkspace: Invitation }>(send, {
      in: workspace.id,
      email: ` ${ben.email.toUpperCase()} `,
    });
    expect(created).toEqual({
      id: expect.stringMatching(/^invt_/),
      workspaceId: workspace.id,
      workspaceName: workspace.name,
      email: ben.email,
      invitedBy: { id: anna.id, name: 'Anna', email: anna.email, image: null },
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(created.expiresAt) - Date.parse(created.createdAt)).toBe(14 * 24 * 60 * 60 * 1000);
    expect(await received(ben)).toContainEqual(created);
    expect(await sent(anna, workspace.id)).toEqual([created]);
    expect(await received(cleo)).toEqual([]);
    expect(await sent(cleo, workspace.id)).toBeUndefined();
  });

  test('is open to an account that is created later', async () => {
    const email = randomEmail();
    const id = await invite(anna, workspace.id, email);
    await service.mailbox.take(email);
    const dora = await signUp(service, { email });
    expect(await received(dora)).toMatchObject([{ id }]);
    expect(await dora.data(accept, { id })).toMatchObject({ acceptInvitation: { id: workspace.id } });
  });

  test('shows nothing else of the workspace before it is accepted', async () => {
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeTask(anna, { projectId: project.id });
    const invitation = await invite(anna, workspace.id, ben.email);
    for (const id of [workspace.id, project.id, task.id, invitation]) {
      expect(await ben.data('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual({ node: null });
    }
    expect(await ben.data('query ($id: ID!) { workspace(id: $id) { id } }', { id: workspace.id })).toEqual({
      workspace: null,
    });
    for (const path of [`/api/v2/projects/${project.id}/sections`, `/api/v2/todo/${task.id}`]) {
      expect(await ben.patch(path, {})).toMatchObject({ status: 404 });
    }
    const write = 'mutation ($id: ID!) { createProject(name: "a", workspaceId: $id) { id } }';
    expect(await ben.graphql(write, { id: workspace.id })).toMatchObject(failure('FORBIDDEN'));
  });

  test('again returns the same invitation, for any inviter, without another mail', async () => {
    const shared = await makeWorkspaceOfAdmins(anna, ben);
    const email = randomEmail();
    const first = await invite(anna, shared.id, email);
    expect(await invite(ben, shared.id, ` ${email.toUpperCase()}`)).toBe(first);
    await service.mailbox.take(email);
    const counted = 'SELECT FROM sent_invitations WHERE email = $1';
    expect(await service.sql(counted, [email])).toHaveLength(1);
    await anna.data(revoke, { id: first });
    const second = await invite(ben, shared.id, email);
    expect([second === first, (await service.mailbox.take(email)).text.includes(ben.email)]).toEqual([false, true]);
    expect(await service.sql(counted, [email])).toHaveLength(2);
  });

  test('creates another invitation after one has expired', async () => {
    const { id } = await makeWorkspace(anna);
    const first = await invite(anna, id, ben.email);
    await expire(first);
    const second = await invite(anna, id, ben.email);
    expect([await sent(anna, id), second === first]).toMatchObject([[{ id: second }], false]);
  });

  test('does the same work for an address with an account as for one without', async () => {
    const [{ id }, { email }] = [await makeWorkspace(anna), await signUp(service)];
    const recordInvitation = (to: string) => recordStatements(() => anna.graphql(send, { in: id, email: to }));
    await recordInvitation(randomEmail());
    const [known, unknown] = [await recordInvitation(email), await recordInvitation(randomEmail())];
    const sql = ({ own }: typeof known) => own.map((statement) => statement.sql);
    expect(sql(known)).toEqual(sql(unknown));
    expect(known.result.errors).toBeUndefined();
    expect(Object.keys((known.result.data as Record<string, object>)['inviteToWorkspace'] ?? {})).toEqual(
      Object.keys((unknown.result.data as Record<string, object>)['inviteToWorkspace'] ?? {}),
    );
  });

  test('refuses an invalid address, and the address of a member, at the address', async () => {
    const shared = await makeWorkspace(anna, ben);
    for (const email of ['nonsense', '', 'a\0', `${'a'.repeat(250)}@example.com`, anna.email, ` ${ben.email} `]) {
      const refusedInvitation = await anna.graphql(send, { in: shared.id, email });
      expect(refusedInvitation).toMatchObject(failure('VALIDATION_FAILED', 'email'));
    }
    expect(await sent(anna, shared.id)).toEqual([]);
  });

  test('is NOT_FOUND for non-members, so nobody can invite themselves', async () => {
    for (const id of [workspace.id, 'wksp_01h2xcejqtf2nbrexx3vqjhp41', cleo.id, 'nonsense']) {
      expect(await cleo.graphql(send, { in: id, email: cleo.email })).toMatchObject(failure('NOT_FOUND'));
    }
    expect(await service.anonymous.graphql(send, { in: workspace.id, email: cleo.email })).toMatchObject(
      failure('UNAUTHENTICATED'),
    );
    expect(await sent(anna, workspace.id)).toEqual([]);
  });

  test('creates one invitation and one mail for many at once', async () => {
    const email = randomEmail();
    const ids = await Promise.all(Array.from({ length: 10 }, () => invite(anna, workspace.id, email)));
    expect(new Set(ids).size).toBe(1);
    expect(await service.sql('SELECT FROM sent_invitations WHERE email = $1', [email])).toHaveLength(1);
  });
});

describe('the mail of an invitation', () => {
  test('names the workspace and the inviter, with and without an account', async () => {
    for (const email of [(await signUp(service)).email, randomEmail()]) {
      await invite(anna, workspace.id, email);
      const { subject, text } = await service.mailbox.take(email);
      expect(subject).toBe('You are invited to a workspace on Taskgate');
      expect(text).toContain(`Anna (${anna.email}) invites you to the workspace "${workspace.name}"`);
      expect(text).toContain(`sign in at ${appUrl} with`);
      expect(text).not.toContain(service.url);
    }
  });

  test('keeps names within their line and out of the header', async () => {
    const dora = await signUp(service);
    await dora.put('/api/v1/user/name', { name: 'Dora\r\nBcc: eve@example.com\n\nYour account is blocked' });
    const { createWorkspace } = await dora.data<{ createWorkspace: { id: string } }>(
      'mutation ($name: String!) { createWorkspace(name: $name) { id } }',
      { name: 'Yard\r\nSubject: Pay now\u2028\u202e\r\n\r\nhttps://evil.example' },
    );
    const email = randomEmail();
    await invite(dora, createWorkspace.id, email);
    const { subject, text } = await service.mailbox.take(email);
    expect(subject).toBe('You are invited to a workspace on Taskgate');
    const [first] = text.split('\n');
    expect(first).toBe(
      `Dora Bcc: eve@ example. com Your account is blocked (${dora.email}) invites you to the workspace ` +
        '"Yard Subject: Pay now https:// evil. example" on Taskgate.',
    );
  });
});

describe('acceptInvitation', () => {
  test('makes the account a member, who sees the whole workspace, also in the same response', async () => {
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeTask(anna, { projectId: project.id });
    const id = await invite(anna, workspace.id, ben.email);
    const answer = await ben.data(
      'mutation ($id: ID!) { acceptInvitation(id: $id) { members { id } projects { tasks { nodes { id } } } } }',
      { id },
    );
    expect(answer).toEqual({
      acceptInvitation: {
        members: [{ id: anna.id }, { id: ben.id }],
        projects: [{ tasks: { nodes: [{ id: task.id }] } }],
      },
    });
    expect(await ben.get('/api/v2/todo')).toMatchObject({ body: { todos: [{ id: task.id }] } });
    expect(await sent(anna, workspace.id)).toEqual([]);
  });

  test('creates one membership if it is called many times at once', async () => {
    const id = await invite(anna, workspace.id, ben.email);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ben.graphql(accept, { id })));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    for (const answer of answers.filter(({ errors }) => errors)) expect(answer).toMatchObject(failure('NOT_FOUND'));
    expect(await membersOf(workspace.id)).toEqual([anna.id, ben.id]);
  });

  test('excludes a simultaneous revocation or deletion of the workspace', async () => {
    const remove = 'mutation ($id: ID!) { deleteWorkspace(id: $id) }';
    for (let round = 0; round < 6; round += 1) {
      const { id: spaceId } = await makeWorkspace(anna);
      const id = await invite(anna, spaceId, ben.email);
      const [acceptedId, ended] = await Promise.all([
        ben.graphql(accept, { id }),
        round % 2 === 0 ? anna.graphql(revoke, { id }) : anna.graphql(remove, { id: spaceId }),
      ]);
      if (acceptedId.errors) expect(acceptedId).toMatchObject(failure('NOT_FOUND'));
      else expect(ended).toMatchObject(failure(round % 2 === 0 ? 'NOT_FOUND' : 'FORBIDDEN'));
      expect([acceptedId, ended].filter(({ errors }) => errors)).toHaveLength(1);
    }
  });
});

describe('an invitation ends', () => {
  type Ending = [string, (id: string) => Promise<unknown>];
  const endings: Ending[] = [
    ['accepted', (id) => ben.data(accept, { id })],
    ['declined', (id) => ben.data(decline, { id })],
    ['revoked', (id) => anna.data(revoke, { id })],
    ['expired', expire],
    ['with its workspace', () => anna.data('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id: workspace.id })],
  ];

  test.each(endings)('%s: then it is NOT_FOUND and shown to nobody', async (_label, end) => {
    const id = await invite(anna, workspace.id, ben.email);
    await end(id);
    for (const [user, mutation] of [
      [ben, accept],
      [ben, decline],
      [anna, revoke],
    ] as const) {
      expect(await user.graphql(mutation, { id })).toMatchObject(failure('NOT_FOUND'));
    }
    expect((await received(ben)).map((each) => each.id)).not.toContain(id);
    expect((await sent(anna, workspace.id)) ?? []).toEqual([]);
  });

  test('only by a member or by the account of the address', async () => {
    const shared = await makeWorkspaceOfAdmins(anna, cleo);
    const id = await invite(anna, shared.id, ben.email);
    const dora = await signUp(service);
    for (const [user, mutation] of [
      [cleo, accept],
      [cleo, decline],
      [dora, accept],
      [dora, decline],
      [dora, revoke],
      [ben, revoke],
    ] as const) {
      expect(await user.graphql(mutation, { id })).toMatchObject(failure('NOT_FOUND'));
    }
    for (const wrong of ['invt_01h2xcejqtf2nbrexx3vqjhp41', shared.id, 'nonsense', '']) {
      for (const mutation of [accept, decline, revoke]) {
        expect(await ben.graphql(mutation, { id: wrong })).toMatchObject(failure('NOT_FOUND'));
      }
    }
    expect(await cleo.data(revoke, { id })).toEqual({ revokeInvitation: id });
    expect(await membersOf(shared.id)).toEqual([anna.id, cleo.id]);
  });

  test('not when the inviter leaves', async () => {
    const shared = await makeWorkspaceOfAdmins(anna, cleo);
    const id = await invite(cleo, shared.id, ben.email);
    await cleo.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: shared.id });
    expect(await sent(anna, shared.id)).toMatchObject([{ id, invitedBy: { id: cleo.id } }]);
    expect(await ben.data(accept, { id })).toMatchObject({ acceptInvitation: { id: shared.id } });
  });

  test('when the inviter is removed, so nobody can return by their own invitation', async () => {
    const shared = await makeWorkspaceOfAdmins(anna, cleo);
    const [planted, other] = [await invite(cleo, shared.id, ben.email), await invite(anna, shared.id, randomEmail())];
    const otherWorkspace = await makeWorkspace(cleo);
    const keptInvitation = await invite(cleo, otherWorkspace.id, ben.email);
    const remove = 'mutation ($in: ID!, $id: ID!) { removeWorkspaceMember(workspaceId: $in, userId: $id) { id } }';
    await anna.data(remove, { in: shared.id, id: cleo.id });
    expect(await ben.graphql(accept, { id: planted })).toMatchObject(failure('NOT_FOUND'));
    expect(await sent(anna, shared.id)).toMatchObject([{ id: other }]);
    expect(await sent(cleo, otherWorkspace.id)).toMatchObject([{ id: keptInvitation }]);
  });

  test('when the account of the inviter is deleted', async () => {
    const dora = await signUp(service);
    const shared = await makeWorkspaceOfAdmins(anna, dora);
    const id = await invite(dora, shared.id, ben.email);
    await service.sql('DELETE FROM spaces WHERE id = $1', [dora.id]);
    expect(await ben.graphql(accept, { id })).toMatchObject(failure('NOT_FOUND'));
  });
});

test('an invitation that ends before it is read back is NOT_FOUND', async () => {
  const { id } = await makeWorkspace(anna);
  const invitation = await invite(anna, id, randomEmail());
  await anna.data(revoke, { id: invitation });
  await expect(
    findInvitation(service.services.connections, invitation, { select: { id: true } }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
