import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { secretIn, StartError } from '../index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-files-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a missing secret is made once, also by several readers at once', async () => {
  const file = path.join(folder, 'made');
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => secretIn(file)));
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(new Set(others)).toEqual(new Set([first]));
  expect(await readFile(file, 'utf8')).toBe(`${first}\n`);
});

test.each(['', '\n', 'short\n'])('a file with %j has no secret, and stays as it is', async (content) => {
  const file = path.join(folder, 'empty');
  await writeFile(file, content);
  await expect(secretIn(file)).rejects.toThrow(StartError);
  await expect(secretIn(file)).rejects.toThrow(`${file} has no secret: restore it from a backup, or remove it`);
  expect(await readFile(file, 'utf8')).toBe(content);
});

test('a secret that cannot be read is named', async () => {
  const file = path.join(folder, 'below');
  await mkdir(file);
  await expect(secretIn(file)).rejects.toThrow(new StartError(`${file} cannot be read (EISDIR)`));
});
