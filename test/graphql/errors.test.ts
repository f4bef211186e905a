import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { log } from '@taskgate/base';
import type { GraphqlAnswer } from '../kit/client.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

const csrf = { 'x-graphql-yoga-csrf': '1' };

describe('errors of /graphql', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
  });
  afterAll(() => service.close());

  const createTask = 'mutation($input: CreateTaskInput!) { createTask(input: $input) { id } }';
  type Case = [string, string, Record<string, unknown> | undefined, string, string];

  test.each<Case>([
    ['a text that is no GraphQL', '{ viewer', undefined, 'query', 'Syntax Error: Expected Name, found <EOF>.'],
    [
      'a field that the schema does not have',
      '{ somebody }',
      undefined,
      'query',
      'Cannot query field "somebody" on type "Query".',
    ],
    [
      'a missing argument',
      '{ task { id } }',
      undefined,
      'id',
      'Field "task" argument "id" of type "ID!" is required, but it was not provided.',
    ],
    [
      'a literal of the wrong type',
      '{ tasks(first: "ten") { totalCount } }',
      undefined,
      'first',
      'Int cannot represent non-integer value: "ten"',
    ],
    [
      'a literal within a list',
      'mutation { createTask(input: { title: "a", tagIds: ["a", { b: 1 }] }) { id } }',
      undefined,
      'input.tagIds.1',
      'ID cannot represent a non-string and non-integer value: {b: 1}',
    ],
    [
      'a literal that lacks a field',
      'mutation { createTask(input: {}) { id } }',
      undefined,
      'input.title',
      'Field "CreateTaskInput.title" of required type "String!" was not provided.',
    ],
    ['a variable that is missing', createTask, {}, 'input', 'is required'],
    ['a variable that is null', createTask, { input: null }, 'input', 'must not be null'],
    ['a variable that is no object', createTask, { input: 'a' }, 'input', 'must be an object'],
    [
      'a variable with a field of the wrong type',
      createTask,
      { input: { title: 5 } },
      'input.title',
      'must be a string',
    ],
    [
      'a variable with a value that the enum does not have',
      createTask,
      { input: { title: 'a', priority: 'HIGHEST' } },
      'input.priority',
      'must be one of HIGH, LOW, MEDIUM',
    ],
    [
      'a variable with a day that does not exist',
      createTask,
      { input: { title: 'a', dueDate: '2026-02-30' } },
      'input.dueDate',
      'must be a date that exists, as YYYY-MM-DD',
    ],
    [
      'a variable with a field that is not known',
      createTask,
      { input: { title: 'a', colour: 'red' } },
      'input.colour',
      'is not a field of CreateTaskInput',
    ],
    [
      'a variable under another name than its argument',
      'query($count: Int) { tasks(first: $count) { totalCount } }',
      { count: 'ten' },
      'first',
      'must be a 32-bit integer',
    ],
    [
      'a variable inside a literal',
      'mutation($t: String!) { createTask(input: { title: $t }) { id } }',
      { t: 1 },
      'input.title',
      'must be a string',
    ],
    [
      'a field whose rule refuses it',
      createTask,
      { input: { title: ' ' } },
      'input.title',
      'must be 1 to 500 characters long',
    ],
    [
      'a text that is too long',
      createTask,
      { input: { title: 'a', description: 'a'.repeat(16_385) } },
      'input.description',
      'must be at most 16384 characters long',
    ],
    ['a page that is too large', '{ tasks(first: 501) { totalCount } }', undefined, 'first', 'must be 0 to 500'],
    [
      'two operations, none named',
      'query A { __typename } query B { __typename }',
      undefined,
      'operationName',
      'must be one of A, B',
    ],
    ['a text without an operation', 'fragment F on User { id }', undefined, 'query', 'Fragment "F" is never used.'],
    [
      'a literal day that does not exist',
      'mutation { createTask(input: { title: "a", dueDate: "2026-02-30" }) { id } }',
      undefined,
      'input.dueDate',
      'Date must be a date that exists, as YYYY-MM-DD',
    ],
    [
      'a literal value that the enum does not have',
      '{ tasks(filter: { priority: [HIGH, HIGHEST] }) { totalCount } }',
      undefined,
      'filter.priority.1',
      'Value "HIGHEST" does not exist in "Priority" enum. Did you mean the enum value "HIGH"?',
    ],
    [
      'a literal file',
      'mutation { updateProfile(name: "a", image: "a") { id } }',
      undefined,
      'image',
      'Upload must be a file of a multipart request',
    ],
    [
      'a default that is no day',
      'query($day: Date = "2026-02-30") { tasks(filter: { dueBefore: $day }) { totalCount } }',
      undefined,
      'filter.dueBefore',
      'Date must be a date that exists, as YYYY-MM-DD',
    ],
    [
      'a NUL character in a literal',
      'mutation { createTask(input: { title: "a", tagIds: ["a\\u0000b"] }) { id } }',
      undefined,
      'input.tagIds.0',
      'must not contain NUL characters or lone surrogates',
    ],
    [
      'a NUL character in a variable',
      'query($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      { ids: ['a', 'a\0b'] },
      'ids.1',
      'must not contain NUL characters or lone surrogates',
    ],
    [
      'a lone surrogate in a variable',
      'query($id: ID!) { task(id: $id) { id } }',
      { id: '\ud800' },
      'id',
      'must not contain NUL characters or lone surrogates',
    ],
  ])('%s: VALIDATION_FAILED with its path', async (_name, query, variables, path, message) => {
    const { errors = [] } = await anna.graphql(query, variables);
    expect(errors[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path, message }] });
  });

  test.each<[string, string, string | undefined, Record<string, string>, number, string]>([
    ['JSON that ends too early', 'POST', '{"query":', {}, 400, 'body'],
    ['a body that is a list', 'POST', '[]', {}, 400, 'body'],
    ['a body that is a word', 'POST', '"query"', {}, 400, 'body'],
    ['no body', 'POST', undefined, { 'Content-Type': 'application/json' }, 400, 'query'],
    ['no query', 'POST', '{}', {}, 400, 'query'],
    ['variables that are a list', 'POST', '{"query":"{__typename}","variables":[]}', {}, 400, 'variables'],
    ['variables in a query string that are no JSON', 'GET', undefined, {}, 400, 'variables'],
    ['another content type', 'POST', '{ __typename }', { 'Content-Type': 'application/graphql' }, 415, 'Content-Type'],
    ['a response in another form', 'POST', '{"query":"{__typename}"}', { Accept: 'image/png' }, 406, 'Accept'],
    ['a body that is compressed', 'POST', '{}', { 'Content-Encoding': 'gzip' }, 400, 'body'],
    ['a method that is not GET or POST', 'PUT', '{}', {}, 405, ''],
  ])('%s: refused with a code', async (_name, method, body, headers, status, path) => {
    const target = method === 'GET' ? '/graphql?query={__typename}&variables={' : '/graphql';
    const answer = await anna.send<GraphqlAnswer<never>>(method, target, body, { headers: { ...csrf, ...headers } });
    expect(answer).toMatchObject({
      status,
      body: { errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } }] },
    });
  });

  test.each([
    ['application/json', 'application/json'],
    ['application/graphql-response+json', 'application/graphql-response+json'],
    [
      'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
      'application/graphql-response+json',
    ],
    ['application/json;charset=UTF-8', 'application/json'],
    ['application/json; charset="utf-8"', 'application/json'],
    ['application/graphql-response+json; charset=*', 'application/graphql-response+json'],
    ['application/json;q=0.5, application/graphql-response+json', 'application/graphql-response+json'],
    ['application/json;q=0, */*', 'application/graphql-response+json'],
    ['text/event-stream, application/json', 'application/json'],
    ['*/*', 'application/json'],
  ])('Accept: %s, for every response', async (accept, type) => {
    const ask = async (query: string) => {
      const answer = await anna.post<GraphqlAnswer<never>>('/graphql', { query }, { headers: { Accept: accept } });
      expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      return { status: answer.status, ...answer.body };
    };
    expect(await ask('{ __typename }')).toEqual({ status: 200, data: { __typename: 'Query' } });
    expect(await ask('mutation { __typename }')).toEqual({ status: 200, data: { __typename: 'Mutation' } });
    expect(await ask('{ tasks(first: 501) { totalCount } }')).toMatchObject({ status: 200, data: null, errors: [{}] });
    const expectedStatus = type === 'application/json' ? 200 : 400;
    expect(await ask('{ nothing }')).toMatchObject({ status: expectedStatus, errors: [{}] });
    expect(await ask('mutation { nothing }')).toMatchObject({ status: expectedStatus, errors: [{}] });
  });

  test('a query with errors in part is executed once', async () => {
    const query = '{ tasks { nodes { title } } all: tasks(first: 501) { nodes { id } } }';
    const { result, own } = await recordStatements(() => anna.graphql(query));
    expect(result.errors).toHaveLength(1);
    expect(own).toHaveLength(1);
  });

  test('the endpoint has one name', async () => {
    for (const query of ['{ __typename }', 'mutation { __typename }']) {
      expect(await anna.post('/GraphQL', { query })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    }
  });

  test('a path below the endpoint does not exist', async () => {
    expect(await anna.get('/graphql/schema')).toMatchObject({
      status: 404,
      body: { errors: [{ extensions: { code: 'NOT_FOUND' } }] },
    });
  });

  test('a mutation by GET is refused, whatever its Accept header', async () => {
    const query = encodeURIComponent('mutation { signOut }');
    expect(await anna.get(`/graphql?query=${query}`, { headers: csrf })).toMatchObject({
      status: 405,
      body: { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] },
    });
    expect(await anna.data('{ viewer { id } }')).toEqual({ viewer: { id: anna.id } });
  });

  test('a subscription needs a streaming response', async () => {
    expect(
      await anna.post(
        '/graphql',
        { query: 'subscription { taskChanges { cursor } }' },
        { headers: { Accept: 'application/json' } },
      ),
    ).toMatchObject({
      status: 406,
      body: { errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'Accept' }] } }] },
    });
  });

  test('without a session: UNAUTHENTICATED', async () => {
    const { errors } = await service.anonymous.graphql('{ inbox { id } }');
    expect(errors).toMatchObject([{ path: ['inbox'], extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  test('RATE_LIMITED has the time of a retry, also in the header', async () => {
    const query = 'mutation { requestSignUpCode(email: "often@example.com") }';
    for (let attempt = 0; attempt < 5; attempt++) await service.anonymous.data(query);
    const { status, headers, body } = await service.anonymous.post<GraphqlAnswer<null>>('/graphql', { query });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { errors: [{ extensions: { code: 'RATE_LIMITED' } }] },
    });
    expect(headers.get('retry-after')).toBe(String(body.errors?.[0]?.extensions['retryAfter']));
    expect(body.errors?.[0]?.extensions).not.toHaveProperty('http');
  });

  test('a fault of the service is masked, logged once, and named by the id of the request', async () => {
    const { pool } = service.services.connections;
    const connect = pool.connect.bind(pool);
    const fault = jest.spyOn(pool, 'connect').mockImplementation(((callback?: () => void) => {
      // Background work passes a callback.
      return callback ? connect(callback) : Promise.reject(new Error('SELECT secret FROM projects'));
    }) as never);
    const logSpy = jest.spyOn(log, 'error');
    try {
      const answer = await anna.post<GraphqlAnswer<never>>(
        '/graphql',
        { query: '{ inbox { id } }' },
        { headers: { 'X-Request-Id': 'request-of-anna' } },
      );
      expect(answer.body.errors).toMatchObject([
        { message: 'Internal error', path: ['inbox'], extensions: { code: 'INTERNAL', requestId: 'request-of-anna' } },
      ]);
      expect(JSON.stringify(answer.body)).not.toMatch(/secret|stack|\.ts/);
      // Background work may fail, too.
      const logged = logSpy.mock.calls.filter(([fields]) => 'requestId' in (fields as object));
      expect(logged).toEqual([[expect.objectContaining({ requestId: 'request-of-anna' }), expect.any(String)]]);
    } finally {
      fault.mockRestore();
      logSpy.mockRestore();
    }
  });
});
