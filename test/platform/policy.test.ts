import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { Credentials } from '../../src/accounts/credential-data.ts';
import { Prisma } from '../../src/generated/prisma/client.ts';
import { whyNotUndo } from '../../src/history/undo-policy.ts';
import type { Rights, Viewer } from '../../src/platform/context.ts';
import { Connections } from '../../src/platform/database.ts';
import { entities, kindOfType, syncedTypes } from '../../src/platform/entities.ts';
import { newId } from '../../src/platform/ids.ts';
import {
  hasRights,
  hasRole,
  inSpacesOf,
  isInSpacesOf,
  isMember,
  isMembershipOf,
  mayMutate,
  requirePersonalSpace,
  requireRights,
  roleTooLow,
  spacesOf,
  tagSpaceOf,
} from '../../src/platform/policy.ts';
import { type Role, roles } from '../../src/platform/roles.ts';
import { userFieldsByToken } from '../../src/platform/token-rights.ts';
import { mayDeleteProject } from '../../src/projects/policy.ts';
import { ownTaskTags, tagsOf } from '../../src/tags/policy.ts';
import * as workspacePolicy from '../../src/workspaces/policy.ts';
import { createTestDatabase } from '../kit/postgres.ts';

/** Anna owns the personal space, and is in the workspace with Ben. Carl was in it, and Dora never. */
const [anna, ben, carl, dora] = [newId('User'), newId('User'), newId('User'), newId('User')];
const people = [anna, ben, carl, dora];
const workspace = newId('Workspace');
const inboxes = new Map(people.map((id) => [id, newId('Project')]));
const inboxOf = (id: string) => inboxes.get(id) ?? '';
const inbox = inboxOf(anna);

interface Caller {
  rights: Rights;
  /** Whether they reach Anna's personal space and the workspace. */
  personal: boolean;
  workspace: boolean;
  user: string;
  token?: { scope: 'READ' | 'WRITE'; spaces: string[] | null };
}

const everywhere = { user: anna, personal: true, workspace: true };
const callers: Record<string, Caller> = {
  owner: { ...everywhere, rights: 'all' },
  member: { user: ben, personal: false, workspace: true, rights: 'all' },
  'former member': { user: carl, personal: false, workspace: false, rights: 'all' },
  stranger: { user: dora, personal: false, workspace: false, rights: 'all' },
  'token READ': { ...everywhere, rights: 'read', token: { scope: 'READ', spaces: null } },
  'token WRITE': { ...everywhere, rights: 'write', token: { scope: 'WRITE', spaces: null } },
  'token of the personal space': {
    ...{ ...everywhere, workspace: false, rights: 'write' },
    token: { scope: 'WRITE', spaces: [anna] },
  },
  'token of the workspace': {
    ...{ ...everywhere, personal: false, rights: 'write' },
    token: { scope: 'WRITE', spaces: [workspace] },
  },
  "former member's token of the workspace": {
    ...{ user: carl, personal: false, workspace: false, rights: 'write' },
    token: { scope: 'WRITE', spaces: [workspace] },
  },
};

/** The least rights that each mutation needs. */
const rights = {
  ...{ createTask: 'write', updateTask: 'write', updateTasks: 'write', moveTask: 'write', skipOccurrence: 'write' },
  ...{ deleteTask: 'write', deleteTasks: 'write', undo: 'write', restore: 'write', claimTask: 'write' },
  ...{ renewClaim: 'write', releaseClaim: 'write', createWebhook: 'read', updateWebhook: 'read' },
  ...{ deleteWebhook: 'read', rotateWebhookSecret: 'read', testWebhook: 'read' },
  ...{ createProject: 'write', updateProject: 'write', deleteProject: 'write' },
  ...{ createSection: 'write', updateSection: 'write', deleteSection: 'write' },
  ...{ createComment: 'write', updateComment: 'write', deleteComment: 'write' },
  ...{ createTag: 'write', updateTag: 'write', deleteTags: 'write' },
  ...{ muteTask: 'write', readNotifications: 'write' },
  emptyTrash: 'all',
  ...{ createWorkspace: 'all', updateWorkspace: 'all', deleteWorkspace: 'all', leaveWorkspace: 'all' },
  ...{ inviteToWorkspace: 'all', acceptInvitation: 'all', declineInvitation: 'all', revokeInvitation: 'all' },
  ...{ removeWorkspaceMember: 'all', setWorkspaceRole: 'all' },
  ...{ updatePreferences: 'all', updateProfile: 'all', sendTestMail: 'all', deleteAccount: 'all' },
  ...{ requestSignUpCode: 'all', signUp: 'all', signIn: 'all', signOut: 'all' },
  ...{ requestPasswordReset: 'all', resetPassword: 'all', changePassword: 'all' },
  ...{ requestEmailChange: 'all', confirmEmailChange: 'all', endSession: 'all', endOtherSessions: 'all' },
  ...{ allowApplication: 'all', revokeApplication: 'all' },
  ...{ createAccessToken: 'all', revokeAccessToken: 'all', linkProvider: 'all', unlinkProvider: 'all' },
  ...{ startTotp: 'all', confirmTotp: 'all', disableTotp: 'all', deletePasskey: 'all' },
  ...{ startPasskeyRegistration: 'all', finishPasskeyRegistration: 'all' },
  ...{ startPasskeySignIn: 'all', finishPasskeySignIn: 'all' },
} satisfies Record<string, Rights>;

let connections: Connections;
const viewers = new Map<string, Viewer>();
const viewerOf = (name: string) => {
  const viewer = viewers.get(name);
  if (!viewer) throw new Error(`${name} has no credential`);
  return viewer;
};

beforeAll(async () => {
  connections = new Connections(await createTestDatabase());
  const run = (sql: string, values: unknown[]) => connections.pool.query(sql, values);
  for (const id of people) {
    await run(
      `WITH space AS (INSERT INTO spaces (id, kind) VALUES ($1, 'PERSONAL')),
        account AS (INSERT INTO users (id, email) VALUES ($1, $1 || '@example.com')),
        membership AS (INSERT INTO memberships (space_id, user_id) VALUES ($1, $1)),
        tag AS (INSERT INTO tags (id, space_id, name, color) VALUES ($3, $1, 'own', 'RED'))
      INSERT INTO projects (id, space_id, name, slug, is_default) VALUES ($2, $1, 'Inbox', 'inbox', true)`,
      [id, inboxOf(id), newId('Tag')],
    );
  }
  await run(`INSERT INTO spaces (id, kind, name) VALUES ($1, 'WORKSPACE', 'Team')`, [workspace]);
  await run('INSERT INTO memberships (space_id, user_id) SELECT $1, unnest($2::text[])', [
    workspace,
    [anna, ben, carl],
  ]);
  await run(`INSERT INTO projects (id, space_id, name, slug) VALUES ($1, $2, 'Shared', 'shared')`, [
    newId('Project'),
    workspace,
  ]);
  const credentials = new Credentials(connections);
  for (const [name, { user, token }] of Object.entries(callers)) {
    await (token
      ? run(
          `INSERT INTO access_tokens (hash, id, user_id, name, scopes, space_ids)
           VALUES ($1, $2, $3, 'script', ARRAY[$4::"TokenScope"], $5)`,
          [name, newId('AccessToken'), user, token.scope, token.spaces],
        )
      : run(
          `INSERT INTO sessions (sid, id, user_id, device, expire) VALUES ($1, $2, $3, 'node', now() + interval '1 day')`,
          [name, newId('Session'), user],
        ));
  }
  await run(
    `WITH task AS (
      INSERT INTO tasks (id, space_id, project_id, title, sort_key) SELECT $1, space_id, id, 'Shared', 'a0' FROM projects WHERE space_id = $2
    ), first AS (INSERT INTO tags (id, space_id, name, color) VALUES ($3, $4, 'first', 'RED') RETURNING id, space_id)
    INSERT INTO task_tags (task_id, tag_id, space_id)
    SELECT $1, id, space_id FROM tags WHERE space_id = ANY ($5) UNION ALL SELECT $1, id, space_id FROM first`,
    [newId('Task'), workspace, newId('Tag'), anna, [anna, ben]],
  );
  await run('DELETE FROM memberships WHERE space_id = $1 AND user_id = $2', [workspace, carl]);
  for (const name of Object.keys(callers)) {
    const { viewer } = await credentials.readAccess(name);
    if (viewer) viewers.set(name, viewer);
  }
});
afterAll(() => connections.close());

const spacesOfRows = (rows: { spaceId: string }[]) => [...new Set(rows.map(({ spaceId }) => spaceId))];
const read = (sql: Prisma.Sql) => connections.db.$queryRaw<{ spaceId: string }[]>(sql).then(spacesOfRows);

/** Each condition, as the spaces whose rows it selects. */
const conditions: Record<string, (viewer: Viewer) => Promise<string[]> | string[]> = {
  inSpacesOf: (viewer) => connections.db.project.findMany({ where: inSpacesOf(viewer) }).then(spacesOfRows),
  isInSpacesOf: (viewer) => read(Prisma.sql`SELECT space_id AS "spaceId" FROM projects WHERE ${isInSpacesOf(viewer)}`),
  'isInSpacesOf a qualified column': (viewer) =>
    read(Prisma.sql`SELECT id AS "spaceId" FROM spaces AS place WHERE ${isInSpacesOf(viewer, 'place.id')}`),
  spacesOf: async (viewer) => (await connections.db.space.findMany({ where: spacesOf(viewer) })).map(({ id }) => id),
  isMember: (viewer) => [...people, workspace].filter((id) => isMember(viewer, id)),
  isMembershipOf: (viewer) =>
    read(Prisma.sql`SELECT space_id AS "spaceId" FROM memberships WHERE ${isMembershipOf(viewer)}`),
  'isMembershipOf another name of the table': (viewer) =>
    read(Prisma.sql`SELECT space_id AS "spaceId" FROM memberships AS own WHERE ${isMembershipOf(viewer, 'own')}`),
};

/** Conditions on workspaces alone, or on the personal space alone. */
const narrowConditions: Record<string, { of: 'personal' | 'workspace'; read: (typeof conditions)[string] }> = {
  workspacesOf: {
    of: 'workspace',
    read: async (viewer) =>
      (await connections.db.space.findMany({ where: workspacePolicy.workspacesOf(viewer) })).map(({ id }) => id),
  },
  isWorkspaceOf: {
    of: 'workspace',
    read: (viewer) => [...people, workspace].filter((id) => workspacePolicy.isWorkspaceOf(viewer, id)),
  },
  tagsOf: {
    of: 'personal',
    read: (viewer) => connections.db.tag.findMany({ where: tagsOf(viewer) }).then(spacesOfRows),
  },
  tagSpaceOf: { of: 'personal', read: (viewer) => [tagSpaceOf(viewer)].filter(Boolean) },
  requirePersonalSpace: {
    of: 'personal',
    read: (viewer) => {
      try {
        return [[...inboxes].find(([, id]) => id === requirePersonalSpace(viewer))?.[0] ?? ''];
      } catch (error) {
        expect(error).toMatchObject({
          code: 'FORBIDDEN',
          message: 'This access token does not reach the personal space',
        });
        return [];
      }
    },
  },
};

describe.each(Object.entries(callers))('%s', (name, caller) => {
  const isLimited = caller.token?.spaces != null;
  // Everybody else reaches their own personal space.
  const personal = caller.user === anna ? caller.personal : !isLimited;
  const reached = {
    personal: personal ? [caller.user] : [],
    workspace: caller.workspace ? [workspace] : [],
  };

  test.each(Object.entries(conditions))('%s selects the spaces that the caller reaches', async (_name, condition) => {
    const expected = [...reached.personal, ...reached.workspace];
    expect((await condition(viewerOf(name))).sort()).toEqual(expected.sort());
  });

  test.each(Object.entries(narrowConditions))('%s selects them too', async (_name, { of, read: condition }) => {
    expect(await condition(viewerOf(name))).toEqual(reached[of]);
  });

  test('sees only the own personal space as personal', () => {
    const spaces = [...people, workspace].filter((spaceId) => workspacePolicy.isPersonal(viewerOf(name), { spaceId }));
    expect(spaces).toEqual([caller.user]);
  });

  test.each(Object.entries(rights))('%s', (mutation, needed) => {
    const order: Rights[] = ['read', 'write', 'all'];
    const isAllowed = order.indexOf(caller.rights) >= order.indexOf(needed);
    const { credential } = viewerOf(name);
    expect(mayMutate(credential, mutation)).toBe(isAllowed);
    expect(hasRights(credential, needed)).toBe(isAllowed);
    const require = () => requireRights(credential, needed);
    if (isAllowed) expect(require).not.toThrow();
    else {
      expect(require).toThrow(
        expect.objectContaining({ code: 'FORBIDDEN', message: 'This access token may not do this' }),
      );
    }
  });

  test.each(syncedTypes)('an undo of changes to a %s needs the rights of its mutations', (type) => {
    for (const action of ['create', 'update', 'delete'] as const) {
      const isContent = entities[kindOfType(type)].space === 'spaceId';
      const isAllowed = caller.rights === 'all' || (caller.rights === 'write' && isContent);
      const other = { id: 'other', spaceId: workspace, authorId: viewerOf(name).id, spaceIds: [] };
      const refusal = whyNotUndo(viewerOf(name), { action, type, ...other });
      expect([action, refusal]).toEqual([action, isAllowed ? undefined : 'This access token may not do this']);
    }
  });
});

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const fieldsOf = (type: 'Mutation' | 'User') => {
  const found = schema.getType(type);
  return found && 'getFields' in found ? Object.keys(found.getFields()).sort() : [];
};

test('each mutation of the schema has a row', () => {
  expect(Object.keys(rights).sort()).toEqual(fieldsOf('Mutation'));
});

test('a token reads only the harmless fields of its user', () => {
  const forSessions = ['accessTokens', 'applications', 'invitations', 'passkeys', 'providers', 'sessions', 'totp'];
  expect(fieldsOf('User').filter((field) => !userFieldsByToken.has(field))).toEqual(forSessions);
  expect([...userFieldsByToken].filter((field) => !fieldsOf('User').includes(field))).toEqual([]);
});

test.each([
  ['owner', ['first', 'own']],
  ['member', ['own']],
  ['token of the workspace', []],
])('a shared task shows the tags of the %s, by name', async (name, expected) => {
  const taskTags = ownTaskTags(viewerOf(name), { select: { name: true } });
  const task = await connections.db.task.findFirst({ where: { spaceId: workspace }, select: { taskTags } });
  expect(task?.taskTags.map(({ tag }) => tag.name)).toEqual(expected);
});

test('a role has the rights of those before it, and a stranger has none', () => {
  const lower = { VIEWER: 1, COMMENTER: 2, EDITOR: 3, ADMIN: 4 };
  for (const role of roles) {
    const viewer = { roles: new Map([[workspace, role]]) };
    expect(roles.filter((needed) => hasRole(viewer, workspace, needed))).toEqual(roles.slice(0, lower[role]));
    expect(hasRole(viewer, anna, 'VIEWER')).toBe(false);
  }
  expect(roleTooLow('EDITOR')).toMatchObject({
    code: 'FORBIDDEN',
    message: 'This needs the role EDITOR in the workspace',
  });
});

test('a viewer has a role in each space that the credential reaches', () => {
  expect([...viewerOf('member').roles]).toEqual(
    expect.arrayContaining([
      [ben, 'ADMIN'],
      [workspace, 'EDITOR'],
    ]),
  );
  expect([...viewerOf('token of the workspace').roles]).toEqual([[workspace, 'ADMIN']]);
});

test('the inbox stays, also in an undo of its creation', () => {
  const viewer = viewerOf('owner');
  const other = { spaceId: viewer.id, authorId: null, spaceIds: [] };
  expect(mayDeleteProject(viewer, inbox)).toBe(false);
  expect(mayDeleteProject(viewer, 'other')).toBe(true);
  expect(whyNotUndo(viewer, { action: 'delete', type: 'PROJECT', ...other, id: inbox })).toBe(
    'The inbox cannot be deleted',
  );
  expect(whyNotUndo(viewer, { action: 'update', type: 'PROJECT', ...other, id: inbox })).toBeUndefined();
  expect(whyNotUndo(viewer, { action: 'delete', type: 'TASK', ...other, id: inbox })).toBeUndefined();
});

test.each<[others: Role[], mayLeave: boolean, mayDelete: boolean]>([
  [[], false, true],
  [['EDITOR', 'VIEWER'], false, false],
  [['EDITOR', 'ADMIN'], true, false],
])('the ADMIN of a workspace with %j', (others, mayLeave, mayDelete) => {
  const members = [
    { userId: anna, role: 'ADMIN' as const },
    ...others.map((role) => ({ userId: newId('User'), role })),
  ];
  expect(workspacePolicy.keepsAdmin(members, anna, null)).toBe(mayLeave);
  expect(workspacePolicy.keepsAdmin(members, anna, 'EDITOR')).toBe(mayLeave);
  expect(workspacePolicy.keepsAdmin(members, anna, 'ADMIN')).toBe(true);
  expect(workspacePolicy.keepsAdmin(members, members.at(-1)?.userId ?? '', 'ADMIN')).toBe(true);
  expect(workspacePolicy.mayDeleteWorkspace(members)).toBe(mayDelete);
});
