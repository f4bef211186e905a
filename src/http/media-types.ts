import type { Request, RequestHandler } from 'express';

export const json = 'application/json';
/** JSON as the service sends it: in UTF-8 (RFC 8259, 8.1). */
export const jsonType = `${json}; charset=utf-8`;
export const form = 'multipart/form-data';
export const eventStream = 'text/event-stream';
export const graphqlResponse = 'application/graphql-response+json';

/** Media types of a GraphQL request in JSON; and of its response, the first for clients that take any (GraphQL over HTTP, 6.4). */
export const graphqlRequestTypes = [json, 'application/graphql+json'];
export const graphqlResponseTypes = [json, graphqlResponse];
/** Those of results that are sent one after another. */
export const graphqlStreamTypes = [eventStream, 'multipart/mixed'];

/** Whether a `Content-Type` is one of the media types, whatever its parameters. */
export const isOneOf = (contentType: string | undefined, types: readonly string[]): boolean =>
  contentType !== undefined && types.includes(contentType.replace(/\s*;.*$/s, '').toLowerCase());

/** The best of the types by the request's `Accept`; clients may say that they want it in UTF-8, as it is. */
export function acceptedOf(request: Request, types: readonly string[]): string | undefined {
  const accepted = request.accepts(types.map((type) => `${type}; charset=utf-8`));
  return accepted ? accepted.split(';')[0] : undefined;
}

/** Characters of an `Accept` that is parsed; a longer one takes longer than an operation, and no client needs it. */
const maxAcceptLength = 2000;

export const ignoreLongAccept: RequestHandler = ({ headers }, _response, next) => {
  if ((headers.accept?.length ?? 0) > maxAcceptLength) delete headers.accept;
  next();
};
