import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { hashCode } from '../../src/http/code-hash.ts';
import { cacheKey } from '../../src/http/response-cache.ts';
import type { Viewer } from '../../src/platform/context.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'taskgate-code-'));
  for (const folder of ['src/deep', 'rest', 'mcp']) await mkdir(path.join(root, folder), { recursive: true });
  await writeFile(path.join(root, 'src/deep/shape.js'), 'one');
  await writeFile(path.join(root, 'rest/rows.js'), 'two');
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('the same code has the same hash, and other code has another', async () => {
  const changes: (() => Promise<void>)[] = [
    () => writeFile(path.join(root, 'src/deep/shape.js'), 'three'),
    () => writeFile(path.join(root, 'rest/more.ts'), ''),
    () => rename(path.join(root, 'rest/rows.js'), path.join(root, 'rest/other.js')),
    () => rm(path.join(root, 'src/deep/shape.js')),
  ];
  const hashes = new Set([await hashCode(root)]);
  for (const change of changes) {
    await change();
    hashes.add(await hashCode(root));
    expect(hashes.has(await hashCode(root))).toBe(true);
  }
  expect(hashes.size).toBe(1 + changes.length);
  await writeFile(path.join(root, 'src/shape.js.map'), 'of no account');
  expect(hashes.has(await hashCode(root))).toBe(true);
});

test('other code gives a state another name', () => {
  const viewer: Viewer = {
    id: 'u',
    sessionId: 's',
    credential: { id: 'c', label: 'a device', rights: 'all', spaceIds: null },
    inboxId: 'i',
    spaceIds: [],
    roles: new Map(),
    points: new Map(),
    states: new Map(),
    relatedRevision: '0',
    connections: undefined as never,
  };
  const [one, other] = ['a', 'b'].map((code) => cacheKey(viewer, '/api/v2/todo', code));
  expect(other).not.toBe(one);
  expect(cacheKey(viewer, '/api/v2/todo', 'a')).toBe(one);
  // Both have the same states if the credential reaches the personal space, or no space at all.
  expect(cacheKey({ ...viewer, inboxId: null }, '/api/v2/todo', 'a')).not.toBe(one);
});
