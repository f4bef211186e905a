import path from 'node:path';
import { secretIn } from '@taskgate/base';
import { queryTurns, SubscriptionLimits } from '@taskgate/execution';
import { RateLimitStore } from '@taskgate/limits';
import { afterCommit, checkConnections, type Clock, databaseClock } from '@taskgate/postgres';
import { Deadlines, Turns } from '@taskgate/work';
import { keyIn } from './accounts/credentials.ts';
import { accountServices, type PrintCode } from './accounts/services.ts';
import { Changes } from './changes/changes.ts';
import { openHistory } from './history/history.ts';
import type { Config } from './config/config.ts';
import { Connections, type DatabaseOptions } from './platform/database.ts';
import { cacheSizes } from './platform/cache-sizes.ts';
import { ratePolicies } from './platform/rate-limit-policies.ts';
import { SecurityLog } from './platform/security-log.ts';
import type { Services } from './platform/services.ts';
import { Mailer } from './notifications/mailer.ts';
import { Planner } from './notifications/planner.ts';
import { syncTurns } from './sync/subscription.ts';
import { listTurns } from './tasks/stream-turns.ts';
import { storedResponsesLimit } from './http/idempotency.ts';
import { RequestLimits } from './http/request-limits.ts';
import { ResponseCache } from './http/response-cache.ts';

export interface AppServices extends Services {
  secrets: string[];
  requestLimits: RequestLimits;
  close(): Promise<void>;
}

export interface ServiceOptions {
  databaseUrl: string;
  publicUrl: string;
  clock?: Clock | undefined;
  printCode?: PrintCode | undefined;
}

const openConnections = (config: Config, databaseUrl: string, options: DatabaseOptions = {}) =>
  new Connections(databaseUrl, {
    transactionPooling: config.transactionPooling,
    directUrl: config.databaseDirectUrl,
    readUrls: config.databaseReadUrls,
    poolSize: config.databasePoolSize,
    ...options,
  });

/**
 * Ignores the schema's version, and read replicas, without which the service runs.
 * @throws {StartError} as {@link checkConnections} does; connection errors unchanged
 */
export async function tryConnections(config: Config, databaseUrl: string): Promise<void> {
  const connections = openConnections(config, databaseUrl, { readUrls: [] });
  await checkConnections(connections).finally(() => connections.close());
}

/**
 * Creates the objects with a lifetime. Beyond them, the apps of a process share the log, the metrics, memory and Node's
 * threads.
 * @throws as {@link tryConnections}
 */
export async function createServices(config: Config, options: ServiceOptions): Promise<AppServices> {
  const turns = new Turns();
  const statementBytes = cacheSizes(config.cacheBytes).statements;
  const connections = openConnections(config, options.databaseUrl, { statementBytes, turns });
  try {
    await checkConnections(connections);
    return await servicesOn(connections, config, options);
  } catch (error) {
    await connections.close();
    throw error;
  }
}

async function servicesOn(
  connections: Connections,
  config: Config,
  { databaseUrl, publicUrl, clock = databaseClock, printCode }: ServiceOptions,
): Promise<AppServices> {
  const secrets = config.sessionSecrets ?? [await secretIn(path.join(config.dataDir, 'session-secret'))];
  const passwordPolicy = {
    minLength: config.passwordMinLength,
    blocked: config.passwordBlocklist ?? new Set<string>(),
  };
  const securityLog = new SecurityLog(secrets[0] ?? '');
  const policies = ratePolicies(config.rates);
  const store = config.rateLimits ? new RateLimitStore(connections, config.redisUrl) : undefined;
  const accounts = accountServices({
    connections,
    secrets,
    passwordPolicy,
    policies,
    store,
    providers: config.providers,
    publicUrl,
    printCode,
  });
  const changes = await Changes.open({
    connections,
    readAccess: (sessionId) => accounts.credentials.readAccess(sessionId),
    // A pooler in transaction mode takes the listening connection away.
    databaseUrl: config.databaseDirectUrl ?? (config.transactionPooling ? undefined : databaseUrl),
    redisUrl: config.redisUrl,
    retentionDays: config.changeRetentionDays,
  });
  const mailer = new Mailer({
    connections,
    clock,
    smtpUrl: config.smtpUrl,
    from: config.mailFrom,
    outbox: path.join(config.dataDir, 'outbox'),
    secrets,
    publicUrl,
    appUrl: config.appUrl ?? publicUrl,
  });
  const planner = new Planner(connections, clock, () => mailer.wake());
  const history = await openHistory(connections, config.historyRetentionDays);
  const responses = new ResponseCache(cacheSizes(config.cacheBytes).responses);
  return {
    secrets,
    requestLimits: new RequestLimits({ policies, store, securityLog, keyIn }),
    accounts,
    changes,
    connections,
    history,
    deadlines: new Deadlines(config.operationTimeoutMs),
    storedResponses: storedResponsesLimit(store),
    lists: listTurns(connections),
    mailer,
    notifyChanged: (hint) =>
      afterCommit(() => {
        changes.notify(hint);
        planner.wake();
      }),
    planner,
    queries: queryTurns(),
    securityLog,
    responses,
    syncReads: syncTurns(connections),
    turns: connections.turns,
    subscriptions: new SubscriptionLimits({
      enabled: config.rateLimits,
      connectionsOfClient: config.rates.sockets,
    }),
    workspaces: { limitsInvitations: config.rateLimits },
    async close() {
      await changes.close();
      await planner.close();
      await mailer.close();
      store?.close();
      responses.clear();
      await connections.close();
    },
  };
}
