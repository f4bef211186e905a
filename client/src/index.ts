export { type Client, type ClientOptions, createClient } from './client.ts';
export { type ErrorCode, type ErrorDetails, type FieldError, TaskgateError } from './errors.ts';
export type { BatchOperation, BatchOptions, Document, TypedDocument } from './graphql.ts';
export type { RequestOptions } from './http.ts';
export type { components, paths } from './openapi.ts';
export type { Rest, RestResponse, RestOptions, RestPath } from './rest.ts';
export type { WebSocketClass } from './subscription.ts';
export {
  createReplica,
  type MutationHandle,
  type Outcome,
  type Replica,
  type ReplicaOptions,
} from './replica/replica.ts';
export type * from './replica/types.ts';
export * from './replica/queries.ts';
export { indexedDbStorage } from './replica/indexed-db.ts';
export { keyBetween } from './replica/sort-key.ts';
export { memoryStorage, type Records, type ReplicaStorage } from './replica/storage.ts';
export type { Query } from './replica/view.ts';
export { isUndoable, type MutationName } from './replica/mutations.ts';
export type { OutboxEntry } from './replica/outbox.ts';
