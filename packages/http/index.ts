export { assignClientAddress, clientAddressFrom } from './client-address.ts';
export { Drain } from './drain.ts';
export { guardedFetch, mayRequest } from './guarded-fetch.ts';
export { Html, html } from './html.ts';
export {
  createHttpServer,
  defaultConnectionsOfClient,
  hasBody,
  type HttpLimits,
  makeExpressMessages,
  onRefusedConnection,
} from './http-server.ts';
export { checkJson, notJson } from './json-limits.ts';
export {
  acceptedOf,
  eventStream,
  form,
  graphqlRequestTypes,
  graphqlResponse,
  graphqlResponseTypes,
  graphqlStreamTypes,
  ignoreLongAccept,
  isOneOf,
  json,
  jsonType,
  urlEncoded,
} from './media-types.ts';
export { oneAtATime } from './pipelining.ts';
export { parseQueryString, withoutListSuffix } from './query-string.ts';
export type { ByteLease } from './byte-budget.ts';
export {
  type BodyParser,
  compressed,
  fileOf,
  formParser,
  jsonParser,
  maxJsonBytes,
  type ReceiveBody,
  RequestBodies,
  textParser,
  tooLarge,
} from './request-body.ts';
export type { Networks } from './public-address.ts';
export { assignRequestId, requestIdOf } from './request-id.ts';
export { sendStreamed, streamHeaders, write } from './streamed-response.ts';
export { onWebSocketUpgrade, refuseUpgrade } from './upgrades.ts';
