import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from '../kit/client.ts';
import { createTestDatabase, sqlAt } from '../kit/postgres.ts';
import { dataFolders, endServices, type ServiceProcess, spawnService } from '../kit/process.ts';
import { makeDatabase } from './backups.ts';

const run = promisify(execFile);
const folders = dataFolders();

async function start(variables: Record<string, string>, command?: string[]): Promise<ServiceProcess> {
  const service = await spawnService({ DATA_DIR: await folders.make(), ...variables }, command);
  return service;
}

/** Expects one line on standard error and exit code 1. */
async function refusal(variables: Record<string, string>, command?: string[]): Promise<string> {
  const service = await start(variables, command);
  expect({ code: await service.ended, output: service.output() }).toEqual({ code: 1, output: '' });
  const [line = '', ...furtherLines] = service.errors().trimEnd().split('\n');
  expect(furtherLines).toEqual([]);
  expect(line).toMatch(/^Taskgate cannot start: /);
  return line;
}

afterEach(() => endServices('SIGTERM'));
afterAll(() => folders.remove());

describe('a start that cannot continue', () => {
  test.each([
    ['SyntaxError', "{ format: 'module', source: 'const = ;', shortCircuit: true }"],
    ['ERR_MODULE_NOT_FOUND', "{ format: 'module', source: 'import \"absent-package\";', shortCircuit: true }"],
  ])('says that a file is broken: %s', async (fault, loaded) => {
    const toUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
    const hooks = `export const load = (url, context, next) => (url.endsWith('/services.js') ? ${loaded} : next(url, context))`;
    const registration = `import { register } from 'node:module'; register(${JSON.stringify(toUrl(hooks))})`;
    expect(await refusal({ NODE_OPTIONS: `--import=${toUrl(registration)}` })).toBe(
      `Taskgate cannot start: its files are incomplete or broken (${fault})`,
    );
  });

  test('says that the database is of another major version', async () => {
    const dataDir = await folders.make();
    await makeDatabase(dataDir);
    const file = path.join(dataDir, 'postgres/PG_VERSION');
    expect((await readFile(file, 'utf8')).trim()).toBe('18');
    await writeFile(file, '17\n');
    expect(await refusal({ DATA_DIR: dataDir })).toMatch(/created by another version of Taskgate.*Upgrades/);
  });

  test('names every variable that it cannot use', async () => {
    const bad = {
      PORT: 'http',
      DATABASE_URL: 'mysql://localhost/x',
      SMTP_URL: 'https://mail.example.com',
      MAIL_FROM: 'nobody',
      PUBLIC_URL: 'ftp://example.com',
      SESSION_SECRET: 'short',
      TRUST_PROXY: 'perhaps',
      CORS_ORIGINS: 'https://example.com,nonsense',
      RATE_LIMITS: 'maybe',
      RATE_LIMIT_CODES: 'many',
      CHANGE_RETENTION_DAYS: '0',
      LOG_LEVEL: 'loud',
    };
    const line = await refusal(bad);
    for (const variable of Object.keys(bad)) expect(line).toContain(variable);
  });

  test.each([
    ['the process itself', undefined],
    ['npm, whose shell may drop the variable', ['npm', 'start', '--silent']],
  ])('names an invalid variable of a provider, started by %s', async (_by, command) => {
    const variables = { 'OIDC_MY-IDP_ISSUER': 'https://idp.example.com' };
    expect(await refusal(variables, command)).toBe(
      'Taskgate cannot start: OIDC_MY-IDP_ISSUER must be OIDC_<NAME>_ and one of ISSUER, CLIENT_ID, CLIENT_SECRET, LABEL, SCOPES, TRUST_EMAIL',
    );
  });

  test('requires SESSION_SECRET in production', async () => {
    expect(await refusal({ NODE_ENV: 'production' })).toContain('SESSION_SECRET is required');
  });

  test('requires SMTP_URL in production, because codes would be in the log', async () => {
    const production = { NODE_ENV: 'production', SESSION_SECRET: 'sixteen-letters!' };
    expect(await refusal(production)).toContain(
      'SMTP_URL is required when NODE_ENV is production, unless MAIL_TO_FILES',
    );
    const DATABASE_URL = await createTestDatabase();
    expect(await start({ ...production, DATABASE_URL, MAIL_TO_FILES: 'on' })).toMatchObject({
      url: expect.any(String),
    });
  });

  test('names a data folder that cannot be created or written', async () => {
    const folder = await folders.make();
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    expect(await refusal({ DATA_DIR: file })).toContain(`DATA_DIR ${file}`);
    expect(await refusal({ DATA_DIR: path.join(file, 'below') })).toContain(`DATA_DIR ${file}`);
    const closed = path.join(folder, 'closed');
    await mkdir(closed, { mode: 0o500 });
    // Root may write anywhere.
    if (process.getuid?.() !== 0) expect(await refusal({ DATA_DIR: closed })).toContain(`DATA_DIR ${closed}`);
  });

  test.each([
    ['below /proc', '/proc/taskgate'],
    ['/proc itself', '/proc'],
    ['below /sys', '/sys/taskgate/data'],
    ['below a device', '/dev/null/data'],
    ['too long a path', `/tmp/${'long/'.repeat(2000)}`],
  ])('names an impossible data folder: %s', async (_label, DATA_DIR) => {
    expect(await refusal({ DATA_DIR })).toContain(`DATA_DIR ${path.resolve(DATA_DIR).slice(0, 300)}`);
  });

  test('reports a full disk', async () => {
    const folder = await folders.make();
    const mountedDisk = await run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]).catch(() => undefined);
    if (!mountedDisk) return console.warn('not tried: no small disk can be mounted here');
    try {
      expect(await refusal({ DATA_DIR: folder })).toContain('No space left on device');
      await writeFile(path.join(folder, 'filler'), Buffer.alloc(16 * 1024 * 1024)).catch(() => undefined);
      expect(await refusal({ DATA_DIR: folder })).toContain(`DATA_DIR ${folder} cannot be written to (ENOSPC)`);
    } finally {
      await run('umount', [folder]);
    }
  });

  test('reports an unreachable database', async () => {
    const line = await refusal({ DATABASE_URL: 'postgresql://nobody:secret@127.0.0.1:1/none' });
    expect(line).toContain('DATABASE_URL has no usable database (ECONNREFUSED)');
    expect(line).not.toContain('secret');
  });

  test('says what is wrong with the URL of a database that answers', async () => {
    const url = new URL(await createTestDatabase());
    url.pathname = '/absent';
    expect(await refusal({ DATABASE_URL: url.href })).toBe(
      'Taskgate cannot start: DATABASE_URL has no usable database: the server has no database of that name (3D000)',
    );
    url.password = 'wrong';
    expect(await refusal({ DATABASE_URL: url.href })).toBe(
      'Taskgate cannot start: DATABASE_URL has no usable database: the user or the password is wrong (28P01)',
    );
  });

  test('says that a database is of another application', async () => {
    const DATABASE_URL = await createTestDatabase({ migrated: false });
    await sqlAt(DATABASE_URL, 'CREATE TABLE users (name text)');
    expect(await refusal({ DATABASE_URL })).toMatch(
      /relation "users" already exists \(42P07\): the user must own a database that only Taskgate uses$/,
    );
  });
});

describe('two services that start at once on one database', () => {
  test('both serve it, migrated once', async () => {
    const DATABASE_URL = await createTestDatabase({ migrated: false });
    const services = await Promise.all([start({ DATABASE_URL }), start({ DATABASE_URL })]);
    for (const service of services) {
      expect(await new Client(service.url ?? '').get('/readyz')).toMatchObject({ status: 200 });
      service.signal('SIGTERM');
      expect(await service.ended).toBe(0);
    }
  });
});
