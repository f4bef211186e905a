import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomName } from '../kit/random.ts';
import { makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
let cleo: User;

beforeAll(async () => {
  service = await startService();
  [anna, ben, cleo] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
});
afterAll(() => service.close());

const failure = (code: string, path?: string) => ({
  errors: [{ message: expect.any(String), extensions: { code, ...(path !== undefined && { errors: [{ path }] }) } }],
});
const unknownId = 'wksp_01h2xcejqtf2nbrexx3vqjhp41';

const add =
  'mutation ($in: ID!, $email: String!) { addWorkspaceMember(workspaceId: $in, email: $email) { members { id } } }';
const remove =
  'mutation ($in: ID!, $user: ID!) { removeWorkspaceMember(workspaceId: $in, userId: $user) { members { id } } }';
const seen = 'query ($id: ID!) { node(id: $id) { id } }';

const membersOf = (workspaceId: string) =>
  service.sql('SELECT user_id FROM memberships WHERE space_id = $1', [workspaceId]);

describe('workspaces', () => {
  test('lists those of the viewer with members and projects, by one statement', async () => {
    const [dora, eve] = await Promise.all([signUp(service), signUp(service)]);
    const [first, second] = [await makeWorkspace(dora, eve), await makeWorkspace(dora)];
    await makeWorkspace(ben);
    const project = await makeProject(eve, { workspaceId: first.id });
    await dora.put('/api/v1/user/name', { name: 'Dora' });
    const { own, result } = await recordStatements(() =>
      dora.data('{ workspaces { id name members { id name email image } projects { id personal workspace { id } } } }'),
    );
    expect(result).toEqual({
      workspaces: [
        {
          ...first,
          members: [
            { id: dora.id, name: 'Dora', email: dora.email, image: null },
            { id: eve.id, name: null, email: eve.email, image: null },
          ],
          projects: [{ id: project.id, personal: false, workspace: { id: first.id } }],
        },
        { ...second, members: [expect.objectContaining({ id: dora.id })], projects: [] },
      ],
    });
    expect(own.filter(({ sql }) => !sql.includes('pg_notify'))).toHaveLength(1);
  });

  test('shows members the avatars of each other', async () => {
    const dora = await signUp(service);
    await makeWorkspace(anna, dora);
    await service.sql('UPDATE users SET avatar = $2 WHERE id = $1', [dora.id, 'dora.png']);
    expect(await dora.data('{ workspaces { members { image } } }')).toEqual({
      workspaces: [{ members: [{ image: null }, { image: `${service.url}/avatars/dora.png` }] }],
    });
  });

  test('are nodes for their members alone; a personal space is none', async () => {
    const { id } = await makeWorkspace(anna, ben);
    expect(await ben.data(seen, { id })).toEqual({ node: { id } });
    expect(await cleo.data(seen, { id })).toEqual({ node: null });
    expect(await anna.data(seen, { id: anna.id.replace('user', 'wksp') })).toEqual({ node: null });
    expect(await service.anonymous.graphql('{ workspaces { id } }')).toMatchObject(failure('UNAUTHENTICATED'));
  });
});

describe('createWorkspace', () => {
  const create =
    'mutation ($name: String!) { createWorkspace(name: $name) { id name members { id } projects { id } } }';

  test('makes the viewer its only member', async () => {
    const name = randomName('workspace');
    const { own, result } = await recordStatements(() => anna.data(create, { name: ` ${name} ` }));
    expect(result).toEqual({
      createWorkspace: { id: expect.stringMatching(/^wksp_/), name, members: [{ id: anna.id }], projects: [] },
    });
    expect(own.filter(({ sql }) => !sql.includes('pg_notify'))).toHaveLength(6);
  });

  test('refuses a blank name, and needs a session', async () => {
    expect(await anna.graphql(create, { name: ' ' })).toMatchObject(failure('VALIDATION_FAILED', 'name'));
    expect(await service.anonymous.graphql(create, { name: 'a' })).toMatchObject(failure('UNAUTHENTICATED'));
  });
});

describe('addWorkspaceMember', () => {
  let workspace: { id: string };
  beforeEach(async () => {
    workspace = await makeWorkspace(anna);
  });

  test('lets any member add others, by address without regard to case; twice has no effect', async () => {
    const members = (...users: User[]) => ({ addWorkspaceMember: { members: users.map(({ id }) => ({ id })) } });
    const email = ` ${ben.email.toUpperCase()} `;
    expect(await anna.data(add, { in: workspace.id, email })).toEqual(members(anna, ben));
    expect(await anna.data(add, { in: workspace.id, email })).toEqual(members(anna, ben));
    expect(await ben.data(add, { in: workspace.id, email: cleo.email })).toEqual(members(anna, ben, cleo));
  });

  test('refuses an address without account, at the address', async () => {
    for (const email of ['nobody@example.com', 'nonsense', '', 'a\0']) {
      expect(await anna.graphql(add, { in: workspace.id, email })).toMatchObject(failure('VALIDATION_FAILED', 'email'));
    }
  });

  test('is NOT_FOUND for whoever is not a member, so that nobody adds themself', async () => {
    for (const id of [workspace.id, unknownId, cleo.id, 'a']) {
      expect(await cleo.graphql(add, { in: id, email: cleo.email })).toMatchObject(failure('NOT_FOUND'));
    }
    expect(await membersOf(workspace.id)).toEqual([{ user_id: anna.id }]);
  });

  test('shows the workspace with all that is in it to the new member', async () => {
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const task = await makeTask(anna, { projectId: project.id });
    await anna.data(add, { in: workspace.id, email: ben.email });
    for (const { id } of [workspace, project, task]) expect(await ben.data(seen, { id })).toEqual({ node: { id } });
  });

  test('adds one membership of many adds at once', async () => {
    await Promise.all(Array.from({ length: 10 }, () => anna.data(add, { in: workspace.id, email: ben.email })));
    expect(await membersOf(workspace.id)).toHaveLength(2);
  });
});

describe('removeWorkspaceMember', () => {
  test('hides the workspace with all that is in it from who is removed, and takes their tags off', async () => {
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(ben, { workspaceId: workspace.id });
    const [annas, bens] = [await makeTag(anna), await makeTag(ben)];
    const task = await makeTask(ben, { projectId: project.id, tags: [bens.id] });
    await anna.patch(`/api/v2/todo/${task.id}`, { tags: [annas.id] });
    const own = await makeTask(ben, { tags: [bens.id] });
    expect(await anna.data(remove, { in: workspace.id, user: ben.id })).toEqual({
      removeWorkspaceMember: { members: [{ id: anna.id }] },
    });
    for (const { id } of [workspace, project, task]) {
      expect(await ben.data(seen, { id })).toEqual({ node: null });
      expect(await anna.data(seen, { id })).toEqual({ node: { id } });
    }
    expect(
      await service.sql('SELECT task_id, tag_id FROM task_tags WHERE tag_id = ANY ($1) ORDER BY task_id', [
        [annas.id, bens.id],
      ]),
    ).toEqual([
      { task_id: task.id, tag_id: annas.id },
      { task_id: own.id, tag_id: bens.id },
    ]);
  });

  test('lets members remove themselves', async () => {
    const { id } = await makeWorkspace(anna, ben);
    expect(await ben.data(remove, { in: id, user: ben.id })).toEqual({
      removeWorkspaceMember: { members: [{ id: anna.id }] },
    });
    expect(await ben.data(seen, { id })).toEqual({ node: null });
  });

  test('is FORBIDDEN for the last member', async () => {
    const { id } = await makeWorkspace(anna);
    expect(await anna.graphql(remove, { in: id, user: anna.id })).toMatchObject(failure('FORBIDDEN'));
    expect(await membersOf(id)).toEqual([{ user_id: anna.id }]);
  });

  test('is NOT_FOUND for who is no member, and for whoever is not one', async () => {
    const { id } = await makeWorkspace(anna, ben);
    for (const user of [cleo.id, 'user_01h2xcejqtf2nbrexx3vqjhp41', 'a', id]) {
      expect(await anna.graphql(remove, { in: id, user })).toMatchObject(failure('NOT_FOUND'));
    }
    for (const workspaceId of [id, unknownId, ben.id]) {
      expect(await cleo.graphql(remove, { in: workspaceId, user: ben.id })).toMatchObject(failure('NOT_FOUND'));
    }
    expect(await anna.graphql(remove, { in: anna.id, user: anna.id })).toMatchObject(failure('NOT_FOUND'));
    expect(await membersOf(id)).toHaveLength(2);
  });

  test('never leaves a workspace empty, whoever remove each other at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await makeWorkspace(anna, ben);
      await Promise.all([
        anna.graphql(remove, { in: id, user: ben.id }),
        ben.graphql(remove, { in: id, user: anna.id }),
        anna.graphql(remove, { in: id, user: anna.id }),
        ben.graphql(remove, { in: id, user: ben.id }),
      ]);
      expect(await membersOf(id)).toHaveLength(1);
    }
  });
});
