import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeTag, makeTask, type RestTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { kinds, nonMatches } from './search-cases.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});
beforeEach(() => service.sql('DELETE FROM tasks; DELETE FROM tags; DELETE FROM trash'));

interface Found {
  todos: RestTask[];
  tags: { name: string }[];
}
const search = async (q: string) => (await anna.get<Found>(`/api/v2/todo/search?q=${encodeURIComponent(q)}`)).body;
const found = async (q: string) => (await search(q)).todos.map(({ title }) => title);
const filtered = async (text: string) => {
  const query = 'query ($text: String!) { tasks(filter: { text: $text }) { nodes { title } } }';
  const { tasks } = await anna.data<{ tasks: { nodes: { title: string }[] } }>(query, { text });
  return tasks.nodes.map(({ title }) => title);
};

const decomposed = (text: string) => text.normalize('NFD');

describe.each(kinds)('a search in %s', (_kind, title, queries) => {
  test('finds the parts of a title and of a description', async () => {
    await makeTask(anna, { title });
    await makeTask(anna, { title: '.', description: title });
    await makeTask(anna, { title: 'Something else' });
    for (const query of queries) {
      expect({ query, found: await found(query) }).toEqual({ query, found: [title, '.'] });
      expect({ query, found: await filtered(query) }).toEqual({ query, found: [title, '.'] });
    }
  });

  test('does not depend on how characters are composed', async () => {
    await makeTask(anna, { title: decomposed(title) });
    await makeTag(anna, { name: decomposed(title.slice(0, 60)) });
    for (const query of queries) {
      expect({ query, found: await found(query) }).toEqual({ query, found: [decomposed(title)] });
      expect(await found(decomposed(query))).toHaveLength(1);
    }
    expect((await search(queries[0] ?? '')).tags).toHaveLength(title.includes('quarterly') ? 0 : 1);
  });
});

test('a search for the longest text without spaces finds it', async () => {
  const title = Array.from({ length: 500 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7)).join('');
  await makeTask(anna, { title });
  expect(await found(title)).toEqual([title]);
  expect(await filtered(title)).toEqual([title]);
});

test.each(nonMatches)('a search does not find other characters: %s', async (title, query) => {
  await makeTask(anna, { title });
  expect(await found(query)).toEqual([]);
});
