export {
  type CheckedOperation,
  type CheckOperation,
  operationChecker,
  type OperationRequest,
  type RefusedOperation,
} from './check-operation.ts';
export { estimate, rootFields } from './complexity.ts';
export { type Caller, type ExecutionContext, type ExecutionServices, pauseOf, refreshViewer } from './context.ts';
export type { Scans } from './cost.ts';
export { documentCache, ownCopy, textCache } from './document-cache.ts';
export type { BoundArgs, CheckPlugin, ExecutionCall, ExecutionPlugin, Executor } from './envelop.ts';
export { codeOf, failedResult, originOf, presentable, withPresentable } from './errors.ts';
export { createExecutor, type ServicePlugins, type YogaExecutor } from './executor.ts';
export { jsonBytes } from './json-text.ts';
export { operationTypeOf } from './named-operation.ts';
export type { OperationSource } from './operation-metrics.ts';
export { isForm, operationReader, type ReadOperation } from './operation-body.ts';
export { listedOperations } from './persisted.ts';
export { resultStreams, subscriptionResults } from './result-streams.ts';
export { subscribe, type SubscriptionEvent } from './subscribe.ts';
export { Subscription } from './subscription.ts';
export { defaultSocketsOfClient, SubscriptionLimits } from './subscription-limits.ts';
export { queryTurns } from './use-turn.ts';
export type { SocketBearer, SocketClient } from './websocket-protocol.ts';
export { socketServer, type SocketServerOptions } from './websocket-server.ts';
