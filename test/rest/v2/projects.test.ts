import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeProject, makeSection, makeTask, makeWorkspace, type RestProject } from '../../kit/make.ts';
import type { Service } from '../../kit/service.ts';
import { sharedService } from '../../kit/shared-service.ts';
import { signUp, type User } from '../../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;

beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});

const problem = (path: string) => ({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } });
const notFound = { status: 404, body: { code: 'NOT_FOUND', message: expect.any(String) } };
const unknownId = 'proj_01h2xcejqtf2nbrexx3vqjhp41';

const inboxOf = async (user: User) => (await user.get<{ inbox: RestProject }>('/api/v2/projects/inbox')).body.inbox;

describe('every endpoint of projects', () => {
  test.each([
    ['GET', '/api/v2/projects'],
    ['GET', '/api/v2/projects/inbox'],
    ['GET', '/api/v2/projects/personal?search='],
    ['POST', '/api/v2/projects'],
    ['GET', `/api/v2/projects/${unknownId}`],
    ['PUT', `/api/v2/projects/${unknownId}`],
    ['DELETE', `/api/v2/projects/${unknownId}`],
  ])('%s %s is 401 without a session', async (method, path) => {
    expect(await service.anonymous.send(method, path)).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED', message: expect.any(String) },
    });
  });
});

describe('GET /api/v2/projects', () => {
  beforeEach(async () => {
    anna = await signUp(service);
  });

  test('lists the inbox first, then by creation, without todos', async () => {
    const [second, third] = [await makeProject(anna, { name: 'Z' }), await makeProject(anna, { name: 'A' })];
    await makeProject(ben);
    const { status, body } = await anna.get('/api/v2/projects');
    expect(status).toBe(200);
    const inbox = {
      id: expect.stringMatching(/^proj_/),
      name: 'Inbox',
      personal: true,
      slug: expect.stringMatching(/^inbox-\w+$/),
      isDefault: true,
      taskDisplayPreferences: null,
    };
    expect(body).toEqual({ projects: [inbox, second, third] });
  });
});

describe('GET /api/v2/projects/inbox', () => {
  test('returns the one default project with todos', async () => {
    const { projects } = (await anna.get<{ projects: RestProject[] }>('/api/v2/projects')).body;
    expect(projects.filter((project) => project.isDefault)).toHaveLength(1);
    expect(await anna.get('/api/v2/projects/inbox')).toMatchObject({
      status: 200,
      body: { inbox: { ...projects[0], todos: [] } },
    });
  });
});

describe('GET /api/v2/projects/personal', () => {
  beforeEach(async () => {
    anna = await signUp(service);
  });

  const found = async (search: string) => {
    const { body } = await anna.get<{ personalProjects: RestProject[] }>(`/api/v2/projects/personal?search=${search}`);
    return body.personalProjects.map(({ name }) => name);
  };

  test('returns all personal projects for an empty search, also the inbox, with todos', async () => {
    const workspace = await makeWorkspace(anna);
    await makeProject(anna, { workspaceId: workspace.id });
    const project = await makeProject(anna);
    expect((await anna.get('/api/v2/projects/personal?search=')).body).toEqual({
      personalProjects: [
        { ...(await inboxOf(anna)), todos: [] },
        { ...project, todos: [] },
      ],
    });
  });

  test('finds a part of the name without regard to case, and has no wildcards', async () => {
    for (const name of ['100% done', 'under_score', 'back\\slash', 'Ünder']) await makeProject(anna, { name });
    expect(await found('DONE')).toEqual(['100% done']);
    expect(await found('ü')).toEqual(['Ünder']);
    expect(await found('%25')).toEqual(['100% done']);
    expect(await found('_')).toEqual(['under_score']);
    expect(await found('%5C')).toEqual(['back\\slash']);
    expect(await found('0%25%20')).toEqual(['100% done']);
    expect(await found('nothing')).toEqual([]);
  });

  test.each(['', '?search=a&search=b', '?search=%00'])('is 400 for the query %j', async (query) => {
    expect(await anna.get(`/api/v2/projects/personal${query}`)).toMatchObject(problem('search'));
  });
});

describe('POST /api/v2/projects', () => {
  test('creates a personal project', async () => {
    const { status, body } = await anna.post<{ project: RestProject }>('/api/v2/projects', {
      name: '  Home & garden ',
      personal: true,
      unknown: 'is ignored',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      message: 'Successfully created project',
      project: {
        id: expect.stringMatching(/^proj_/),
        name: 'Home & garden',
        personal: true,
        slug: expect.stringMatching(/^home-garden-\w+$/),
        isDefault: false,
        taskDisplayPreferences: null,
      },
    });
    expect((await anna.get(`/api/v2/projects/${body.project.id}`)).body).toEqual({
      project: { ...body.project, todos: [] },
    });
  });

  test('creates a project of a workspace, which its members see', async () => {
    const workspace = await makeWorkspace(anna, ben);
    const answer = await anna.post<{ project: RestProject }>('/api/v2/projects', {
      name: 'Shared',
      workspaceId: workspace.id,
      personal: false,
    });
    expect(answer).toMatchObject({ status: 201, body: { project: { personal: false, isDefault: false } } });
    expect(await ben.get(`/api/v2/projects/${answer.body.project.id}`)).toMatchObject({ status: 200 });
  });

  test('is 403 for a workspace of others and for an unknown one', async () => {
    const workspace = await makeWorkspace(ben);
    for (const workspaceId of [workspace.id, 'wksp_01h2xcejqtf2nbrexx3vqjhp41', anna.id, 'x']) {
      expect(await anna.post('/api/v2/projects', { name: 'Mine', workspaceId })).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN', message: expect.any(String) },
      });
    }
    expect(await service.sql('SELECT id FROM projects WHERE space_id = $1', [workspace.id])).toEqual([]);
  });

  test.each([
    ['both owners', { name: 'a', personal: true, workspaceId: 'wksp_1' }, 'body'],
    ['no owner', { name: 'a' }, 'body'],
    ['personal: false alone', { name: 'a', personal: false }, 'body'],
    ['no name', { personal: true }, 'name'],
    ['a blank name', { name: ' ', personal: true }, 'name'],
    ['a name too long', { name: '😀'.repeat(256), personal: true }, 'name'],
    ['a name that is no string', { name: 1, personal: true }, 'name'],
    ['a NUL in the name', { name: 'a\0', personal: true }, 'name'],
    ['a lone surrogate in the name', '{"name":"\\ud800","personal":true}', 'name'],
    ['personal as a string', { name: 'a', personal: 'true' }, 'personal'],
  ])('is 400 for %s', async (_label, body, path) => {
    expect(await anna.post('/api/v2/projects', body)).toMatchObject(problem(path));
  });

  test('accepts a name of 255 characters beyond the basic plane', async () => {
    expect(await makeProject(anna, { name: '😀'.repeat(255) })).toMatchObject({ slug: expect.stringMatching(/^\w+$/) });
  });
});

describe('GET /api/v2/projects/:id', () => {
  test('returns the project with todos, always empty', async () => {
    const project = await makeProject(anna);
    await makeTask(anna, { projectId: project.id });
    expect(await anna.get(`/api/v2/projects/${project.id}`)).toMatchObject({
      status: 200,
      body: { project: { ...project, todos: [] } },
    });
  });

  test("is 404 for unknown ids and others' projects", async () => {
    const project = await makeProject(ben);
    for (const id of [unknownId, project.id, 'nonsense', ben.id]) {
      expect(await anna.get(`/api/v2/projects/${id}`)).toMatchObject(notFound);
    }
  });
});

describe('PUT /api/v2/projects/:id', () => {
  test('changes the name, and the slug with it', async () => {
    const project = await makeProject(anna);
    const { status, body } = await anna.put<{ project: RestProject }>(`/api/v2/projects/${project.id}`, {
      name: ' Neu ',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      message: 'project updated successfully',
      project: { ...project, name: 'Neu', slug: expect.stringMatching(/^neu-\w+$/) },
    });
    expect((await anna.get(`/api/v2/projects/${project.id}`)).body).toEqual({
      project: { ...body.project, todos: [] },
    });
  });

  test.each(['list', 'board', 'calendar'])('changes the view mode to %s and keeps the name', async (viewMode) => {
    const project = await makeProject(anna);
    const changed = { ...project, taskDisplayPreferences: { viewMode } };
    expect(
      await anna.put(`/api/v2/projects/${project.id}`, { taskDisplayPreferences: { viewMode, other: 1 } }),
    ).toMatchObject({ status: 200, body: { project: changed } });
    expect((await anna.get(`/api/v2/projects/${project.id}`)).body).toEqual({ project: { ...changed, todos: [] } });
  });

  test('renames the inbox', async () => {
    const { id } = await inboxOf(anna);
    await anna.put(`/api/v2/projects/${id}`, { name: 'Eingang' });
    expect(await inboxOf(anna)).toMatchObject({ id, name: 'Eingang', isDefault: true });
  });

  test.each([
    ['an empty body', {}, 'body'],
    ['only unknown fields', { isDefault: true }, 'body'],
    ['a null name', { name: null }, 'name'],
    ['preferences without view mode', { taskDisplayPreferences: {} }, 'taskDisplayPreferences.viewMode'],
    ['null preferences', { taskDisplayPreferences: null }, 'taskDisplayPreferences'],
    ['a view mode in capitals', { taskDisplayPreferences: { viewMode: 'LIST' } }, 'taskDisplayPreferences.viewMode'],
  ])('is 400 for %s', async (_label, body, path) => {
    const project = await makeProject(anna);
    expect(await anna.put(`/api/v2/projects/${project.id}`, body)).toMatchObject(problem(path));
    expect((await anna.get(`/api/v2/projects/${project.id}`)).body).toEqual({ project: { ...project, todos: [] } });
  });

  test("is 404 for unknown ids and others' projects, also with a bad body", async () => {
    const project = await makeProject(ben);
    for (const id of [unknownId, project.id, 'nonsense']) {
      for (const body of [{ name: 'mine' }, {}, '{']) {
        expect(await anna.put(`/api/v2/projects/${id}`, body)).toMatchObject(notFound);
      }
    }
    expect((await ben.get(`/api/v2/projects/${project.id}`)).body).toEqual({ project: { ...project, todos: [] } });
  });
});

describe('DELETE /api/v2/projects/:id', () => {
  test('deletes the project with its sections and tasks', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const task = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
    await makeTask(anna, { parentId: task.id });
    expect(await anna.delete(`/api/v2/projects/${project.id}`)).toMatchObject({
      status: 200,
      body: { msg: 'project deleted successfully' },
    });
    expect(await anna.get(`/api/v2/projects/${project.id}`)).toMatchObject(notFound);
    expect(await anna.delete(`/api/v2/projects/${project.id}`)).toMatchObject(notFound);
    for (const table of ['sections', 'tasks']) {
      expect(await service.sql(`SELECT id FROM ${table} WHERE project_id = $1`, [project.id])).toEqual([]);
    }
  });

  test('is 403 for the inbox', async () => {
    const { id } = await inboxOf(anna);
    expect(await anna.delete(`/api/v2/projects/${id}`)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await inboxOf(anna)).toMatchObject({ id });
  });

  test("is 404 for unknown ids, others' projects and others' inboxes", async () => {
    const [inbox, project] = [await inboxOf(ben), await makeProject(ben)];
    for (const id of [unknownId, project.id, inbox.id, 'nonsense']) {
      expect(await anna.delete(`/api/v2/projects/${id}`)).toMatchObject(notFound);
    }
    for (const { id } of [inbox, project])
      expect(await ben.get(`/api/v2/projects/${id}`)).toMatchObject({ status: 200 });
  });
});
