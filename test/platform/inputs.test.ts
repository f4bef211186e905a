import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Field, type Fields, fieldsOfInput, type FieldType, graphqlTypeName } from '../../src/platform/fields.ts';
import { projectFields, sectionFields } from '../../src/projects/fields.ts';
import { tagFields } from '../../src/tags/fields.ts';
import { makeProject, makeSection, makeTag } from '../kit/make.ts';
import { randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

// Every writable field in every input. Tasks: test/tasks/fields.

let service: Service;
let user: User;
let projectId: string;

beforeAll(async () => {
  service = await sharedService();
  user = await signUp(service);
  projectId = (await makeProject(user)).id;
});

interface Kind {
  kind: string;
  fields: Fields;
  requiredIds: () => Record<string, string>;
  make: (fields?: object) => Promise<{ id: string }>;
  change: (id: string, fields: object) => Promise<{ status: number }>;
}

const kinds: Kind[] = [
  {
    kind: 'Project',
    fields: projectFields,
    requiredIds: () => ({}),
    make: (fields) => makeProject(user, { ...fields }),
    change: (id, fields) => user.put(`/api/v2/projects/${id}`, fields),
  },
  {
    kind: 'Section',
    fields: sectionFields,
    requiredIds: () => ({ projectId }),
    make: (fields) => makeSection(user, projectId, { ...fields }),
    change: (id, fields) => user.patch(`/api/v2/projects/${projectId}/sections/${id}`, fields),
  },
  {
    kind: 'Tag',
    fields: tagFields,
    requiredIds: () => ({}),
    make: (fields) => makeTag(user, { ...fields }),
    change: (id, fields) => user.patch(`/api/v2/tag/${id}`, fields),
  },
];

const invisibleName = '\u200b\u3164\u2800';

test.each([
  'createTask(input: { title: $name }) { id }',
  'createProject(name: $name) { id }',
  'createTag(name: $name) { id }',
  'createWorkspace(name: $name) { id }',
  'updateProfile(name: $name) { id }',
])('an invisible name is refused: %s', async (field) => {
  const { errors } = await user.graphql(`mutation ($name: String!) { ${field} }`, { name: invisibleName });
  const message = 'must have a character that can be seen';
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ message }] } }]);
});

test('refuses an invisible name of a section, and an address with an invisible character', async () => {
  const section = await user.post(`/api/v2/projects/${projectId}/sections`, { name: invisibleName });
  expect(section).toMatchObject({ status: 400, body: { errors: [{ path: 'name' }] } });
  const code = await user.post('/api/v1/user/signup/send-otp', { email: 'an\u200bna@example.com' });
  expect(code).toMatchObject({ status: 400, body: { errors: [{ path: 'email' }] } });
});

const scalars = { boolean: true, integer: 42, date: '2027-02-28', timestamp: '2027-02-28T09:30:00.000Z' };
const sampleOf = (type: FieldType): unknown => {
  if (typeof type === 'string') return type === 'text' ? randomName('text') : scalars[type];
  return 'values' in type ? Object.keys(type.values).at(-1) : undefined;
};
const toRestValue = ({ type }: Field, value: unknown) =>
  typeof type === 'object' && 'values' in type ? String(value).toLowerCase() : value;

async function write(action: string, kind: string, fields: Fields, values: Record<string, unknown>): Promise<string> {
  const types = Object.keys(values).map((name) => {
    const { type, required } = fields[name] ?? { type: 'text' };
    const isRequiredInput = name.endsWith('Id') || name === 'id' || (action === 'create' && required);
    return `$${name}: ${name.endsWith('Id') ? 'ID' : graphqlTypeName(type)}${isRequiredInput ? '!' : ''}`;
  });
  const variableArguments = Object.keys(values).map((name) => `${name}: $${name}`);
  const data = await user.data<Record<string, { id: string }>>(
    `mutation (${types.join(', ')}) { ${action}${kind}(${variableArguments.join(', ')}) { id } }`,
    values,
  );
  return data[`${action}${kind}`]?.id ?? '';
}

async function read(kind: string, id: string, name: string): Promise<unknown> {
  const query = `query ($id: ID!) { node(id: $id) { ... on ${kind} { ${name} } } }`;
  return (await user.data<{ node: Record<string, unknown> }>(query, { id })).node[name];
}

describe.each(kinds)('a $kind', ({ kind, fields, requiredIds, make, change }) => {
  const created = fieldsOfInput(fields, 'create') as [string, Field][];
  const updated = fieldsOfInput(fields, 'update') as [string, Field][];
  const isOverRest = ([, { rest }]: [string, Field]) => rest !== false;

  test.each(created)('is created with its %s, by a mutation', async (name, { type }) => {
    const value = sampleOf(type);
    const required = created.filter(([, field]) => field.required).map(([each, field]) => [each, sampleOf(field.type)]);
    const values = { ...requiredIds(), ...(Object.fromEntries(required) as object), [name]: value };
    expect(await read(kind, await write('create', kind, fields, values), name)).toBe(value);
  });

  test.each(created.filter(isOverRest))('is created with its %s, by POST', async (name, field) => {
    const value = sampleOf(field.type);
    const { id } = await make({ [name]: toRestValue(field, value) });
    expect(await read(kind, id, name)).toBe(value);
  });

  test.each(updated)(
    'has its %s updated by a mutation, and treats null as documented',
    async (name, { type, isNullAbsent }) => {
      const { id } = await make();
      const value = sampleOf(type);
      await write('update', kind, fields, { id, [name]: value });
      expect(await read(kind, id, name)).toBe(value);
      // Changes another field, too, because an update without a change is refused.
      const other = updated.find(([each]) => each !== name);
      const others = other ? { [other[0]]: sampleOf(other[1].type) } : {};
      await write('update', kind, fields, { id, [name]: null, ...others });
      expect(await read(kind, id, name)).toBe(isNullAbsent ? value : null);
    },
  );

  test.each(updated.filter(isOverRest))(
    'has its %s updated over REST, and treats null as documented',
    async (name, field) => {
      const { id } = await make();
      const value = sampleOf(field.type);
      await change(id, { [name]: toRestValue(field, value) });
      expect(await read(kind, id, name)).toBe(value);
      const { status } = await change(id, { [name]: null });
      expect(status).toBe(field.nullable && !field.isNullAbsent ? 200 : 400);
    },
  );
});
