import { isIP } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import { defaultRates } from './kernel/rate-limit-policies.ts';
import { StartError } from './kernel/start-error.ts';

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

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: `must be a whole number from ${min} to ${max}` });

/** A client has four times as much, which PostgreSQL counts as an integer. */
const maxQuota = 500_000_000;
const rateForm = 'must be a number from 1 to 500000000, a slash, and seconds from 1 to 86400, such as 500/10';

/** So much in so many seconds: `60000/60`. */
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

const environment = z
  .object({
    /** Where requests are taken; 0 is any free port. */
    PORT: integer(0, 65_535).default(3000),
    HOST: z.string().default('127.0.0.1'),
    /** Where `/metrics` is served; 0 is any free port, PORT itself shows it to clients. Unset: nowhere. */
    METRICS_PORT: integer(0, 65_535).optional(),
    /** The address of METRICS_PORT; unset: HOST. */
    METRICS_HOST: z.string().optional(),
    /** The folder of all that the service keeps itself: embedded database, avatars, secret, outbox. */
    DATA_DIR: z
      .string()
      .default('.data')
      .transform((dir) => path.resolve(dir)),
    /** An existing PostgreSQL, 14 or later; unset: the embedded one. */
    DATABASE_URL: url('postgres:', 'postgresql:').optional(),
    /** The same database past any pooler, for migrations and change notifications; unset: DATABASE_URL. */
    DATABASE_DIRECT_URL: url('postgres:', 'postgresql:').optional(),
    /** Whether DATABASE_URL leads to a pooler that gives connections to transactions, as PgBouncer does. */
    DATABASE_TRANSACTION_POOLING: onOff.default('off'),
    /** Carries change notifications between processes, and their counts for rate limits; unset: PostgreSQL does. */
    REDIS_URL: url('redis:', 'rediss:').optional(),
    /** Where mails go; unset: to `.eml` files in DATA_DIR/outbox. */
    SMTP_URL: url('smtp:', 'smtps:').optional(),
    /** Whether a service in production may do without SMTP_URL: mails go to files then, and codes to the log. */
    MAIL_TO_FILES: onOff.default('off'),
    MAIL_FROM: z.string().regex(/@/, 'must be an e-mail address').default('Taskgate <taskgate@localhost>'),
    /** The origin that users see, for links and for the cookie's `Secure`; unset: http://HOST:PORT. */
    PUBLIC_URL: origin.optional(),
    /** Signs session cookies and codes; a comma-separated list rotates: the first signs, all verify. */
    SESSION_SECRET: list
      .refine((secrets) => secrets.length > 0 && secrets.every((secret) => secret.length >= 16), {
        error: 'must be at least 16 characters long (each, where it is a list)',
      })
      .optional(),
    TRUST_PROXY: trustProxy.default(false),
    /** Origins, besides the service's own, whose pages may call it. */
    CORS_ORIGINS: list.pipe(z.array(origin)).default([]),
    /** Off lifts all limits of clients, accounts and sessions but those that the contract names for codes and sign-in. */
    RATE_LIMITS: onOff.default('on'),
    /** What each is of stands at `Rates` (kernel/rate-limit-policies.ts). */
    RATE_LIMIT_REQUESTS: rate.default(defaultRates.requests),
    RATE_LIMIT_READS: rate.default(defaultRates.reads),
    RATE_LIMIT_WRITES: rate.default(defaultRates.writes),
    RATE_LIMIT_GRAPHQL_COST: rate.default(defaultRates.graphqlCost),
    RATE_LIMIT_UPLOADS: rate.default(defaultRates.uploads),
    RATE_LIMIT_CODES: rate.default(defaultRates.codes),
    RATE_LIMIT_SIGN_INS: integer(1, 1_000_000).default(defaultRates.signIns),
    RATE_LIMIT_CONNECTIONS: integer(1, 1_000_000).default(defaultRates.connections),
    RATE_LIMIT_SOCKETS: integer(1, 1_000_000).default(defaultRates.sockets),
    /** Whether clients may ask for the schema; without it there is no GraphiQL either. */
    GRAPHQL_INTROSPECTION: onOff.default('on'),
    /** A file of operations, text by SHA-256, that clients may name by their hashes. */
    GRAPHQL_PERSISTED_OPERATIONS: z
      .string()
      .transform((file) => path.resolve(file))
      .optional(),
    /** Whether the operations of that file are the only ones that clients may run. */
    GRAPHQL_PERSISTED_ONLY: onOff.default('off'),
    /** Days for which missed changes can be caught up with. */
    CHANGE_RETENTION_DAYS: integer(1, 3650).default(7),
    /** Milliseconds after which an operation is given up; less than proxies wait for a response. */
    OPERATION_TIMEOUT_MS: integer(100, 600_000).default(30_000),
    /** Milliseconds for which a stopping service still takes requests, so that proxies learn of it. */
    SHUTDOWN_DELAY_MS: integer(0, 600_000).default(1000),
    /** Milliseconds after which requests in flight are cut off when the service stops. */
    SHUTDOWN_TIMEOUT_MS: integer(0, 600_000).default(5000),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        error: 'must be fatal, error, warn, info, debug, trace or silent',
      })
      .default('info'),
    NODE_ENV: z.string().default('development'),
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

/** The service's configuration, as the environment gives it. */
export type Config = ReturnType<typeof loadConfig>;

/** Whether the metrics are served where requests are: they were given that very port. Any free port is never the same. */
export const hasPublicMetrics = ({ port, host, metricsPort, metricsHost }: Config): boolean =>
  port !== 0 && metricsPort === port && metricsHost === host;

/**
 * Reads the configuration from environment variables; an empty variable counts as unset.
 * @throws {StartError} naming every bad variable and what would be right
 */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env) {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const result = environment.safeParse(given);
  if (!result.success) {
    throw new StartError(result.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`).join('; '));
  }
  const env = result.data;
  return {
    port: env.PORT,
    host: env.HOST,
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST ?? env.HOST,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    transactionPooling: env.DATABASE_TRANSACTION_POOLING === 'on',
    redisUrl: env.REDIS_URL,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
    publicUrl: env.PUBLIC_URL,
    sessionSecrets: env.SESSION_SECRET,
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
    introspection: env.GRAPHQL_INTROSPECTION === 'on',
    persistedOperationsFile: env.GRAPHQL_PERSISTED_OPERATIONS,
    persistedOnly: env.GRAPHQL_PERSISTED_ONLY === 'on',
    changeRetentionDays: env.CHANGE_RETENTION_DAYS,
    operationTimeoutMs: env.OPERATION_TIMEOUT_MS,
    shutdownDelayMs: env.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    logLevel: env.LOG_LEVEL,
  };
}
