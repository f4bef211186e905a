import { beforeAll, describe, expect, test } from '@jest/globals';
import { fromUUID } from 'typeid-js';
import type { EntityKind } from '../../src/platform/entities.ts';
import { newId } from '../../src/platform/ids.ts';
import { makeProject, makeTask } from '../kit/make.ts';
import { randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
const projects = new Map<User, string>();

beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
  for (const user of [anna, ben]) projects.set(user, (await makeProject(user)).id);
});

interface Creation {
  entity: EntityKind;
  path: string;
  create: (user: User, id: string) => Promise<unknown>;
}

const mutation = (entity: EntityKind, document: string, path = 'id'): [string, Creation] => [
  `create${entity} of GraphQL`,
  {
    entity,
    path,
    async create(user, id) {
      const { data, errors } = await user.graphql<Record<string, { id: string }>>(document, {
        id,
        name: randomName('name'),
        projectId: projects.get(user),
      });
      const [error] = errors ?? [];
      return error ? error.extensions['errors'] : data?.['made']?.id;
    },
  },
];

const post = (entity: EntityKind, pathOf: (user: User) => string, key: string, body: object): [string, Creation] => [
  `POST of a ${entity.toLowerCase()}`,
  {
    entity,
    path: 'id',
    async create(user, id) {
      const answer = await user.post<Record<string, { id: string }> & { errors?: unknown }>(pathOf(user), {
        id,
        ...body,
        [entity === 'Task' ? 'title' : 'name']: randomName('name'),
      });
      return answer.status === 400 ? answer.body.errors : answer.body[key]?.id;
    },
  },
];

const creations = [
  mutation(
    'Task',
    'mutation ($id: ID, $name: String!) { made: createTask(input: { id: $id, title: $name }) { id } }',
    'input.id',
  ),
  mutation('Project', 'mutation ($id: ID, $name: String!) { made: createProject(id: $id, name: $name) { id } }'),
  mutation(
    'Section',
    'mutation ($id: ID, $name: String!, $projectId: ID!) { made: createSection(id: $id, projectId: $projectId, name: $name) { id } }',
  ),
  mutation('Tag', 'mutation ($id: ID, $name: String!) { made: createTag(id: $id, name: $name) { id } }'),
  mutation('Workspace', 'mutation ($id: ID, $name: String!) { made: createWorkspace(id: $id, name: $name) { id } }'),
  post('Task', () => '/api/v2/todo', 'todo', {}),
  post('Project', () => '/api/v2/projects', 'project', { personal: true }),
  post('Section', (user) => `/api/v2/projects/${projects.get(user)}/sections`, 'section', {}),
  post('Tag', () => '/api/v2/tag', 'tag', {}),
];

const tables: Partial<Record<EntityKind, string>> = {
  Task: 'tasks',
  Project: 'projects',
  Section: 'sections',
  Tag: 'tags',
  Workspace: 'spaces',
};
const count = async (entity: EntityKind) =>
  (await service.sql<{ count: number }>(`SELECT count(*)::int FROM ${tables[entity]}`))[0]?.count;

describe.each(creations)('%s', (_name, { entity, path, create }) => {
  test('takes the id of a client', async () => {
    const id = newId(entity);
    expect(await create(anna, id)).toBe(id);
  });

  test('refuses an existing id, with the same message for any owner, and creates nothing', async () => {
    const id = newId(entity);
    await create(anna, id);
    const before = await count(entity);
    const refusal = [{ path, message: 'is taken: choose another one' }];
    expect(await create(anna, id)).toEqual(refusal);
    expect(await create(ben, id)).toEqual(refusal);
    expect(await count(entity)).toBe(before);
  });

  test('creates one of several that come at once with the same id', async () => {
    const id = newId(entity);
    const responses = await Promise.all([anna, ben, anna, ben].map((user) => create(user, id)));
    expect(responses.filter((each) => each === id)).toHaveLength(1);
    expect(responses.filter((each) => Array.isArray(each))).toHaveLength(3);
  });

  test('refuses an invalid new id', async () => {
    const [prefix = '', suffix = ''] = newId(entity).split('_');
    const others = [
      '',
      suffix,
      `${prefix}_`,
      `${prefix}_${suffix.slice(1)}`,
      `${prefix}_${suffix.toUpperCase()}`,
      `other_${suffix}`,
      newId(entity === 'Task' ? 'Project' : 'Task'),
      fromUUID('0690fbd4-e1d2-4b7f-a4c5-3f1d2b6a7c8e', prefix),
    ];
    for (const id of others) {
      const message = `must be a TypeID of a UUIDv7 with the prefix ${prefix}`;
      expect([id, await create(anna, id)]).toEqual([id, [{ path, message }]]);
    }
  });
});

test('a new id of the service is one that a client could have made', () => {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  const [, suffix = ''] = newId('Task').split('_');
  const bits = [...suffix]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
    .slice(2);
  expect([bits.slice(48, 52), bits.slice(64, 66)]).toEqual(['0111', '10']);
});

test('an existing id is refused whichever index PostgreSQL names', async () => {
  const names = ['tasks', 'projects', 'sections', 'tags'];
  // PostgreSQL checks the newest index last, as after a restore.
  for (const table of names) await service.sql(`REINDEX INDEX CONCURRENTLY ${table}_pkey`);
  for (const [name, { entity, path, create }] of creations) {
    const id = newId(entity);
    await create(anna, id);
    expect([name, await create(anna, id)]).toEqual([name, [{ path, message: 'is taken: choose another one' }]]);
  }
});

test('one operation can create a workspace and its contents', async () => {
  const variables = { workspace: newId('Workspace'), project: newId('Project'), task: newId('Task') };
  const createdIds = await anna.data(
    `mutation ($workspace: ID!, $project: ID!, $task: ID!) {
      createWorkspace(id: $workspace, name: "All at once") { id }
      createProject(id: $project, workspaceId: $workspace, name: "All at once") { workspaceId }
      createTask(input: { id: $task, projectId: $project, title: "All at once" }) { projectId }
    }`,
    variables,
  );
  expect(createdIds).toEqual({
    createWorkspace: { id: variables.workspace },
    createProject: { workspaceId: variables.workspace },
    createTask: { projectId: variables.project },
  });
});

describe('a workspace that is created again with its id', () => {
  const make = 'mutation ($id: ID!, $name: String!) { createWorkspace(id: $id, name: $name) { id } }';
  const end = 'mutation ($id: ID!) { deleteWorkspace(id: $id) }';

  test('gets no cached response of the earlier one', async () => {
    const id = newId('Workspace');
    const rows = [];
    for (const name of ['first', 'second']) {
      await ben.data(make, { id, name });
      await makeProject(ben, { workspaceId: id, name });
      const { headers, body } = await ben.get<{ projects: { name: string }[] }>('/api/v2/projects');
      const { workspaces } = await ben.data<{ workspaces: { id: string; name: string }[] }>(
        '{ workspaces { id name } }',
      );
      const workspace = workspaces.find((each) => each.id === id);
      rows.push({ names: [body.projects.at(-1)?.name, workspace?.name], tag: headers.get('etag') });
      await ben.data(end, { id });
    }
    const [first, second] = rows;
    expect([first?.names, second?.names]).toEqual([
      ['first', 'first'],
      ['second', 'second'],
    ]);
    expect(second?.tag).not.toBe(first?.tag);
  });

  test('expires the cursors of the earlier one', async () => {
    const id = newId('Workspace');
    await anna.data(make, { id, name: 'first' });
    const { cursor } = (await anna.get<{ cursor: string }>('/api/v2/changes')).body;
    await anna.data(end, { id });
    await anna.data(make, { id, name: 'second' });
    const project = await makeProject(anna, { workspaceId: id });
    for (let count = 0; count < 3; count += 1) await makeTask(anna, { projectId: project.id });
    expect(await anna.get(`/api/v2/changes?after=${cursor}`)).toMatchObject({ status: 400 });
  });
});
