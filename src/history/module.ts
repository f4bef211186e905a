import { every, hourly } from '@taskgate/postgres';
import { defineModule } from '../platform/module.ts';
import { eraseEmptied } from './emptying.ts';
import { pruneHistory, pruneOperations } from './retention-data.ts';

const minuteMs = 60_000;

/** Minimum number of days that operations are kept, with their actor and time. */
const operationDays = 365;

export const history = defineModule({
  name: 'history',
  background: ({ changes, connections, history: { retentionDays: days } }) => [
    every(minuteMs, 'pruning of the history', () => pruneHistory(connections, days)),
    every(minuteMs, 'emptying of the trash', () => eraseEmptied(connections, null, minuteMs)),
    hourly('pruning of operations', () =>
      pruneOperations(connections, Math.max(operationDays, days, changes.retentionDays)),
    ),
  ],
});
