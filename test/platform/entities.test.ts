import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema, isRequiredArgument, print } from 'graphql';
import { readFile } from 'node:fs/promises';
import * as client from '../../client/src/index.ts';
import { selectionsOf } from '../../client/src/replica/schema.ts';
import { entity } from '../../rest/entity.ts';
import { routes } from '../../rest/routes.ts';
import { kinds as kindsOfRest } from '../../rest/v2/kinds.ts';
import { type ContentKind, contentKinds, entities, type SyncedKind, syncedKinds } from '../../src/platform/entities.ts';
import type { Field, Fields } from '../../src/platform/fields.ts';
import { schema } from '../../src/schema.ts';
import { taskFields } from '../../src/tasks/fields.ts';
import { clientSchemaOf, clientTypesOf } from '../../scripts/client-schema.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

const kinds = contentKinds.map((kind): [typeof kind, Fields] => [kind, kindsOfRest[kind].shown.fields]);

/** Not fields of the entity, or objects of their own. */
const hiddenColumns = new Set(['space_id', 'created_at', 'search', 'recurrence']);

const clientOf = (source: string) => {
  const schema = buildSchema(source);
  return Object.values(clientTypesOf(schema)).join('') + clientSchemaOf(schema);
};

const fieldNamesOf = (fields: Fields) =>
  Object.entries<Field>(fields).flatMap(([name, { rest }]) => (rest === false ? [] : [rest?.name ?? name]));

let service: Service;
let anna: User;
type Lists = Record<string, Record<string, unknown>[]>;
let exported: Lists;
let batch: Lists;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
  const workspace = await makeWorkspace(anna);
  const project = await makeProject(anna, { workspaceId: workspace.id });
  await makeSection(anna, project.id);
  await makeTag(anna);
  await makeTask(anna);
  for (const kind of contentKinds.filter((each) => !typesWithMakers.has(each))) await make(kind);
  exported = (await anna.get<Lists>('/api/v2/export')).body;
  batch = (await anna.get<Lists>('/api/v2/sync')).body;
});

const typesWithMakers = new Set<string>(['Project', 'Section', 'Tag', 'Task']);

const mutationOf = (name: string) => schema.getMutationType()?.getFields()[name];

async function make(kind: ContentKind): Promise<void> {
  const lists = (await anna.get<Lists>('/api/v2/sync')).body;
  const required = mutationOf(`create${kind}`)?.args.filter(isRequiredArgument) ?? [];
  const requiredArguments = required.map(({ name }) => {
    const owner = contentKinds.find((each) => name === `${each.toLowerCase()}Id`);
    return `${name}: ${JSON.stringify(owner ? lists[listOf(owner)]?.[0]?.['id'] : 'Text')}`;
  });
  await anna.data(`mutation { create${kind}(${requiredArguments.join(', ')}) { id } }`);
}

const listOf = (kind: SyncedKind) => entities[kind].sync.list;

describe.each(kinds)('the fields of %s', (kind, fields) => {
  const containsFields = expect.arrayContaining(fieldNamesOf(fields)) as unknown;

  test('are exactly the columns that clients may see, and the computed fields', async () => {
    const rows = await service.sql<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      [`${entities[kind].model.toLowerCase()}s`],
    );
    const columns = Object.entries<Field>(fields).filter(([, { isComputed }]) => !isComputed);
    const names = columns.map(([name]) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    const visibleNames = [...rows.map(({ name }) => name).filter((name) => !hiddenColumns.has(name)), ...names];
    expect(names).toContain(entities[kind].sync.title);
    expect([...new Set(visibleNames)].sort()).toEqual([...names].sort());
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });

  test('are in the GraphQL type, and in the batches of the client', async () => {
    const { __type } = await anna.data<{ __type: { fields: { name: string }[] } }>(
      `{ __type(name: "${kind}") { fields { name } } }`,
    );
    expect(__type.fields.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(fields)));
    const selected = selectionsOf(true)
      .split('\n')
      .find((line) => line.startsWith(`${listOf(kind)} `));
    const storedFields = Object.entries<Field>(fields).filter(([, { isComputed }]) => !isComputed);
    expect(selected?.split(' ')).toEqual(expect.arrayContaining(storedFields.map(([name]) => name)));
  });

  test("are written under the lock of the entity's space", async () => {
    const id = batch[listOf(kind)]?.[0]?.['id'];
    const [found] = await service.sql<{ spaces: string[] }>(
      `SELECT spaces_of_ids(ARRAY[$1], ARRAY(SELECT id FROM spaces)) AS spaces,
         (SELECT space_id FROM ${entities[kind].model.toLowerCase()}s WHERE id = $1) AS space`,
      [id],
    );
    // Tags belong to a user: a change locks the spaces of their tasks.
    expect(found).toEqual({ spaces: kind === 'Tag' ? [] : [found?.['space' as never]], space: expect.any(String) });
  });

  test('are in a batch and in the export over REST', () => {
    expect(Object.keys(batch[listOf(kind)]?.[0] ?? {})).toEqual(containsFields);
    const list = kind === 'Task' ? 'todos' : listOf(kind);
    expect(Object.keys(exported[list]?.[0] ?? {})).toEqual(containsFields);
  });
});

describe.each(contentKinds)('the properties of %s', (kind) => {
  test('include endpoints of REST', () => {
    expect(routes.map((row) => !row.raw && row.resource)).toContain(kind);
  });

  test('include queries of the client', () => {
    expect(Object.keys(client)).toContain(listOf(kind));
  });

  test('include deletion and restoration', async () => {
    const id = String(batch[listOf(kind)]?.[0]?.['id']);
    const hasSingleMutation = mutationOf(`delete${kind}`) !== undefined;
    const deletion = hasSingleMutation ? `delete${kind}(id: "${id}")` : `delete${kind}s(ids: ["${id}"]) { count }`;
    await anna.data(`mutation { ${deletion} }`);
    const find = `{ node(id: "${id}") { __typename } }`;
    expect(await anna.data(find)).toEqual({ node: null });
    expect(await anna.data(`mutation { restore(ids: ["${id}"]) { conflicts { reason } } }`)).toEqual({
      restore: { conflicts: [] },
    });
    expect(await anna.data(find)).toEqual({ node: { __typename: kind } });
  });
});

test('each kind that a replica holds is in a batch and in the export', () => {
  const lists = syncedKinds.map(listOf);
  expect(Object.keys(batch)).toEqual(expect.arrayContaining(lists));
  expect(Object.keys(exported)).toEqual(
    expect.arrayContaining(lists.map((list) => (list === 'tasks' ? 'todos' : list))),
  );
});

describe('a made-up field', () => {
  const size = {
    name: 'Size',
    description: 'How large a task is.',
    values: { SMALL: 'Small.', LARGE: 'Large.' },
  } as const;
  const withMadeUpField = {
    ...taskFields,
    madeUpField: { type: 'integer', nullable: true, description: 'Minutes that it takes.' },
    sizeOfIt: { type: size, nullable: false, description: 'Its size.', rest: { name: 'size' } },
    hidden: { type: 'text', nullable: false, description: 'Not over REST.', rest: false },
  } as const satisfies Fields;

  test('is in the fragment, the response and the shape of REST', () => {
    const { fragment, response, show } = entity('Task', withMadeUpField);
    expect(print(fragment)).toMatch(/madeUpField\s+size: sizeOfIt\s+\}$/);
    expect(Object.keys(response.shape).slice(-2)).toEqual(['madeUpField', 'size']);
    const data = { madeUpField: 5, size: 'LARGE', priority: null } as never;
    expect(show(data)).toEqual({ madeUpField: 5, size: 'large', priority: null });
  });

  test('is in the client: its type, inputs, batches and the defaults of a new task', async () => {
    const source = (await readFile('schema.graphql', 'utf8'))
      .replace(/^type Task implements Node \{$/m, 'type Task implements Node { madeUpField: Int')
      .replace(/^input (Create|Update)TaskInput \{$/gm, 'input $1TaskInput { madeUpField: Int');
    const client = clientOf(source);
    expect(client.match(/readonly madeUpField: number \| null;/g)).toHaveLength(1);
    expect(client.match(/readonly madeUpField\?: number \| null;/g)).toHaveLength(2);
    expect(client).toMatch(/^tasks \{ .*\bmadeUpField\b/m);
    expect(client).toContain('"madeUpField":null');
  });

  test("of a project is in the client's mutations and the defaults of a new project", async () => {
    const source = (await readFile('schema.graphql', 'utf8'))
      .replace(/^type Project implements Node \{$/m, 'type Project implements Node { madeUpField: Int')
      .replace(/^ {2}(create|update)Project\($/gm, '  $1Project(madeUpField: Int');
    const client = clientOf(source);
    expect(client).toMatch(/^createProject: \{ readonly madeUpField\?: number \| null;/m);
    expect(client).toMatch(
      /"updateProject":"mutation updateProject\([^"]*\$madeUpField: Int[^"]*madeUpField: \$madeUpField/,
    );
    expect(client).toMatch(/"Project":\{[^}]*"madeUpField":null/);
  });

  test('is in the client together with a made-up kind of entity', async () => {
    const source = (await readFile('schema.graphql', 'utf8'))
      .replace(
        /^type SyncBatch \{$/m,
        'type Remark { id: ID! taskId: ID! text: String! }\ntype SyncBatch { remarks: [Remark!]!',
      )
      .replace(
        /^type Mutation \{$/m,
        'type Mutation { createRemark(id: ID, taskId: ID!, text: String!): Remark! deleteRemark(id: ID!): ID!',
      );
    const client = clientOf(source);
    expect(client).toContain('"remarks":"Remark"');
    expect(client).toContain('"Remark":["taskId"]');
    expect(client).toContain('remarks { id taskId text }');
    expect(client).toContain('createRemark: { readonly id?: string; readonly taskId: string; readonly text: string };');
    expect(client).toContain('mutation deleteRemark($id: ID!) { deleteRemark(id: $id) }');
    expect(client).toContain('"Remark":{}');
  });
});
