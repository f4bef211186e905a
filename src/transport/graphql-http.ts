import { type RequestHandler, Router } from 'express';
import { HttpError, unknownPath } from './error-response.ts';
import { graphiqlPage } from './graphiql.ts';
import { type AnswerOptions, operationAnswers } from './graphql-answer.ts';
import { readOperationRequest } from './graphql-body.ts';
import { acceptedOf, graphqlResponse, graphqlResponseTypes, graphqlStreamTypes, form, json } from './media-types.ts';
import { type OriginOptions, refuseForeignPages, refuseFormsAndLinks } from './origins.ts';
import type { RequestContexts } from './request-contexts.ts';

export interface GraphqlOptions extends AnswerOptions {
  origins: OriginOptions;
  contexts: RequestContexts;
  /** Whether browsers that open the endpoint are given GraphiQL. */
  graphiql: boolean;
}

/** Characters of an `Accept` that is parsed; a longer one takes longer than an operation, and no client needs it. */
const maxAcceptLength = 2000;

const ignoreLongAccept: RequestHandler = ({ headers }, _response, next) => {
  if ((headers.accept?.length ?? 0) > maxAcceptLength) delete headers.accept;
  next();
};

const noOperation = (method: string) =>
  method === 'POST'
    ? new HttpError(415, 'Content-Type', `must be ${json} or, with files, ${form}`)
    : new HttpError(405, '', 'GraphQL only supports GET and POST requests.', { Allow: 'GET, POST' });

/** `/graphql` over HTTP and SSE: GraphQL over HTTP, multipart uploads, persisted operations, GraphiQL. */
export function graphqlOverHttp({ origins, contexts, graphiql, ...options }: GraphqlOptions): Router {
  const answer = operationAnswers(options);
  const handler: RequestHandler = async (request, response) => {
    const type = acceptedOf(request, graphqlResponseTypes) ?? acceptedOf(request, graphqlStreamTypes);
    if (!type) throw new HttpError(406, 'Accept', `must allow ${graphqlResponse}`);
    const hasSession = contexts.hasSession(request);
    const { body: parameters, context } = await contexts.afterBody(request, (receive) =>
      readOperationRequest(request, { receive, hasSession }),
    );
    if (!parameters) throw noOperation(request.method);
    response.setHeader('Cache-Control', 'no-store');
    await answer({ request, response, type, context, parameters });
  };
  const router = Router();
  router.use((request, _response, next) => next(request.path === '/' ? undefined : unknownPath()));
  if (graphiql) router.get('/', graphiqlPage());
  return router.use(ignoreLongAccept, refuseForeignPages(origins), refuseFormsAndLinks(origins), handler);
}
