import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../src/platform/ids.ts';
import { workspaceLimits } from '../../src/workspaces/policy.ts';
import { pruneInvitations } from '../../src/workspaces/invitation-rules.ts';
import type { GraphqlAnswer } from '../kit/client.ts';
import { openLockHolder, untilWaiting } from '../kit/locks.ts';
import { invite, makeWorkspace } from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  // The kit lifts the quota of an account by default.
  service = await startService({ RATE_LIMITS: 'on' });
  anna = await signUp(service);
});
afterAll(() => service.close());

const { workspaces, members, invitations, invitationsPerAccount, mailsPerAddress } = workspaceLimits;

const create = 'mutation { createWorkspace(name: "One more") { id } }';
const accept = 'mutation ($id: ID!) { acceptInvitation(id: $id) { id } }';
const send = 'mutation ($in: ID!, $email: String!) { inviteToWorkspace(workspaceId: $in, email: $email) { id } }';

const failure = (code: string, path?: string) => ({
  errors: [{ message: expect.any(String), extensions: { code, ...(path !== undefined && { errors: [{ path }] }) } }],
});

const times = <Result>(count: number, make: (index: number) => Result) =>
  Array.from({ length: count }, (_, i) => make(i));

/** Does everything in random order, a few at a time for slow machines. */
async function runConcurrently<Result>(work: (() => Promise<Result>)[]): Promise<Result[]> {
  const shuffledWork = fc.sample(fc.shuffledSubarray(work, { minLength: work.length }), 1)[0] ?? [];
  const results: Result[] = [];
  const worker = async () => {
    for (let next = shuffledWork.pop(); next; next = shuffledWork.pop()) results.push(await next());
  };
  await Promise.all(times(20, worker));
  return results;
}

function countSucceeded(answers: GraphqlAnswer<unknown>[], code: string): number {
  const failures = answers.filter(({ errors }) => errors);
  expect(failures.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual(failures.map(() => code));
  return answers.length - failures.length;
}

/** Adds rows by SQL, which is much faster. */
const addWorkspaces = (user: User, count: number) =>
  service.sql(
    `WITH made AS (INSERT INTO spaces (id, kind, name) SELECT id, 'WORKSPACE', 'Filler' FROM unnest($2::text[]) AS id RETURNING id)
     INSERT INTO memberships (space_id, user_id) SELECT id, $1 FROM made`,
    [user.id, times(count, () => newId('Workspace'))],
  );
const addMembers = (workspaceId: string, count: number) =>
  service.sql(
    `WITH space AS (INSERT INTO spaces (id, kind) SELECT id, 'PERSONAL' FROM unnest($2::text[]) AS id RETURNING id),
       inbox AS (INSERT INTO projects (id, space_id, name, slug, is_default) SELECT 'proj_' || id, id, 'Inbox', 'inbox', true FROM space),
       account AS (INSERT INTO users (id, email) SELECT id, id || '@example.com' FROM space RETURNING id)
     INSERT INTO memberships (space_id, user_id) SELECT $1, id FROM account`,
    [workspaceId, times(count, () => newId('User'))],
  );
const addInvitations = async (workspaceIds: string[], user: User, inviter: User): Promise<string[]> => {
  const ids = workspaceIds.map(() => newId('Invitation'));
  await service.sql(
    `INSERT INTO invitations (id, space_id, email, invited_by_id, expires_at)
     SELECT id, space_id, $3, $4, now() + interval '1 day' FROM unnest($1::text[], $2::text[]) AS row (id, space_id)`,
    [ids, workspaceIds, user.email, inviter.id],
  );
  return ids;
};
const countWorkspaces = async (user: User) =>
  (await service.sql('SELECT FROM memberships WHERE user_id = $1 AND space_id <> $1', [user.id])).length;

/** Lets requests wait for a lock after they have counted the rows, so they write together. */
async function raceFor(
  table: string,
  startRequests: () => Promise<GraphqlAnswer<unknown>>[],
): Promise<GraphqlAnswer<unknown>[]> {
  const lockHolder = await openLockHolder(service);
  await lockHolder.sql(`LOCK TABLE ${table} IN SHARE MODE`);
  const requests = startRequests();
  await untilWaiting(service, 2);
  await lockHolder.release();
  return Promise.all(requests);
}

describe('an account', () => {
  test('is a member of at most 100 workspaces, however many it creates and joins at once', async () => {
    const [dora, eve] = [await signUp(service), await signUp(service)];
    const room = 5;
    await addWorkspaces(dora, workspaces - room);
    await addWorkspaces(eve, 60);
    const others = await service.sql<{ space_id: string }>(
      'SELECT space_id FROM memberships WHERE user_id = $1 AND space_id <> $1',
      [eve.id],
    );
    const ids = await addInvitations(
      others.map((row) => row.space_id),
      dora,
      eve,
    );
    const answers = await runConcurrently([
      ...times(140, () => () => dora.graphql(create)),
      ...ids.map((id) => () => dora.graphql(accept, { id })),
    ]);
    expect(countSucceeded(answers, 'VALIDATION_FAILED')).toBe(room);
    expect(await countWorkspaces(dora)).toBe(workspaces);
    expect(await dora.graphql(create)).toMatchObject(failure('VALIDATION_FAILED', ''));
    const [open] = await service.sql<{ id: string }>('SELECT id FROM open_invitations WHERE email = $1', [dora.email]);
    // A refused invitation stays open.
    expect(await dora.graphql(accept, { id: open?.id })).toMatchObject(failure('VALIDATION_FAILED', 'id'));
    await service.sql(
      "DELETE FROM spaces WHERE name = 'Filler' AND id = (SELECT min(space_id) FROM memberships WHERE user_id = $1 AND space_id <> $1)",
      [dora.id],
    );
    expect((await dora.graphql(accept, { id: open?.id })).errors).toBeUndefined();
  });

  test('can fill its last place for a workspace once', async () => {
    const dora = await signUp(service);
    await addWorkspaces(dora, workspaces - 1);
    const ids: string[] = [];
    for (let createdCount = 0; createdCount < 2; createdCount += 1)
      ids.push(await invite(anna, (await makeWorkspace(anna)).id, dora.email));
    const startJoins = () => [...ids.map((id) => dora.graphql(accept, { id })), dora.graphql(create)];
    const answers = await raceFor('memberships', startJoins);
    expect(countSucceeded(answers, 'VALIDATION_FAILED')).toBe(1);
    expect(await countWorkspaces(dora)).toBe(workspaces);
  });

  test('sends at most 100 invitations a day, even if they or their workspaces are gone, then gets Retry-After', async () => {
    const dora = await signUp(service);
    const remove = 'mutation ($id: ID!) { deleteWorkspace(id: $id) }';
    for (let createdCount = 0; createdCount < invitationsPerAccount; createdCount += invitations) {
      const { id } = await makeWorkspace(dora);
      const answers = await runConcurrently(
        times(invitations, () => () => dora.graphql(send, { in: id, email: randomEmail() })),
      );
      expect(countSucceeded(answers, '')).toBe(invitations);
      await dora.data(remove, { id });
    }
    const { id } = await makeWorkspace(dora);
    const refusedInvitation = await dora.post<GraphqlAnswer<unknown>>(
      '/graphql',
      { query: send, variables: { in: id, email: randomEmail() } },
      { headers: { 'x-graphql-yoga-csrf': '1' } },
    );
    expect(refusedInvitation.body).toMatchObject(failure('RATE_LIMITED'));
    const retryAfter = Number(refusedInvitation.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(23 * 60 * 60);
    expect(retryAfter).toBeLessThanOrEqual(24 * 60 * 60);
    await service.sql(
      `UPDATE sent_invitations SET sent_at = sent_at - interval '24 hours' WHERE id = (
         SELECT min(id) FROM sent_invitations WHERE invited_by_id = $1)`,
      [dora.id],
    );
    const { id: other } = await makeWorkspace(dora);
    const answers = await raceFor('sent_invitations', () =>
      [id, other, id, other].map((to) => dora.graphql(send, { in: to, email: randomEmail() })),
    );
    expect(countSucceeded(answers, 'RATE_LIMITED')).toBe(1);
    // Of a clock that was set back.
    await service.sql("UPDATE sent_invitations SET sent_at = now() + interval '1 day' WHERE invited_by_id = $1", [
      dora.id,
    ]);
    expect(await dora.graphql(send, { in: other, email: randomEmail() })).toMatchObject({ data: {} });
  });
});

describe('a workspace', () => {
  test('has at most 500 members, however many join at once', async () => {
    const { id } = await makeWorkspace(anna);
    const users = await Promise.all(times(4, () => signUp(service)));
    await addMembers(id, members - 3);
    const ids: string[] = [];
    for (const user of users) ids.push(await invite(anna, id, user.email));
    const answers = await Promise.all(users.map((user, index) => user.graphql(accept, { id: ids[index] })));
    expect(countSucceeded(answers, 'VALIDATION_FAILED')).toBe(2);
    expect(await service.sql('SELECT FROM memberships WHERE space_id = $1', [id])).toHaveLength(members);
    const furtherInvitation = await anna.graphql(send, { in: id, email: randomEmail() });
    expect(furtherInvitation).toMatchObject(failure('VALIDATION_FAILED', 'workspaceId'));
  });

  test('has at most 50 open invitations, however many are created at once, and expired ones do not count', async () => {
    const dora = await signUp(service);
    const { id } = await makeWorkspace(dora);
    const inviteMany = (count: number) =>
      runConcurrently(times(count, () => () => dora.graphql(send, { in: id, email: randomEmail() })));
    expect(countSucceeded(await inviteMany(invitations + 10), 'VALIDATION_FAILED')).toBe(invitations);
    expect(await dora.graphql(send, { in: id, email: randomEmail() })).toMatchObject(
      failure('VALIDATION_FAILED', 'workspaceId'),
    );
    await service.sql(
      'UPDATE invitations SET expires_at = created_at WHERE id = (SELECT min(id) FROM invitations WHERE space_id = $1)',
      [id],
    );
    expect(countSucceeded(await inviteMany(3), 'VALIDATION_FAILED')).toBe(1);
  });
});

test('an address gets at most 20 invitation mails a day, and further invitations have no mail', async () => {
  const email = randomEmail();
  const dora = await signUp(service);
  await addWorkspaces(dora, mailsPerAddress + 1);
  const own = await service.sql<{ space_id: string }>(
    'SELECT space_id FROM memberships WHERE user_id = $1 AND space_id <> $1',
    [dora.id],
  );
  const mailedAddresses = own.slice(0, mailsPerAddress);
  for (const { space_id: id } of mailedAddresses) await invite(dora, id, email);
  for (let count = 0; count < mailedAddresses.length; count += 1) await service.mailbox.take(email);
  await invite(dora, own.at(-1)?.space_id ?? '', email);
  // Mails keep their order: an unwanted mail would come before this one.
  await service.anonymous.post('/api/v1/user/signup/send-otp', { email });
  expect((await service.mailbox.take(email)).subject).toMatch(/^\d{6} is your Taskgate code$/);
});

test('ended invitations are deleted at intervals', async () => {
  const [{ id: first }, { id: second }] = [await makeWorkspace(anna), await makeWorkspace(anna)];
  const [open, ...expired] = [
    await invite(anna, first, randomEmail()),
    await invite(anna, first, randomEmail()),
    await invite(anna, second, randomEmail()),
  ];
  await service.sql('UPDATE invitations SET expires_at = created_at WHERE id = ANY ($1)', [expired]);
  await service.sql("UPDATE sent_invitations SET sent_at = sent_at - interval '24 hours' WHERE invited_by_id = $1", [
    anna.id,
  ]);
  await pruneInvitations(service.services.connections);
  expect(await service.sql('SELECT id FROM invitations WHERE id = ANY ($1)', [[open, ...expired]])).toEqual([
    { id: open },
  ]);
  expect(await service.sql('SELECT FROM sent_invitations WHERE invited_by_id = $1', [anna.id])).toEqual([]);
});
