import { beforeAll, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { makeComment, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { fetchBatch } from './replica.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

interface Batch {
  cursor: string;
  hasMore: boolean;
  tasks: { id: string }[];
}

const path = '/api/v2/sync';

test('a batch has each entity in the shape of its list', async () => {
  const workspace = await makeWorkspace(anna);
  const project = await makeProject(anna, { workspaceId: workspace.id });
  const section = await makeSection(anna, project.id);
  const tag = await makeTag(anna);
  await makeTask(anna, { projectId: project.id, projectSectionId: section.id, tagIds: [tag.id], priority: 'high' });
  const comment = await makeComment(anna, (await makeTask(anna)).id);
  const { body } = await anna.get<Record<string, unknown>>(path);
  const list = async <Row>(readItems: string, name: string) =>
    (await anna.get<Record<string, Row[]>>(readItems)).body[name] ?? [];
  const projects = await list<{ id: string }>('/api/v2/projects', 'projects');
  const todos = await list<{ children: unknown[] }>('/api/v2/todo', 'todos');
  const [member] = await anna
    .data<{ workspaces: { members: object[] }[] }>('{ workspaces { members { id name email image } } }')
    .then(({ workspaces }) => workspaces[0]?.members ?? []);
  expect(body).toEqual({
    cursor: expect.any(String),
    full: true,
    hasMore: false,
    user: (await anna.get<{ user: object }>('/api/v1/user/profile')).body.user,
    workspaces: [{ id: workspace.id, name: workspace.name, members: [{ ...member, role: 'admin' }] }],
    projects: expect.arrayContaining(
      projects.map((each) => ({ ...each, workspaceId: each.id === project.id ? workspace.id : null })),
    ),
    sections: [section],
    tags: [tag],
    tasks: expect.arrayContaining(
      todos.map(({ children: _, ...todo }) => ({ ...todo, assigneeIds: [], createdById: anna.id })),
    ),
    comments: [comment],
    deleted: [],
    mutations: [],
  });
  await anna.delete(`/api/v2/tag/bulk?tagIds=${tag.id}`);
  expect(await anna.get(`${path}?after=${String(body['cursor'])}`)).toMatchObject({
    body: { full: false, deleted: [{ type: 'tag', id: tag.id }] },
  });
});

test('a batch has up to the requested number of entities, and an invalid number is refused', async () => {
  const { body } = await anna.get<Batch>(`${path}?limit=1`);
  expect(body).toMatchObject({ hasMore: true, tasks: [] });
  for (const limit of ['0', '5001', '1.5', 'x', '-1'])
    expect(await anna.get(`${path}?limit=${limit}`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'limit', message: 'must be a whole number from 1 to 5,000' }] },
    });
  expect(await anna.get(`${path}?after=x`)).toMatchObject({ status: 400, body: { code: 'CURSOR_EXPIRED' } });
  expect(await service.anonymous.get(path)).toMatchObject({ status: 401 });
});

test('the same path is a stream for clients that accept events, and resumes by header or query with cursors of every transport', async () => {
  const first = await EventStream.open(service, anna, path);
  expect((await first.events.take()).id).toBeUndefined();
  const { id = '', event, data = '' } = await first.events.take();
  expect(event).toBe('batch');
  const batch = JSON.parse(data) as Batch;
  expect(batch).toMatchObject({ cursor: id, full: true });
  const task = await makeTask(anna);
  const next = await first.events.take();
  expect(JSON.parse(next.data ?? '')).toMatchObject({ full: false, tasks: [{ id: task.id }] });
  first.close();
  expect((await fetchBatch(anna, id)).tasks).toMatchObject([{ id: task.id }]);
  for (const resumed of [
    await EventStream.open(service, anna, `${path}?after=${id}`),
    await EventStream.open(service, anna, `${path}?after=x`, { 'Last-Event-ID': id }),
  ]) {
    expect(await resumed.events.take()).toMatchObject({ id });
    expect(await resumed.events.take()).toMatchObject({ id: next.id, event: 'batch', data: next.data });
    resumed.close();
  }
  const refusedStream = await EventStream.open(service, anna, `${path}?after=x`);
  expect(refusedStream.status).toBe(400);
});

test('a client that accepts anything gets a batch, with a Vary header', async () => {
  const { headers } = await anna.get(path, { headers: { Accept: '*/*' } });
  expect(headers.get('content-type')).toMatch('application/json');
  expect(headers.get('vary')).toMatch('Accept');
});
