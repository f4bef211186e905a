import { z } from 'zod';
import { minSecretLength } from '@taskgate/base';
import { defaultPoolSize, minPoolSize } from '@taskgate/postgres';
import { defaultCacheBytes } from '../platform/cache-sizes.ts';
import { defaultRates } from '../platform/rate-limit-policies.ts';
import * as shapes from './shapes.ts';

/** `.env.example` and `docs/operations.md` list them. */
export const environment = z
  .object({
    PORT: shapes.integer(0, 65_535).default(3000).describe('The port of the service; 0 is any free one.'),
    HOST: shapes.host.default('127.0.0.1').describe('The address to listen on.'),
    DATA_DIR: shapes.folder
      .default('.data')
      .describe('The folder for the embedded database, generated secrets and the outbox.'),
    DATABASE_URL: shapes.databaseUrl
      .optional()
      .describe(
        'An existing PostgreSQL, 14 to 18, in UTF8, with pg_trgm and btree_gin. Unset: an embedded one below DATA_DIR.',
      ),
    DATABASE_TRANSACTION_POOLING: shapes.onOff
      .default('off')
      .describe('on: DATABASE_URL is a pooler in transaction mode, such as PgBouncer.'),
    DATABASE_DIRECT_URL: shapes.databaseUrl
      .optional()
      .describe(
        'The same database past the pooler, for migrations, probes and change notifications. Unset: DATABASE_URL.',
      ),
    DATABASE_READ_URLS: shapes.list
      .pipe(z.array(shapes.databaseUrl))
      .default([])
      .describe(
        'Read replicas, comma-separated, not behind a pooler. Each is used while it is a standby of the primary and has caught up. Unset: none.',
      ),
    DATABASE_POOL_SIZE: shapes
      .integer(minPoolSize, 1000)
      .default(defaultPoolSize)
      .describe('Connections of the process to PostgreSQL, in addition to two that listen and probe.'),
    REDIS_URL: shapes.redisUrl
      .optional()
      .describe('Carries change notifications and rate-limit counts between processes. Unset: PostgreSQL does.'),
    SMTP_URL: shapes.smtpUrl
      .optional()
      .describe(
        'The mail server. Unset: mails are .eml files in DATA_DIR/outbox, and codes are logged, and printed outside production. Required in production, unless MAIL_TO_FILES is on.',
      ),
    MAIL_TO_FILES: shapes.onOff
      .default('off')
      .describe('on: SMTP_URL is not required in production, and must not be set.'),
    MAIL_FROM: shapes.mailbox.default('Taskgate <taskgate@localhost>').describe('The sender of mails.'),
    NOTIFICATION_MAIL_SECONDS: shapes
      .integer(0, 86_400)
      .default(300)
      .describe(
        'Seconds between an assignment, a mention or a comment and the mail with everything that is still unread.',
      ),
    PUBLIC_URL: shapes.origin
      .optional()
      .describe('The origin that users see. Unset: http://HOST:PORT. With https, cookies are Secure.'),
    APP_URL: shapes.publicBase
      .optional()
      .describe(
        "URL of the application's pages, if not PUBLIC_URL. Mails link there, except to unsubscribe. Add its origin to CORS_ORIGINS.",
      ),
    SESSION_SECRET: shapes.list
      .refine((secrets) => secrets.length > 0 && secrets.every((secret) => secret.length >= minSecretLength), {
        error: `must be at least ${minSecretLength} characters long (each, if it is a list)`,
      })
      .optional()
      .describe(
        `Signs cookies and codes; ${minSecretLength} characters or more. A comma-separated list rotates: the first signs, all verify. Unset: generated and kept in DATA_DIR. Required in production.`,
      ),
    PASSWORD_MIN_LENGTH: shapes
      .integer(1, 1024)
      .optional()
      .describe('Minimum length of a new password, in characters. Unset: 1, because the contract sets no minimum.'),
    PASSWORD_BLOCKLIST: shapes.lines
      .optional()
      .describe('A file of common passwords that nobody may choose, one a line.'),
    TRUST_PROXY: shapes.trustProxy
      .default(false)
      .describe("Express' `trust proxy`: true, false, a number of hops, or a list of addresses."),
    CORS_ORIGINS: shapes.list
      .pipe(z.array(shapes.origin))
      .default([])
      .describe("Origins, comma-separated, whose pages may call the service, besides the service's own."),
    OUTGOING_NETWORKS: shapes.networks
      .optional()
      .describe(
        'Networks, comma-separated, to which webhooks may go besides the public internet, also by http. Unset: none.',
      ),
    RATE_LIMITS: shapes.onOff
      .default('on')
      .describe('off lifts the rate limits, for load tests. Codes and sign-ins of an e-mail address stay limited.'),
    RATE_LIMIT_REQUESTS: shapes.rate
      .default(defaultRates.requests)
      .describe('Requests of a client, as quota/seconds, like the next five.'),
    RATE_LIMIT_READS: shapes.rate.default(defaultRates.reads).describe('Reads of an account over REST.'),
    RATE_LIMIT_WRITES: shapes.rate
      .default(defaultRates.writes)
      .describe('Writes of an account over REST, and fields of mutations.'),
    RATE_LIMIT_GRAPHQL_COST: shapes.rate
      .default(defaultRates.graphqlCost)
      .describe("Estimated cost of an account's operations by GraphQL and MCP."),
    RATE_LIMIT_UPLOADS: shapes.rate.default(defaultRates.uploads).describe('Pictures that an account sends.'),
    RATE_LIMIT_CODES: shapes.rate.default(defaultRates.codes).describe('Codes by mail that a client requests.'),
    RATE_LIMIT_SIGN_INS: shapes
      .integer(1, 1_000_000)
      .default(defaultRates.signIns)
      .describe('Failed sign-ins of a client in 15 minutes.'),
    RATE_LIMIT_CONNECTIONS: shapes
      .integer(1, 1_000_000)
      .default(defaultRates.connections)
      .describe('Open connections of a client.'),
    RATE_LIMIT_SOCKETS: shapes
      .integer(1, 1_000_000)
      .default(defaultRates.sockets)
      .describe('Open WebSockets and event streams of a client.'),
    CONSOLE: shapes.onOff.default('on').describe('off: browsers get links to the APIs instead of the console.'),
    GRAPHQL_INTROSPECTION: shapes.onOff
      .default('on')
      .describe('off: clients cannot introspect the schema, and there is no GraphiQL.'),
    GRAPHQL_PERSISTED_OPERATIONS: shapes.textFile
      .optional()
      .describe('A JSON file of operations, text by SHA-256, that clients may name by their hash.'),
    GRAPHQL_PERSISTED_ONLY: shapes.onOff
      .default('off')
      .describe('on: clients may run only the operations of that file.'),
    CACHE_BYTES: shapes
      .integer(1024 * 1024, 4 * 1024 ** 3)
      .default(defaultCacheBytes)
      .describe('Bytes that the process caches: responses, compiled statements, GraphQL documents and their texts.'),
    CHANGE_RETENTION_DAYS: shapes
      .integer(1, 3650)
      .default(7)
      .describe('Days that a client may be offline and still catch up. Changes are kept for up to half as long again.'),
    HISTORY_RETENTION_DAYS: shapes
      .integer(0, 3650)
      .default(30)
      .describe('Days that changes can be undone and deleted entities restored. 0: no history.'),
    OPERATION_TIMEOUT_MS: shapes
      .integer(100, 600_000)
      .default(30_000)
      .describe('Milliseconds that an operation may take. Keep it below the timeout of a proxy.'),
    SHUTDOWN_DELAY_MS: shapes
      .integer(0, 600_000)
      .default(1000)
      .describe('Milliseconds that a stopping service still accepts requests, while proxies notice.'),
    SHUTDOWN_TIMEOUT_MS: shapes
      .integer(0, 600_000)
      .default(5000)
      .describe('Milliseconds that requests in flight then have to finish.'),
    METRICS_PORT: shapes
      .integer(0, 65_535)
      .optional()
      .describe('The port of /metrics and the probes; 0 is any free one. The same as PORT: public. Unset: no metrics.'),
    METRICS_HOST: shapes.host.optional().describe('The address of METRICS_PORT. Unset: HOST.'),
    OTEL_EXPORTER_OTLP_ENDPOINT: shapes.base
      .optional()
      .describe(
        'The collector of traces, by OTLP over HTTP. docs/operations.md lists further variables. Unset: no traces.',
      ),
    LOG_LEVEL: shapes
      .word('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
      .default('info')
      .describe('The lowest level that is logged: fatal, error, warn, info, debug, trace or silent.'),
    NODE_ENV: shapes
      .word('production', 'development', 'test')
      .default('development')
      .describe(
        'production, development or test. production: libraries skip checks for developers, and secrets and a mail server are required.',
      ),
  })
  .superRefine((env, context) => {
    if (env.DATABASE_URL !== undefined) return;
    const others = [
      ...(env.DATABASE_DIRECT_URL !== undefined ? ['DATABASE_DIRECT_URL'] : []),
      ...(env.DATABASE_READ_URLS.length > 0 ? ['DATABASE_READ_URLS'] : []),
      ...(env.DATABASE_TRANSACTION_POOLING === 'on' ? ['DATABASE_TRANSACTION_POOLING'] : []),
    ];
    if (others.length === 0) return;
    context.addIssue({ code: 'custom', path: ['DATABASE_URL'], message: `is required beside ${others.join(', ')}` });
  })
  .refine((env) => env.NODE_ENV !== 'production' || env.SESSION_SECRET, {
    path: ['SESSION_SECRET'],
    error: 'is required when NODE_ENV is production',
  })
  .refine((env) => env.GRAPHQL_PERSISTED_ONLY === 'off' || env.GRAPHQL_PERSISTED_OPERATIONS !== undefined, {
    path: ['GRAPHQL_PERSISTED_OPERATIONS'],
    error: 'is required when GRAPHQL_PERSISTED_ONLY is on, or every operation is refused',
  })
  .refine((env) => env.SMTP_URL === undefined || env.MAIL_TO_FILES === 'off', {
    path: ['MAIL_TO_FILES'],
    error: 'must be off beside SMTP_URL, which sends the mails',
  })
  .refine((env) => env.NODE_ENV !== 'production' || env.SMTP_URL || env.MAIL_TO_FILES === 'on', {
    path: ['SMTP_URL'],
    error:
      'is required when NODE_ENV is production, unless MAIL_TO_FILES is on: it writes mails to files and logs codes',
  });
