import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  type GraphQLField,
  isListType,
  isObjectType,
} from 'graphql';
import { executorWith } from '../kit/executor.ts';
import { schema } from '../../src/schema.ts';
import { makeTask } from '../kit/make.ts';
import { randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';
import { hostile } from './hostile.ts';
import { operationChecker } from '../../packages/execution/check-operation.ts';

const taskFields =
  'id title description priority dueDate dueTime isAllDay completed completedAt color sortKey reminder createdAt updatedAt tags { id name color }';

const nested = (levels: number): string =>
  levels === 0 ? taskFields : `${taskFields} children { ${nested(levels - 1)} }`;

describe('limits of an operation (OWASP ASVS 4.3.1)', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
  });

  test.each(hostile)('$name: refused over HTTP, and nothing is executed', async ({ query, variables, says }) => {
    // JSON.stringify cannot nest this deeply.
    const body = `{"query":${JSON.stringify(query)},"variables":${stringify(variables)}}`;
    let answer: Awaited<ReturnType<typeof anna.post>> | undefined;
    const { own } = await recordStatements(async () => {
      answer = await anna.post('/graphql', body, { headers: { Accept: 'application/graphql-response+json' } });
    });
    expect(own).toEqual([]);
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ message: expect.stringMatching(says), extensions: { code: 'VALIDATION_FAILED' } }] },
    });
    expect(answer?.body).not.toHaveProperty('data');
  });

  test.each([
    [
      'subtasks of five levels in a page of 500',
      `query($n: Int) { tasks(first: $n) { totalCount edges { cursor node { project { id name } section { id } ${nested(5)} } } } }`,
    ],
    ['subtasks of ten levels in a page of 50', `{ tasks { nodes { ${nested(10)} } } }`],
    [
      'everything of an account at once',
      `{ projects { id name sections { id name tasks(first: 100) { nodes { ${nested(3)} } } } } }`,
    ],
    ['the sections of each task of a page', '{ tasks { nodes { title project { name sections { name } } } } }'],
    [
      'introspection of the whole schema',
      getIntrospectionQuery({
        specifiedByUrl: true,
        directiveIsRepeatable: true,
        schemaDescription: true,
        inputValueDeprecation: true,
        oneOf: true,
      }),
    ],
  ])('%s: within the limits', async (_name, query) => {
    expect((await anna.graphql(query, query.includes('$n') ? { n: 500 } : {})).errors).toBeUndefined();
  });

  test('a thousand ids in one variable: within the limits', async () => {
    const { id } = await makeTask(anna);
    const ids = [id, ...Array.from({ length: 999 }, () => randomName('task'))];
    const data = await anna.data<{ nodes: unknown[] }>('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(data.nodes).toHaveLength(1000);
    expect(data.nodes[0]).toEqual({ id });
  });

  test('comments count as tokens, because they are kept with the document', async () => {
    const withComments = (count: number) => `{ __typename }${'#\n'.repeat(count)}`;
    expect(await anna.graphql(withComments(4997))).toMatchObject({ data: { __typename: 'Query' } });
    expect(await anna.graphql(withComments(4998))).toMatchObject({
      errors: [{ message: 'query has 5,001 tokens; the limit is 5,000' }],
    });
  });

  test.each([0, 51])('%i operations in one request are refused', async (count) => {
    expect(await anna.post('/graphql', Array(count).fill({ query: '{ __typename }' }))).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'body' }] } }] },
    });
  });

  test('a body of more than 1 MiB is not read', async () => {
    const query = `{ __typename } # ${'a'.repeat(1024 * 1024)}`;
    expect(await anna.post('/graphql', { query })).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            extensions: {
              code: 'VALIDATION_FAILED',
              errors: [{ path: 'body', message: 'must be at most 1 MiB in size' }],
            },
          },
        ],
      },
    });
  });

  test('each list without pages has an assumed size', () => {
    const resultsOf = (fields: typeof ownFields) => new Set(fields.map(({ field }) => getNamedType(field.type).name));
    const pages = resultsOf(ownFields.filter(({ field }) => hasPages(field)));
    const others = resultsOf(ownFields.filter(({ field }) => !hasPages(field)));
    const unsized = ownFields.filter(
      ({ type, field }) =>
        isListType(getNullableType(field.type)) &&
        !hasPages(field) &&
        !(pages.has(type) && !others.has(type)) &&
        field.extensions.listSize === undefined,
    );
    expect(unsized.map(({ type, field }) => `${type}.${field.name}`)).toEqual([]);
  });

  test('the names of extensions are known', () => {
    const names = ownFields.flatMap(({ field }) => Object.keys(field.extensions));
    expect([...new Set(names)].filter((name) => !name.startsWith('pothos')).sort()).toEqual([
      'cost',
      'ignoresIdempotencyKey',
      'isNeverStored',
      'isShared',
      'listSize',
      'maxEntries',
      'maxPageSize',
      'readConnection',
      'resolvedFrom',
      'resolvedFromColumn',
      'scans',
    ]);
  });

  test('variables are checked each time, even for a cached document', () => {
    const sender = { requestId: 'test', userId: 'user', onNewDocument: () => undefined };
    const check = operationChecker(executorWith());
    const query = 'query($n: Int) { tasks(first: $n) { nodes { project { tasks(first: $n) { nodes { id } } } } } }';
    expect(check({ query, variables: { n: 10 } }, sender).errors).toBeUndefined();
    expect(check({ query, variables: { n: 500 } }, sender).errors).toHaveLength(1);
    expect(check({ query, variables: { n: 'ten' } }, sender).errors?.[0]?.extensions).toMatchObject({
      errors: [{ path: 'first', message: 'must be a 32-bit integer' }],
    });
  });
});

const ownFields = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__'))
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type: type.name, field })));

const hasPages = ({ args }: GraphQLField<unknown, unknown>) => args.some(({ name }) => name === 'first');

function stringify(value: unknown): string {
  const nestedLists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  let depth = 0;
  const variables = value as { ids?: unknown } | undefined;
  for (let list = variables?.ids; Array.isArray(list) && list.length < 2; list = list[0]) depth++;
  return depth > 1000 ? `{"ids":${nestedLists(depth)}}` : JSON.stringify(value ?? {});
}
