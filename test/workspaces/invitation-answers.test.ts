import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { openLockHolder, untilWaiting } from '../kit/locks.ts';
import { addMember, invite, makeWorkspace, makeWorkspaceOfAdmins } from '../kit/make.ts';
import { randomEmail, randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});

const fields = 'invitations { id workspaceName email invitedBy { name } }';
interface ShownInvitation {
  id: string;
  workspaceName: string;
  invitedBy: { name: string | null };
}
const received = async (user: User) =>
  (await user.data<{ viewer: { invitations: ShownInvitation[] } }>(`{ viewer { ${fields} } }`)).viewer.invitations;
const sent = async (user: User, id: string) =>
  (
    await user.data<{ workspace: { invitations: ShownInvitation[] } | null }>(
      `query ($id: ID!) { workspace(id: $id) { ${fields} } }`,
      { id },
    )
  ).workspace?.invitations;

describe('responses that show invitations are cached', () => {
  interface Case {
    /** Cleo, a member like Anna, has sent it. */
    invitation: string;
    workspaceId: string;
    cleo: User;
  }
  type Change = [what: string, change: (given: Case) => Promise<unknown>];
  const ends: Change[] = [
    ['accepted', ({ invitation: id }) => ben.data('mutation ($id: ID!) { acceptInvitation(id: $id) { id } }', { id })],
    ['declined', ({ invitation: id }) => ben.data('mutation ($id: ID!) { declineInvitation(id: $id) }', { id })],
    ['revoked', ({ invitation: id }) => anna.data('mutation ($id: ID!) { revokeInvitation(id: $id) }', { id })],
    [
      'expired',
      ({ invitation: id }) => service.sql('UPDATE invitations SET expires_at = created_at WHERE id = $1', [id]),
    ],
    ['deleted by SQL', ({ invitation: id }) => service.sql('DELETE FROM invitations WHERE id = $1', [id])],
    ['gone with the account that sent it', ({ cleo }) => service.sql('DELETE FROM spaces WHERE id = $1', [cleo.id])],
    [
      'gone with its workspace',
      async ({ workspaceId: id, cleo }) => {
        await cleo.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id });
        await anna.data('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id });
      },
    ],
  ];

  async function createCase(): Promise<Case> {
    const cleo = await signUp(service);
    const workspaceId = (await makeWorkspaceOfAdmins(anna, cleo)).id;
    const invitation = await invite(cleo, workspaceId, ben.email);
    return { invitation, workspaceId, cleo };
  }
  const isShown = async ({ invitation, workspaceId }: Case) =>
    [await received(ben), (await sent(anna, workspaceId)) ?? []].map((all) => all.some(({ id }) => id === invitation));

  test('and only read the session the second time', async () => {
    const invitationCase = await createCase();
    await isShown(invitationCase);
    const { statements, result } = await recordStatements(() => isShown(invitationCase));
    expect(result).toEqual([true, true]);
    expect(statements.filter(({ purpose }) => purpose === 'operation')).toEqual([]);
  });

  test.each(ends)('until one is %s', async (_label, change) => {
    const invitationCase = await createCase();
    expect(await isShown(invitationCase)).toEqual([true, true]);
    await change(invitationCase);
    expect(await isShown(invitationCase)).toEqual([false, false]);
  });

  test('until there is another one', async () => {
    const { id } = await makeWorkspace(anna);
    await received(ben);
    expect(await sent(anna, id)).toEqual([]);
    const invitationId = await invite(anna, id, ben.email);
    expect(await received(ben)).toMatchObject([{ id: invitationId }, ...(await received(ben)).slice(1)]);
    expect(await sent(anna, id)).toMatchObject([{ id: invitationId }]);
  });

  test('until the workspace or the inviter is renamed, even if the inviter has left', async () => {
    const { cleo, workspaceId, invitation } = await createCase();
    const readInvitations = async () =>
      [await received(ben), (await sent(anna, workspaceId)) ?? []]
        .flat()
        .filter(({ id }) => id === invitation)
        .map(({ workspaceName, invitedBy }) => [workspaceName, invitedBy.name]);
    await readInvitations();
    for (const leaves of [false, true]) {
      const [workspaceName, name] = [randomName('workspace'), randomName('user')];
      if (leaves) await cleo.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspaceId });
      await readInvitations();
      await anna.data('mutation ($id: ID!, $name: String!) { updateWorkspace(id: $id, name: $name) { id } }', {
        id: workspaceId,
        name: workspaceName,
      });
      const expected = (await readInvitations()).map(([, before]) => [workspaceName, before]);
      expect(await readInvitations()).toEqual(expected);
      await cleo.put('/api/v1/user/name', { name });
      expect(await readInvitations()).toEqual([
        [workspaceName, name],
        [workspaceName, name],
      ]);
    }
  });

  test('until it expires, and no longer', async () => {
    const dora = await signUp(service);
    const { responses } = service.services;
    responses.clear();
    await received(dora);
    const twoWeeksMs = 14 * 24 * 60 * 60 * 1000;
    const remainingTtls = () => [...responses.keys()].map((state) => responses.getRemainingTTL(state));
    expect(remainingTtls()).toEqual([Infinity]);
    responses.clear();
    const { id } = await makeWorkspace(anna);
    await invite(anna, id, dora.email);
    await received(dora);
    await sent(anna, id);
    expect(remainingTtls()).toHaveLength(2);
    for (const each of remainingTtls()) {
      expect(each).toBeLessThanOrEqual(twoWeeksMs);
      expect(each).toBeGreaterThan(twoWeeksMs / 2);
    }
  });
});

test('an account and an invitation of its address that are created at once are connected', async () => {
  const { id: workspaceId } = await makeWorkspace(anna);
  const [email, userId] = [randomEmail(), newId('User')];
  const lockHolder = await openLockHolder(service);
  await lockHolder.sql("INSERT INTO spaces (id, kind) VALUES ($1, 'PERSONAL')", [userId]);
  await lockHolder.sql('INSERT INTO users (id, email) VALUES ($1, $2)', [userId, email]);
  await lockHolder.sql(
    "INSERT INTO projects (id, space_id, name, slug, is_default) VALUES ($1, $2, 'Inbox', 'inbox', true)",
    [newId('Project'), userId],
  );
  const pendingInvitation = invite(anna, workspaceId, email);
  await untilWaiting(service, 1);
  await lockHolder.release();
  await pendingInvitation;
  // The invitation raises it, so cached responses of the account are out of date.
  const related = 'SELECT revision > 0 AS "isRaised" FROM related_revisions WHERE space_id = $1';
  expect(await service.sql(related, [userId])).toEqual([{ isRaised: true }]);
});

test('members who join, leave, are invited and renamed at once cause no error', async () => {
  const users = await Promise.all(Array.from({ length: 4 }, () => signUp(service)));
  const spaces = await Promise.all(users.map((user) => makeWorkspace(user)));
  for (const [index, user] of users.entries()) {
    await addMember(users[(index + 1) % 4] ?? user, spaces[(index + 1) % 4]?.id ?? '', user, 'ADMIN');
  }
  const codes: (string | undefined)[] = [];
  await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const user = users[index % 4] ?? anna;
      const [id, email] = [spaces[(index >> 2) % 4]?.id, users[(index >> 4) % 4]?.email];
      const run = async (query: string, variables = {}) =>
        codes.push((await user.graphql(query, variables)).errors?.[0]?.extensions.code);
      const [open] = await received(user);
      if (index % 5 === 0) {
        const { status } = await user.put('/api/v1/user/name', { name: randomName('user') });
        codes.push(status === 200 ? undefined : String(status));
      } else if (index % 5 === 1) await run('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id });
      else if (index % 5 === 2)
        await run('mutation ($id: ID!) { updateWorkspace(id: $id, name: "New") { id } }', { id });
      else if (index % 5 === 3 && open) await run('mutation ($id: ID!) { acceptInvitation(id: $id) { id } }', open);
      else
        await run(
          'mutation ($id: ID!, $email: String!) { inviteToWorkspace(workspaceId: $id, email: $email) { id } }',
          { id, email },
        );
    }),
  );
  const expected = [undefined, 'NOT_FOUND', 'VALIDATION_FAILED', 'FORBIDDEN'];
  expect(codes.filter((code) => !expected.includes(code))).toEqual([]);
});
