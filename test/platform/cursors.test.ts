import { deflateRawSync } from 'node:zlib';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let taskId: string;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
  taskId = (await makeTask(anna)).id;
  await anna.data('mutation($id: ID!) { createComment(taskId: $id, text: "x") { id } }', { id: taskId });
});

const compressed = (json: string) => Buffer.concat([Buffer.of(0), deflateRawSync(json)]).toString('base64url');

/** The same cursor, compressed, with spaces at the end. */
const padded = (cursor: string, bytes: number) =>
  compressed(Buffer.from(cursor, 'base64url').toString('utf8').padEnd(bytes));

test.each([
  ['tasks', 'tasks(first: 1, after: $after) { edges { cursor } }'],
  ['comments', 'task(id: $id) { comments(first: 1, after: $after) { edges { cursor } } }'],
  ['operations', 'operations(first: 1, after: $after) { edges { cursor } }'],
])('a cursor of %s that is far longer than any position is refused before it is parsed', async (_name, field) => {
  const document = `query($after: String, $id: ID!) { ${field.includes('$id') ? '' : '__typename @skip(if: true) task(id: $id) { id }'} ${field} }`;
  const { cursor = '' } =
    /"cursor":"(?<cursor>[^"]+)"/.exec(JSON.stringify(await anna.data(document, { id: taskId })))?.groups ?? {};
  expect(await anna.graphql(document, { id: taskId, after: padded(cursor, 1000) })).toMatchObject({ data: {} });
  expect(await anna.graphql(document, { id: taskId, after: padded(cursor, 10_000) })).toMatchObject({
    errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'after' }] } }],
  });
});

test.each(['changes(after: $after) { cursor }', 'sync(after: $after) { cursor }'])(
  'each cursor of spaces is read in a turn of its own: %s',
  async (field) => {
    const own = field.replace('(after: $after)', '');
    const { read } = await anna.data<{ read: { cursor: string } }>(`{ read: ${own} }`);
    const next = jest.spyOn(service.services.turns, 'next');
    const turns = async (document: string) => {
      next.mockClear();
      await anna.data(document, document.includes('$after') ? { after: read.cursor } : {});
      return next.mock.calls.filter(([key, isLarge]) => key === anna.id && isLarge === true).length;
    };
    const without = await turns(`{ a: ${own} b: ${own} c: ${own} }`);
    expect(await turns(`query($after: String) { a: ${field} b: ${field} c: ${field} }`)).toBe(without + 3);
    next.mockRestore();
  },
);
