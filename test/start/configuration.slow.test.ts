import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { environment } from '../../src/config/variables.ts';
import { freePort } from '../kit/free-port.ts';
import { createTestDatabase, sqlAt } from '../kit/postgres.ts';
import { dataFolders, endServices, spawnService } from '../kit/process.ts';

const folders = dataFolders();
/** An account that may not listen below port 1024. */
const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

let DATABASE_URL: string;
let folder: string;
let taken: Server;
let port: string;

beforeAll(async () => {
  DATABASE_URL = await createTestDatabase({ migrated: false });
  folder = await folders.make();
  await writeFile(path.join(folder, 'bad.json'), '{ "nobody": "{ nobody }" }');
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  port = String((taken.address() as AddressInfo).port);
});
afterEach(() => endServices('SIGTERM'));
afterAll(async () => {
  taken.close();
  await folders.remove();
});

const fileExists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

/** Expects one line and exit code 1, before any data folder or change of the database. */
async function expectRefused(variables: Record<string, string>, line: string | RegExp, command?: string[]) {
  const dataDir = path.join(folder, 'data');
  const service = await spawnService({ DATABASE_URL, DATA_DIR: dataDir, ...variables }, command);
  if (service.url !== undefined) service.signal('SIGTERM');
  expect({ code: await service.ended, output: service.output(), errors: service.errors() }).toEqual({
    code: 1,
    output: '',
    errors: expect.stringMatching(/^Taskgate cannot start: [^\n;]+\n$/),
  });
  expect(service.errors()).toMatch(line);
  expect(await fileExists(dataDir)).toBe(false);
  expect(await sqlAt(DATABASE_URL, `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`)).toEqual(
    [],
  );
}

const bad: Record<string, string> = {
  PORT: 'http',
  HOST: '192.0.2.1',
  DATA_DIR: '/dev/null/data',
  DATABASE_URL: 'postgresql://nobody:secret@127.0.0.1:1/none',
  DATABASE_TRANSACTION_POOLING: 'perhaps',
  DATABASE_DIRECT_URL: 'postgresql://nobody:secret@127.0.0.1:1/none',
  DATABASE_READ_URLS: 'postgresql://h/x?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
  DATABASE_POOL_SIZE: '1',
  REDIS_URL: 'redis://h/name',
  SMTP_URL: 'https://mail.example.com',
  MAIL_TO_FILES: 'perhaps',
  MAIL_FROM: 'nobody',
  NOTIFICATION_MAIL_SECONDS: '86401',
  PUBLIC_URL: 'ftp://example.com',
  APP_URL: 'example.com',
  SESSION_SECRET: 'short',
  PASSWORD_MIN_LENGTH: 'long',
  PASSWORD_BLOCKLIST: '/nowhere/passwords.txt',
  TRUST_PROXY: '10.0.0.0/33',
  CORS_ORIGINS: 'nonsense',
  OUTGOING_NETWORKS: '10.0.0.0/33',
  RATE_LIMITS: 'perhaps',
  RATE_LIMIT_REQUESTS: 'many',
  RATE_LIMIT_READS: 'many',
  RATE_LIMIT_WRITES: 'many',
  RATE_LIMIT_GRAPHQL_COST: 'many',
  RATE_LIMIT_UPLOADS: 'many',
  RATE_LIMIT_CODES: 'many',
  RATE_LIMIT_SIGN_INS: 'many',
  RATE_LIMIT_CONNECTIONS: 'many',
  RATE_LIMIT_SOCKETS: 'many',
  CONSOLE: 'perhaps',
  GRAPHQL_INTROSPECTION: 'perhaps',
  GRAPHQL_PERSISTED_OPERATIONS: '/nowhere/operations.json',
  GRAPHQL_PERSISTED_ONLY: 'perhaps',
  CACHE_BYTES: 'many',
  CHANGE_RETENTION_DAYS: '0',
  HISTORY_RETENTION_DAYS: 'long',
  OPERATION_TIMEOUT_MS: '1',
  SHUTDOWN_DELAY_MS: 'long',
  SHUTDOWN_TIMEOUT_MS: 'long',
  METRICS_PORT: 'http',
  METRICS_HOST: '192.0.2.1',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'collector',
  LOG_LEVEL: 'loud',
  NODE_ENV: 'prodution',
};

describe('an invalid value is found before any change, and named in one line:', () => {
  test('of every variable', async () => {
    expect(Object.keys(bad)).toEqual(Object.keys(environment.shape));
    const documented = [...(await readFile('.env.example', 'utf8')).matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(Object.keys(bad)).toEqual(documented);
  });

  test.each(Object.entries(bad))('%s=%s', async (name, value) => {
    const extraVariables: Record<string, string> = name === 'METRICS_HOST' ? { METRICS_PORT: '0' } : {};
    await expectRefused({ ...extraVariables, [name]: value }, new RegExp(`: ${name} `));
  });

  test.each(['DATABASE_URL_FILE', 'SESSION_SECRET_FILE', 'OTEL_EXPORTER_OTLP_CERTIFICATE'])(
    '%s that names a missing file',
    async (name) => {
      const variables = { [name]: '/nowhere/file', ...(name === 'DATABASE_URL_FILE' && { DATABASE_URL: '' }) };
      await expectRefused(variables, `: ${name} must name a file that can be read (ENOENT)`);
    },
  );

  test('invalid persisted operations', async () => {
    await expectRefused(
      { GRAPHQL_PERSISTED_OPERATIONS: path.join(folder, 'bad.json') },
      ': GRAPHQL_PERSISTED_OPERATIONS must name a file with a JSON object of operations',
    );
  });

  test('another database as DATABASE_DIRECT_URL', async () => {
    await expectRefused(
      { DATABASE_DIRECT_URL: await createTestDatabase() },
      ': DATABASE_DIRECT_URL must lead to the same database as DATABASE_URL',
    );
  });

  test.each(['192.0.2.1', 'nowhere.invalid', '300.1.2.3'])('the address %s, also for a separate port', async (host) => {
    const own = String(await freePort());
    for (const PORT of ['0', own])
      await expectRefused({ HOST: host, PORT }, `: HOST must be an address of this machine, and ${host} is not (E`);
    await expectRefused(
      { METRICS_HOST: host, METRICS_PORT: own },
      `: METRICS_HOST must be an address of this machine, and ${host} is not (E`,
    );
    await expectRefused({ HOST: host, METRICS_PORT: own }, ': HOST must be an address of this machine');
  });

  test('a port that is taken', async () => {
    const says = (name: string, host: string) =>
      `: port ${port} is taken at ${host}: set ${name} to another one (EADDRINUSE)`;
    for (const HOST of ['127.0.0.1', '0.0.0.0', 'localhost'])
      await expectRefused({ HOST, PORT: port }, says('PORT', HOST));
    await expectRefused({ METRICS_PORT: port }, says('METRICS_PORT', '127.0.0.1'));
  });

  test('one port for two addresses, one of which means all', async () => {
    const PORT = String(await freePort());
    await expectRefused(
      { HOST: '0.0.0.0', PORT, METRICS_HOST: '127.0.0.1', METRICS_PORT: PORT },
      `: port ${PORT} is taken at 0.0.0.0: set PORT to another one (EADDRINUSE)`,
    );
  });

  test('a port that the account may not use', async () => {
    const limit = Number(await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '0'));
    const run = promisify(execFile);
    const isPossible = await run(asNobody[0] ?? '', [
      ...asNobody.slice(1),
      process.execPath,
      '-e',
      `fs.accessSync(${JSON.stringify(path.resolve('dist/src/process/main.js'))})`,
    ]).then(
      () => process.getuid?.() === 0,
      () => false,
    );
    if (limit <= 80 || !isPossible) return console.warn('not tried: no account is refused port 80 here');
    const command = [...asNobody, process.execPath, 'dist/src/process/main.js'];
    await expectRefused(
      { PORT: '80' },
      ': port 80 is not allowed at 127.0.0.1: set PORT to another one (EACCES)',
      command,
    );
  });
});

describe('a misspelt variable', () => {
  const warnings = (text: string) => text.split('\n').filter((line) => line.includes('"level":40'));

  test('has one line of level warn with the documented name, and the service starts', async () => {
    const service = await spawnService({
      DATABASE_URL: await createTestDatabase(),
      DATA_DIR: await folders.make(),
      RATE_LIMIT_WRITE: '1/60',
      SHUTDOWN_DELAY: '0',
      HOSTNAME: 'here',
      PORTS: '80',
    });
    expect(service.url).toBeDefined();
    service.signal('SIGTERM');
    await service.ended;
    expect(warnings(service.errors()).map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        msg: 'a variable is unknown, but similar to a known one',
        variable: 'RATE_LIMIT_WRITE',
        closeTo: 'RATE_LIMIT_WRITES',
      },
      { variable: 'SHUTDOWN_DELAY', closeTo: 'SHUTDOWN_DELAY_MS' },
    ]);
  });

  test('is also reported by the commands for backups', async () => {
    const empty = path.join(folder, 'empty');
    await mkdir(empty);
    const failed = await promisify(execFile)(process.execPath, ['dist/src/process/backup.js', 'backup', empty], {
      env: { PATH: process.env['PATH'], DATA_DRI: '/var/lib/taskgate', DATA_DIR: empty },
    }).catch((error: unknown) => error as { stderr: string });
    expect(failed.stderr).toContain('DATA_DRI is unknown: did you mean DATA_DIR?\n');
  });
});
