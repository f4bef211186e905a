import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { StartError } from '@taskgate/base';
import { schema } from '../../src/schema.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { listedOperations } from '../../packages/execution/persisted.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const byHash = (text: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: sha256(text) } } });

const listedQuery = 'query Listed { viewer { email } }';
const unlistedQuery = '{ viewer { id } }';
const strict = { headers: { Accept: 'application/graphql-response+json' } };

describe('persisted operations', () => {
  let folder: string;
  let service: Service;
  const write = async (name: string, content: unknown) => {
    const file = path.join(folder, name);
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-operations-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  describe('with other operations', () => {
    let anna: User;
    beforeAll(async () => {
      service = await startService({
        GRAPHQL_PERSISTED_OPERATIONS: await write('good.json', { [sha256(listedQuery)]: listedQuery }),
      });
      anna = await signUp(service);
    });
    afterAll(() => service.close());

    test('a listed operation runs by its hash, over POST and GET', async () => {
      const data = { viewer: { email: anna.email } };
      expect(await anna.post('/graphql', byHash(listedQuery))).toMatchObject({ status: 200, body: { data } });
      const extensions = encodeURIComponent(JSON.stringify(byHash(listedQuery).extensions));
      const headers = { 'x-graphql-yoga-csrf': '1' };
      expect(await anna.get(`/graphql?extensions=${extensions}`, { headers })).toMatchObject({
        status: 200,
        body: { data },
      });
    });

    test('an unknown hash is reported, and known once it was sent with its text', async () => {
      expect(await anna.post('/graphql', byHash(unlistedQuery))).toMatchObject({
        status: 200,
        body: { errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'VALIDATION_FAILED' } }] },
      });
      const data = { viewer: { id: anna.id } };
      expect(await anna.post('/graphql', { query: unlistedQuery, ...byHash(unlistedQuery) })).toMatchObject({
        body: { data },
      });
      expect(await anna.post('/graphql', byHash(unlistedQuery))).toMatchObject({ status: 200, body: { data } });
    });

    test('a text with the hash of another is refused and not kept', async () => {
      const query = '{ __typename }';
      const answer = await anna.post('/graphql', { query: 'mutation { signOut }', ...byHash(query) }, strict);
      expect(answer).toMatchObject({
        status: 400,
        body: {
          errors: [
            { extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'extensions.persistedQuery.sha256Hash' }] } },
          ],
        },
      });
      expect(await anna.post('/graphql', byHash(query))).toMatchObject({
        body: { errors: [{ message: 'PersistedQueryNotFound' }] },
      });
    });

    test.each([null, {}, 'a', { version: 2, sha256Hash: sha256(listedQuery) }, { version: 1, sha256Hash: 'abc' }])(
      'persistedQuery %j is refused',
      async (persistedQuery) => {
        expect(await anna.post('/graphql', { extensions: { persistedQuery } }, strict)).toMatchObject({
          status: 400,
          body: {
            errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'extensions.persistedQuery' }] } }],
          },
        });
      },
    );
  });

  describe('without other operations (GRAPHQL_PERSISTED_ONLY)', () => {
    let anna: User;
    beforeAll(async () => {
      const file = await write('good.json', { [sha256(listedQuery)]: listedQuery });
      service = await startService({ GRAPHQL_PERSISTED_ONLY: 'on', GRAPHQL_PERSISTED_OPERATIONS: file });
      anna = await signUp(service);
    });
    afterAll(() => service.close());

    test('a listed operation runs by its hash and by its text', async () => {
      const data = { viewer: { email: anna.email } };
      expect(await anna.post('/graphql', byHash(listedQuery))).toMatchObject({ body: { data } });
      expect(await anna.post('/graphql', { query: listedQuery })).toMatchObject({ body: { data } });
    });

    test.each([
      ['another text', { query: unlistedQuery }],
      ['another text with its hash', { query: unlistedQuery, ...byHash(unlistedQuery) }],
      ['another hash', byHash(unlistedQuery)],
      ['introspection', { query: getIntrospectionQuery() }],
    ])('%s is refused', async (_name, body) => {
      expect(await anna.post('/graphql', body, strict)).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'query' }] } }] },
      });
    });

    test('there is no GraphiQL, and REST works', async () => {
      const page = await anna.get('/graphql', { headers: { Accept: 'text/html', 'x-graphql-yoga-csrf': '1' } });
      expect(page.status).toBe(406);
      expect(await anna.get('/api/v1/user/profile')).toMatchObject({ status: 200 });
    });
  });

  describe('without introspection (GRAPHQL_INTROSPECTION)', () => {
    beforeAll(async () => {
      service = await startService({ GRAPHQL_INTROSPECTION: 'off' });
    });
    afterAll(() => service.close());

    test('the schema is hidden, also in suggestions', async () => {
      for (const query of [getIntrospectionQuery(), '{ __type(name: "User") { name } }']) {
        const { errors } = await service.anonymous.graphql(query);
        expect(errors?.[0]).toMatchObject({ extensions: { code: 'VALIDATION_FAILED' } });
      }
      const { errors } = await service.anonymous.graphql('{ viewr { id } }');
      expect(errors?.map(({ message }) => message)).toEqual(['Cannot query field "viewr" on type "Query".']);
      const priorityQuery = 'query($filter: TaskFilter) { tasks(filter: $filter) { totalCount } }';
      const invalid = await service.anonymous.graphql(priorityQuery, { filter: { priority: ['HIGHEST'] } });
      expect(invalid.errors?.[0]?.extensions).toMatchObject({
        errors: [{ path: 'filter.priority.0', message: 'must be a value of Priority' }],
      });
      expect(await service.anonymous.data('{ __typename }')).toEqual({ __typename: 'Query' });
    });
  });

  const other = sha256('a');
  const mismatchedHash = sha256('{ nobody }');
  test.each([
    ['is no JSON', '{', 'with a JSON object of operations'],
    ['is a list', '[]', 'with a JSON object of operations'],
    [
      'has a wrong hash',
      JSON.stringify({ [other]: listedQuery }),
      `whose hashes match their operations, but ${other} does not`,
    ],
    [
      'does not fit the schema',
      JSON.stringify({ [mismatchedHash]: '{ nobody }' }),
      `with operations that fit the schema, but ${mismatchedHash} does not: Cannot query field "nobody"`,
    ],
    [
      'does not fit the schema in an error of several lines',
      JSON.stringify({
        [sha256('{ tasks(first: """a\nb""") { totalCount } }')]: '{ tasks(first: """a\nb""") { totalCount } }',
      }),
      'with operations that fit the schema, but ',
    ],
  ])('a file that %s is refused in one line', (_name, content, says) => {
    const reading = () => listedOperations(content, schema);
    expect(reading).toThrow(StartError);
    expect(reading).toThrow(`GRAPHQL_PERSISTED_OPERATIONS must name a file ${says}`);
    expect(reading).toThrow(/^[^\n]+$/);
  });
});
