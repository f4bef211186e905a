import { beforeAll, describe, expect, test } from '@jest/globals';
import { maxListEntries, maxReferencedIds } from '../../src/platform/input.ts';
import { makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;

beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const cases: [string, number, string][] = [
  ['mutation ($ids: [ID!]!) { updateTasks(ids: $ids, input: { reminder: true }) { count } }', maxListEntries, 'ids'],
  ['mutation ($ids: [ID!]!) { deleteTasks(ids: $ids) { count } }', maxListEntries, 'ids'],
  ['mutation ($ids: [ID!]!) { deleteTags(ids: $ids) { count } }', maxListEntries, 'ids'],
  ['query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', maxReferencedIds, 'ids'],
  ['query ($ids: [ID!]!) { tags(ids: $ids) { id } }', maxReferencedIds, 'ids'],
  ['query ($ids: [ID!]!) { tasks(filter: { tagIds: $ids }) { nodes { id } } }', maxReferencedIds, 'filter.tagIds'],
  [
    'query ($ids: [ID!]!) { tasks(filter: { projectIds: $ids }) { nodes { id } } }',
    maxReferencedIds,
    'filter.projectIds',
  ],
  [
    'mutation ($ids: [ID!]!) { createTask(input: { title: "x", tagIds: $ids }) { id } }',
    maxReferencedIds,
    'input.tagIds',
  ],
];

const refusal = (path: string) => ({ code: 'VALIDATION_FAILED', errors: [{ path }] });
const manyIds = (count: number) => Array.from({ length: count }, (_, index) => `task_${index}`);

describe.each(cases)('%s', (operation, max, path) => {
  test(`refuses more than ${max} ids`, async () => {
    const { errors } = await anna.graphql(operation, { ids: manyIds(max + 1) });
    expect(errors?.map(({ extensions }) => extensions)).toMatchObject([refusal(path)]);
  });

  test(`accepts ${max} ids`, async () => {
    const { errors } = await anna.graphql(operation, { ids: manyIds(max) });
    const extensionTexts = errors?.flatMap(({ extensions }) => JSON.stringify(extensions)) ?? [];
    expect(extensionTexts.filter((text) => text.includes('at most'))).toEqual([]);
  });
});

describe('lists of ids over REST', () => {
  const ids = manyIds(maxListEntries + 1)
    .map((_, index) => index % 10)
    .join(',');

  test.each<[string, string, string, string]>([
    ['PATCH todo/bulk', 'PATCH', `/api/v2/todo/bulk?todoIds=${ids}`, 'todoIds'],
    ['DELETE todo/bulk', 'DELETE', `/api/v2/todo/bulk?todoIds=${ids}`, 'todoIds'],
    ['DELETE tag/bulk', 'DELETE', `/api/v2/tag/bulk?tagIds=${ids}`, 'tagIds'],
    ['GET todo', 'GET', `/api/v2/todo?tagIds=${ids}`, 'tagIds'],
    ['GET tag', 'GET', `/api/v2/tag?ids=${ids}`, 'ids'],
  ])('%s refuses too many', async (_name, method, path, name) => {
    const body = method === 'PATCH' ? { reminder: true } : undefined;
    expect(await anna.send(method, path, body)).toMatchObject({ status: 400, body: refusal(name) });
  });

  test('tags of a task', async () => {
    const { id } = await makeTask(anna);
    const tags = manyIds(maxReferencedIds + 1);
    expect(await anna.patch(`/api/v2/todo/${id}`, { tags })).toMatchObject({ status: 400, body: refusal('tags') });
  });
});
