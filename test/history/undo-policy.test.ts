import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, makeSection, makeTask, makeWorkspace, makeWorkspaceOfAdmins } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, signUpByMail, type User } from '../kit/users.ts';
import { clean, operationOf, undo } from './undoing.ts';

let service: Service;
let anna: User;
let ben: User;
beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = [await signUp(service), await signUp(service)];
});

interface Operation {
  id: string;
  undoable: boolean;
  summary: string;
}

const operationsOf = async (user: Pick<User, 'data'>) =>
  (await user.data<{ operations: { nodes: Operation[] } }>('{ operations { nodes { id undoable summary } } }'))
    .operations.nodes;

describe('the operation that creates an account', () => {
  test('cannot be undone, over GraphQL, over REST or by a token', async () => {
    const user = await signUpByMail(service);
    const program = await makeProgram(service, user);
    const operation = (await operationsOf(user)).at(-1);
    expect(operation).toMatchObject({ undoable: false, summary: 'Created the account' });
    for (const caller of [user, program]) {
      expect(await caller.post(`/api/v2/operations/${operation?.id}/undo`)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', errors: [{ path: 'operationId' }] },
      });
    }
    expect(await user.get('/api/v2/projects/inbox')).toMatchObject({ status: 200 });
  });

  test('cannot be undone after the inbox was renamed, even if its image is in the history', async () => {
    const user = await signUpByMail(service);
    const [inbox] = await service.sql<{ id: string }>('SELECT id FROM projects WHERE space_id = $1', [user.id]);
    const renamed = await user.put(`/api/v2/projects/${inbox?.id}`, { name: 'Mine' });
    const creation = (await operationsOf(user)).at(-1)?.id;
    // Histories from before the inbox became exempt have this image.
    await service.sql(
      `INSERT INTO history (operation_id, space_id, type, kind, entity_ids) VALUES ($1, $2, 'PROJECT', 'CREATED', ARRAY[$3])`,
      [creation, user.id, inbox?.id],
    );
    expect(await undo(user, operationOf(renamed))).toMatchObject(clean);
    expect(await user.post(`/api/v2/operations/${creation}/undo`)).toMatchObject({
      status: 200,
      body: { applied: 0, operationId: null, conflicts: [{ id: inbox?.id, reason: 'The inbox cannot be deleted' }] },
    });
  });
});

describe('a personal space', () => {
  test.each([
    ['deleted', 'DELETE FROM projects WHERE space_id = $1'],
    ['made an ordinary project', 'UPDATE projects SET is_default = false WHERE space_id = $1'],
  ])('keeps its inbox: the database refuses at commit that it is %s', async (_name, statement) => {
    const user = await signUp(service);
    await expect(service.sql(statement, [user.id])).rejects.toThrow(/inbox/);
    expect(await user.get('/api/v2/projects/inbox')).toMatchObject({ status: 200 });
  });

  test('cannot be created without an inbox, and a workspace cannot have one', async () => {
    await expect(
      service.sql("INSERT INTO spaces (id, kind) VALUES ('user_01h455vb4pex5vsknk084sn02q', 'PERSONAL')"),
    ).rejects.toThrow(/inbox/);
    const { id } = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: id });
    await expect(service.sql('UPDATE projects SET is_default = true WHERE id = $1', [project.id])).rejects.toThrow(
      /inbox/,
    );
  });

  test('without an inbox is a fault of the service, and signs nobody out', async () => {
    const user = await signUp(service);
    await service.sql(
      `SET session_replication_role = replica; DELETE FROM projects WHERE space_id = '${user.id}'; RESET session_replication_role`,
    );
    expect(await user.get('/api/v2/todo')).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
    expect(
      await user.post('/graphql', { query: '{ viewer { id } }' }, { headers: { 'x-graphql-yoga-csrf': '1' } }),
    ).toMatchObject({
      status: 500,
    });
  });
});

describe('an undo by an access token', () => {
  test('does not rename a workspace, which is a conflict, and neither does a redo', async () => {
    const workspace = await makeWorkspaceOfAdmins(anna, ben);
    const program = await makeProgram(service, anna);
    const renamed = await anna.data<object>('mutation ($id: ID!) { updateWorkspace(id: $id, name: "New") { name } }', {
      id: workspace.id,
    });
    expect(renamed).toEqual({ updateWorkspace: { name: 'New' } });
    const operation = (await operationsOf(anna))[0]?.id;
    const refusal = {
      status: 200,
      body: {
        applied: 0,
        operationId: null,
        conflicts: [{ type: 'workspace', id: workspace.id, field: null, reason: 'This access token may not do this' }],
      },
    };
    expect(await program.post(`/api/v2/operations/${operation}/undo`)).toMatchObject(refusal);
    const undoResult = await undo(anna, operation ?? '');
    expect(await program.post(`/api/v2/operations/${undoResult.operationId}/undo`)).toMatchObject(refusal);
    expect(await undo(ben, undoResult.operationId ?? '')).toMatchObject(clean);
  });

  test('applies the permitted parts of an operation with forbidden ones', async () => {
    const workspace = await makeWorkspace(anna);
    const task = await makeTask(anna, { title: 'before' });
    const program = await makeProgram(service, anna);
    const bothUpdates = await anna.post(
      '/graphql',
      {
        query: `mutation ($workspace: ID!, $task: ID!) {
          updateWorkspace(id: $workspace, name: "New") { name }
          updateTask(id: $task, input: { title: "after" }) { title }
        }`,
        variables: { workspace: workspace.id, task: task.id },
        extensions: { idempotencyKey: crypto.randomUUID() },
      },
      { headers: { 'x-graphql-yoga-csrf': '1' } },
    );
    expect(await program.post(`/api/v2/operations/${operationOf(bothUpdates)}/undo`)).toMatchObject({
      status: 200,
      body: { applied: 1, conflicts: [{ type: 'workspace', id: workspace.id }] },
    });
    expect(await anna.get(`/api/v2/todo/${task.id}`)).toMatchObject({ body: { todo: { title: 'before' } } });
    const { workspace: now } = await anna.data<{ workspace: object }>(`{ workspace(id: "${workspace.id}") { name } }`);
    expect(now).toEqual({ name: 'New' });
  });
});

describe.each([
  ['personal', (): Promise<Record<string, string>> => Promise.resolve({})],
  ['workspace', async (): Promise<Record<string, string>> => ({ workspaceId: (await makeWorkspace(anna, ben)).id })],
])('undo of a section of a %s project', (_name, where) => {
  test.each<[string, (section: string, other: string) => object]>([
    ['was renamed', () => ({ name: 'new' })],
    ['moved to another project', (_section, projectId) => ({ projectId })],
    ['was renamed and moved', (_section, projectId) => ({ name: 'new', projectId })],
    ['has another place', () => ({ nextIndex: null })],
  ])('reports no conflict if it %s', async (_label, change) => {
    const place = await where();
    // The oldest project of the space is another one.
    await makeProject(anna, place);
    const [project, other] = [await makeProject(anna, place), await makeProject(anna, place)];
    const [section] = [await makeSection(anna, project.id), await makeSection(anna, project.id)];
    await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
    const changed = await anna.patch(
      `/api/v2/projects/${project.id}/sections/${section.id}`,
      change(section.id, other.id),
    );
    expect(await undo(anna, operationOf(changed))).toMatchObject(clean);
    const { body } = await anna.get<{ sections: { id: string }[] }>(`/api/v2/projects/${project.id}/sections`);
    expect(body.sections[0]).toMatchObject({ id: section.id, name: section.name, sortKey: section.sortKey });
  });
});
