import { isIP } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import { defaultCacheBytes } from '../kernel/cache-sizes.ts';
import { defaultRates } from '../kernel/rate-limit-policies.ts';
import { defaultPoolSize, minPoolSize } from '../database/pool-sizes.ts';
import { withDropped } from './environment.ts';
import { providersOf } from './providers.ts';
import { withSecretFiles } from './secret-files.ts';
import { StartError } from '../kernel/start-error.ts';

const origin = z.string().transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.origin;
  context.addIssue({ code: 'custom', message: 'must be an http or https URL' });
  return z.NEVER;
});

/** A URL of one of the given schemes, kept as it was written. */
const url = (...schemes: string[]) =>
  z.string().refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    error: `must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  });

/** A base that paths are appended to: kept as it was written, but for a slash at the end. */
const base = url('http:', 'https:').transform((value) => value.replace(/\/+$/, ''));

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: `must be a whole number from ${min} to ${max}` });

/** A client has four times as much, which PostgreSQL counts as an integer. */
const maxQuota = 500_000_000;
const rateForm = 'must be a number from 1 to 500000000, a slash, and seconds from 1 to 86400, such as 500/10';

/** An amount per number of seconds: `60000/60`. */
const rate = z
  .string()
  .regex(/^\d{1,9}\/\d{1,5}$/, rateForm)
  .transform((value) => {
    const [quota = 0, windowSeconds = 0] = value.split('/').map(Number);
    return { quota, windowSeconds };
  })
  .refine(
    ({ quota, windowSeconds }) => quota >= 1 && quota <= maxQuota && windowSeconds >= 1 && windowSeconds <= 86_400,
    rateForm,
  );

const onOff = z.enum(['on', 'off'], { error: 'must be on or off' });

const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

/** Express' `trust proxy`: a number of hops, or a list of addresses and the names that Express knows. */
const trustProxy = z.string().transform((value, context) => {
  if (['true', 'false'].includes(value)) return value === 'true';
  if (/^\d+$/.test(value)) return Number(value);
  const named = ['loopback', 'linklocal', 'uniquelocal'];
  const entries = value.split(',').map((entry) => entry.trim());
  if (entries.every((entry) => named.includes(entry) || isIP(entry.split('/')[0] ?? ''))) return entries;
  context.addIssue({ code: 'custom', message: 'must be true, false, a number of hops, or a list of addresses' });
  return z.NEVER;
});

/** Every variable; their descriptions and defaults are printed into `.env.example` and `docs/operations.md`. */
export const environment = z
  .object({
    PORT: integer(0, 65_535).default(3000).describe('The port of the service; 0 is any free one.'),
    HOST: z.string().default('127.0.0.1').describe('The address to listen on.'),
    DATA_DIR: z
      .string()
      .default('.data')
      .describe('The folder for the embedded database, generated secrets and the outbox.'),
    DATABASE_URL: url('postgres:', 'postgresql:')
      .optional()
      .describe(
        'An existing PostgreSQL, 14 to 18, in UTF8, with pg_trgm and btree_gin. Unset: an embedded one below DATA_DIR.',
      ),
    DATABASE_TRANSACTION_POOLING: onOff
      .default('off')
      .describe('on: DATABASE_URL leads to a pooler in transaction mode, such as PgBouncer.'),
    DATABASE_DIRECT_URL: url('postgres:', 'postgresql:')
      .optional()
      .describe(
        'The same database past the pooler, for migrations, probes and change notifications. Unset: DATABASE_URL.',
      ),
    DATABASE_READ_URLS: list
      .pipe(z.array(url('postgres:', 'postgresql:')))
      .default([])
      .describe(
        'Read replicas of the same database, comma-separated, not behind a pooler: each answers while it is a standby of the primary and has caught up. Unset: none.',
      ),
    DATABASE_POOL_SIZE: integer(minPoolSize, 1000)
      .default(defaultPoolSize)
      .describe('Connections of the process to PostgreSQL, besides two that listen and probe.'),
    REDIS_URL: url('redis:', 'rediss:')
      .optional()
      .describe('Carries change notifications and rate-limit counts between processes. Unset: PostgreSQL does.'),
    SMTP_URL: url('smtp:', 'smtps:')
      .optional()
      .describe(
        'The mail server. Unset: mails are .eml files in DATA_DIR/outbox, and sign-up codes are logged. Required in production, unless MAIL_TO_FILES is on.',
      ),
    MAIL_TO_FILES: onOff.default('off').describe('on: a service in production may do without SMTP_URL.'),
    MAIL_FROM: z
      .string()
      .regex(/@/, 'must be an e-mail address')
      .default('Taskgate <taskgate@localhost>')
      .describe('The sender of mails.'),
    PUBLIC_URL: origin
      .optional()
      .describe('The origin that users see. Unset: http://HOST:PORT. With https, cookies are Secure.'),
    APP_URL: base
      .optional()
      .describe(
        'Where the pages of the application are, if not at PUBLIC_URL: mails lead there, but for unsubscribing. Name its origin in CORS_ORIGINS, too.',
      ),
    SESSION_SECRET: list
      .refine((secrets) => secrets.length > 0 && secrets.every((secret) => secret.length >= 16), {
        error: 'must be at least 16 characters long (each, where it is a list)',
      })
      .optional()
      .describe(
        'Signs cookies and codes; 16 characters or more. A comma-separated list rotates: the first signs, all verify. Unset: generated and kept in DATA_DIR. Required in production.',
      ),
    PASSWORD_MIN_LENGTH: integer(1, 1024)
      .optional()
      .describe('Characters that a new password has at least. Unset: one, as the contract sets no minimum.'),
    PASSWORD_BLOCKLIST: z
      .string()
      .transform((file) => path.resolve(file))
      .optional()
      .describe('A file of passwords that are too common to be chosen, one a line.'),
    TRUST_PROXY: trustProxy
      .default(false)
      .describe("Express' `trust proxy`: true, false, a number of hops, or a list of addresses."),
    CORS_ORIGINS: list
      .pipe(z.array(origin))
      .default([])
      .describe("Origins, comma-separated, whose pages may call the service besides the service's own."),
    RATE_LIMITS: onOff
      .default('on')
      .describe('off lifts the rate limits, except those for codes and sign-ins of an e-mail address: for load tests.'),
    RATE_LIMIT_REQUESTS: rate
      .default(defaultRates.requests)
      .describe('Requests of a client, as quota/seconds; so are the next five.'),
    RATE_LIMIT_READS: rate.default(defaultRates.reads).describe('Reads of an account over REST.'),
    RATE_LIMIT_WRITES: rate
      .default(defaultRates.writes)
      .describe('Writes of an account over REST, and fields of mutations.'),
    RATE_LIMIT_GRAPHQL_COST: rate
      .default(defaultRates.graphqlCost)
      .describe("Estimated cost of an account's GraphQL operations."),
    RATE_LIMIT_UPLOADS: rate.default(defaultRates.uploads).describe('Pictures that an account sends.'),
    RATE_LIMIT_CODES: rate.default(defaultRates.codes).describe('Codes by mail that a client requests.'),
    RATE_LIMIT_SIGN_INS: integer(1, 1_000_000)
      .default(defaultRates.signIns)
      .describe('Failed sign-ins of a client in 15 minutes.'),
    RATE_LIMIT_CONNECTIONS: integer(1, 1_000_000)
      .default(defaultRates.connections)
      .describe('Open connections of a client.'),
    RATE_LIMIT_SOCKETS: integer(1, 1_000_000)
      .default(defaultRates.sockets)
      .describe('Open WebSockets and event streams of a client.'),
    CONSOLE: onOff.default('on').describe('off: browsers get links to the APIs in place of the console.'),
    GRAPHQL_INTROSPECTION: onOff
      .default('on')
      .describe('off: clients cannot introspect the schema, and there is no GraphiQL.'),
    GRAPHQL_PERSISTED_OPERATIONS: z
      .string()
      .transform((file) => path.resolve(file))
      .optional()
      .describe('A JSON file of operations, text by SHA-256, that clients may name by their hash.'),
    GRAPHQL_PERSISTED_ONLY: onOff.default('off').describe('on: clients may run only the operations of that file.'),
    CACHE_BYTES: integer(1024 * 1024, 4 * 1024 ** 3)
      .default(defaultCacheBytes)
      .describe('Bytes that the process caches: responses, compiled statements, GraphQL documents and their texts.'),
    CHANGE_RETENTION_DAYS: integer(1, 3650)
      .default(7)
      .describe('Days for which a client can catch up on missed changes; they are kept for up to half as many more.'),
    HISTORY_RETENTION_DAYS: integer(0, 3650)
      .default(30)
      .describe('Days for which what was there before a change is kept, to be undone and restored; 0: not at all.'),
    OPERATION_TIMEOUT_MS: integer(100, 600_000)
      .default(30_000)
      .describe('Milliseconds an operation may take; keep it below the timeout of a proxy.'),
    SHUTDOWN_DELAY_MS: integer(0, 600_000)
      .default(1000)
      .describe('Milliseconds for which a stopping service still takes requests, so that proxies notice.'),
    SHUTDOWN_TIMEOUT_MS: integer(0, 600_000)
      .default(5000)
      .describe('Milliseconds that requests in flight then have to finish.'),
    METRICS_PORT: integer(0, 65_535)
      .optional()
      .describe('The port of /metrics and the probes; 0 is any free one. The same as PORT: public. Unset: no metrics.'),
    METRICS_HOST: z.string().optional().describe('The address of METRICS_PORT. Unset: HOST.'),
    OTEL_EXPORTER_OTLP_ENDPOINT: base
      .optional()
      .describe(
        'Where traces are sent, by OTLP over HTTP; docs/operations.md lists the other variables that hold. Unset: none are made.',
      ),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        error: 'must be fatal, error, warn, info, debug, trace or silent',
      })
      .default('info')
      .describe('The lowest level that is logged: fatal, error, warn, info, debug, trace or silent.'),
    NODE_ENV: z
      .string()
      .default('development')
      .describe('production: libraries skip checks for developers, and secrets and a mail server are required.'),
  })
  .refine((env) => env.NODE_ENV !== 'production' || env.SESSION_SECRET, {
    path: ['SESSION_SECRET'],
    error: 'is required when NODE_ENV is production',
  })
  .refine((env) => env.NODE_ENV !== 'production' || env.SMTP_URL || env.MAIL_TO_FILES === 'on', {
    path: ['SMTP_URL'],
    error:
      'is required when NODE_ENV is production, unless MAIL_TO_FILES is on: mails are files then, and codes logged',
  });

export type Config = ReturnType<typeof loadConfig>;

/** Whether the metrics are served where requests are: they were given that very port. Any free port is never the same. */
export const hasPublicMetrics = ({ port, host, metricsPort, metricsHost }: Config): boolean =>
  port !== 0 && metricsPort === port && metricsHost === host;

/**
 * Reads the configuration from environment variables, secrets from files as well; an empty variable counts as unset.
 * @throws {StartError} naming every bad variable and what would be right
 */
export function loadConfig(variables: NodeJS.ProcessEnv = withDropped(process.env)) {
  const whole = withSecretFiles(variables);
  const given = Object.fromEntries(Object.entries(whole.variables).filter(([, value]) => value !== ''));
  const result = environment.safeParse(given);
  const { providers, problems } = providersOf(whole.variables);
  const all = [
    ...whole.problems,
    ...(result.error?.issues ?? []).map(({ path: [name], message }) => `${String(name)} ${message}`),
    ...problems,
  ];
  if (!result.success || all.length > 0) throw new StartError(all.join('; '));
  const env = result.data;
  return {
    port: env.PORT,
    host: env.HOST,
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST ?? env.HOST,
    dataDir: path.resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    databaseReadUrls: env.DATABASE_READ_URLS,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    transactionPooling: env.DATABASE_TRANSACTION_POOLING === 'on',
    redisUrl: env.REDIS_URL,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
    publicUrl: env.PUBLIC_URL,
    appUrl: env.APP_URL,
    sessionSecrets: env.SESSION_SECRET,
    passwordMinLength: env.PASSWORD_MIN_LENGTH,
    passwordBlocklistFile: env.PASSWORD_BLOCKLIST,
    trustProxy: env.TRUST_PROXY,
    corsOrigins: env.CORS_ORIGINS,
    rateLimits: env.RATE_LIMITS === 'on',
    rates: {
      requests: env.RATE_LIMIT_REQUESTS,
      reads: env.RATE_LIMIT_READS,
      writes: env.RATE_LIMIT_WRITES,
      graphqlCost: env.RATE_LIMIT_GRAPHQL_COST,
      uploads: env.RATE_LIMIT_UPLOADS,
      codes: env.RATE_LIMIT_CODES,
      signIns: env.RATE_LIMIT_SIGN_INS,
      connections: env.RATE_LIMIT_CONNECTIONS,
      sockets: env.RATE_LIMIT_SOCKETS,
    },
    console: env.CONSOLE === 'on',
    introspection: env.GRAPHQL_INTROSPECTION === 'on',
    persistedOperationsFile: env.GRAPHQL_PERSISTED_OPERATIONS,
    persistedOnly: env.GRAPHQL_PERSISTED_ONLY === 'on',
    cacheBytes: env.CACHE_BYTES,
    changeRetentionDays: env.CHANGE_RETENTION_DAYS,
    historyRetentionDays: env.HISTORY_RETENTION_DAYS,
    operationTimeoutMs: env.OPERATION_TIMEOUT_MS,
    shutdownDelayMs: env.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    tracesEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: env.LOG_LEVEL,
    providers,
  };
}
