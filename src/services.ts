import path from 'node:path';
import { accountServices, type PrintCode } from './accounts/services.ts';
import { Changes } from './changes/changes.ts';
import { History } from './history/history.ts';
import type { Config } from './config/config.ts';
import { afterCommit } from './database/operation.ts';
import { queryTurns } from './graphql/execute.ts';
import { SubscriptionLimits } from './graphql/subscription-limits.ts';
import { Deadlines } from './kernel/cancellation.ts';
import { secretIn } from './kernel/files.ts';
import { ratePolicies } from './kernel/rate-limit-policies.ts';
import { SecurityLog } from './kernel/security-log.ts';
import type { Services } from './kernel/services.ts';
import { type Clock, databaseClock } from './notifications/clock.ts';
import { Mailer } from './notifications/mailer.ts';
import { Planner } from './notifications/planner.ts';
import { RateLimitStore } from './rate-limits/rate-limit-store.ts';
import { listTurns } from './tasks/stream-turns.ts';
import { storedResponsesLimit } from './http/idempotency.ts';
import { RequestLimits } from './http/request-limits.ts';
import { ResponseCache } from './http/response-cache.ts';

export interface AppServices extends Services {
  /** The first signs, all verify. */
  secrets: string[];
  requestLimits: RequestLimits;
  close(): Promise<void>;
}

export interface ServiceOptions {
  databaseUrl: string;
  publicUrl: string;
  responseCacheBytes: number;
  /** For mails. Absent: the database's clock. */
  clock?: Clock | undefined;
  printCode?: PrintCode | undefined;
}

/**
 * Creates the objects with a lifetime. Apps of a process also share the database client, the log, the
 * metrics, turns of the event loop, memory and Node's threads.
 */
export async function createServices(
  config: Config,
  { databaseUrl, publicUrl, responseCacheBytes, clock = databaseClock, printCode }: ServiceOptions,
): Promise<AppServices> {
  const secrets = config.sessionSecrets ?? [await secretIn(path.join(config.dataDir, 'session-secret'))];
  const passwordPolicy = {
    minLength: config.passwordMinLength,
    blocked: config.passwordBlocklist ?? new Set<string>(),
  };
  const securityLog = new SecurityLog(secrets[0] ?? '');
  const policies = ratePolicies(config.rates);
  const store = config.rateLimits ? new RateLimitStore(config.redisUrl) : undefined;
  const changes = await Changes.open({
    // A pooler in transaction mode takes the listening connection away.
    databaseUrl: config.databaseDirectUrl ?? (config.transactionPooling ? undefined : databaseUrl),
    redisUrl: config.redisUrl,
    retentionDays: config.changeRetentionDays,
  });
  const mailer = new Mailer({
    clock,
    smtpUrl: config.smtpUrl,
    from: config.mailFrom,
    outbox: path.join(config.dataDir, 'outbox'),
    secrets,
    publicUrl,
    appUrl: config.appUrl ?? publicUrl,
  });
  const planner = new Planner(clock, () => mailer.wake());
  const history = await History.open({
    days: config.historyRetentionDays,
    changeDays: config.changeRetentionDays,
  });
  const responses = new ResponseCache(responseCacheBytes);
  return {
    secrets,
    requestLimits: new RequestLimits({ policies, store, securityLog }),
    accounts: accountServices({
      secrets,
      passwordPolicy,
      policies,
      store,
      providers: config.providers,
      publicUrl,
      printCode,
    }),
    changes,
    history,
    deadlines: new Deadlines(config.operationTimeoutMs),
    storedResponses: storedResponsesLimit(store),
    lists: listTurns(),
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
    subscriptions: new SubscriptionLimits({
      enabled: config.rateLimits,
      connectionsOfClient: config.rates.sockets,
    }),
    workspaces: { limitsInvitations: config.rateLimits },
    async close() {
      history.close();
      await changes.close();
      await planner.close();
      await mailer.close();
      store?.close();
      responses.clear();
    },
  };
}
