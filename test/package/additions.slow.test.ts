import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { fileOf, rowsOf } from '../docs/page.ts';
import { type Addition, apply, entity, field, mail } from './additions.ts';
import { credential } from './additions-credential.ts';
import { emptyModule } from './additions-module.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-additions-'));
  const { stdout } = await run('git', ['ls-files', '-z', '-co', '--exclude-standard']);
  for (const file of stdout.split('\0').filter(Boolean)) await cp(file, path.join(folder, file));
  await cp('src/generated', path.join(folder, 'src/generated'), { recursive: true });
  await mkdir(path.join(folder, 'node_modules/@taskgate'), { recursive: true });
  const workspaces = new Map(['client', 'console'].map((name) => [`taskgate-${name}`, name]));
  for (const name of await readdir('packages')) workspaces.set(`@taskgate/${name}`, `packages/${name}`);
  const own = new Set([...workspaces.keys(), '@taskgate']);
  for (const name of (await readdir('node_modules')).filter((each) => !own.has(each)))
    await symlink(path.resolve('node_modules', name), path.join(folder, 'node_modules', name));
  for (const [name, source] of workspaces)
    await symlink(path.join(folder, source), path.join(folder, 'node_modules', name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a command in the copy. @returns its output if it fails */
async function failureOf(command: string): Promise<string | undefined> {
  const [program = '', ...words] = command.split(' ');
  const env = { ...process.env, NODE_OPTIONS: '', TASKGATE_TEST_POSTGRES: '' };
  const failed = await run(program, words, { cwd: folder, env }).catch((error: unknown) => error);
  return failed instanceof Error
    ? `${command}: ${failed.message}\n${(failed as { stdout?: string }).stdout ?? ''}`
    : undefined;
}

const start = 'node --import ./scripts/typescript.js scripts/print-schema.ts';
const consoleTypes = 'npx tsc --noEmit -p console';
const types = 'npx tsc --noEmit -p tsconfig.sources.json';
const surfaceTest = 'npx jest test/platform/entities';
const queuesTest = 'npx jest test/notifications/kinds';

async function filesNamed(heading: string): Promise<string[]> {
  const [, section = ''] = (await fileOf('CONTRIBUTING.md')).split(`## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return rowsOf(own).flatMap(([files = '']) => [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file));
}

const filesOf = (own: readonly Addition[]) => [...new Set(own.map(({ file }) => file))];

test.each([
  ['A new module', emptyModule],
  ['A new field', field],
  ['A new kind of entity', entity],
  ['A new kind of credential', credential],
  ['A new kind of mail', mail],
])('CONTRIBUTING.md names the files of: %s', async (heading, own) => {
  const files = filesOf(own).map((file) => file.replace(/migrations\/\w+/, 'migrations/…'));
  expect(files.sort()).toEqual((await filesNamed(heading)).sort());
});

test('a module takes at most five files', () => {
  expect(filesOf(emptyModule).length).toBeLessThanOrEqual(5);
});

const additions = [...emptyModule, ...field, ...entity, ...credential, ...mail];

/** Runs `act` without the effects of some additions on some files. */
async function withoutAdditions<Result>(
  own: readonly Addition[],
  files: readonly string[],
  work: () => Promise<Result>,
) {
  const targets = files.map((file) => path.join(folder, file));
  const originals = await Promise.all(targets.map((target) => readFile(target, 'utf8')));
  const generate = async () => {
    if (files.includes('prisma/schema.prisma')) expect(await failureOf('npx prisma generate')).toBeUndefined();
  };
  for (const file of files) {
    // A migration is a whole folder.
    const target = path.join(folder, file.replace('/migration.sql', ''));
    await rm(target, { recursive: true });
    await cp(file, target).catch(() => undefined);
  }
  await apply(
    folder,
    additions.filter((each) => files.includes(each.file) && !own.includes(each)),
  );
  await generate();
  const result = await work();
  for (const [index, target] of targets.entries()) {
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, originals[index] ?? '');
  }
  await generate();
  return result;
}

test('an added module, field, entity, credential and mail are in each surface', async () => {
  await apply(folder, additions);
  const tsconfig = { extends: './tsconfig.json', include: ['src', 'rest', 'mcp', 'test/platform'] };
  await writeFile(path.join(folder, 'tsconfig.sources.json'), JSON.stringify(tsconfig));
  for (const command of [
    'npx prisma generate',
    start,
    'npx tsc -p client',
    types,
    consoleTypes,
    surfaceTest,
    queuesTest,
  ])
    expect(await failureOf(command)).toBeUndefined();
});

test('the types find the omission of a module in the list', async () => {
  const failure = await withoutAdditions(emptyModule, ['src/modules.ts'], () => failureOf(types));
  expect(failure).toContain("Property 'greetings' is missing");
});

/** The start does not detect these. The tests of the surfaces or the types do. */
const tested: [own: readonly Addition[], files: string[], failures: string[], command?: string][] = [
  [
    additions,
    ['src/tasks/fields.ts', 'client/src/replica/queries.ts'],
    [
      'the fields of Task › are exactly the columns that clients may see',
      'the properties of Attachment › include queries of the client',
    ],
  ],
  [field, ['prisma/schema.prisma'], ['✕ are exactly the columns']],
  [field, filesOf(field).filter((file) => file.endsWith('.sql')), ['✕ are exactly the columns']],
  [entity, filesOf(entity).filter((file) => file.endsWith('.sql')), ['✕ are exactly the columns']],
  [mail, ['prisma/schema.prisma'], ['WELCOME'], types],
  [mail, ['src/notifications/kinds.ts'], ['WELCOME'], types],
  [mail, filesOf(mail).filter((file) => file.endsWith('.sql')), ['✕ the database puts each kind'], queuesTest],
];

test.each(tested)('a test or the types find an omission (%#)', async (own, files, failures, command = surfaceTest) => {
  const failure = await withoutAdditions(own, files, () => failureOf(command));
  for (const each of failures) expect(failure).toContain(each);
});

test.each([entity].flatMap((own) => filesOf(own)).filter((file) => !tested.some(([, files]) => files.includes(file))))(
  'the start or the types find the omission of %s',
  async (file) => {
    const failure = await withoutAdditions(entity, [file], () => failureOf(start));
    expect(failure).toBeDefined();
  },
);
