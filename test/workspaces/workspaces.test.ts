import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomName } from '../kit/random.ts';
import { invite, makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
let cleo: User;

beforeAll(async () => {
  service = await sharedService();
  [anna, ben, cleo] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
});

const failure = (code: string, path?: string) => ({
  errors: [{ message: expect.any(String), extensions: { code, ...(path !== undefined && { errors: [{ path }] }) } }],
});
const unknownId = 'wksp_01h2xcejqtf2nbrexx3vqjhp41';

const remove =
  'mutation ($in: ID!, $user: ID!) { removeWorkspaceMember(workspaceId: $in, userId: $user) { members { id } } }';
const leaveMutation = 'mutation ($id: ID!) { leaveWorkspace(id: $id) }';
const nodeQuery = 'query ($id: ID!) { node(id: $id) { id } }';

const membersOf = (workspaceId: string) =>
  service.sql('SELECT user_id FROM memberships WHERE space_id = $1', [workspaceId]);

describe('workspaces', () => {
  test("lists the viewer's workspaces with members and projects by one statement", async () => {
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
    expect(own).toHaveLength(1);
  });

  test('shows members the avatars of each other', async () => {
    const dora = await signUp(service);
    await makeWorkspace(anna, dora);
    await service.sql('UPDATE users SET avatar = $2 WHERE id = $1', [dora.id, 'dora.png']);
    expect(await dora.data('{ workspaces { members { image } } }')).toEqual({
      workspaces: [{ members: [{ image: null }, { image: `${service.url}/avatars/dora.png` }] }],
    });
  });

  test('are nodes only for their members, and a personal space is no node', async () => {
    const { id } = await makeWorkspace(anna, ben);
    expect(await ben.data(nodeQuery, { id })).toEqual({ node: { id } });
    expect(await cleo.data(nodeQuery, { id })).toEqual({ node: null });
    expect(await anna.data(nodeQuery, { id: anna.id.replace('user', 'wksp') })).toEqual({ node: null });
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
    expect(own).toHaveLength(6);
  });

  test('refuses a blank name, and needs a session', async () => {
    expect(await anna.graphql(create, { name: ' ' })).toMatchObject(failure('VALIDATION_FAILED', 'name'));
    expect(await service.anonymous.graphql(create, { name: 'a' })).toMatchObject(failure('UNAUTHENTICATED'));
  });
});

describe('workspace', () => {
  test('returns the workspace with the id, and null for non-members', async () => {
    const { id, name } = await makeWorkspace(anna);
    const read = 'query ($id: ID!) { workspace(id: $id) { id name } }';
    expect(await anna.data(read, { id })).toEqual({ workspace: { id, name } });
    expect(await cleo.data(read, { id })).toEqual({ workspace: null });
    for (const other of [unknownId, anna.id, 'nonsense', '']) {
      expect(await anna.data(read, { id: other })).toEqual({ workspace: null });
    }
    expect(await service.anonymous.graphql(read, { id })).toMatchObject(failure('UNAUTHENTICATED'));
  });
});

describe('updateWorkspace', () => {
  const rename = 'mutation ($id: ID!, $name: String!) { updateWorkspace(id: $id, name: $name) { id name } }';

  test('changes the name for all members', async () => {
    const { id } = await makeWorkspace(anna, ben);
    const name = randomName('workspace');
    expect(await anna.data(rename, { id, name: ` ${name} ` })).toEqual({ updateWorkspace: { id, name } });
    expect(await ben.data('query ($id: ID!) { workspace(id: $id) { name } }', { id })).toEqual({
      workspace: { name },
    });
  });

  test('refuses names that are blank or too long, and is NOT_FOUND for non-members', async () => {
    const { id } = await makeWorkspace(anna);
    for (const name of [' ', 'a'.repeat(256), 'a\0']) {
      expect(await anna.graphql(rename, { id, name })).toMatchObject(failure('VALIDATION_FAILED', 'name'));
    }
    for (const other of [id, unknownId, cleo.id, 'nonsense']) {
      expect(await cleo.graphql(rename, { id: other, name: 'a' })).toMatchObject(failure('NOT_FOUND'));
    }
  });
});

describe('deleteWorkspace', () => {
  const remove = 'mutation ($id: ID!) { deleteWorkspace(id: $id) }';

  test('deletes it with its contents, and nothing else', async () => {
    const { id } = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: id });
    const tag = await makeTag(anna);
    const task = await makeTask(anna, { projectId: project.id, tags: [tag.id] });
    await makeTask(anna, { parentId: task.id });
    const own = await makeTask(anna, { tags: [tag.id] });
    await invite(anna, id, ben.email);
    expect(await anna.data(remove, { id })).toEqual({ deleteWorkspace: id });
    for (const gone of [id, project.id, task.id])
      expect(await anna.data(nodeQuery, { id: gone })).toEqual({ node: null });
    for (const table of ['projects', 'tasks', 'memberships', 'invitations', 'changes', 'task_words']) {
      expect(await service.sql(`SELECT FROM ${table} WHERE space_id = $1`, [id])).toEqual([]);
    }
    expect(
      await anna.data('query ($id: ID!) { node(id: $id) { ... on Task { tags { id } } } }', { id: own.id }),
    ).toEqual({
      node: { tags: [{ id: tag.id }] },
    });
    expect(await anna.data('query ($id: ID!) { node(id: $id) { ... on Tag { taskCount } } }', { id: tag.id })).toEqual({
      node: { taskCount: 1 },
    });
  });

  test('is FORBIDDEN while there are other members', async () => {
    const { id } = await makeWorkspace(anna, ben);
    expect(await anna.graphql(remove, { id })).toMatchObject(failure('FORBIDDEN'));
    await ben.data(leaveMutation, { id });
    expect(await anna.data(remove, { id })).toEqual({ deleteWorkspace: id });
  });

  test('is NOT_FOUND for non-members, for a personal space, and the second time', async () => {
    const { id } = await makeWorkspace(anna);
    for (const other of [id, unknownId, cleo.id, 'nonsense']) {
      expect(await cleo.graphql(remove, { id: other })).toMatchObject(failure('NOT_FOUND'));
    }
    await anna.data(remove, { id });
    expect(await anna.graphql(remove, { id })).toMatchObject(failure('NOT_FOUND'));
  });

  test('never deletes data of others while somebody accepts an invitation', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await makeWorkspace(anna);
      const invitation = await invite(anna, id, ben.email);
      const [deleted] = await Promise.all([
        anna.graphql(remove, { id }),
        ben.graphql('mutation ($id: ID!) { acceptInvitation(id: $id) { id } }', { id: invitation }),
      ]);
      expect(await membersOf(id)).toHaveLength(deleted.errors ? 2 : 0);
    }
  });
});

describe('leaveWorkspace', () => {
  test("ends the caller's own membership", async () => {
    const workspace = await makeWorkspace(anna, ben);
    const { id } = workspace;
    const project = await makeProject(anna, { workspaceId: id });
    const tag = await makeTag(ben);
    const task = await makeTask(ben, { projectId: project.id, tags: [tag.id] });
    expect(await ben.data(leaveMutation, { id })).toEqual({ leaveWorkspace: id });
    for (const hidden of [id, project.id, task.id]) {
      expect(await ben.data(nodeQuery, { id: hidden })).toEqual({ node: null });
    }
    expect(await service.sql('SELECT FROM task_tags WHERE tag_id = $1', [tag.id])).toEqual([]);
    expect(await ben.graphql(leaveMutation, { id })).toMatchObject(failure('NOT_FOUND'));
  });

  test('is FORBIDDEN for the last member, and NOT_FOUND for non-members', async () => {
    const { id } = await makeWorkspace(anna);
    expect(await anna.graphql(leaveMutation, { id })).toMatchObject(failure('FORBIDDEN'));
    for (const other of [id, unknownId, ben.id, 'nonsense']) {
      expect(await ben.graphql(leaveMutation, { id: other })).toMatchObject(failure('NOT_FOUND'));
    }
    expect(await anna.graphql(leaveMutation, { id: anna.id })).toMatchObject(failure('NOT_FOUND'));
  });

  test('keeps one member if all leave at once', async () => {
    const { id } = await makeWorkspace(anna, ben, cleo);
    await Promise.all([anna, ben, cleo].map((user) => user.graphql(leaveMutation, { id })));
    expect(await membersOf(id)).toHaveLength(1);
  });
});

describe('removeWorkspaceMember', () => {
  test('hides the workspace from the removed member, and removes their tags', async () => {
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
      expect(await ben.data(nodeQuery, { id })).toEqual({ node: null });
      expect(await anna.data(nodeQuery, { id })).toEqual({ node: { id } });
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
    expect(await ben.data(nodeQuery, { id })).toEqual({ node: null });
  });

  test('is FORBIDDEN for the last member', async () => {
    const { id } = await makeWorkspace(anna);
    expect(await anna.graphql(remove, { in: id, user: anna.id })).toMatchObject(failure('FORBIDDEN'));
    expect(await membersOf(id)).toEqual([{ user_id: anna.id }]);
  });

  test('is NOT_FOUND for non-members, as caller and as target', async () => {
    const { id } = await makeWorkspace(anna, ben);
    for (const user of [cleo.id, 'user_01h2xcejqtf2nbrexx3vqjhp41', 'nonsense', id]) {
      expect(await anna.graphql(remove, { in: id, user })).toMatchObject(failure('NOT_FOUND'));
    }
    for (const workspaceId of [id, unknownId, ben.id]) {
      expect(await cleo.graphql(remove, { in: workspaceId, user: ben.id })).toMatchObject(failure('NOT_FOUND'));
    }
    expect(await anna.graphql(remove, { in: anna.id, user: anna.id })).toMatchObject(failure('NOT_FOUND'));
    expect(await membersOf(id)).toHaveLength(2);
  });

  test('never leaves a workspace empty when members remove each other at once', async () => {
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
