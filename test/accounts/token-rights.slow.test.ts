import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  getNamedType,
  type GraphQLInputType,
  type GraphQLObjectType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
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

/** Mutations and fields of `User` for tokens. New ones are closed until they are added here. */
const openMutations = [
  ...['createTask', 'updateTask', 'updateTasks', 'moveTask', 'deleteTask', 'deleteTasks'],
  ...['createProject', 'updateProject', 'deleteProject', 'createSection', 'updateSection', 'deleteSection'],
  ...['createTag', 'updateTag', 'deleteTags', 'undo', 'restore'],
];
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
];

const forbidden = { status: 403, body: { code: 'FORBIDDEN' } };
const codeOf = ({ errors: [error] = [] }: { errors?: { extensions: { code: string } }[] }) => error?.extensions.code;

describe('the rights of a token', () => {
  function literal(type: GraphQLInputType): string {
    if (isNonNullType(type)) return literal(type.ofType);
    if (isListType(type)) return `[${literal(type.ofType)}]`;
    if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(isRequiredInputField);
      return `{${fields.map(({ name, type: argumentType }) => `${name}: ${literal(argumentType)}`).join(', ')}}`;
    }
    const values: Record<string, string> = {
      Boolean: 'true',
      Int: '1',
      Float: '1',
      Date: '"2026-01-01"',
      DateTime: '"2026-01-01T00:00:00Z"',
    };
    return values[type.toString()] ?? '"x"';
  }

  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {}).map(({ name, args, type }) => {
    const requiredArguments = args.filter(isRequiredArgument).map((arg) => `${arg.name}: ${literal(arg.type)}`);
    const selection = isCompositeType(getNamedType(type)) ? ' { __typename }' : '';
    return {
      name,
      document: `mutation { ${name}${requiredArguments.length > 0 ? `(${requiredArguments.join(', ')})` : ''}${selection} }`,
    };
  });

  const fields = Object.values((schema.getType('User') as GraphQLObjectType).getFields());

  test('by mutation', async () => {
    const ben = await signUp(service);
    const [reader, writer] = [
      await makeProgram(service, ben, { scopes: ['READ'] }),
      await makeProgram(service, ben, { scopes: ['READ', 'WRITE'] }),
    ];
    for (const { name, document } of mutations) {
      expect([name, codeOf(await reader.graphql(document))]).toEqual([name, 'FORBIDDEN']);
      const code = codeOf(await writer.graphql(document));
      expect([name, code !== 'FORBIDDEN']).toEqual([name, openMutations.includes(name)]);
    }
    // The forbidden field has an alias or a fragment, next to an allowed one. Neither runs.
    const hidden = `mutation { mine: createTag(name: "Hidden") { id } ...more } fragment more on Mutation { other: signOut }`;
    expect(codeOf(await writer.graphql(hidden))).toBe('FORBIDDEN');
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
