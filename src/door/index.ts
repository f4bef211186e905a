/** The parts of the domain for adapters such as `rest/`. They import inputs and errors from the modules. */
export { presentable } from '@taskgate/execution';
export { localOf, momentOf } from '@taskgate/recurrence';
export { registerClient } from '../accounts/applications/clients.ts';
export { OAuthError } from '../accounts/applications/errors.ts';
export { exchange, revoke } from '../accounts/applications/exchange.ts';
export { type Parameters, parametersOf } from '../accounts/applications/requests.ts';
export { beginSignIn, finishSignIn, providersOf } from '../accounts/providers/rules.ts';
export { exportedAs, exportedLists } from '../exports/rules.ts';
export { dayOf } from '../notifications/rules.ts';
export { addDays } from '../notifications/times.ts';
export { type Context, signedIn } from '../platform/context.ts';
export { version } from '../platform/package.ts';
export { bindExport, type Export, type Streams, streamsOf, type TaskBatches } from './lists.ts';
export {
  bindEvents,
  costOf,
  type Executor,
  type Operation,
  operationOn,
  requireFitting,
  requireRightsOf,
  requireRoleIn,
  storesResponses,
  takesTokens,
} from './operations.ts';
