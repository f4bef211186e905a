import { beforeAll, describe, expect, test } from '@jest/globals';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fill } from '../../kit/tasks.ts';
import {
  invite,
  makeComment,
  type ListedTask,
  makeProject,
  makeSection,
  makeTag,
  makeTask,
  makeWorkspace,
  type RestProject,
} from '../../kit/make.ts';
import type { Service } from '../../kit/service.ts';
import { sharedService } from '../../kit/shared-service.ts';
import { connect } from '../../kit/application.ts';
import { makeProgram } from '../../kit/program.ts';
import { linkBySql } from '../../kit/providers.ts';
import { recordStatements } from '../../kit/statements.ts';
import { signInAgain, signUp, type User } from '../../kit/users.ts';
import { makeWebhook } from '../../webhooks/webhooks.ts';

const path = '/api/v2/export';

interface Exported {
  user: Record<string, unknown>;
  preferences: Record<string, unknown>;
  sessions: { id: string; current: boolean }[];
  accessTokens: object[];
  applications: object[];
  webhooks: object[];
  passkeys: object[];
  providers: object[];
  invitations: { id: string; workspaceName: string; role: string }[];
  workspaces: { id: string; name: string }[];
  projects: (RestProject & { workspaceId: string | null })[];
  sections: { id: string }[];
  tags: { id: string }[];
  todos: ListedTask[];
  comments: { taskId: string }[];
}

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

async function exportOf(user: User): Promise<Exported> {
  const { status, body } = await user.get<Exported>(path);
  expect(status).toBe(200);
  return body;
}

describe(`GET ${path}`, () => {
  test('has everything that the account can read, in the shapes of the lists', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const [shared, other] = [await makeWorkspace(anna, ben), await makeWorkspace(ben)];
    const project = await makeProject(anna, { workspaceId: shared.id });
    const section = await makeSection(anna, project.id);
    const tag = await makeTag(anna);
    const task = await makeTask(anna, { title: 'ü "\\', priority: 'high', dueDate: '2031-01-31', tags: [tag.id] });
    const rule = { rule: 'FREQ=WEEKLY' };
    const { upcoming, ...recurrence } = (
      await anna.put<{ recurrence: { upcoming: object[] } }>(`/api/v2/todo/${task.id}/recurrence`, rule)
    ).body.recurrence;
    expect(upcoming).toHaveLength(5);
    await makeTask(anna, { parentId: task.id });
    await makeTask(ben, { projectId: project.id, projectSectionId: section.id });
    await makeComment(ben, (await makeTask(anna, { projectId: project.id })).id);
    await invite(ben, other.id, anna.email);
    await signInAgain(service, anna);
    await makeProgram(service, anna, { spaceIds: [shared.id] });
    await connect(service, anna, { spaceIds: [anna.id] });
    await makeWebhook(anna, 'https://hooks.invalid', { spaceIds: [shared.id], kinds: ['updated'], fields: ['title'] });
    await linkBySql(service, anna.id);
    await service.sql(
      "INSERT INTO passkeys (id, user_id, name, credential_id, public_key, counter) VALUES ('pk', $1, 'Phone', 'x', '', 0)",
      [anna.id],
    );

    const exported = await exportOf(anna);
    const { user, preferences, sessions, invitations, workspaces, projects, sections, tags, todos } = exported;
    expect({ user }).toEqual((await anna.get('/api/v1/user/profile')).body);
    const viewerData = await anna.data<Record<'viewer', Record<string, unknown>>>(
      `{ viewer {
        preferences { emailEnabled reminderBefore taskRemainders automaticRemainder dailyDigest digestTime timeZone activityMails }
        sessions { id device createdAt lastUsedAt current }
        invitations { id workspaceId workspaceName email role createdAt expiresAt }
        accessTokens { id name scopes spaceIds createdAt expiresAt lastUsedAt }
        applications { id name redirectHost scopes spaceIds createdAt lastUsedAt }
        passkeys { id name createdAt lastUsedAt }
      } }`,
    );
    expect({ ...preferences, activityMails: String(preferences['activityMails']).toUpperCase() }).toEqual(
      viewerData.viewer['preferences'],
    );
    expect(sessions).toEqual(viewerData.viewer['sessions']);
    expect(invitations.map((each) => ({ ...each, role: each.role.toUpperCase() }))).toEqual(
      viewerData.viewer['invitations'],
    );
    expect(exported).toMatchObject({
      accessTokens: viewerData.viewer['accessTokens'],
      applications: viewerData.viewer['applications'],
      passkeys: viewerData.viewer['passkeys'],
    });
    expect({ webhooks: exported.webhooks }).toEqual((await anna.get('/api/v2/webhooks')).body);
    expect(exported.webhooks).toMatchObject([{ spaceIds: [shared.id], fields: ['title'] }]);
    expect(exported.passkeys).toMatchObject([{ name: 'Phone' }]);
    expect(exported.accessTokens).toMatchObject([{ spaceIds: [shared.id] }]);
    expect(exported.applications).toMatchObject([{ name: 'Assistant', spaceIds: [anna.id] }]);
    expect(exported.providers).toMatchObject([{ name: 'one' }, { name: 'other' }]);
    expect(workspaces).toEqual([{ ...shared, role: 'admin', createdAt: expect.any(String) }]);
    const listedProjects = (await anna.get<{ projects: RestProject[] }>('/api/v2/projects')).body.projects;
    expect(projects).toEqual(
      listedProjects.map((each) => ({
        ...each,
        workspaceId: each.id === project.id ? shared.id : null,
        createdAt: expect.any(String),
      })),
    );
    expect(sections).toEqual([{ ...section, projectId: project.id, createdAt: expect.any(String) }]);
    expect(tags).toEqual([{ ...tag, createdAt: expect.any(String) }]);
    const tasks = (await anna.get<{ todos: ListedTask[] }>('/api/v2/todo')).body.todos;
    expect(todos).toEqual(
      tasks.map(({ children: _children, ...each }) => ({
        ...each,
        assigneeIds: [],
        createdById: each.projectSectionId === null || each.id === task.id ? anna.id : ben.id,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        recurrence: each.id === task.id ? recurrence : null,
      })),
    );
    expect(todos).toHaveLength(4);
    const commented = todos.find(({ id }) => id === exported.comments[0]?.taskId);
    expect({ comments: exported.comments }).toEqual({
      comments: (await anna.get<{ comments: object[] }>(`/api/v2/todo/${commented?.id}/comments`)).body.comments,
    });
  });

  test('has no data of others and no secrets', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const shared = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: shared.id });
    const bensTag = await makeTag(ben);
    const task = await makeTask(ben, { projectId: project.id, tags: [bensTag.id] });
    const own = await makeTask(ben);
    const document = JSON.stringify(await exportOf(anna));
    expect(document).toContain(task.id);
    for (const hidden of [ben.email, bensTag.id, bensTag.name, own.id, anna.sessionId, anna.password, '$2b$']) {
      expect(document).not.toContain(hidden);
    }
  });

  test('has every list for an empty account', async () => {
    const exported = await exportOf(await signUp(service));
    expect(exported).toMatchObject({ invitations: [], workspaces: [], sections: [], tags: [], todos: [] });
    expect(exported.projects).toMatchObject([{ isDefault: true }]);
    expect(exported.sessions).toMatchObject([{ current: true }]);
  });

  test('shows one moment even if it is read slowly and data changes in between', async () => {
    const anna = await signUp(service);
    // More than the buffers of a connection hold.
    await fill(service, anna, 3_000, { description: 'x'.repeat(16_000) });
    const { statements } = await recordStatements(async () => {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = request(`${service.url}${path}`, { agent: false, headers: { Cookie: anna.cookie } }, resolve);
        sent.on('error', reject).end();
      });
      await service.sql("UPDATE tasks SET title = 'changed meanwhile' WHERE space_id = $1", [anna.id]);
      const { todos } = JSON.parse(await text(answer)) as Exported;
      expect(todos).toHaveLength(3_000);
      expect(todos.filter(({ title }) => title === 'changed meanwhile')).toEqual([]);
    });
    const sent = statements.filter(({ purpose }) => purpose !== 'background').map(({ sql }) => sql);
    expect(sent.filter((sql) => sql.startsWith('BEGIN'))).toEqual([
      'BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY',
    ]);
    expect(sent.filter((sql) => sql.startsWith('FETCH')).length).toBeGreaterThan(30);
  });

  test('has an ETag that differs after a change or a sign-in, and is 304 to a client with it', async () => {
    const anna = await signUp(service);
    const etagOf = async () => {
      const { headers } = await anna.get(path);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      return headers.get('etag') ?? '';
    };
    const first = await etagOf();
    expect(first).toMatch(/^"[^"]+"$/);
    expect(await etagOf()).toBe(first);
    for (const held of [first, `"other", W/${first}`, '*']) {
      const answer = await anna.get(path, { headers: { 'If-None-Match': held } });
      expect([answer.status, answer.body, answer.headers.get('etag')]).toEqual([304, '', first]);
    }
    await signInAgain(service, anna);
    const second = await etagOf();
    await makeTask(anna);
    expect(new Set([first, second, await etagOf()]).size).toBe(3);
  });

  test('is a file to save, and HEAD sends only its headers', async () => {
    const anna = await signUp(service);
    const shown = ({ status, headers }: Awaited<ReturnType<User['get']>>) => [
      status,
      ...['content-type', 'content-disposition', 'etag', 'cache-control'].map((name) => headers.get(name)),
    ];
    const [get, head] = [await anna.get(path), await anna.send('HEAD', path)];
    expect(shown(get).slice(0, 3)).toEqual([
      200,
      'application/json; charset=utf-8',
      'attachment; filename=taskgate-export.json',
    ]);
    expect(shown(head)).toEqual(shown(get));
    expect(head.body).toBe('');
  });

  test('needs a session and a valid query string', async () => {
    expect(await service.anonymous.get(path)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    const anna = await signUp(service);
    expect(await anna.get(`${path}?x=%00`)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(await anna.post(path)).toMatchObject({ status: 404 });
  });

  test('is in the OpenAPI document, as an addition', async () => {
    const { body } = await service.anonymous.get<{ paths: Record<string, object> }>('/api/openapi.json');
    expect(body.paths[path]).toMatchObject({ get: { responses: { 200: {}, 401: {} } } });
  });
});
