import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mustClaim } from '../claims/claims.ts';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { readFile } from 'node:fs/promises';
import { deadlocks, type LockHolder, openLockHolder, lockSpaces, untilWaiting } from '../kit/locks.ts';
import {
  invite,
  makeComment,
  makeProject,
  makeSection,
  makeTag,
  makeTask,
  makeWorkspace,
  makeWorkspaceOfAdmins,
} from '../kit/make.ts';
import {
  keyedMutationsOfAccounts,
  type MutationName,
  mutations,
  mutationsOfSessions,
  type Targets,
} from '../kit/mutations.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let lockHolder: LockHolder | undefined;
afterEach(() => lockHolder?.release());

const names = Object.keys(mutations) as MutationName[];
const mutate = (user: User, name: MutationName, targets: Targets) =>
  user.graphql(`mutation { ${mutations[name](targets)} }`);

test('this test covers all mutations', async () => {
  const schema = buildSchema(await readFile('schema.graphql', 'utf8'));
  const all = Object.keys(schema.getMutationType()?.getFields() ?? {});
  expect([...names, ...mutationsOfSessions, ...keyedMutationsOfAccounts].sort()).toEqual(all.sort());
});

describe('no write locks the personal space of another user', () => {
  let anna: User;
  /** Member with tags on the workspace's tasks. */
  let ben: User;
  /** Invited, but not a member. */
  let cleo: User;
  let targets: Targets;
  beforeEach(async () => {
    [anna, ben, cleo] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
    const [workspace, own] = [await makeWorkspaceOfAdmins(anna, ben), await makeProject(anna)];
    const { id: projectId } = await makeProject(anna, { workspaceId: workspace.id });
    const [{ id: tagId }, { id: bensTag }] = [await makeTag(anna), await makeTag(ben)];
    const section = await makeSection(anna, projectId);
    const task = await makeTask(anna, { projectId, projectSectionId: section.id, tags: [tagId] });
    const other = await makeTask(ben, { projectId, tags: [bensTag] });
    await ben.patch(`/api/v2/todo/${task.id}`, { tags: [bensTag] });
    const deleted = await makeTask(ben, { projectId, tags: [bensTag] });
    await anna.delete(`/api/v2/todo/${deleted.id}`);
    const deletedTask = await makeTask(ben, { projectId, tags: [bensTag] });
    const { headers } = await anna.delete(`/api/v2/todo/${deletedTask.id}`);
    targets = {
      workspaceId: workspace.id,
      projectId,
      otherProjectId: own.id,
      sectionId: section.id,
      taskId: task.id,
      commentId: (await makeComment(anna, task.id)).id,
      otherTaskId: other.id,
      tagId,
      invitationId: await invite(anna, workspace.id, cleo.email),
      email: cleo.email,
      userId: ben.id,
      deletedId: deleted.id,
      operationId: headers.get('x-operation-id') ?? '',
      fence: await mustClaim(anna, (await makeTask(anna, { projectId })).id),
    };
  });

  const inviteeMutations: MutationName[] = ['acceptInvitation', 'declineInvitation'];

  test.each(names)('%s', async (name) => {
    const user = inviteeMutations.includes(name) ? cleo : anna;
    // Only a workspace without other members can be deleted.
    if (name === 'deleteWorkspace') await mutate(anna, 'removeWorkspaceMember', targets);
    lockHolder = await lockSpaces(service, ...[anna, ben, cleo].map(({ id }) => id).filter((id) => id !== user.id));
    expect(await mutate(user, name, targets)).not.toHaveProperty('errors');
  });

  const waiting: MutationName[] = ['inviteToWorkspace', 'revokeInvitation', 'updateWorkspace', 'updateTask'];

  test.each(waiting)('%s: other writes succeed while it waits for a workspace', async (name) => {
    lockHolder = await lockSpaces(service, targets.workspaceId);
    const answer = mutate(anna, name, targets);
    await untilWaiting(service, 1);
    for (const user of [ben, cleo]) await makeTask(user);
    await lockHolder.release();
    expect(await answer).not.toHaveProperty('errors');
  });

  test('updateProfile: does not wait for a workspace', async () => {
    lockHolder = await lockSpaces(service, targets.workspaceId);
    expect(await mutate(anna, 'updateProfile', targets)).not.toHaveProperty('errors');
  });
});

test('a profile change and an invitation, each in the middle of the other, do not deadlock', async () => {
  const [anna, cleo] = await Promise.all([signUp(service), signUp(service)]);
  const { id } = await makeWorkspace(anna);
  await invite(anna, id, cleo.email);
  lockHolder = await openLockHolder(service);
  await lockHolder.sql('SELECT FROM users WHERE id = $1 FOR UPDATE', [anna.id]);
  const renaming = anna.graphql('mutation { updateProfile(name: "Anna") { id } }');
  await untilWaiting(service, 1);
  const invitation = invite(anna, id, cleo.email);
  await untilWaiting(service, 2);
  await lockHolder.release();
  await invitation;
  expect(await renaming).not.toHaveProperty('errors');
  expect(await deadlocks(service)).toBe(0);
});

const requests = fc.array(
  fc.record({
    user: fc.nat({ max: 3 }),
    name: fc.constantFrom(...names),
    which: fc.array(fc.nat(), { minLength: 10, maxLength: 10 }),
  }),
  { minLength: 40, maxLength: 80 },
);

test('writes of all kinds at once never deadlock', async () => {
  const users = await Promise.all(Array.from({ length: 4 }, () => signUp(service)));
  const [anna] = users;
  if (!anna) return;
  /** Of both workspaces. */
  const members = users.slice(2);
  /** Error codes that no order of the requests explains. */
  const unexpected: unknown[] = [];
  await fc.assert(
    fc.asyncProperty(requests, async (targets) => {
      const spaces = await Promise.all([
        makeWorkspaceOfAdmins(anna, ...users.slice(1)),
        makeWorkspaceOfAdmins(anna, ...members),
      ]);
      const projects = await Promise.all([
        ...spaces.map(({ id: workspaceId }) => makeProject(anna, { workspaceId })),
        ...users.map((user) => makeProject(user)),
      ]);
      const shared = projects.slice(0, 2);
      const sections = await Promise.all(shared.map(({ id }) => makeSection(anna, id)));
      const tags = await Promise.all(users.map((user) => makeTag(user)));
      const tasks = await Promise.all(
        [...shared, ...shared, ...shared].map(({ id: projectId }) => makeTask(anna, { projectId })),
      );
      await Promise.all(
        tasks.map((task, index) =>
          (users[index % 4] ?? anna).patch(`/api/v2/todo/${task.id}`, { tags: [tags[index % 4]?.id] }),
        ),
      );
      const comments = await Promise.all(tasks.map(({ id }, index) => makeComment(members[index % 2] ?? anna, id)));
      const deleted = await Promise.all(
        shared.map(async ({ id: projectId }) => {
          const { id } = await makeTask(anna, { projectId });
          const { headers } = await anna.delete(`/api/v2/todo/${id}`);
          return { id, operationId: headers.get('x-operation-id') ?? '' };
        }),
      );
      const fences = await Promise.all(
        shared.map(async ({ id: projectId }) => mustClaim(anna, (await makeTask(anna, { projectId })).id)),
      );
      const { id: anotherId } = await makeWorkspace(anna);
      const invitations = await Promise.all(users.slice(1).map(({ email }) => invite(anna, anotherId, email)));
      const answers = await Promise.all(
        targets.map(({ user, name, which: index }) => {
          const numbers = [...index];
          const pick = (ids: string[]) => ids[(numbers.pop() ?? 0) % ids.length] ?? '';
          const ids = (idsOf: { id: string }[]) => idsOf.map(({ id }) => id);
          return mutate(users[user] ?? anna, name, {
            workspaceId: pick([...ids(spaces), anotherId]),
            projectId: pick(ids(projects)),
            otherProjectId: pick(ids(projects)),
            sectionId: pick(ids(sections)),
            taskId: pick(ids(tasks)),
            commentId: pick(ids(comments)),
            otherTaskId: pick(ids(tasks)),
            tagId: tags[user]?.id ?? '',
            invitationId: pick(invitations),
            email: pick([...users.map(({ email }) => email), randomEmail()]),
            userId: pick(ids(users)),
            deletedId: pick(ids(deleted)),
            operationId: pick(deleted.map(({ operationId }) => operationId)),
            fence: pick(fences),
          });
        }),
      );
      const expected = ['NOT_FOUND', 'VALIDATION_FAILED', 'FORBIDDEN', 'TASK_CLAIMED', 'CLAIM_LOST'];
      const codes = answers.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions.code);
      unexpected.push(...codes.filter((code) => !expected.includes(code)));
    }),
    { numRuns: 2, endOnFailure: true },
  );
  expect(unexpected).toEqual([]);
  expect(await deadlocks(service)).toBe(0);
});
