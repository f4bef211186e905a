/** The parts of the domain for adapters such as `rest/`. They import inputs and errors from the modules. */
export { presentable } from '@taskgate/execution';
export { beginSignIn, finishSignIn, providersOf } from '../accounts/providers/rules.ts';
export { exportedAs, exportedLists } from '../exports/rules.ts';
export { type Context, signedIn } from '../platform/context.ts';
export { bindExport, type Export, type Streams, streamsOf, type TaskBatches } from './lists.ts';
export {
  bindEvents,
  type Executor,
  type Operation,
  operationOn,
  requireFitting,
  requireRightsOf,
  requireRoleIn,
  storesResponses,
  takesTokens,
} from './operations.ts';
