import { afterCommit } from '@taskgate/postgres';
import type { ChangeHint } from '../platform/change-hint.ts';
import { defineModule, type OnStop } from '../platform/module.ts';
import type { Services } from '../platform/services.ts';
import { Changes } from './changes.ts';

interface Settings {
  databaseUrl: string;
  databaseDirectUrl: string | undefined;
  transactionPooling: boolean;
  redisUrl: string | undefined;
  changeRetentionDays: number;
}

export const changes = defineModule({
  name: 'changes',
  async services(
    { accounts, connections }: Pick<Services, 'accounts' | 'connections'>,
    { databaseUrl, databaseDirectUrl, transactionPooling, redisUrl, changeRetentionDays }: Settings,
    onStop: OnStop,
  ) {
    const changes = await Changes.open({
      connections,
      readAccess: (sessionId) => accounts.credentials.readAccess(sessionId),
      // A pooler in transaction mode takes the listening connection away.
      databaseUrl: databaseDirectUrl ?? (transactionPooling ? undefined : databaseUrl),
      redisUrl,
      retentionDays: changeRetentionDays,
    });
    onStop(() => changes.close());
    return { changes, notifyChanged: (hint: ChangeHint) => afterCommit(() => changes.notify(hint)) };
  },
});
