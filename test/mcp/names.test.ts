import { expect, test } from '@jest/globals';
import { readNames } from '../../mcp/names.ts';
import type { Api } from '../../mcp/tool.ts';

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
