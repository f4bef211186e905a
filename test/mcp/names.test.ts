import { afterEach, expect, jest, test } from '@jest/globals';
import { readNames } from '../../mcp/names.ts';
import type { Api } from '../../mcp/tool.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('a thousand names are found without comparing each with each', async () => {
  let reads = 0;
  const tags = Array.from({ length: 1000 }, (_, index) => ({
    name: `tag ${index}`,
    get id() {
      reads += 1;
      return `tag_${index}`;
    },
  }));
  const data = { viewer: { id: 'user_1', name: null, email: null }, workspaces: [], projects: [], tags, nodes: [] };
  const names = await readNames({ run: () => Promise.resolve(data) } as unknown as Api);
  for (const { name } of tags) expect(names.tag(name.toUpperCase(), 'tags').name).toBe(name);
  expect(reads).toBeLessThan(5000);
});

test('a text longer than any name is not normalized, because many combining marks take a time that grows with their square', async () => {
  const tags = [{ id: 'tag_1', name: 'é'.repeat(255) }];
  const data = { viewer: { id: 'user_1', name: null, email: null }, workspaces: [], projects: [], tags, nodes: [] };
  const names = await readNames({ run: () => Promise.resolve(data) } as unknown as Api);
  const normalize = jest.spyOn(String.prototype, 'normalize');
  expect(names.tag('É'.normalize('NFD').repeat(255), 'tag').id).toBe('tag_1');
  normalize.mockClear();
  expect(() => names.tag(`a${'\u0301\u0316'.repeat(1000)}`, 'tag')).toThrow('must be the id or name of a tag');
  expect(() => names.member(`a${'\u0301\u0316'.repeat(1000)}`, 'member')).toThrow('must be the id or name of a member');
  expect(normalize).not.toHaveBeenCalled();
});
