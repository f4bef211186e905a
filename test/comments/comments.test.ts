import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { lockSpaces, untilWaiting } from '../kit/locks.ts';
import { makeComment, makeProject, makeTag, makeTask, makeWorkspace, type RestTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { operationOf } from '../history/undoing.ts';
import { edit, pageOf, refusal, remove, textsOf } from './acts.ts';

let service: Service;
let anna: User;
let ben: User;
let stranger: User;
let workspaceId: string;
let task: RestTask;

beforeAll(async () => {
  service = await sharedService();
  [anna, ben, stranger] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
  workspaceId = (await makeWorkspace(anna, ben)).id;
});
beforeEach(async () => {
  const { id: projectId } = await makeProject(anna, { workspaceId });
  task = await makeTask(anna, { projectId });
});

describe('POST /api/v2/todo/:id/comments', () => {
  test('creates a comment that everybody who sees the task sees', async () => {
    const { status, body } = await ben.post(`/api/v2/todo/${task.id}/comments`, { text: '  Rain water?\n  ' });
    const comment = {
      id: expect.stringMatching(/^cmnt_/),
      taskId: task.id,
      author: { id: ben.id, name: null, email: ben.email, image: null },
      text: 'Rain water?',
      createdAt: expect.stringMatching(/Z$/),
      editedAt: null,
    };
    expect([status, body]).toEqual([201, { comment }]);
    expect(await pageOf(anna, task.id)).toEqual({ comments: [comment], cursor: expect.any(String), hasMore: false });
  });

  test.each([
    ['one character', 'x'],
    ['16,384 characters', 'x'.repeat(16_384)],
    ['16,384 characters outside of the BMP', '🦊'.repeat(16_384)],
    ['lines, markup, and a right-to-left override', 'a\n\n<b>b</b>\t\u202ec'],
  ])('keeps a text of %s as written', async (_name, text) => {
    await makeComment(anna, task.id, { text });
    expect(await textsOf(ben, task.id)).toEqual([text]);
  });

  test.each([
    ['nothing', ''],
    ['blanks', ' \n\t '],
    ['16,385 characters', 'x'.repeat(16_385)],
    ['16,385 characters outside of the BMP', '🦊'.repeat(16_385)],
    ['NUL', 'a\0b'],
    ['half a character', 'a\ud83e'],
    ['no text', 7],
    ['null', null],
  ])('refuses a text of %s', async (_name, text) => {
    expect(await anna.post(`/api/v2/todo/${task.id}/comments`, { text })).toMatchObject(
      refusal(400, 'VALIDATION_FAILED', 'text'),
    );
    expect(await textsOf(anna, task.id)).toEqual([]);
  });

  test('is 404 for a task out of sight, and ids of other kinds', async () => {
    const { id: ofStranger } = await makeTask(stranger);
    const ids = [ofStranger, newId('Task'), workspaceId, (await makeTag(anna)).id, 'nonsense'];
    for (const id of ids) {
      expect(await anna.post(`/api/v2/todo/${id}/comments`, { text: 'x' })).toMatchObject(refusal(404, 'NOT_FOUND'));
      expect(await anna.graphql(`mutation { createComment(taskId: "${id}", text: "x") { id } }`)).toMatchObject({
        errors: [{ message: 'Task not found', extensions: { code: 'NOT_FOUND' } }],
      });
      expect(await anna.get(`/api/v2/todo/${id}/comments`)).toMatchObject(refusal(404, 'NOT_FOUND'));
    }
    expect(await textsOf(stranger, ofStranger)).toEqual([]);
  });

  test('creates a comment once under its id, also if it is sent at the same moment', async () => {
    const id = newId('Comment');
    const send = (user: User) => user.post(`/api/v2/todo/${task.id}/comments`, { id, text: 'once' });
    const answers = await Promise.all([send(anna), send(anna), send(ben)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect(await send(anna)).toMatchObject(refusal(400, 'VALIDATION_FAILED', 'id'));
    expect(await textsOf(anna, task.id)).toEqual(['once']);
  });

  test('creates a comment once under its idempotency key', async () => {
    const send = () =>
      anna.post(`/api/v2/todo/${task.id}/comments`, { text: 'once' }, { headers: { 'Idempotency-Key': task.id } });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(await textsOf(anna, task.id)).toEqual(['once']);
  });

  test('gives the time under the lock of the space, so a list has it after all earlier comments', async () => {
    const holder = await lockSpaces(service, workspaceId);
    const creating = makeComment(anna, task.id);
    await untilWaiting(service, 1);
    const [now] = await service.sql<{ at: Date }>('SELECT clock_timestamp()::timestamptz(3) AS at');
    await holder.release();
    expect(Date.parse((await creating).createdAt)).toBeGreaterThanOrEqual(now?.at.getTime() ?? Infinity);
  });

  test('refuses more than 10,000 comments on a task', async () => {
    await service.sql(
      `INSERT INTO comments (id, task_id, space_id, text)
       SELECT 'cmnt_' || lpad(n::text, 26, '0'), $1, $2, 'x' FROM generate_series(1, 9999) AS n`,
      [task.id, workspaceId],
    );
    const { id } = await makeComment(anna, task.id);
    expect(await anna.graphql(`mutation { createComment(taskId: "${task.id}", text: "x") { id } }`)).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'taskId' }] } }],
    });
    await remove(anna, id);
    await makeComment(anna, task.id);
    expect(await anna.post(`/api/v2/todo/${task.id}/comments`, { text: 'x' })).toMatchObject(
      refusal(400, 'VALIDATION_FAILED', 'id'),
    );
    expect((await anna.post('/api/v2/trash/restore', { ids: [id] })).body).toMatchObject({
      applied: 0,
      conflicts: [{ type: 'comment', id, field: null }],
    });
    const query = `{ task(id: "${task.id}") { comments(first: 1) { totalCount } } }`;
    expect(await anna.data(query)).toEqual({ task: { comments: { totalCount: 10_000 } } });
    await service.sql('DELETE FROM comments WHERE task_id = $1', [task.id]);
  });
});

describe('mentions', () => {
  const at = ({ id }: { id: string }) => `@${id}`;

  test('of 20 different members are accepted, of 21 not', async () => {
    const members = await Promise.all(Array.from({ length: 21 }, () => signUp(service)));
    await service.sql('INSERT INTO memberships (space_id, user_id) SELECT $1, unnest($2::text[])', [
      workspaceId,
      members.map(({ id }) => id),
    ]);
    const twenty = members.slice(1).map(at);
    const comment = await makeComment(anna, task.id, { text: [...twenty, ...twenty].join(' ') });
    const text = members.map(at).join(' ');
    const refused = refusal(400, 'VALIDATION_FAILED', 'text');
    expect(await anna.post(`/api/v2/todo/${task.id}/comments`, { text })).toMatchObject(refused);
    expect(await edit(anna, comment.id, text)).toMatchObject(refused);
    expect(await textsOf(anna, task.id)).toEqual([comment.text]);
  });

  test('of strangers, former members and ids that do not exist are plain text', async () => {
    const former = await signUp(service);
    const others = [stranger.id, former.id, ...Array.from({ length: 25 }, () => newId('User'))];
    const text = others.map((id) => `@${id}`).join(' ');
    expect(await makeComment(anna, task.id, { text })).toMatchObject({ text });
  });
});

describe('PATCH /api/v2/comments/:id', () => {
  test('changes the text, and says when', async () => {
    const comment = await makeComment(anna, task.id);
    const { status, body } = await edit(anna, comment.id, ' new ');
    const edited = { ...comment, text: 'new', editedAt: expect.stringMatching(/Z$/) };
    expect([status, body]).toEqual([200, { comment: edited }]);
    expect((await pageOf(ben, task.id)).comments).toEqual([edited]);
  });

  test('is no operation if the text is the same', async () => {
    const comment = await makeComment(anna, task.id);
    const answer = await edit(anna, comment.id, `${comment.text} `);
    expect(answer).toMatchObject({ status: 200, body: { comment } });
    expect(operationOf(answer)).toBe('');
  });

  test('is 403 for others, and 404 for those who do not see the task', async () => {
    const comment = await makeComment(anna, task.id);
    expect(await edit(ben, comment.id, 'new')).toMatchObject(refusal(403, 'FORBIDDEN'));
    for (const id of [comment.id, newId('Comment'), task.id, 'nonsense'])
      expect(await edit(stranger, id, 'new')).toMatchObject(refusal(404, 'NOT_FOUND'));
    expect(await edit(stranger, comment.id, '')).toMatchObject(refusal(404, 'NOT_FOUND'));
    expect(await edit(anna, comment.id, ' ')).toMatchObject(refusal(400, 'VALIDATION_FAILED', 'text'));
    expect(await textsOf(anna, task.id)).toEqual([comment.text]);
  });
});

describe('DELETE /api/v2/comments/:id', () => {
  test('deletes a comment of the caller', async () => {
    const comment = await makeComment(ben, task.id);
    expect(await remove(ben, comment.id)).toMatchObject({
      status: 200,
      body: { msg: 'comment deleted successfully' },
    });
    expect(await textsOf(anna, task.id)).toEqual([]);
    expect(await remove(ben, comment.id)).toMatchObject(refusal(404, 'NOT_FOUND'));
  });

  test('is 404 for those who do not see the task', async () => {
    const comment = await makeComment(anna, task.id);
    expect(await remove(stranger, comment.id)).toMatchObject(refusal(404, 'NOT_FOUND'));
    expect(await textsOf(anna, task.id)).toEqual([comment.text]);
  });
});

describe('Task.comments', () => {
  interface Read {
    task: { comments: { totalCount: number; edges: { cursor: string; node: { text: string } }[]; pageInfo: object } };
  }
  const read = async (args: string) =>
    (
      await anna.data<Read>(
        `{ task(id: "${task.id}") { comments${args} { totalCount edges { cursor node { text } } pageInfo { hasNextPage hasPreviousPage } } } }`,
      )
    ).task.comments;

  test('has pages forwards and backwards, the oldest first', async () => {
    for (const text of ['one', 'two', 'three', 'four']) await makeComment(anna, task.id, { text });
    // A tie: the id decides.
    await service.sql('UPDATE comments SET created_at = now() WHERE task_id = $1', [task.id]);
    const texts = ({ edges }: Read['task']['comments']) => edges.map(({ node }) => node.text);
    const first = await read('(first: 2)');
    expect(texts(first)).toEqual(['one', 'two']);
    expect(first).toMatchObject({ totalCount: 4, pageInfo: { hasNextPage: true, hasPreviousPage: false } });
    const after = first.edges[1]?.cursor ?? '';
    const rest = await read(`(first: 2, after: "${after}")`);
    expect(texts(rest)).toEqual(['three', 'four']);
    expect(rest.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
    expect(texts(await read('(last: 3)'))).toEqual(['two', 'three', 'four']);
    expect(texts(await read(`(last: 3, before: "${after}")`))).toEqual(['one']);
    expect(texts(await read(''))).toHaveLength(4);
  });

  test.each(['(first: -1)', '(first: 501)', '(last: 501)', '(first: 1, last: 1)', '(after: "x")', '(before: "W10")'])(
    'refuses %s',
    async (args) => {
      expect(await anna.graphql(`{ task(id: "${task.id}") { comments${args} { totalCount } } }`)).toMatchObject({
        errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
      });
    },
  );
});
