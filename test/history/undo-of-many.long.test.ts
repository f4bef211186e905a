import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { newKey, withKey } from '../idempotency/keyed.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { clean, operationOf } from './undoing.ts';

let service: Service;
let anna: User;
let ben: User;
let workspace: string;
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  [anna, ben] = [await signUp(service), await signUp(service)];
  workspace = (await makeWorkspace(anna, ben)).id;
});

async function mutateInOne(user: User, mutations: string): Promise<string> {
  const answer = await user.post('/graphql', { query: `mutation { ${mutations} }` }, withKey(newKey()));
  expect(answer.body).not.toHaveProperty('errors');
  return operationOf(answer);
}

interface UndoResult {
  applied: number;
  operationId: string | null;
  conflicts: object[];
}
type Caller = Pick<User, 'post'>;
const undo = (user: Caller, id: string) => user.post<UndoResult>(`/api/v2/operations/${id}/undo`);
const restore = (user: Caller, ...ids: string[]) => user.post<UndoResult>('/api/v2/trash/restore', { ids });
const exists = async (user: User, id: string) => (await user.get(`/api/v2/todo/${id}`)).status === 200;
const operationBy = async (user: User, id: string) =>
  (
    await user.data<{ operation: { undoable: boolean; summary: string } }>(
      'query ($id: ID!) { operation(id: $id) { undoable summary } }',
      { id },
    )
  ).operation;

const createProject = (id: string, furtherFields = '') =>
  `make: createProject(id: "${id}", name: "new"${furtherFields}) { id }`;
const moveTask = (id: string, input: string) => `move: updateTask(id: "${id}", input: { ${input} }) { id }`;

describe('the undo of a creation keeps the created entity if something was moved into it that cannot move back', () => {
  test('a task whose project is gone', async () => {
    const old = await makeProject(anna);
    const { id } = await makeTask(anna, { projectId: old.id });
    const project = newId('Project');
    const operation = await mutateInOne(anna, `${createProject(project)} ${moveTask(id, `projectId: "${project}"`)}`);
    await anna.delete(`/api/v2/projects/${old.id}`);
    expect(await undo(anna, operation)).toMatchObject({ status: 200, body: { applied: 0 } });
    expect(await exists(anna, id)).toBe(true);
  });

  test('a task whose parent is gone, or on the last level', async () => {
    for (const prepare of [
      (old: string) => anna.delete(`/api/v2/todo/${old}`),
      async (old: string) => {
        let above = (await makeTask(anna)).id;
        for (let level = 2; level < 10; level += 1) above = (await makeTask(anna, { parentId: above })).id;
        return anna.data(`mutation { ${moveTask(old, `parentId: "${above}"`)} }`);
      },
    ]) {
      const old = await makeTask(anna);
      const { id } = await makeTask(anna, { parentId: old.id });
      const parent = newId('Task');
      const operation = await mutateInOne(
        anna,
        `make: createTask(input: { id: "${parent}", title: "new" }) { id } ${moveTask(id, `parentId: "${parent}"`)}`,
      );
      await prepare(old.id);
      expect(await undo(anna, operation)).toMatchObject({ status: 200, body: { applied: 0 } });
      expect(await exists(anna, id)).toBe(true);
    }
  });

  test('a section with its tasks', async () => {
    const old = await makeProject(anna);
    const section = await makeSection(anna, old.id);
    const { id } = await makeTask(anna, { projectId: old.id, projectSectionId: section.id });
    const project = newId('Project');
    const operation = await mutateInOne(
      anna,
      `${createProject(project)} move: updateSection(id: "${section.id}", projectId: "${project}") { id }`,
    );
    await anna.delete(`/api/v2/projects/${old.id}`);
    expect(await undo(anna, operation)).toMatchObject({ status: 200, body: { applied: 0 } });
    expect(await exists(anna, id)).toBe(true);
  });

  test('a task that was then moved below another created task', async () => {
    const { id } = await makeTask(anna);
    const [project, parent] = [newId('Project'), newId('Task')];
    const operation = await mutateInOne(
      anna,
      `${createProject(project)} task: createTask(input: { id: "${parent}", title: "x", projectId: "${project}" }) { id }
       ${moveTask(id, `projectId: "${project}"`)}`,
    );
    await anna.data(`mutation { ${moveTask(id, `parentId: "${parent}"`)} }`);
    expect(await undo(anna, operation)).toMatchObject({ status: 200 });
    expect(await exists(anna, id)).toBe(true);
  });

  test.each(['a member', 'a token'])(
    'a private task, if %s of the workspace undoes the creation',
    async (callerName) => {
      const caller = callerName === 'a member' ? ben : await makeProgram(service, anna, { spaceIds: [workspace] });
      const shared = await makeProject(anna, { workspaceId: workspace });
      for (const [container, kind, make] of [
        [newId('Project'), 'projectId', (id: string) => createProject(id, `, workspaceId: "${workspace}"`)],
        [
          newId('Task'),
          `projectId: "${shared.id}", parentId`,
          (id: string) => `make: createTask(input: { id: "${id}", title: "new", projectId: "${shared.id}" }) { id }`,
        ],
      ] as const) {
        const { id } = await makeTask(anna, { title: 'mine' });
        const operation = await mutateInOne(anna, `${make(container)} ${moveTask(id, `${kind}: "${container}"`)}`);
        expect(await undo(caller, operation)).toMatchObject({ status: 200, body: { applied: 0 } });
        expect(await exists(anna, id)).toBe(true);
      }
    },
  );

  test('and restores nothing into an entity that it deletes', async () => {
    const space = (await makeWorkspace(anna)).id;
    const old = await makeProject(anna, { workspaceId: space });
    const { id } = await makeTask(anna, { projectId: old.id });
    const operation = await mutateInOne(
      anna,
      `${createProject(newId('Project'), `, workspaceId: "${space}"`)} gone: deleteTask(id: "${id}")`,
    );
    await anna.delete(`/api/v2/projects/${old.id}`);
    expect(await undo(anna, operation)).toMatchObject({
      status: 200,
      body: { applied: 1, conflicts: [{ id, reason: 'there is no project for it any more' }] },
    });
    await makeProject(anna, { workspaceId: space });
    expect(await restore(anna, id)).toMatchObject({ status: 200, body: { applied: 1 } });
  });
});

describe('an entity that an operation restores or creates, then deletes', () => {
  test.each([
    ['restore', (id: string) => `back: restore(ids: ["${id}"]) { applied }`],
    ['undo', (_id: string, deletion: string) => `back: undo(operationId: "${deletion}") { applied }`],
  ])('is restored from the trash as it was deleted, if %s had restored it', async (_name, back) => {
    const tag = await makeTag(anna);
    const { id } = await makeTask(anna, { title: 'one', description: 'text', tags: [tag.id] });
    const deletion = operationOf(await anna.delete(`/api/v2/todo/${id}`));
    const operation = await mutateInOne(
      anna,
      `${back(id, deletion)} edit: updateTask(id: "${id}", input: { title: "two" }) { id } gone: deleteTask(id: "${id}")`,
    );
    expect(await operationBy(anna, operation)).toMatchObject({ undoable: false });
    expect(await undo(anna, operation)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(await restore(anna, id)).toMatchObject({ status: 200, body: { applied: 1, conflicts: [] } });
    const { body } = await anna.get(`/api/v2/todo/${id}`);
    expect(body).toMatchObject({ todo: { title: 'two', description: 'text', tags: [{ id: tag.id }] } });
  });

  test('is restored from the trash, also if it was new', async () => {
    const id = newId('Task');
    const operation = await mutateInOne(
      anna,
      `make: createTask(input: { id: "${id}", title: "new" }) { id } gone: deleteTask(id: "${id}")`,
    );
    expect(await operationBy(anna, operation)).toMatchObject({ undoable: false });
    expect(await undo(anna, operation)).toMatchObject({ status: 400 });
    expect(await restore(anna, id)).toMatchObject({ status: 200, body: { applied: 1 } });
    expect(await exists(anna, id)).toBe(true);
  });

  test('does not prevent the undo of the rest of its operation', async () => {
    const { id } = await makeTask(anna, { title: 'one' });
    const { id: other } = await makeTask(anna);
    await anna.delete(`/api/v2/todo/${id}`);
    const operation = await mutateInOne(
      anna,
      `back: restore(ids: ["${id}"]) { applied } gone: deleteTasks(ids: ["${id}", "${other}"]) { deletedIds }`,
    );
    expect(await operationBy(anna, operation)).toMatchObject({ undoable: true });
    expect(await undo(anna, operation)).toMatchObject({ status: 200, body: { applied: 1, conflicts: [] } });
    expect(await restore(anna, id)).toMatchObject({ status: 200, body: { applied: 1, conflicts: [] } });
  });
});

describe('names of tags', () => {
  const tagNames = async () => {
    const { tags } = (await anna.get<{ tags: { id: string; name: string }[] }>('/api/v2/tag')).body;
    return Object.fromEntries(tags.map(({ id, name }) => [id, name]));
  };

  test('are unique: of two deleted tags with one name, one is restored', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const { id } = await makeTag(anna, { name: 'same' });
      ids.push(id);
      await anna.data('mutation ($ids: [ID!]!) { deleteTags(ids: $ids) { deletedIds } }', { ids: [id] });
    }
    expect(await restore(anna, ...ids)).toMatchObject({
      status: 200,
      body: { applied: 1, conflicts: [{ type: 'tag', field: null }] },
    });
    expect(Object.values(await tagNames())).toEqual(['same']);
  });

  test.each([
    [
      'they were exchanged',
      ([a, b]: readonly string[]) =>
        `a: updateTag(id: "${a}", name: "c") { id } b: updateTag(id: "${b}", name: "a") { id } c: updateTag(id: "${a}", name: "b") { id }`,
    ],
    [
      'another tag got one after a deletion',
      ([a]: readonly string[]) => `a: deleteTags(ids: ["${a}"]) { deletedIds } b: createTag(name: "a") { id }`,
    ],
    [
      'another tag got one after a change',
      ([a]: readonly string[]) => `a: updateTag(id: "${a}", name: "d") { id } b: createTag(name: "a") { id }`,
    ],
  ])('are restored if %s', async (_name, mutations) => {
    const ids = [(await makeTag(anna, { name: 'a' })).id, (await makeTag(anna, { name: 'b' })).id];
    const before = await tagNames();
    let operation = await mutateInOne(anna, mutations(ids));
    const after = await tagNames();
    for (const expected of [before, after, before]) {
      const { body } = await undo(anna, operation);
      expect(body).toMatchObject(clean);
      expect(await tagNames()).toEqual(expected);
      operation = body.operationId ?? '';
    }
  });

  test('are a conflict if another tag has the name by now', async () => {
    const { id } = await makeTag(anna, { name: 'a', color: 'red' });
    const { id: other } = await makeTag(anna, { name: 'b' });
    const operation = await mutateInOne(
      anna,
      `a: updateTag(id: "${id}", name: "c", color: BLUE) { id } b: updateTag(id: "${other}", name: "a") { id }
       c: updateTag(id: "${other}", name: "d") { id }`,
    );
    await makeTag(anna, { name: 'a' });
    expect(await undo(anna, operation)).toMatchObject({
      body: { applied: 2, conflicts: [{ id, field: 'name', reason: 'another tag has the name' }] },
    });
    expect(await tagNames()).toMatchObject({ [id]: 'c', [other]: 'b' });
  });
});

describe('an operation in spaces that the caller does not see', () => {
  test('reports if a restored tag lacks tasks that the caller does not see, and restores them for other callers', async () => {
    const tag = await makeTag(anna);
    const shared = await makeProject(anna, { workspaceId: workspace });
    const { id } = await makeTask(anna, { projectId: shared.id, tags: [tag.id] });
    const operation = await mutateInOne(anna, `gone: deleteTags(ids: ["${tag.id}"]) { deletedIds }`);
    const program = await makeProgram(service, anna, { spaceIds: [anna.id] });
    expect(await restore(program, tag.id)).toMatchObject({
      body: { applied: 1, conflicts: [{ id: null, reason: 'is in a space that you cannot see' }] },
    });
    expect(await undo(anna, operation)).toMatchObject({ status: 200, body: { applied: 1, conflicts: [] } });
    expect(await anna.get(`/api/v2/todo/${id}`)).toMatchObject({ body: { todo: { tags: [{ id: tag.id }] } } });
  });

  test('has nothing to undo for callers that see no part of it', async () => {
    const shared = await makeProject(anna, { workspaceId: workspace });
    const tag = await makeTag(ben);
    await makeTask(ben, { projectId: shared.id, tags: [tag.id] });
    const operation = await mutateInOne(
      anna,
      `out: removeWorkspaceMember(workspaceId: "${workspace}", userId: "${ben.id}") { id }`,
    );
    expect(await undo(anna, operation)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });
});

test('a restore counts each entity once', async () => {
  const tag = await makeTag(anna);
  const project = await makeProject(anna);
  const section = await makeSection(anna, project.id);
  const task = await makeTask(anna, { projectId: project.id, projectSectionId: section.id, tags: [tag.id] });
  await anna.data('mutation ($ids: [ID!]!) { deleteTags(ids: $ids) { deletedIds } }', { ids: [tag.id] });
  await anna.delete(`/api/v2/projects/${project.id}/sections/${section.id}`);
  await anna.delete(`/api/v2/todo/${task.id}`);
  await anna.delete(`/api/v2/projects/${project.id}`);
  const answer = await restore(anna, project.id, section.id, task.id, tag.id);
  expect(answer).toMatchObject({ status: 200, body: { applied: 4 } });
});
