import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import type { Role } from '../../src/platform/roles.ts';
import { KeyedUser } from '../idempotency/keyed.ts';
import { addMember, makeProject, makeSection, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
/** Anna's. */
let workspaceId: string;
let projectId: string;
let readId: string;
/** Ben's. */
let ownIds: string[];
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});

async function makeTasks(role: Role, count: number) {
  workspaceId = (await makeWorkspace(anna)).id;
  await addMember(anna, workspaceId, ben, role);
  projectId = (await makeProject(anna, { workspaceId })).id;
  readId = (await makeTask(anna, { projectId })).id;
  const tasks = await Promise.all(Array.from({ length: count }, () => makeTask(ben)));
  ownIds = tasks.map(({ id }) => id);
}

const byRoles = (['VIEWER', 'COMMENTER'] as const).flatMap((role) => [
  { role, keys: 'without keys' },
  { role, keys: 'under keys' },
]);

/** Everything that the users own or reach, with the history. */
const rows = () =>
  service.sql(
    `SELECT to_jsonb(tasks) AS row FROM tasks WHERE id = ANY ($1) UNION ALL
     SELECT to_jsonb(operations) FROM operations
     WHERE space_id IN (SELECT space_id FROM memberships WHERE user_id = ANY ($2)) ORDER BY row`,
    [
      [readId, ...ownIds],
      [anna.id, ben.id],
    ],
  );

describe.each(byRoles)('a $role $keys', ({ role, keys }) => {
  // A keyed request is one transaction, which a failed statement ends.
  beforeEach(() => {
    if (keys === 'under keys') ben = new KeyedUser(service, ben.cookie, ben);
  });

  test('changes none of 50 tasks if one of them is in the workspace', async () => {
    await makeTasks(role, 49);
    const before = await rows();
    const ids = ownIds.toSpliced(25, 0, readId);
    const bulk = `/api/v2/todo/bulk?todoIds=${ids.join()}`;
    for (const answer of [
      await ben.patch(bulk, { priority: 'high' }),
      await ben.patch(bulk, { completed: true }),
      await ben.delete(bulk),
    ])
      expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    const forbidden = { errors: [{ extensions: { code: 'FORBIDDEN' } }] };
    for (const act of ['updateTasks(ids: $ids, input: { priority: HIGH })', 'deleteTasks(ids: $ids)'])
      expect(await ben.graphql(`mutation ($ids: [ID!]!) { ${act} { count } }`, { ids })).toMatchObject(forbidden);
    expect(await rows()).toEqual(before);
  });

  test('moves nothing from the inbox into the workspace', async () => {
    await makeTasks(role, 2);
    const before = await rows();
    const [id = '', otherId = ''] = ownIds;
    const path = `/api/v2/todo/${id}`;
    for (const answer of [
      await ben.patch(path, { projectId }),
      await ben.patch(`/api/v2/todo/bulk?todoIds=${id},${otherId}`, { projectId }),
      await ben.post(`${path}/move`, { parentId: readId }),
      await ben.post('/api/v2/todo', { title: 'New', parentId: readId }),
    ])
      expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    for (const side of ['after', 'before']) {
      const answer = await ben.graphql(`mutation { moveTask(id: "${id}", ${side}: "${readId}") { id } }`);
      expect(answer).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    }
    expect(await rows()).toEqual(before);
  });

  test('learns that an id of another kind is unknown, also if it is one in the workspace', async () => {
    await makeTasks(role, 1);
    const section = await makeSection(ben, (await makeProject(ben)).id);
    const [id = ''] = ownIds;
    for (const [mutation, path] of [
      [`updateTask(id: "${id}", input: { sectionId: "${readId}" })`, 'input.sectionId'],
      [`updateTask(id: "${id}", input: { parentId: "${projectId}" })`, 'input.parentId'],
      [`updateSection(id: "${section.id}", projectId: "${readId}")`, 'projectId'],
    ])
      expect(await ben.graphql(`mutation { ${mutation} { id } }`)).toMatchObject({
        errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } }],
      });
    for (const mutation of [`updateSection(id: "${readId}") { id }`, `deleteSection(id: "${projectId}")`])
      expect(await ben.graphql(`mutation { ${mutation} }`)).toMatchObject({
        errors: [{ extensions: { code: 'NOT_FOUND' } }],
      });
  });

  test('learns that the target is unknown before the role for another id', async () => {
    await makeTasks(role, 0);
    for (const mutation of [
      `updateTask(id: "${newId('Task')}", input: { projectId: "${projectId}" })`,
      `moveTask(id: "${newId('Task')}", after: "${readId}")`,
      `updateSection(id: "${newId('Section')}", projectId: "${projectId}")`,
    ])
      expect(await ben.graphql(`mutation { ${mutation} { id } }`)).toMatchObject({
        errors: [{ extensions: { code: 'NOT_FOUND' } }],
      });
  });

  test('learns that another id does not fit before the role for an id in the input', async () => {
    await makeTasks(role, 1);
    const [id = ''] = ownIds;
    const { id: sectionId } = await makeSection(ben, (await makeProject(ben)).id);
    const before = await rows();
    const unfit = { sectionId: [newId('Section'), sectionId], parentId: [newId('Task')], tagIds: [[newId('Tag')]] };
    for (const [field, values] of Object.entries(unfit)) {
      for (const value of values) {
        const fields = { projectId, [field]: value };
        for (const [mutation, variables] of [
          ['createTask(input: $input)', { input: { title: 'New', ...fields } }],
          [`updateTask(id: "${id}", input: $input)`, { input: fields }],
        ] as const) {
          const type = mutation.startsWith('create') ? 'CreateTaskInput' : 'UpdateTaskInput';
          const document = `mutation ($input: ${type}!) { ${mutation} { id } }`;
          expect(await ben.graphql(document, variables)).toMatchObject({
            errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: `input.${field}` }] } }],
          });
        }
      }
    }
    expect(await rows()).toEqual(before);
  });

  test('learns the role for the target before anything about the input', async () => {
    await makeTasks(role, 0);
    const input = `{ projectId: "${projectId}", sectionId: "${newId('Section')}" }`;
    expect(await ben.graphql(`mutation { updateTask(id: "${readId}", input: ${input}) { id } }`)).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
  });

  test('leaves the workspace, but removes nobody else', async () => {
    await makeTasks(role, 0);
    const path = (id: string) => `/api/v2/workspaces/${workspaceId}/members/${id}`;
    expect(await ben.delete(path(anna.id))).toMatchObject({ status: 403 });
    expect(await ben.delete(path(ben.id))).toMatchObject({ status: 200 });
    expect(await ben.delete(path(ben.id))).toMatchObject({ status: 404 });
  });

  test('learns that a user is no member before anything else', async () => {
    await makeTasks(role, 0);
    const path = `/api/v2/workspaces/${workspaceId}/members/${(await signUp(service)).id}`;
    for (const user of [anna, ben]) {
      expect(await user.put(path, { role: 'editor' })).toMatchObject({ status: 404 });
      expect(await user.put(path, { role: 'owner' })).toMatchObject({ status: 404 });
      expect(await user.delete(path)).toMatchObject({ status: 404 });
    }
  });
});
