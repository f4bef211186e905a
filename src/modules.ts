import { type Clock, hourly, prune } from '@taskgate/postgres';
import { accounts } from './accounts/module.ts';
import type { PrintCode } from './accounts/services.ts';
import { activity } from './activity/module.ts';
import { changes } from './changes/module.ts';
import { claims } from './claims/module.ts';
import type { Config } from './config/config.ts';
import { history } from './history/module.ts';
import { http } from './http/module.ts';
import { notifications } from './notifications/module.ts';
import { type Endpoint, ModuleList } from './platform/module.ts';
import type { BaseServices, Services } from './platform/services.ts';
import { sync } from './sync/module.ts';
import { tasks } from './tasks/module.ts';
import { webhooks } from './webhooks/module.ts';
import { workspaces } from './workspaces/module.ts';

export interface ServiceOptions {
  databaseUrl: string;
  publicUrl: string;
  clock?: Clock | undefined;
  printCode?: PrintCode | undefined;
}

export type Settings = Omit<Config, keyof ServiceOptions> & ServiceOptions;

/** A module may need the services of earlier ones. */
export const modules = ModuleList.on<BaseServices, Settings>()
  .with(accounts)
  .with(activity)
  .with(http)
  .with(changes)
  .with(claims)
  .with(history)
  .with(notifications)
  .with(sync)
  .with(tasks)
  .with(webhooks)
  .with(workspaces);

export const endpointsOf = (services: Services): Endpoint[] =>
  modules.list.flatMap(({ endpoints }) => endpoints?.(services) ?? []);

/** Starts the modules' work at intervals. */
export const startBackground = (services: Services): { stop(): void }[] =>
  modules.list.flatMap(({ expiring = {}, background }) => [
    ...Object.values(expiring).map((rows) =>
      hourly(`pruning of ${rows.table}`, () => prune(services.connections, rows)),
    ),
    ...(background?.(services) ?? []),
  ]);
