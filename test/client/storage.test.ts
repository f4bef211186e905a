import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { appendFile, type FileHandle, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { memoryStorage, type ReplicaStorage } from 'taskgate-client';
import { fileStorage } from 'taskgate-client/node';

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-storage-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const newFile = () => path.join(folder, `${(count += 1)}.jsonl`);

const write = (storage: ReplicaStorage, changes: Record<string, unknown>) =>
  storage.write(new Map(Object.entries(changes)));
const contentOf = async (storage: ReplicaStorage) => Object.fromEntries(await storage.load());

describe.each<[string, () => () => ReplicaStorage]>([
  [
    'memoryStorage()',
    () => {
      const storage = memoryStorage();
      return () => storage;
    },
  ],
  [
    'fileStorage()',
    () => {
      const file = newFile();
      return () => fileStorage(file);
    },
  ],
])('%s', (_name, make) => {
  test('returns the written records, also after a restart', async () => {
    const open = make();
    expect(await contentOf(open())).toEqual({});
    await write(open(), { a: 1, b: { text: 'zwei\n', list: [null, true] } });
    const storage = open();
    await storage.load();
    await write(storage, { a: undefined, c: 'drei' });
    await storage.close();
    expect(await contentOf(open())).toEqual({ b: { text: 'zwei\n', list: [null, true] }, c: 'drei' });
  });

  test('applies changes in the order of the calls, even if they are not awaited', async () => {
    const open = make();
    const storage = open();
    await storage.load();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => write(storage, { last: index, [`key-${index}`]: index })),
    );
    const content = await contentOf(open());
    expect(content['last']).toBe(49);
    expect(Object.keys(content)).toHaveLength(51);
  });
});

describe('the file of fileStorage()', () => {
  test('has each write either whole or not at all, wherever it was cut off', async () => {
    const file = newFile();
    const storage = fileStorage(file);
    await storage.load();
    await write(storage, { a: 1, b: 1 });
    const { size } = await stat(file);
    await write(storage, { a: 2, b: 2, c: 'ä' });
    const fileContent = await readFile(file);
    for (let length = size; length < fileContent.length; length += 1) {
      await writeFile(file, fileContent.subarray(0, length));
      const next = fileStorage(file);
      expect(await contentOf(next)).toEqual({ a: 1, b: 1 });
      await write(next, { d: length });
      expect(await contentOf(fileStorage(file))).toEqual({ a: 1, b: 1, d: length });
    }
  });

  test('takes at most a few times the size of its records', async () => {
    const file = newFile();
    const storage = fileStorage(file);
    await storage.load();
    const text = 'x'.repeat(10_000);
    for (let index = 0; index < 200; index += 1)
      await write(storage, { kept: 'kept', [`key-${index % 3}`]: `${text}${index}` });
    expect((await stat(file)).size).toBeLessThan(300_000);
    expect(await contentOf(fileStorage(file))).toEqual({
      kept: 'kept',
      'key-0': `${text}198`,
      'key-1': `${text}199`,
      'key-2': `${text}197`,
    });
  });

  test('can be read if its folder could not be flushed after it was rewritten', async () => {
    const handle = await open(folder);
    const flushing = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
    await handle.close();
    flushing.mockRejectedValue(new Error('EPERM'));
    try {
      const file = newFile();
      const storage = fileStorage(file);
      await storage.load();
      const text = 'x'.repeat(100_000);
      for (let index = 0; index < 20; index += 1) await write(storage, { key: `${text}${index}` });
      expect(flushing).toHaveBeenCalled();
      expect(await contentOf(fileStorage(file))).toEqual({ key: `${text}19` });
    } finally {
      flushing.mockRestore();
    }
  });

  test('is refused if it has another format', async () => {
    const file = newFile();
    await appendFile(file, 'a text\n');
    await expect(fileStorage(file).load()).rejects.toThrow(SyntaxError);
    await truncate(file);
    expect(await contentOf(fileStorage(file))).toEqual({});
  });
});
