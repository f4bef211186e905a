import type { Request, RequestHandler } from 'express';

export const json = 'application/json';
/** RFC 8259, 8.1. */
export const jsonType = `${json}; charset=utf-8`;
export const form = 'multipart/form-data';
/** Media type of HTML forms and OAuth. */
export const urlEncoded = 'application/x-www-form-urlencoded';
export const eventStream = 'text/event-stream';
export const graphqlResponse = 'application/graphql-response+json';

/** The first response type is for clients that accept any (GraphQL over HTTP, 6.4). */
export const graphqlRequestTypes = [json, 'application/graphql+json'];
export const graphqlResponseTypes = [json, graphqlResponse];
export const graphqlStreamTypes = [eventStream, 'multipart/mixed'];

/** Ignores parameters. */
export const isOneOf = (contentType: string | undefined, types: readonly string[]): boolean =>
  contentType !== undefined && types.includes(contentType.replace(/\s*;.*$/s, '').toLowerCase());

/** An `Accept` header may ask for UTF-8. */
export function acceptedOf(request: Request, types: readonly string[]): string | undefined {
  const accepted = request.accepts(types.map((type) => `${type}; charset=utf-8`));
  return accepted ? accepted.split(';')[0] : undefined;
}

/** A longer `Accept` costs more to parse than an operation. */
const maxAcceptLength = 2000;

export const ignoreLongAccept: RequestHandler = ({ headers }, _response, next) => {
  if ((headers.accept?.length ?? 0) > maxAcceptLength) delete headers.accept;
  next();
};
