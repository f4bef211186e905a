import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeProject, makeSection, makeTask, makeWorkspace } from '../kit/make.ts';
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

const failure = (code: string, errors?: object[]) => ({
  errors: [{ message: expect.any(String), extensions: { code, ...(errors && { errors }) } }],
});
const unknownId = 'proj_01h2xcejqtf2nbrexx3vqjhp41';

interface ProjectList {
  projects: { id: string; name: string }[];
}

describe('projects', () => {
  beforeEach(async () => {
    anna = await signUp(service);
  });

  const namesOf = async (args: string) =>
    (await anna.data<ProjectList>(`{ projects${args} { name } }`)).projects.map(({ name }) => name);

  test('lists the inbox first, then by creation, personal ones and those of workspaces', async () => {
    await makeProject(anna, { name: 'b' });
    await makeProject(anna, { name: 'a', workspaceId: (await makeWorkspace(anna)).id });
    expect(await namesOf('')).toEqual(['Inbox', 'b', 'a']);
    expect(await namesOf('(personal: true)')).toEqual(['Inbox', 'b']);
    expect(await namesOf('(personal: false)')).toEqual(['a']);
    expect(await namesOf('(search: "B")')).toEqual(['Inbox', 'b']);
    expect(await namesOf('(search: null, personal: null)')).toEqual(['Inbox', 'b', 'a']);
  });

  test('needs a session', async () => {
    expect(await service.anonymous.graphql('{ projects { id } }')).toMatchObject(failure('UNAUTHENTICATED'));
    expect(await service.anonymous.graphql('{ inbox { id } }')).toMatchObject(failure('UNAUTHENTICATED'));
  });

  test('reads any number of projects with sections and workspace by one statement', async () => {
    const workspace = await makeWorkspace(anna);
    for (const fields of [{}, {}, { workspaceId: workspace.id }]) {
      const { id } = await makeProject(anna, fields);
      await makeSection(anna, id);
      await makeSection(anna, id);
    }
    const { own, result } = await recordStatements(() =>
      anna.data('{ projects { id workspace { id name } sections { name sortKey project { id } } } }'),
    );
    expect(own).toHaveLength(1);
    expect(result).toMatchObject({
      projects: [{ workspace: null, sections: [] }, { workspace: null }, {}, { workspace, sections: [{}, {}] }],
    });
  });
});

describe('project', () => {
  test.each([
    'query ($id: ID!) { found: project(id: $id) { id } }',
    'query ($id: ID!) { found: node(id: $id) { id } }',
  ])('%s returns null for projects that the viewer may not see', async (query) => {
    const [own, foreign] = [await makeProject(anna), await makeProject(ben)];
    expect(await anna.data(query, { id: own.id })).toEqual({ found: { id: own.id } });
    for (const id of [foreign.id, unknownId, 'nonsense', '']) {
      expect(await anna.data(query, { id })).toEqual({ found: null });
    }
  });
});

describe('createProject', () => {
  const create =
    'mutation ($name: String!, $in: ID) { createProject(name: $name, workspaceId: $in) { id personal workspaceId } }';

  test('creates a personal project without a workspace', async () => {
    expect(await anna.data(create, { name: 'a' })).toMatchObject({
      createProject: { personal: true, workspaceId: null },
    });
    expect(await anna.data(create, { name: 'a', in: null })).toMatchObject({
      createProject: { personal: true, workspaceId: null },
    });
  });

  test('creates it only in a workspace of the viewer', async () => {
    const [own, foreign] = [await makeWorkspace(anna), await makeWorkspace(ben)];
    expect(await anna.data(create, { name: 'a', in: own.id })).toMatchObject({
      createProject: { personal: false, workspaceId: own.id },
    });
    for (const id of [foreign.id, anna.id, ben.id, 'nonsense', '']) {
      expect(await anna.graphql(create, { name: 'a', in: id })).toMatchObject(failure('FORBIDDEN'));
    }
  });

  test('refuses a blank name', async () => {
    expect(await anna.graphql(create, { name: ' ' })).toMatchObject(failure('VALIDATION_FAILED', [{ path: 'name' }]));
  });

  test('needs a session', async () => {
    expect(await service.anonymous.graphql(create, { name: 'a' })).toMatchObject(failure('UNAUTHENTICATED'));
  });
});

describe('updateProject', () => {
  const update = `mutation ($id: ID!, $name: String, $viewMode: ViewMode) {
    updateProject(id: $id, name: $name, viewMode: $viewMode) { id name viewMode }
  }`;

  test('changes the given fields, and null keeps the value', async () => {
    const { id, name } = await makeProject(anna);
    expect(await anna.data(update, { id, viewMode: 'CALENDAR', name: null })).toEqual({
      updateProject: { id, name, viewMode: 'CALENDAR' },
    });
    expect(await anna.data(update, { id, name: 'b', viewMode: null })).toEqual({
      updateProject: { id, name: 'b', viewMode: 'CALENDAR' },
    });
  });

  test('refuses an empty change', async () => {
    const { id } = await makeProject(anna);
    expect(await anna.graphql(update, { id })).toMatchObject(failure('VALIDATION_FAILED', [{ path: '' }]));
  });

  test('is NOT_FOUND for unknown projects and projects of others', async () => {
    for (const id of [unknownId, 'nonsense', (await makeProject(ben)).id]) {
      expect(await anna.graphql(update, { id, name: 'a' })).toMatchObject(failure('NOT_FOUND'));
    }
  });

  test('is allowed for any member of a workspace', async () => {
    const { id } = await makeProject(anna, { workspaceId: (await makeWorkspace(anna, ben)).id });
    expect(await ben.data(update, { id, name: "ben's" })).toMatchObject({ updateProject: { name: "ben's" } });
  });
});

describe('deleteProject', () => {
  const remove = 'mutation ($id: ID!) { deleteProject(id: $id) }';

  test('returns the id of the deleted project', async () => {
    const { id } = await makeProject(anna);
    expect(await anna.data(remove, { id })).toEqual({ deleteProject: id });
    expect(await anna.graphql(remove, { id })).toMatchObject(failure('NOT_FOUND'));
  });

  test("is FORBIDDEN for the own inbox, NOT_FOUND for another's", async () => {
    const inboxOf = async (user: User) => (await user.data<{ inbox: { id: string } }>('{ inbox { id } }')).inbox;
    expect(await anna.graphql(remove, await inboxOf(anna))).toMatchObject(failure('FORBIDDEN'));
    expect(await anna.graphql(remove, await inboxOf(ben))).toMatchObject(failure('NOT_FOUND'));
  });

  test('succeeds while others write into the project', async () => {
    const { id } = await makeProject(anna);
    const section = await makeSection(anna, id);
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => anna.post(`/api/v2/projects/${id}/sections`, { name: 'a' })),
      anna.put(`/api/v2/projects/${id}`, { name: 'b' }),
      anna.patch(`/api/v2/projects/${id}/sections/${section.id}`, { name: 'b' }),
      anna.delete(`/api/v2/projects/${id}/sections/${section.id}`),
      anna.delete(`/api/v2/projects/${id}`),
    ]);
    for (const { status } of answers) expect([200, 201, 400, 404]).toContain(status);
    expect(answers.at(-1)).toMatchObject({ status: 200 });
    expect(await service.sql('SELECT id FROM sections WHERE project_id = $1', [id])).toEqual([]);
  });
});

test('every write takes at most six statements, for any amount of data', async () => {
  const cleo = await signUp(service);
  await makeWorkspace(cleo);
  const { id } = await makeProject(cleo);
  for (let count = 0; count < 3; count += 1) {
    const section = await makeSection(cleo, id);
    await makeTask(cleo, { projectId: id, projectSectionId: section.id });
  }
  const writes = [
    () => cleo.post('/api/v2/projects', { name: 'a', personal: true }),
    () => cleo.put(`/api/v2/projects/${id}`, { name: 'a' }),
    () => cleo.delete(`/api/v2/projects/${id}`),
  ];
  const counts: number[] = [];
  for (const write of writes) {
    const { own, result } = await recordStatements(write);
    expect(result.status).toBeLessThan(300);
    // One change notification covers many writes, and is sent after the response.
    counts.push(own.length);
  }
  // Includes BEGIN, COMMIT, and the look-up of the viewer's two spaces.
  expect(counts).toEqual([5, 6, 5]);
});
