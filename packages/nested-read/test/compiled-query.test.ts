import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- compares with the executor alone
import { execute, getOperationAST, parse, validate } from 'graphql';
import { schemaToExecute } from '../compiled-query.ts';
import type { Context } from '../../../src/platform/context.ts';
import { schema } from '../../../src/schema.ts';
import { contextOf } from '../../../test/kit/context.ts';
import { executorWith } from '../../../test/kit/executor.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../../../test/kit/make.ts';
import type { Service } from '../../../test/kit/service.ts';
import { sharedService } from '../../../test/kit/shared-service.ts';
import { signUp } from '../../../test/kit/users.ts';

const { execute: within } = executorWith();

let service: Service;
let context: () => Promise<Context>;

beforeAll(async () => {
  service = await sharedService();
  const [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
  const shared = await makeProject(anna, { workspaceId: (await makeWorkspace(anna, ben)).id });
  const section = await makeSection(anna, shared.id);
  const tags = [await makeTag(anna, { name: 'b' }), await makeTag(anna, { name: 'a' })].map(({ id }) => id);
  const bensTag = await makeTag(ben, { name: 'of Ben alone' });
  const place = { projectId: shared.id, projectSectionId: section.id };
  const dates = { dueDate: '2026-03-29', dueTime: '2026-03-29T00:30:00.120Z', isAllDay: false };
  const top = await makeTask(anna, { ...place, ...dates, title: '"\\ ü \u{1F600}', priority: 'high', tags });
  await ben.patch(`/api/v2/todo/${top.id}`, { tags: [bensTag.id] });
  const child = await makeTask(anna, { ...place, parentId: top.id, color: '#abc', tags: tags.slice(1) });
  await makeTask(anna, { ...place, parentId: child.id, description: 'below' });
  await anna.patch(`/api/v2/todo/${child.id}`, { completed: true });
  await makeTask(anna, { title: 'in the inbox' });
  context = () => contextOf(service, anna);
});

function isCompiled(query: string): boolean {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  const operation = getOperationAST(document);
  return operation != null && schemaToExecute(schema, document, operation) !== schema;
}

async function runBoth(query: string, variableValues: Record<string, unknown> = {}) {
  const document = parse(query);
  const answers = [within, execute].map(async (executor) =>
    JSON.stringify(await executor({ schema, document, variableValues, contextValue: await context() })),
  );
  return Promise.all(answers);
}

const columns =
  'id title description priority dueDate dueTime isAllDay completed completedAt color sortKey reminder createdAt updatedAt parentId projectId sectionId __typename'.split(
    ' ',
  );
const some = (names: string[]) => fc.subarray(names, { minLength: 1 }).map((selections) => selections.join(' '));
const aliased = fc.constantFrom('title', 'dueDate', 'priority', 'completedAt').map((name) => `other: ${name} title`);
const sections = some(['id', 'name', 'sortKey', 'projectId', '__typename', 'project { name slug isDefault viewMode }']);

/** Valid selections of a task, with each relation at most once. */
const selection = fc.letrec<{ task: string }>((tie) => ({
  task: fc.oneof(
    { maxDepth: 3 },
    some(columns),
    aliased,
    fc.constant('...Columns'),
    fc.constant('... on Task { id title } ... on Node { id }'),
    fc.tuple(some(columns), tie('task')).map(([own, below]) => `${own} children { ${below} }`),
    fc.tuple(tie('task'), some(columns)).map(([below, own]) => `up: parent { ${below} } ${own}`),
    fc
      .tuple(some(['id', 'name', 'color', '__typename']), tie('task'))
      .map(([tag, below]) => `tags { ${tag} } children { ${below} }`),
    fc.tuple(sections, some(columns)).map(([of, own]) => `section { ${of} } ${own}`),
    some(['id', 'name', 'slug', 'isDefault', 'viewMode']).map(
      (of) => `project { ${of} sections { id name } } children { project { id } project { name } }`,
    ),
  ),
})).task;

const page = fc.constantFrom('', '(first: 2)', '(last: 1, orderBy: CREATED_AT)', '(filter: { topLevel: true })');
const around = fc.constantFrom(
  (task: string) => `nodes { ${task} }`,
  (task: string) => `totalCount nodes { ${task} } pageInfo { hasNextPage endCursor } __typename`,
  (task: string) => `edges { cursor node { ${task} } __typename } totalCount`,
);
const fragment = 'fragment Columns on Task { title tags { name } dueTime }';
const withFragment = (query: string) => (query.includes('...Columns') ? `${query} ${fragment}` : query);

test('a compiled query has the same response as GraphQL execution', async () => {
  await fc.assert(
    fc.asyncProperty(page, around, selection, async (args, wrap, task) => {
      const query = withFragment(`{ list: tasks${args} { ${wrap(task)} } }`);
      expect([query, isCompiled(query)]).toEqual([query, true]);
      const [answer, expected] = await runBoth(query);
      expect(answer).toBe(expected);
      expect(answer).not.toContain('errors');
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['a directive', '{ tasks { nodes { id title @include(if: true) } } }'],
  ['a directive of a fragment', '{ tasks { nodes { ... @skip(if: false) { id } } } }'],
  ['an argument', '{ tasks { nodes { project { tasks(first: 1) { totalCount } } } } }'],
  ['a field that is computed', '{ tasks { nodes { project { personal } } } }'],
  ['one relation under two names', '{ tasks { nodes { a: children { id } b: children { title } } } }'],
  ['tasks in two places', '{ tasks { nodes { id } edges { node { title } } } }'],
  ['a directive of an edge', '{ tasks { nodes { id } edges { ... @include(if: true) { node { title } } } } }'],
  ['a list that is wanted twice', '{ tasks { nodes { id } } tasks { nodes { title } } }'],
  ['another field beside it', '{ tasks { nodes { id } } viewer { id } }'],
  ['no task', '{ tasks { totalCount } }'],
])('%s is left to GraphQL', async (_label, query) => {
  expect(isCompiled(query)).toBe(false);
  const [answer, expected] = await runBoth(query);
  expect(answer).toBe(expected);
  expect(answer).not.toContain('errors');
});

test('two selections of the same columns under different names have separate responses', async () => {
  for (const [key, other] of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    const query = `{ tasks { nodes { children { ${key}: title ${other}: sortKey tags { ${key}: name ${other}: color } } } } }`;
    expect(isCompiled(query)).toBe(true);
    const [answer, expected] = await runBoth(query);
    expect(answer).toBe(expected);
  }
});

test('a fragment counts once, however often it is spread', async () => {
  const chain = Array.from({ length: 30 }, (_, n) => `fragment F${n} on Task { ...F${n + 1} ...F${n + 1} }`).join(' ');
  const query = `{ tasks { nodes { ...F0 } } } ${chain} fragment F30 on Task { __proto__: title id }`;
  expect(isCompiled(query)).toBe(true);
  const [answer, expected] = await runBoth(query);
  expect(answer).toBe(expected);
  expect(answer).toContain('"__proto__":');
});

test('variables and errors are the same as in the field', async () => {
  const query =
    'query ($first: Int, $after: String, $filter: TaskFilter) { a: tasks(first: $first) { nodes { id } } b: tasks(filter: $filter, after: $after) { nodes { title } } }';
  expect(isCompiled(query)).toBe(true);
  for (const variables of [
    { first: 1, filter: { completed: true, dueAfter: null } },
    { first: -1 },
    { after: 'nonsense' },
    { first: 'one' },
  ]) {
    const [answer, expected] = await runBoth(query, variables);
    expect([variables, answer]).toEqual([variables, expected]);
  }
});
