import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  buildSchema,
  getNamedType,
  type GraphQLField,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { userFieldsByToken } from '../../src/platform/token-rights.ts';
import { cursorOfNow } from '../changes/stream.ts';
import { makeComment, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));

let service: Service;
let anna: User;
let ben: User;

interface SpaceContent {
  spaceId: string;
  ids: string[];
  word: string;
  task: string;
}
let personal: SpaceContent;
let workspace: SpaceContent;
let operations: string[];
/** Limited to the personal space, and to the workspace, with cursors from before the operations. */
let limited: LimitedProgram[];

interface LimitedProgram {
  program: Program;
  cursors: { changes: string; sync: string };
}

async function createLimitedProgram(spaceId: string): Promise<LimitedProgram> {
  const program = await makeProgram(service, anna, { spaceIds: [spaceId] });
  const { sync } = await program.data<{ sync: { cursor: string } }>('{ sync(first: 5000) { cursor } }');
  return { program, cursors: { changes: await cursorOfNow(program), sync: sync.cursor } };
}

async function createContent(spaceId: string, word: string): Promise<SpaceContent> {
  const project = await makeProject(anna, { name: word, ...(spaceId !== anna.id && { workspaceId: spaceId }) });
  const section = await makeSection(anna, project.id, { name: word });
  const place = { projectId: project.id, projectSectionId: section.id };
  const task = await makeTask(anna, { ...place, title: word, reminder: true, dueDate: '2030-01-01' });
  const child = await makeTask(anna, { parentId: task.id, title: word });
  const comment = await makeComment(anna, task.id, { text: word });
  return { spaceId, word, task: task.id, ids: [spaceId, project.id, section.id, task.id, child.id, comment.id] };
}

beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = [await signUp(service), await signUp(service)];
  personal = await createContent(anna.id, 'Lavender');
  workspace = await createContent((await makeWorkspace(anna, ben)).id, 'Rosemary');
  limited = [await createLimitedProgram(personal.spaceId), await createLimitedProgram(workspace.spaceId)];
  const [tag, deletedTag] = [await makeTag(anna, { name: 'Thyme' }), await makeTag(anna, { name: 'Sage' })];
  personal.ids.push(tag.id, deletedTag.id);
  const taskIds = [personal.task, workspace.task].join();
  const answers = [
    await anna.patch(`/api/v2/todo/bulk?todoIds=${taskIds}`, { tags: [tag.id, deletedTag.id] }),
    await anna.patch(`/api/v2/todo/bulk?todoIds=${taskIds}`, { priority: 'high' }),
    await anna.delete(`/api/v2/tag/bulk?tagIds=${deletedTag.id}`),
  ];
  for (const place of [personal, workspace]) {
    const { id } = await makeTask(anna, { title: place.word, parentId: place.task, tags: [tag.id] });
    place.ids.push(id);
    answers.push(await anna.delete(`/api/v2/todo/${id}`));
  }
  operations = answers.map(({ headers }) => headers.get('x-operation-id') ?? '');
});

type Field = GraphQLField<unknown, unknown>;

/** Selects all fields that a token may read without arguments. */
function selectionOf(field: Field, depth: number): string {
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return field.name;
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  const visibleFields = fields.filter(
    (each) =>
      (type.name !== 'User' || userFieldsByToken.has(each.name)) &&
      !each.args.some(isRequiredArgument) &&
      (depth > 0 || !isCompositeType(getNamedType(each.type))),
  );
  const inner = visibleFields.map((each) => selectionOf(each, depth - 1)).filter(Boolean);
  return inner.length === 0 ? `${field.name} { __typename }` : `${field.name} { ${inner.join(' ')} }`;
}

// Tokens may not read requests of applications: see test/accounts/oauth-requests.
const queries = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
  ({ name }) => name !== 'applicationRequest',
);

const argumentsOf = (
  visibleSpace: SpaceContent,
  { ids, task }: SpaceContent,
  { cursors }: LimitedProgram,
): Record<string, string[]> => ({
  node: [...ids, ...operations].map((id) => `id: "${id}"`),
  nodes: [`ids: ${JSON.stringify([...ids, ...operations])}`],
  operation: operations.map((id) => `id: "${id}"`),
  task: [visibleSpace.task, task].map((id) => `id: "${id}"`),
  project: ids.map((id) => `id: "${id}"`),
  tag: ids.map((id) => `id: "${id}"`),
  workspace: ids.map((id) => `id: "${id}"`),
  search: ['query: "Rosemary"', 'query: "Lavender"', 'query: "Thyme"'],
  previewRecurrence: ['input: { rule: "FREQ=DAILY" }'],
  changes: [`after: "${cursors.changes}"`, ''],
  sync: [`after: "${cursors.sync}"`, ''],
  trash: ['first: 500'],
  operations: ['first: 100'],
});

describe.each([
  ['the personal space', () => [personal, workspace, limited[0] as LimitedProgram] as const],
  ['a workspace', () => [workspace, personal, limited[1] as LimitedProgram] as const],
])('a token of %s alone', (_name, contentOfSpaces) => {
  let program: Program;
  beforeAll(() => {
    ({ program } = contentOfSpaces()[2]);
  });

  /** Texts that the response must not show, except if the request has them. */
  const expectHidden = (request: string) => {
    const { ids, word } = contentOfSpaces()[1];
    // The account and its personal space have the same id. Programs may see the user and the members.
    return [...ids, word].filter((text) => text !== anna.id && !request.includes(text));
  };

  async function readDeeply(field: Field, given: string, depth = 3): Promise<{ query: string; response: object }> {
    const query = `{ ${selectionOf(field, depth).replace(field.name, given ? `${field.name}(${given})` : field.name)} }`;
    const response = await program.graphql<object>(query);
    return 'errors' in response && depth > 1 ? readDeeply(field, given, depth - 1) : { query, response };
  }

  test.each(queries.map((field) => [field.name, field] as const))(
    'sees nothing of another space with the query %s',
    async (_field, field) => {
      for (const given of argumentsOf(...contentOfSpaces())[field.name] ?? ['']) {
        const { query, response } = await readDeeply(field, given);
        // A token without the personal space may not read the inbox.
        if (field.name !== 'inbox') expect(response).not.toHaveProperty('errors');
        for (const text of expectHidden(query)) expect(JSON.stringify(response)).not.toContain(text);
      }
    },
  );

  test('sees nothing of another space on any REST path', async () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, { get?: object }> };
    const [visible, , { cursors }] = contentOfSpaces();
    const readable = Object.keys(paths).filter((path) => paths[path]?.get && /^\/api\/(?!.*events)/.test(path));
    const addresses = readable.flatMap((path) => {
      if (path.endsWith('/changes')) return [`${path}?limit=100&after=${cursors.changes}`];
      if (path.endsWith('/sync')) return [path, `${path}?after=${cursors.sync}`];
      if (!path.includes('{')) return [`${path}?search=&q=Rosemary`];
      return [...visible.ids, ...operations].map((id) => path.replace(/\{\w+\}/g, id));
    });
    for (const address of addresses) {
      const { body } = await program.get(address);
      for (const text of expectHidden(address)) expect(`${address}: ${JSON.stringify(body)}`).not.toContain(text);
    }
  });

  test('undoes and restores without revealing another space', async () => {
    for (const id of operations) {
      const { body } = await program.post(`/api/v2/operations/${id}/undo`, { dryRun: true });
      for (const text of expectHidden(id)) expect(JSON.stringify(body)).not.toContain(text);
    }
  });
});
