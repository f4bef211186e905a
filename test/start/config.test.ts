import { describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { StartError } from '@taskgate/base';
import { hasPublicMetrics, loadConfig } from '../../src/config/config.ts';
import { environment } from '../../src/config/variables.ts';
import { defaultRates } from '../../src/platform/rate-limit-policies.ts';

describe('loadConfig', () => {
  test('has the documented defaults', () => {
    expect(loadConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      dataDir: path.resolve('.data'),
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      databasePoolSize: 50,
      transactionPooling: false,
      smtpUrl: undefined,
      publicUrl: undefined,
      appUrl: undefined,
      sessionSecrets: undefined,
      trustProxy: false,
      corsOrigins: [],
      rateLimits: true,
      rates: defaultRates,
      changeRetentionDays: 7,
      shutdownDelayMs: 1000,
      shutdownTimeoutMs: 5000,
      logLevel: 'info',
    });
  });

  test('treats an empty variable as unset', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '', PUBLIC_URL: '' })).toEqual(loadConfig({}));
  });

  test.each([
    [{ PORT: '0' }, { port: 0 }],
    [
      { HOST: '0.0.0.0', METRICS_PORT: '9464' },
      { metricsPort: 9464, metricsHost: '0.0.0.0' },
    ],
    [{ METRICS_HOST: '10.0.0.1' }, { host: '127.0.0.1', metricsHost: '10.0.0.1' }],
    [{ DATA_DIR: '/srv/taskgate' }, { dataDir: '/srv/taskgate' }],
    [{ DATABASE_URL: 'postgresql://u:p@h:1/d?x=1' }, { databaseUrl: 'postgresql://u:p@h:1/d?x=1' }],
    [{ PUBLIC_URL: 'https://tasks.example.com/' }, { publicUrl: 'https://tasks.example.com' }],
    [{ APP_URL: 'https://example.com/tasks/' }, { appUrl: 'https://example.com/tasks' }],
    [
      { SESSION_SECRET: 'the-first-one-of-them, the-second-of-them' },
      { sessionSecrets: ['the-first-one-of-them', 'the-second-of-them'] },
    ],
    [{ TRUST_PROXY: 'true' }, { trustProxy: true }],
    [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
    [{ TRUST_PROXY: 'loopback, 10.0.0.0/8' }, { trustProxy: ['loopback', '10.0.0.0/8'] }],
    [
      { CORS_ORIGINS: 'https://a.example.com/,http://b.example.com:8080' },
      { corsOrigins: ['https://a.example.com', 'http://b.example.com:8080'] },
    ],
    [{ RATE_LIMITS: 'off' }, { rateLimits: false }],
    [{ RATE_LIMIT_WRITES: '5000/60' }, { rates: { ...defaultRates, writes: { quota: 5000, windowSeconds: 60 } } }],
    [{ RATE_LIMIT_CODES: '1/86400' }, { rates: { ...defaultRates, codes: { quota: 1, windowSeconds: 86_400 } } }],
    [{ RATE_LIMIT_SIGN_INS: '5000' }, { rates: { ...defaultRates, signIns: 5000 } }],
    [{ RATE_LIMIT_SOCKETS: '10' }, { rates: { ...defaultRates, sockets: 10 } }],
    [
      { NODE_ENV: 'production', SESSION_SECRET: 'sixteen-letters!', SMTP_URL: 'smtp://mail.example.com' },
      { smtpUrl: 'smtp://mail.example.com' },
    ],
    [{ NODE_ENV: 'production', SESSION_SECRET: 'sixteen-letters!', MAIL_TO_FILES: 'on' }, { smtpUrl: undefined }],
    [{ SMTP_URL: '', MAIL_TO_FILES: 'off' }, { smtpUrl: undefined }],
    [{ TRUST_PROXY: '10.0.0.0/255.0.0.0,::1' }, { trustProxy: ['10.0.0.0/255.0.0.0', '::1'] }],
    [{ REDIS_URL: 'rediss://:p%25@h:1/2' }, { redisUrl: 'rediss://:p%25@h:1/2' }],
    [{ DATABASE_URL: 'postgres:///d?host=/run/postgresql' }, { databaseUrl: 'postgres:///d?host=/run/postgresql' }],
    [{ NODE_ENV: 'test' }, {}],
    [{ NODE_ENV: 'development' }, {}],
    [{ NODE_ENV: '' }, {}],
  ])('reads %j', (variables: Record<string, string>, expected: object) => {
    expect(loadConfig(variables)).toMatchObject(expected);
  });

  const invalidVariables: Record<string, string>[] = [
    { PORT: '65536' },
    { PORT: '-1' },
    { PORT: '3000.5' },
    { METRICS_PORT: 'on' },
    { DATABASE_URL: 'localhost' },
    { DATABASE_DIRECT_URL: 'mysql://localhost/x' },
    { DATABASE_READ_URLS: 'postgres://one.example.com/x,two.example.com' },
    { DATABASE_URL: 'postgres://h/x?sslmode=verify-full&sslrootcert=/nowhere/ca.pem' },
    { DATABASE_DIRECT_URL: 'postgres://h/x?sslcert=/nowhere/client.pem' },
    { DATABASE_READ_URLS: 'postgres://h/x?sslkey=/nowhere/client.key' },
    { DATABASE_URL: `postgres://h/x?sslrootcert=${path.resolve('package.json')}` },
    { DATABASE_URL: `postgres://h/x?sslcert=${path.resolve('package.json')}` },
    { DATABASE_URL: 'postgres://h/x?sslnegotiation=never' },
    { REDIS_URL: 'localhost:6379' },
    { REDIS_URL: 'redis:///0' },
    { REDIS_URL: 'redis://:100%@h' },
    { REDIS_URL: 'redis://h/name' },
    { DATABASE_TRANSACTION_POOLING: 'yes' },
    { DATABASE_POOL_SIZE: '5' },
    { DATABASE_POOL_SIZE: 'many' },
    { SMTP_URL: 'mail.example.com' },
    { SMTP_URL: 'smtp://' },
    { MAIL_FROM: 'nobody' },
    { NOTIFICATION_MAIL_SECONDS: '86401' },
    { NOTIFICATION_MAIL_SECONDS: '-1' },
    { PUBLIC_URL: 'tasks.example.com' },
    { PUBLIC_URL: 'https://example.com/tasks' },
    { APP_URL: 'app.example.com' },
    { SESSION_SECRET: 'fifteen-letters' },
    { SESSION_SECRET: ',' },
    { SESSION_SECRET: 'the-first-one-of-them,short' },
    { PASSWORD_MIN_LENGTH: '0' },
    { PASSWORD_BLOCKLIST: '/nowhere/passwords.txt' },
    { PASSWORD_BLOCKLIST: import.meta.dirname },
    { TRUST_PROXY: 'loopback,everybody' },
    { TRUST_PROXY: '10.0.0.0/33' },
    { TRUST_PROXY: '100' },
    { TRUST_PROXY: '10.0' },
    { TRUST_PROXY: '10.0.0.0/0' },
    { TRUST_PROXY: '10.0.0.0/8/8' },
    { TRUST_PROXY: '10.0.0.0/255.0.255.0' },
    { TRUST_PROXY: '2001:db8::/129' },
    { TRUST_PROXY: '10.0.0.1/' },
    { CORS_ORIGINS: '*' },
    { CORS_ORIGINS: 'https://a.example.com,https://b.example.com/app' },
    { CORS_ORIGINS: 'https://*.example.com' },
    { OUTGOING_NETWORKS: 'localhost' },
    { OUTGOING_NETWORKS: '10.0.0.1' },
    { OUTGOING_NETWORKS: '10.0.0.0/33' },
    { OUTGOING_NETWORKS: '10.0.0.0/8, fd00::/129' },
    { MAIL_TO_FILES: 'yes' },
    { RATE_LIMITS: 'no' },
    { RATE_LIMIT_REQUESTS: '0/60' },
    { RATE_LIMIT_READS: '60000' },
    { RATE_LIMIT_WRITES: '20000/0' },
    { RATE_LIMIT_GRAPHQL_COST: '1e9/60' },
    { RATE_LIMIT_UPLOADS: '300/86401' },
    { RATE_LIMIT_CODES: 'many/3600' },
    { RATE_LIMIT_SIGN_INS: '300/900' },
    { RATE_LIMIT_CONNECTIONS: '0' },
    { RATE_LIMIT_SOCKETS: '-1' },
    { CONSOLE: 'yes' },
    { GRAPHQL_INTROSPECTION: 'yes' },
    { GRAPHQL_PERSISTED_OPERATIONS: '/nowhere/operations.json' },
    { GRAPHQL_PERSISTED_ONLY: 'yes' },
    { CACHE_BYTES: '1 MB' },
    { HISTORY_RETENTION_DAYS: '-1' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    { OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem' },
    { OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: '/nowhere/client.key' },
    { OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: '/nowhere/client.pem' },
    { NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem' },
    { DATABASE_URL_FILE: '/nowhere/url' },
    { CHANGE_RETENTION_DAYS: 'a week' },
    { OPERATION_TIMEOUT_MS: '99' },
    { SHUTDOWN_DELAY_MS: '-1' },
    { SHUTDOWN_TIMEOUT_MS: '5 s' },
    { LOG_LEVEL: 'verbose' },
    { NODE_ENV: 'prodution' },
    { NODE_ENV: 'Production' },
    { NODE_ENV: 'staging' },
  ];

  test('every variable has a refused value, except where the machine decides', () => {
    const names = new Set(invalidVariables.flatMap((variables) => Object.keys(variables)));
    // test/start/configuration covers these.
    const triedNames = ['HOST', 'DATA_DIR', 'METRICS_HOST'];
    expect(Object.keys(environment.shape).filter((name) => !names.has(name))).toEqual(triedNames);
  });

  test.each(invalidVariables)('refuses %j, and names only the variable', (variables) => {
    const [[name, value]] = Object.entries(variables) as [[string, string]];
    expect(() => loadConfig(variables)).toThrow(StartError);
    expect(() => loadConfig(variables)).toThrow(new RegExp(`^${name} must `));
    // The message omits the value, which may be a secret.
    if (value.length > 1) expect(() => loadConfig(variables)).not.toThrow(value);
    expect(() => loadConfig(variables)).toThrow(/^[^\n;]+$/);
  });

  test('reads secrets from files, without the trailing newline', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-secrets-'));
    const file = async (name: string, content: string) => {
      await writeFile(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const variables = {
      DATABASE_URL_FILE: await file('database', '\uFEFFpostgresql://u:p@h:1/d\n\n'),
      SESSION_SECRET_FILE: await file('session', 'the-first-one-of-them,the-second-of-them\r\n'),
      SMTP_URL_FILE: '',
      OIDC_X_ISSUER: 'https://x.example.com',
      OIDC_X_CLIENT_ID: 'taskgate',
      OIDC_X_CLIENT_SECRET_FILE: await file('client', 'geheim'),
    };
    expect(loadConfig(variables)).toMatchObject({
      databaseUrl: 'postgresql://u:p@h:1/d',
      sessionSecrets: ['the-first-one-of-them', 'the-second-of-them'],
      smtpUrl: undefined,
      providers: [{ clientSecret: 'geheim' }],
    });
    const refusal = (more: Record<string, string>, message: string) =>
      expect(() => loadConfig({ ...variables, ...more })).toThrow(message);
    refusal({ DATABASE_URL: 'postgresql://other' }, 'DATABASE_URL_FILE must not be set beside DATABASE_URL');
    refusal({ SMTP_URL_FILE: folder }, 'SMTP_URL_FILE must name a file that can be read (EISDIR)');
    refusal({ SMTP_URL_FILE: await file('empty', '\n') }, 'SMTP_URL_FILE must name a file that is not empty');
    await rm(folder, { recursive: true });
  });

  test('reads the files that variables name', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-config-'));
    const file = path.join(folder, 'file');
    await writeFile(file, '\uFEFFpassword\r\n123456\n');
    const { passwordBlocklist, persistedOperations } = loadConfig({
      PASSWORD_BLOCKLIST: file,
      GRAPHQL_PERSISTED_OPERATIONS: file,
    });
    expect(passwordBlocklist).toEqual(new Set(['password', '123456', '']));
    expect(persistedOperations).toBe('password\r\n123456\n');
    await rm(folder, { recursive: true });
  });

  test.each<Record<string, string>>([
    { DATABASE_DIRECT_URL: 'postgres://h/x' },
    { DATABASE_READ_URLS: 'postgres://h/x' },
    { DATABASE_TRANSACTION_POOLING: 'on' },
  ])('requires DATABASE_URL for %j, which concerns that database', (variables) => {
    const [name = ''] = Object.keys(variables);
    expect(() => loadConfig(variables)).toThrow(/^DATABASE_URL is required beside \w+$/);
    expect(() => loadConfig(variables)).toThrow(name);
    expect(loadConfig({ ...variables, DATABASE_URL: 'postgres://h/y' })).toMatchObject({
      databaseUrl: 'postgres://h/y',
    });
  });

  test.each<[Record<string, string>, string]>([
    [{ OIDC_X_ISSUER: 'http://x.example.com' }, 'OIDC_X_ISSUER must be an https URL, or an http URL of this machine'],
    [{ OIDC_X_ISSUER: 'x' }, 'OIDC_X_ISSUER must be an https URL'],
    [{ OIDC_X_ISSUER: undefined as never }, 'OIDC_X_ISSUER '],
    [{ OIDC_X_CLIENT_ID: '' }, 'OIDC_X_CLIENT_ID must not be empty'],
    [{ OIDC_X_SCOPES: 'email' }, 'OIDC_X_SCOPES must have openid among them'],
    [{ OIDC_X_TRUST_EMAIL: 'yes' }, 'OIDC_X_TRUST_EMAIL must be on or off'],
    [{ OIDC_X_SECRET: 'geheim' }, 'OIDC_X_SECRET must be OIDC_<NAME>_ and one of ISSUER, '],
    [{ OIDC_Y_LABEL: 'Y' }, 'OIDC_Y_ISSUER '],
    [{ OIDC_x_ISSUER: 'https://x.example.com', OIDC_x_CLIENT_ID: 'c' }, 'OIDC_X_ISSUER is set twice'],
    [
      { OIDC_PROVIDERS_ISSUER: 'https://x.example.com', OIDC_PROVIDERS_CLIENT_ID: 'c' },
      'OIDC_PROVIDERS_ISSUER must have another name',
    ],
  ])('refuses a provider with %j in a line that names the variable', (variables, line) => {
    const validVariables = { OIDC_X_ISSUER: 'https://x.example.com', OIDC_X_CLIENT_ID: 'taskgate' };
    const loadWith = () => loadConfig({ ...validVariables, ...variables });
    expect(loadWith).toThrow(line);
    expect(loadWith).not.toThrow('geheim');
  });

  test.each([
    'OIDC_MY-IDP_ISSUER',
    'OIDC_MY-IDP_CLIENT_ID',
    'OIDC_MY-IDP_CLIENT_SECRET_FILE',
    'OIDC_MY.IDP_LABEL',
    'OIDC_MY IDP_SCOPES',
    'OIDC_\u00c9_ISSUER',
    'OIDC_',
    'OIDC_X',
    'OIDC_ISSUER',
    'OIDC__ISSUER',
    'OIDC_X_ISSUER_',
    'OIDC_X_CLIENT_ID_FILE',
  ])('refuses the variable %s, also if it is empty', (variable) => {
    const validVariables = { OIDC_X_ISSUER: 'https://x.example.com', OIDC_X_CLIENT_ID: 'taskgate' };
    for (const value of ['https://x.example.com', '']) {
      const loadWith = () => loadConfig({ ...validVariables, [variable]: value });
      expect(loadWith).toThrow(`${variable} must be OIDC_<NAME>_ and one of ISSUER, `);
      expect(loadWith).toThrow(/^[^\n;]+$/);
    }
  });

  test.each([
    ['http://localhost:1', true],
    ['http://LOCALHOST:1', true],
    ['http://127.0.0.1', true],
    ['http://127.8.9.1:1', true],
    ['http://127.255.255.254:1/path', true],
    ['http://127.1:1', true],
    ['http://[::1]:1', true],
    ['http://[0:0:0:0:0:0:0:1]:1', true],
    ['http://126.255.255.255', false],
    ['http://128.0.0.1', false],
    ['http://127.0.0.1.example.com', false],
    ['http://127.example.com', false],
    ['http://localhost.example.com', false],
    ['http://[::2]', false],
    ['http://0.0.0.0', false],
  ])('accepts the issuer %s: %p', (OIDC_X_ISSUER, isAccepted) => {
    const load = () => loadConfig({ OIDC_X_ISSUER, OIDC_X_CLIENT_ID: 'taskgate' });
    if (isAccepted) expect(load().providers).toMatchObject([{ issuer: OIDC_X_ISSUER }]);
    else expect(load).toThrow('OIDC_X_ISSUER must be an https URL, or an http URL of this machine');
  });

  test('names several problems in one line', () => {
    expect(() => loadConfig({ PORT: 'x', RATE_LIMITS: 'x' })).toThrow(/^PORT must [^\n]+; RATE_LIMITS must [^\n]+$/);
  });
});

test.each([
  [{}, false],
  [{ METRICS_PORT: '9464' }, false],
  [{ METRICS_PORT: '3000' }, true],
  [{ METRICS_PORT: '3000', METRICS_HOST: '10.0.0.1' }, false],
  // Each gets a free port of its own.
  [{ PORT: '0', METRICS_PORT: '0' }, false],
])('the metrics are public for %j: %s', (variables: Record<string, string>, expected) => {
  expect(hasPublicMetrics(loadConfig(variables))).toBe(expected);
});
