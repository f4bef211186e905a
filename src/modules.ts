import { hourly, prune } from '@taskgate/postgres';
import { accounts } from './accounts/module.ts';
import { history } from './history/module.ts';
import { http } from './http/module.ts';
import { notifications } from './notifications/module.ts';
import type { Module } from './platform/module.ts';
import type { Services } from './platform/services.ts';
import { workspaces } from './workspaces/module.ts';

const modules: readonly Module[] = [accounts, history, http, notifications, workspaces];

/** Starts the modules' work at intervals. */
export const startBackground = (services: Services): { stop(): void }[] =>
  modules.flatMap(({ expiring = {}, background }) => [
    ...Object.values(expiring).map((rows) =>
      hourly(`pruning of ${rows.table}`, () => prune(services.connections, rows)),
    ),
    ...(background?.(services) ?? []),
  ]);
