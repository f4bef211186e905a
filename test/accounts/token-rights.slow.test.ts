import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getNamedType, type GraphQLObjectType, isCompositeType } from 'graphql';
import { schema } from '../../src/schema.ts';
import { makeProject, makeTask } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Fields of `User` for tokens. New ones are closed until they are added here. */
const openFields = [
  'id',
  'name',
  'email',
  'image',
  'isPasswordSet',
  'isOAuthLinked',
  'provider',
  'createdAt',
  'preferences',
  'unreadNotifications',
  'webhooks',
];

const forbidden = { status: 403, body: { code: 'FORBIDDEN' } };
const codeOf = ({ errors: [error] = [] }: { errors?: { extensions: { code: string } }[] }) => error?.extensions.code;

describe('the rights of a token', () => {
  const fields = Object.values((schema.getType('User') as GraphQLObjectType).getFields());

  test('by mutation', async () => {
    const ben = await signUp(service);
    const [reader, writer] = [
      await makeProgram(service, ben, { scopes: ['READ'] }),
      await makeProgram(service, ben, { scopes: ['READ', 'WRITE'] }),
    ];
    // `test/platform/policy.test.ts` has each mutation.
    const [open, closed] = ['mutation { createTag(name: "Open") { id } }', 'mutation { signOut }'];
    expect([codeOf(await reader.graphql(open)), codeOf(await reader.graphql(closed))]).toEqual([
      'FORBIDDEN',
      'FORBIDDEN',
    ]);
    expect([codeOf(await writer.graphql(open)), codeOf(await writer.graphql(closed))]).toEqual([
      undefined,
      'FORBIDDEN',
    ]);
    // The forbidden field has an alias or a fragment, next to an allowed one. Neither runs.
    const hidden = `mutation { mine: createTag(name: "Hidden") { id } ...more } fragment more on Mutation { other: signOut }`;
    expect(codeOf(await writer.graphql(hidden))).toBe('FORBIDDEN');
    // A mutation that a reader may run does not open the ones before it.
    const mixed = 'mutation { createTag(name: "Mixed") { id } deleteWebhook(id: "") }';
    expect(codeOf(await reader.graphql(mixed))).toBe('FORBIDDEN');
    expect(await writer.data('{ tagCount }')).not.toMatchObject({ tagCount: 2 });
    expect(await ben.get('/api/v1/user/profile')).toMatchObject({ status: 200 });
  });

  test('by field of User', async () => {
    const ben = await signUp(service);
    const program = await makeProgram(service, ben);
    for (const { name, type } of fields) {
      const selection = isCompositeType(getNamedType(type)) ? ' { __typename }' : '';
      for (const document of [
        `{ viewer { ${name}${selection} } }`,
        `{ node(id: "${ben.id}") { ... on User { ${name}${selection} } } }`,
      ]) {
        expect([document, codeOf(await ben.graphql(document))]).toEqual([document, undefined]);
        const code = codeOf(await program.graphql(document));
        expect([document, code]).toEqual([document, openFields.includes(name) ? undefined : 'FORBIDDEN']);
      }
    }
  });

  test('over REST', async () => {
    const ben = await signUp(service);
    const [reader, writer] = [
      await makeProgram(service, ben, { scopes: ['READ'] }),
      await makeProgram(service, ben, { scopes: ['WRITE'] }),
    ];
    for (const program of [reader, writer]) {
      for (const path of ['/api/v1/user/profile', '/api/v1/user/user-preferences', '/api/v1/auth-check', '/api/v2/tag'])
        expect([path, (await program.get(path)).status]).toEqual([path, 200]);
      expect(await program.get('/api/v2/export')).toMatchObject(forbidden);
      for (const [method, path] of [
        ['PUT', '/api/v1/user/name'],
        ['PUT', '/api/v1/user/password'],
        ['PUT', '/api/v1/user/user-preferences'],
        ['POST', '/api/v1/user/profile'],
        ['POST', '/api/v1/user/logout'],
        ['POST', '/api/v1/user/signin'],
        ['POST', '/api/v1/user/signup/send-otp'],
        ['POST', '/api/v1/user/signup/verify'],
      ] as const)
        expect([path, await program.send(method, path, {})]).toMatchObject([path, forbidden]);
    }
    const { id } = await makeTask(ben);
    expect(await reader.post('/api/v2/todo', { title: 'By a reader' })).toMatchObject(forbidden);
    expect(await reader.delete(`/api/v2/todo/${id}`)).toMatchObject(forbidden);
    await makeProject(writer);
    expect(await writer.delete(`/api/v2/todo/${id}`)).toMatchObject({ status: 200 });
    expect(await ben.get('/api/v1/user/profile')).toMatchObject({ status: 200 });
  });

  test('under an idempotency key do not include the response to a session', async () => {
    const ben = await signUp(service);
    const reader = await makeProgram(service, ben, { scopes: ['READ'] });
    const options = { headers: { 'Idempotency-Key': crypto.randomUUID() } };
    const body = { title: 'Once' };
    expect(await ben.post('/api/v2/todo', body, options)).toMatchObject({ status: 201 });
    expect(await reader.post('/api/v2/todo', body, options)).toMatchObject(forbidden);
    const document = { query: 'mutation { createTask(input: { title: "Once" }) { id } }' };
    const other = { headers: { 'Idempotency-Key': crypto.randomUUID() } };
    expect(await ben.post('/graphql', document, other)).toMatchObject({ status: 200 });
    expect(await reader.post('/graphql', document, other)).toMatchObject({ status: 403 });
  });
});
