import { every, hourly } from '@taskgate/postgres';
import { defineModule } from '../platform/module.ts';
import type { BaseServices } from '../platform/services.ts';
import { setForTriggers } from '../platform/trigger-settings.ts';
import { eraseEmptied } from './emptying.ts';
import { pruneHistory, pruneOperations } from './retention-data.ts';

declare module '../platform/services.ts' {
  interface Services {
    history: {
      /** Days that images are kept. 0 if none are. */
      readonly retentionDays: number;
    };
  }
}

const minuteMs = 60_000;

/** Minimum number of days that operations are kept, with their actor and time. */
const operationDays = 365;

export const history = defineModule({
  name: 'history',
  async services({ connections }: BaseServices, { historyRetentionDays }: { historyRetentionDays: number }) {
    await setForTriggers(connections, 'history_settings', historyRetentionDays);
    return { history: { retentionDays: historyRetentionDays } };
  },
  background: ({ changes, connections, history: { retentionDays: days } }) => [
    every(minuteMs, 'pruning of the history', () => pruneHistory(connections, days)),
    every(minuteMs, 'emptying of the trash', () => eraseEmptied(connections, null, minuteMs)),
    hourly('pruning of operations', () =>
      pruneOperations(connections, Math.max(operationDays, days, changes.retentionDays)),
    ),
  ],
});
