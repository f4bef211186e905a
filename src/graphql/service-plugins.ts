import type { ServicePlugins } from '@taskgate/execution';
import type { Context } from '../platform/context.ts';
import { useChangeNotification } from './plugins/use-change-notification.ts';
import { useNamedAccount } from './plugins/use-named-account.ts';
import { useOperationIds } from './plugins/use-operation-ids.ts';
import { useRights } from './plugins/use-rights.ts';
import { useSecurityLog } from './plugins/use-security-log.ts';

/** The plugins of the executor that know accounts, rights and changes. */
export const servicePlugins = (): ServicePlugins<Context> => ({
  checks: [useNamedAccount()],
  observers: [useSecurityLog()],
  executions: [useRights(), useOperationIds(), useChangeNotification()],
});
