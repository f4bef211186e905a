import path from 'node:path';
import { secretIn } from '@taskgate/base';
import { RateLimitStore } from '@taskgate/limits';
import { checkConnections } from '@taskgate/postgres';
import { Deadlines, Turns } from '@taskgate/work';
import type { Config } from './config/config.ts';
import { modules, type ServiceOptions } from './modules.ts';
import { cacheSizes } from './platform/cache-sizes.ts';
import { Connections, type DatabaseOptions } from './platform/database.ts';
import { ratePolicies } from './platform/rate-limit-policies.ts';
import { type OnStop, Stops } from './platform/module.ts';
import { SecurityLog } from './platform/security-log.ts';
import type { BaseServices, Services } from './platform/services.ts';

export interface AppServices extends Services {
  close(): Promise<void>;
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
  const stops = new Stops();
  try {
    const base = await openBase(config, options.databaseUrl, stops.add);
    return { ...(await modules.build(base, { ...config, ...options }, stops.add)), close: stops.run };
  } catch (error) {
    await stops.run();
    throw error;
  }
}

async function openBase(config: Config, databaseUrl: string, onStop: OnStop): Promise<BaseServices> {
  const turns = new Turns();
  const statementBytes = cacheSizes(config.cacheBytes).statements;
  const connections = openConnections(config, databaseUrl, { statementBytes, turns });
  onStop(() => connections.close());
  await checkConnections(connections);
  const secrets = config.sessionSecrets ?? [await secretIn(path.join(config.dataDir, 'session-secret'))];
  const store = config.rateLimits ? new RateLimitStore(connections, config.redisUrl) : undefined;
  onStop(() => store?.close());
  return {
    connections,
    deadlines: new Deadlines(config.operationTimeoutMs),
    rateLimits: { policies: ratePolicies(config.rates), store },
    secrets,
    securityLog: new SecurityLog(secrets[0] ?? ''),
    turns,
  };
}
