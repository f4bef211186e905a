import path from 'node:path';
import { StartError } from '@taskgate/base';
import { withDropped } from './environment.ts';
import { misspelt } from './misspelt.ts';
import { asProviderVariable, isOfProvider, providersOf } from './providers.ts';
import { secretVariables, withSecretFiles } from './secret-files.ts';
import { readText } from './shapes.ts';
import { environment } from './variables.ts';

const otherVariables = [
  ...['OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES', 'OTEL_EXPORTER_OTLP_HEADERS'],
  ...['OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'],
];
/** Their readers ignore an unreadable file, so the start checks them. */
const fileVariables = [
  'NODE_EXTRA_CA_CERTS',
  ...['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'].flatMap((name) => [
    `OTEL_EXPORTER_OTLP_${name}`,
    `OTEL_EXPORTER_OTLP_TRACES_${name}`,
  ]),
];

export const knownVariables: readonly string[] = [
  ...Object.keys(environment.shape),
  ...otherVariables,
  ...fileVariables,
  ...secretVariables.map((name) => `${name}_FILE`),
];

export type Config = ReturnType<typeof loadConfig>;

/** Random ports (0) are never the same. */
export const hasPublicMetrics = ({ port, host, metricsPort, metricsHost }: Config): boolean =>
  port !== 0 && metricsPort === port && metricsHost === host;

/** An empty variable counts as unset. @throws {StartError} naming every invalid variable */
export function loadConfig(variables: NodeJS.ProcessEnv = withDropped(process.env)) {
  const resolved = withSecretFiles(variables);
  const nonEmpty = Object.fromEntries(Object.entries(resolved.variables).filter(([, value]) => value !== ''));
  const result = environment.safeParse(nonEmpty);
  const { providers, problems } = providersOf(resolved.variables);
  const all = [
    ...resolved.problems,
    ...(result.error?.issues ?? []).map(({ path: [name], message }) => `${String(name)} ${message}`),
    ...problems,
    ...problemsOfFiles(nonEmpty),
  ];
  const names = Object.keys(nonEmpty).filter((name) => !isOfProvider(name));
  const unknown = misspelt(names, [...knownVariables, ...names.flatMap((name) => asProviderVariable(name) ?? [])]);
  if (!result.success || all.length > 0) {
    const hints = unknown.map(({ variable, closeTo }) => `${variable} is unknown: did you mean ${closeTo}?`);
    throw new StartError([...all, ...hints].join('; '));
  }
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
    notificationMailSeconds: env.NOTIFICATION_MAIL_SECONDS,
    publicUrl: env.PUBLIC_URL,
    appUrl: env.APP_URL,
    sessionSecrets: env.SESSION_SECRET,
    passwordMinLength: env.PASSWORD_MIN_LENGTH,
    passwordBlocklist: env.PASSWORD_BLOCKLIST,
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
    outgoingNetworks: env.OUTGOING_NETWORKS,
    console: env.CONSOLE === 'on',
    introspection: env.GRAPHQL_INTROSPECTION === 'on',
    persistedOperations: env.GRAPHQL_PERSISTED_OPERATIONS,
    persistedOnly: env.GRAPHQL_PERSISTED_ONLY === 'on',
    cacheBytes: env.CACHE_BYTES,
    changeRetentionDays: env.CHANGE_RETENTION_DAYS,
    historyRetentionDays: env.HISTORY_RETENTION_DAYS,
    operationTimeoutMs: env.OPERATION_TIMEOUT_MS,
    shutdownDelayMs: env.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    tracesEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: env.LOG_LEVEL,
    isProduction: env.NODE_ENV === 'production',
    providers,
    misspelt: unknown,
  };
}

function problemsOfFiles(variables: NodeJS.ProcessEnv): string[] {
  return fileVariables.flatMap((name) => {
    const file = variables[name];
    const read = file === undefined ? { text: '' } : readText(file);
    return 'problem' in read ? [`${name} ${read.problem}`] : [];
  });
}
