import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeTag, makeTask, type RestTag } from '../../kit/make.ts';
import type { Service } from '../../kit/service.ts';
import { sharedService } from '../../kit/shared-service.ts';
import { signUp, type User } from '../../kit/users.ts';

type CountedTag = RestTag & { _count: { todos: number } };

let service: Service;
let anna: User;
let ben: User;

beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});

const problem = (path: string) => ({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } });
const notFound = { status: 404, body: { code: 'NOT_FOUND', message: expect.any(String) } };
const unknownId = 'tag_01h2xcejqtf2nbrexx3vqjhp41';

const listOf = async (user: User, query = '') =>
  (await user.get<{ tags: CountedTag[] }>(`/api/v2/tag${query}`)).body.tags;
const namesOf = async (user: User, query = '') => (await listOf(user, query)).map(({ name }) => name);

describe('every endpoint of tags', () => {
  test.each([
    ['GET', '/api/v2/tag'],
    ['POST', '/api/v2/tag'],
    ['PATCH', `/api/v2/tag/${unknownId}`],
    ['GET', '/api/v2/tag/count'],
    ['DELETE', '/api/v2/tag/bulk'],
  ])('%s %s is 401 without a session', async (method, path) => {
    expect(await service.anonymous.send(method, path)).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED' },
    });
  });
});

describe('GET /api/v2/tag', () => {
  test("lists the caller's tags by name without regard to case, with the number of tasks", async () => {
    for (const name of ['b', 'Z', 'a', 'Ä', 'B']) await makeTag(anna, { name });
    const c = await makeTag(anna, { name: 'c', color: 'pink' });
    await makeTag(ben, { name: 'others' });
    await makeTask(anna, { tags: [c.id] });
    await makeTask(anna, { tags: [c.id] });
    const tags = await listOf(anna);
    expect(tags.map(({ name }) => name)).toEqual(['a', 'Ä', 'b', 'B', 'c', 'Z']);
    expect(tags[4]).toEqual({ id: c.id, name: 'c', color: 'pink', _count: { todos: 2 } });
    expect(tags[0]).toMatchObject({ _count: { todos: 0 } });
  });

  test('finds a part of the name without regard to case, and has no wildcards', async () => {
    for (const name of ['100%', 'a_b', 'c\\d', 'Éclair']) await makeTag(anna, { name });
    expect(await namesOf(anna, '?search=éCL')).toEqual(['Éclair']);
    expect(await namesOf(anna, '?search=%25')).toEqual(['100%']);
    expect(await namesOf(anna, '?search=_')).toEqual(['a_b']);
    expect(await namesOf(anna, '?search=%5C')).toEqual(['c\\d']);
    expect(await namesOf(anna, '?search=')).toHaveLength(4);
  });

  describe('with ids', () => {
    let a: RestTag;
    let b: RestTag;
    beforeEach(async () => {
      [a, b] = [await makeTag(anna, { name: 'a' }), await makeTag(anna, { name: 'b' })];
      await makeTag(anna, { name: 'c' });
    });

    test('accepts them in any encoding', async () => {
      const queries = [
        `?ids=${a.id}&ids=${b.id}`,
        `?ids[]=${a.id}&ids[]=${b.id}`,
        `?ids%5B%5D=${a.id}&ids%5B%5D=${b.id}`,
        `?ids[0]=${a.id}&ids[1]=${b.id}`,
        `?ids=${a.id},${b.id}`,
        `?ids=${a.id},%20${b.id},${a.id},`,
      ];
      for (const query of queries) expect(await namesOf(anna, query)).toEqual(['a', 'b']);
      expect(await namesOf(anna, `?ids[0]=${b.id}`)).toEqual(['b']);
      expect(await namesOf(anna, `?ids=${a.id},${b.id}&search=B`)).toEqual(['b']);
    });

    test("matches nothing by unknown ids and others' tags", async () => {
      const foreign = await makeTag(ben);
      expect(await namesOf(anna, `?ids=${foreign.id},${unknownId},nonsense,${a.id}`)).toEqual(['a']);
      expect(await namesOf(anna, `?ids=${foreign.id}`)).toEqual([]);
    });

    test('treats an empty list as no filter', async () => {
      for (const query of ['?ids=', '?ids[]=', '?ids=,']) expect(await namesOf(anna, query)).toEqual(['a', 'b', 'c']);
    });
  });

  test.each(['?search=a&search=b', '?search=%00'])('is 400 for the query %s', async (query) => {
    expect(await anna.get(`/api/v2/tag${query}`)).toMatchObject(problem('search'));
  });
});

describe('POST /api/v2/tag', () => {
  test('creates a tag', async () => {
    const { status, body } = await anna.post<{ tag: RestTag }>('/api/v2/tag', { name: ' errand ', color: 'purple' });
    expect(status).toBe(201);
    expect(body).toEqual({
      msg: 'todo added sucessfully',
      tag: { id: expect.stringMatching(/^tag_/), name: 'errand', color: 'purple' },
    });
    expect(await listOf(anna)).toEqual([{ ...body.tag, _count: { todos: 0 } }]);
  });

  test('chooses one of the seven colours by default', async () => {
    const { color } = await makeTag(anna);
    expect(['blue', 'red', 'green', 'yellow', 'purple', 'orange', 'pink']).toContain(color);
  });

  test('is 400 for a name that the account has, after trimming; another account may have it', async () => {
    await makeTag(anna, { name: 'one' });
    expect(await anna.post('/api/v2/tag', { name: ' one ' })).toMatchObject(problem('name'));
    await makeTag(anna, { name: 'One' });
    await makeTag(ben, { name: 'one' });
    expect(await namesOf(anna)).toEqual(['one', 'One']);
  });

  test('creates one tag for twenty simultaneous creates', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => anna.post('/api/v2/tag', { name: 'same' })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 400)]);
    for (const answer of answers) if (answer.status === 400) expect(answer).toMatchObject(problem('name'));
    expect(await namesOf(anna)).toEqual(['same']);
  });

  test.each([
    ['no name', {}, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name too long', { name: 'x'.repeat(256) }, 'name'],
    ['a name that is no string', { name: ['a'] }, 'name'],
    ['a NUL in the name', { name: 'a\0' }, 'name'],
    ['a colour in capitals', { name: 'a', color: 'RED' }, 'color'],
    ['an unknown colour', { name: 'a', color: 'black' }, 'color'],
  ])('is 400 for %s', async (_label, body, path) => {
    expect(await anna.post('/api/v2/tag', body)).toMatchObject(problem(path));
    expect(await listOf(anna)).toEqual([]);
  });
});

describe('PATCH /api/v2/tag/:id', () => {
  test.each([{ name: 'new' }, { color: 'red' }, { name: 'new', color: 'blue' }])('changes %j', async (changes) => {
    const tag = await makeTag(anna, { color: 'green' });
    const changed = { ...tag, ...changes };
    expect(await anna.patch(`/api/v2/tag/${tag.id}`, changes)).toMatchObject({ status: 200, body: { tag: changed } });
    expect(await listOf(anna)).toEqual([{ ...changed, _count: { todos: 0 } }]);
  });

  test('accepts its own name again, and is 400 for that of another tag', async () => {
    const [a, b] = [await makeTag(anna), await makeTag(anna)];
    expect(await anna.patch(`/api/v2/tag/${a.id}`, { name: a.name })).toMatchObject({ status: 200 });
    expect(await anna.patch(`/api/v2/tag/${a.id}`, { name: b.name })).toMatchObject(problem('name'));
  });

  test('accepts one of many simultaneous creates and renames with one name', async () => {
    const tags = await Promise.all(Array.from({ length: 10 }, () => makeTag(anna)));
    const answers = await Promise.all(
      tags.flatMap(({ id }) => [
        anna.patch(`/api/v2/tag/${id}`, { name: 'wanted' }),
        anna.post('/api/v2/tag', { name: 'wanted' }),
      ]),
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
    expect((await namesOf(anna)).filter((name) => name === 'wanted')).toHaveLength(1);
  });

  test.each([
    [{}, 'body'],
    [{ id: unknownId }, 'body'],
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ color: 'black' }, 'color'],
  ])('is 400 for %j', async (body, path) => {
    const tag = await makeTag(anna);
    expect(await anna.patch(`/api/v2/tag/${tag.id}`, body)).toMatchObject(problem(path));
    expect(await listOf(anna)).toMatchObject([tag]);
  });

  test("is 404 for unknown ids and others' tags, also with a bad body", async () => {
    const tag = await makeTag(ben);
    for (const id of [unknownId, tag.id, 'nonsense']) {
      for (const body of [{ name: 'mine' }, {}]) {
        expect(await anna.patch(`/api/v2/tag/${id}`, body)).toMatchObject(notFound);
      }
    }
    expect(await listOf(ben)).toMatchObject([tag]);
  });
});

describe('GET /api/v2/tag/count', () => {
  test("counts only the caller's tags", async () => {
    await makeTag(ben);
    expect(await anna.get('/api/v2/tag/count')).toMatchObject({ status: 200, body: { count: 0 } });
    await makeTag(anna);
    await makeTag(anna);
    expect((await anna.get('/api/v2/tag/count')).body).toEqual({ count: 2 });
  });
});

describe('DELETE /api/v2/tag/bulk', () => {
  test('deletes tags and removes them from all tasks, and counts each id once', async () => {
    const [a, b, c] = [await makeTag(anna), await makeTag(anna), await makeTag(anna)];
    const task = await makeTask(anna, { tags: [a.id, c.id] });
    expect(await anna.delete(`/api/v2/tag/bulk?tagIds=${a.id},${b.id},${a.id}`)).toMatchObject({
      status: 200,
      body: { deletedCount: 2 },
    });
    expect(await listOf(anna)).toEqual([{ ...c, _count: { todos: 1 } }]);
    const { todos } = (await anna.get<{ todos: unknown[] }>('/api/v2/todo')).body;
    expect(todos).toEqual([expect.objectContaining({ id: task.id, tags: [c] })]);
  });

  test("skips unknown ids and others' tags", async () => {
    const [own, foreign] = [await makeTag(anna), await makeTag(ben)];
    const query = `?tagIds=${foreign.id},${unknownId},nonsense`;
    expect((await anna.delete(`/api/v2/tag/bulk${query}`)).body).toEqual({ deletedCount: 0 });
    expect((await anna.delete(`/api/v2/tag/bulk${query},${own.id}`)).body).toEqual({ deletedCount: 1 });
    expect(await listOf(ben)).toMatchObject([foreign]);
  });

  test('accepts a thousand ids', async () => {
    const ids = await service.sql<{ id: string }>(
      `INSERT INTO tags (id, space_id, name, color)
       SELECT 'tag_01h2xcejqtf2nbrexx3v' || lpad(n::text, 6, '0'), $1, n, 'RED' FROM generate_series(1, 1000) n
       RETURNING id`,
      [anna.id],
    );
    const query = ids.map(({ id }) => id).join(',');
    expect((await anna.delete(`/api/v2/tag/bulk?tagIds=${query}`)).body).toEqual({ deletedCount: 1000 });
    expect(await listOf(anna)).toEqual([]);
  });

  test.each(['', '?tagIds=', '?tagIds=,', '?tagIds=&tagIds='])('is 400 for the query %j', async (query) => {
    const tag = await makeTag(anna);
    expect(await anna.delete(`/api/v2/tag/bulk${query}`)).toMatchObject(problem('tagIds'));
    expect(await listOf(anna)).toMatchObject([tag]);
  });
});
