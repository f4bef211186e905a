import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { newKey, withKey } from '../idempotency/keyed.ts';
import { makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

interface Batch {
  cursor: string;
  tasks: { id: string; tags: { id: string }[] }[];
}

let service: Service;
let anna: User;
let program: Program;
let projectId: string;
let cursor: string;

beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  anna = await signUp(service);
  const { id: workspaceId } = await makeWorkspace(anna);
  projectId = (await makeProject(anna, { workspaceId })).id;
  program = await makeProgram(service, anna, { spaceIds: [workspaceId] });
  cursor = (await program.get<Batch>('/api/v2/sync')).body.cursor;
});

async function pull(client: User | Program): Promise<Batch> {
  const { body } = await client.get<Batch>(`/api/v2/sync?after=${cursor}`);
  ({ cursor } = body);
  return body;
}

const empty = { full: false, hasMore: false, user: null, tasks: [], projects: [], deleted: [], mutations: [] };

describe('a replica of an access token without the personal space', () => {
  test('gets the keys of its mutations and the changed account, but nothing of that space', async () => {
    const key = newKey();
    const made = await program.post<{ todo: { id: string } }>(
      '/api/v2/todo',
      { title: 'Keyed', projectId },
      withKey(key),
    );
    const own = await makeTask(anna);
    await anna.post('/api/v2/todo', { title: 'Out of reach' }, withKey(newKey()));
    expect(await pull(program)).toMatchObject({ ...empty, tasks: [{ id: made.body.todo.id }], mutations: [key] });
    const name = randomName('name');
    await anna.put('/api/v1/user/name', { name });
    expect(await pull(program)).toMatchObject({ ...empty, user: { name }, workspaces: [{ members: [{ name }] }] });
    expect(await pull(program)).toMatchObject(empty);
    const { tasks } = await pull(anna);
    expect(tasks.map(({ id }) => id)).toContain(own.id);
  });

  test('starts over as the cursor goes to a credential that reaches the space, and back', async () => {
    const { id: tagId } = await makeTag(anna);
    const task = await makeTask(anna, { projectId, tags: [tagId] });
    const own = await makeTask(anna);
    await pull(program);
    const seen = await pull(anna);
    expect(seen).toMatchObject({ full: true, hasMore: false, tags: [{ id: tagId }] });
    expect(new Map(seen.tasks.map(({ id, tags }) => [id, tags.map((each) => each.id)]))).toEqual(
      new Map([
        [task.id, [tagId]],
        [own.id, []],
      ]),
    );
    const key = newKey();
    await program.patch(`/api/v2/todo/${task.id}`, { title: 'Changed' }, withKey(key));
    expect(await pull(program)).toMatchObject({
      full: true,
      tasks: [{ id: task.id, tags: [] }],
      deleted: [],
      mutations: [key],
    });
    expect(await pull(program)).toMatchObject(empty);
  });

  test('gets them live, too', async () => {
    const headers = { Authorization: `Bearer ${program.token}`, 'Last-Event-ID': cursor };
    const stream = await EventStream.open(service, program, '/api/v2/sync', headers);
    const batch = async () => JSON.parse((await stream.take()).data ?? '') as object;
    const key = newKey();
    await anna.post('/api/v2/todo', { title: 'Out of reach' }, withKey(newKey()));
    await anna.post('/api/v2/todo', { title: 'Within reach', projectId }, withKey(key));
    expect(await batch()).toMatchObject({ ...empty, tasks: [{ title: 'Within reach' }], mutations: [key] });
    await anna.patch('/api/v1/user/user-preferences', { reminderBefore: 5 });
    expect(await batch()).toMatchObject({ ...empty, user: { id: anna.id } });
    stream.close();
  });
});
