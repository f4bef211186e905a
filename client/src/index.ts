export { type Client, type ClientOptions, createClient } from './client.ts';
export { type ErrorCode, type ErrorDetails, type FieldError, TaskgateError } from './errors.ts';
export type { Document, TypedDocument } from './graphql.ts';
export type { RequestOptions } from './http.ts';
export type { components, paths } from './openapi.ts';
export type { Rest, RestAnswer, RestOptions, RestPath } from './rest.ts';
export type { WebSocketClass } from './subscription.ts';
