import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { cursorOfNow } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let insideContent: Content;
let outsideContent: Content;
let personal: Content;
/** Programs limited to one workspace, to the personal space, and to no space. */
let program: Program;
let own: Program;
let unlimitedProgram: Program;
let tag: { id: string };

type Content = Awaited<ReturnType<typeof createContent>>;

async function createContent(user: User, workspaceId: string | undefined) {
  const project = await makeProject(user, workspaceId === undefined ? {} : { workspaceId });
  const section = await makeSection(user, project.id);
  const today = new Date().toISOString().slice(0, 10);
  const fields = { title: 'Water the plants', projectId: project.id, dueDate: today, tags: [tag.id], reminder: true };
  const task = await makeTask(user, { ...fields, projectSectionId: section.id });
  return { workspaceId, project, section, task };
}

beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  anna = await signUp(service);
  tag = { id: (await makeTag(anna)).id };
  const workspaces = [await makeWorkspace(anna), await makeWorkspace(anna)];
  const contents = [];
  for (const { id } of workspaces) contents.push(await createContent(anna, id));
  [insideContent, outsideContent] = contents as [Content, Content];
  personal = await createContent(anna, undefined);
  program = await makeProgram(service, anna, { spaceIds: [insideContent.workspaceId ?? ''] });
  own = await makeProgram(service, anna, { spaceIds: [anna.id] });
  unlimitedProgram = await makeProgram(service, anna);
});

const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();

describe('a token that is limited to a workspace', () => {
  test('sees nothing else, in no list and by no id', async () => {
    const visible = await program.data<Record<string, unknown>>(
      `{
        workspaces { id } projects { id sections { id } tasks { nodes { id tags { id } } } } tasks { nodes { id tags { id } } }
        tags { id } tagCount search(query: "plants") { tasks { id } tags { id } } digest { today { id } subject }
        sync { workspaces { id } projects { id } sections { id } tags { id } tasks { id } deleted { id } }
        deliveries { id }
      }`,
    );
    const [task, project, section] = [
      { id: insideContent.task.id },
      { id: insideContent.project.id },
      { id: insideContent.section.id },
    ];
    const workspaces = [{ id: insideContent.workspaceId }];
    const untagged = { nodes: [{ ...task, tags: [] }] };
    expect(visible).toMatchObject({
      workspaces,
      projects: [{ ...project, sections: [section], tasks: untagged }],
      tasks: untagged,
      tags: [],
      tagCount: 0,
      search: { tasks: [task], tags: [] },
      digest: { today: [task], subject: expect.stringContaining('1') },
      sync: { workspaces, projects: [project], sections: [section], tags: [], tasks: [task], deleted: [] },
    });
    const all = await anna.data<{ deliveries: object[] }>('{ deliveries { id } }');
    expect((visible['deliveries'] as object[]).length).toBeLessThan(Math.max(all.deliveries.length, 1));
    for (const { workspaceId, project: other, section: part, task: hiddenTask } of [outsideContent, personal]) {
      const [list, named] = [
        [other.id, part.id, hiddenTask.id, tag.id, workspaceId ?? tag.id],
        `(id: "${hiddenTask.id}")`,
      ];
      expect(
        await program.data(
          `{ task${named} { id } project(id: "${other.id}") { id } tag(id: "${tag.id}") { id }
             workspace(id: "${workspaceId ?? 'x'}") { id } nodes(ids: ${JSON.stringify(list)}) { id } }`,
        ),
      ).toEqual({ task: null, project: null, tag: null, workspace: null, nodes: list.map(() => null) });
      expect(await program.patch(`/api/v2/todo/${hiddenTask.id}`, { title: 'Seen' })).toMatchObject({ status: 404 });
      expect(await program.delete(`/api/v2/todo/${hiddenTask.id}`)).toMatchObject({ status: 404 });
      expect(await program.get(`/api/v2/projects/${other.id}`)).toMatchObject({ status: 404 });
    }
    expect(await program.graphql(`{ tasks(filter: { tagIds: ["${tag.id}"] }) { nodes { id } } }`)).toEqual({
      data: { tasks: { nodes: [] } },
    });
  });

  test("writes only there, and does not change its user's tags", async () => {
    const forbidden = { status: 403, body: { code: 'FORBIDDEN' } };
    expect(await program.post('/api/v2/todo', { title: 'To the inbox' })).toMatchObject(forbidden);
    expect(await program.post('/api/v2/tag', { name: 'New' })).toMatchObject(forbidden);
    expect(await program.post('/api/v2/projects', { name: 'Mine', personal: true })).toMatchObject(forbidden);
    const foreign = { name: 'Other', workspaceId: outsideContent.workspaceId };
    expect(await program.post('/api/v2/projects', foreign)).toMatchObject(forbidden);
    const bad = { status: 400, body: { code: 'VALIDATION_FAILED' } };
    for (const { project } of [outsideContent, personal])
      expect(await program.post('/api/v2/todo', { title: 'x', projectId: project.id })).toMatchObject(bad);
    const createdTask = await makeTask(program, { projectId: insideContent.project.id });
    const path = `/api/v2/todo/${insideContent.task.id}`;
    for (const { project } of [outsideContent, personal])
      expect(await program.patch(path, { projectId: project.id })).toMatchObject(bad);
    expect(await program.patch(path, { projectId: null })).toMatchObject(forbidden);
    expect(await program.patch(path, { tags: [tag.id] })).toMatchObject(bad);
    expect(await program.patch(path, { tags: [] })).toMatchObject({ status: 200 });
    expect(await anna.data(`{ task(id: "${insideContent.task.id}") { tags { id } } }`)).toEqual({
      task: { tags: [tag] },
    });
    expect(await program.graphql(`mutation { updateTag(id: "${tag.id}", name: "Other") { id } }`)).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
    expect(await program.data(`mutation { deleteTags(ids: ["${tag.id}"]) { count } }`)).toEqual({
      deleteTags: { count: 0 },
    });
    const taskIds = [outsideContent.task.id, personal.task.id, createdTask.id];
    expect(await program.data(`mutation { deleteTasks(ids: ${JSON.stringify(taskIds)}) { deletedIds } }`)).toEqual({
      deleteTasks: { deletedIds: [createdTask.id] },
    });
    expect(await program.graphql('{ inbox { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
  });

  test('undoes and restores only in its spaces', async () => {
    const undo = (by: Client, answer: { headers: Headers }) =>
      by.post(`/api/v2/operations/${answer.headers.get('x-operation-id')}/undo`);
    const [here, there] = [
      await makeTask(anna, { projectId: insideContent.project.id, tags: [tag.id] }),
      await makeTask(anna, { projectId: outsideContent.project.id }),
    ];
    const deletion = await anna.delete(`/api/v2/todo/bulk?todoIds=${here.id},${there.id}`);
    const reader = await makeProgram(service, anna, { scopes: ['READ'] });
    expect(await undo(reader, deletion)).toMatchObject({ status: 403 });
    expect(await reader.post('/api/v2/trash/restore', { ids: [here.id] })).toMatchObject({ status: 403 });
    expect(await program.post('/api/v2/trash/restore', { ids: [there.id] })).toMatchObject({ status: 404 });
    expect(await undo(program, deletion)).toMatchObject({
      status: 200,
      body: { applied: 1, conflicts: [expect.objectContaining({ id: null })] },
    });
    const statusOf = async (id: string) => (await anna.get(`/api/v2/todo/${id}`)).status;
    expect([await statusOf(here.id), await statusOf(there.id)]).toEqual([200, 404]);
    const singleDeletion = await anna.delete(`/api/v2/todo/${insideContent.task.id}`);
    expect(await program.post('/api/v2/trash/restore', { ids: [insideContent.task.id] })).toMatchObject({
      status: 200,
    });
    expect(singleDeletion.status).toBe(200);
    expect(await undo(program, await anna.patch(`/api/v2/todo/${personal.task.id}`, { title: 'x' }))).toMatchObject({
      status: 404,
    });
  });

  test('reads the digest without its unsubscribe link', async () => {
    const digestOf = async (user: Client) => JSON.stringify(await user.data('{ digest { subject text html } }'));
    expect(await digestOf(anna)).toContain('/unsubscribe/');
    for (const each of [program, unlimitedProgram]) expect(await digestOf(each)).not.toContain('/unsubscribe/');
  });

  test('receives only changes there, by polling, by a stream and by a replica', async () => {
    const headers = { Authorization: `Bearer ${program.token}` };
    const after = await cursorOfNow(program);
    const { sync } = await program.data<{ sync: { cursor: string } }>('{ sync { cursor } }');
    const events = await EventStream.open(service, new Client(service.url), `/api/v2/events?after=${after}`, headers);
    for (const { task } of [personal, outsideContent, insideContent])
      await anna.patch(`/api/v2/todo/${task.id}`, { description: crypto.randomUUID() });
    let event = await events.events.take();
    while (event.data === undefined) event = await events.events.take();
    expect(JSON.parse(event.data)).toMatchObject({ taskId: insideContent.task.id });
    events.close();
    const { changes, next } = await program.data<{
      changes: { nodes: { taskId: string }[] };
      next: { tasks: { id: string }[] };
    }>(
      `query ($after: String, $synced: String) {
        changes(after: $after) { nodes { taskId } } next: sync(after: $synced) { tasks { id } }
      }`,
      { after, synced: sync.cursor },
    );
    expect(changes.nodes).toEqual([{ taskId: insideContent.task.id }]);
    expect(ids(next.tasks)).toEqual([insideContent.task.id]);
  });

  test('gets no response of another credential, not even under its key', async () => {
    const read = '/api/v2/projects';
    const tags = await Promise.all([anna, unlimitedProgram, own, program].map((client) => client.get(read)));
    const etags = tags.map(({ headers }) => headers.get('ETag'));
    expect(new Set(etags).size).toBe(4);
    for (const etag of etags.slice(0, 3)) {
      const headers = { 'If-None-Match': etag ?? '' };
      expect(await program.get(read, { headers })).toMatchObject({ status: 200, body: { projects: [{}] } });
    }
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const body = { title: 'Once', projectId: insideContent.project.id };
    expect(await anna.post('/api/v2/todo', body, { headers })).toMatchObject({ status: 201 });
    expect(await program.post('/api/v2/todo', body, { headers })).toMatchObject({ status: 422 });
  });

  test('reads the present preferences of its user', async () => {
    for (const reminderBefore of [10, 5]) {
      await anna.patch('/api/v1/user/user-preferences', { reminderBefore });
      const { body } = await program.get('/api/v1/user/user-preferences');
      expect(body).toMatchObject({ reminderBefore });
      const data = await program.data('{ viewer { preferences { reminderBefore } } }');
      expect(data).toEqual({ viewer: { preferences: { reminderBefore } } });
    }
  });

  test('continues without a space that its user leaves', async () => {
    const ben = await signUp(service);
    const workspace = await makeWorkspace(anna, ben);
    const limited = await makeProgram(service, ben, { spaceIds: [workspace.id] });
    expect(await limited.data('{ workspaces { id } }')).toEqual({ workspaces: [{ id: workspace.id }] });
    await ben.data(`mutation { leaveWorkspace(id: "${workspace.id}") }`);
    expect(await limited.data('{ workspaces { id } tasks { nodes { id } } sync { tasks { id } } }')).toEqual({
      workspaces: [],
      tasks: { nodes: [] },
      sync: { tasks: [] },
    });
    expect(await limited.get('/api/v1/user/profile')).toMatchObject({ status: 200 });
  });
});

test('a token that is limited to the personal space sees its tags and inbox, and no workspace', async () => {
  const visible = await own.data<{ tasks: { nodes: { id: string; tags: object[] }[] } }>(
    '{ inbox { id } workspaces { id } tags { id } tasks { nodes { id tags { id } } } }',
  );
  expect(visible).toMatchObject({
    workspaces: [],
    tags: [tag],
    tasks: { nodes: [{ id: personal.task.id, tags: [tag] }] },
  });
  await makeTask(own);
});

test('a token without a limit reaches workspaces that its user joins later', async () => {
  const workspace = await makeWorkspace(anna);
  const { workspaces } = await unlimitedProgram.data<{ workspaces: { id: string }[] }>('{ workspaces { id } }');
  expect(ids(workspaces)).toContain(workspace.id);
});
