import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, OperationTypeNode } from 'graphql';
import { createYoga, type GraphQLParams, isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
import type { Context } from '../kernel/context.ts';
import type { RequestContexts } from './request-contexts.ts';
import { type ErrorCode, errorCodes, TaskgateError } from '../kernel/errors.ts';
import { presentable } from '../graphql/execute.ts';
import { asRequestError, headersOf, isHangUp, unknownPath } from './request-errors.ts';
import { graphqlRequestOf, noteGraphqlRequest } from './graphql-request.ts';
import { useKernel } from './yoga-execution.ts';
import { graphiqlPage } from './graphiql.ts';
import type { RequestLimits } from './request-limits.ts';
import type { CheckCallersOperation } from './counted-operations.ts';
import { type OriginOptions, refuseForeignPages, refuseFormsAndLinks } from './origins.ts';
import { answerQueries, jsonTypes } from './graphql-queries.ts';
import { readOperationRequest } from './graphql-body.ts';

export interface GraphqlDoor {
  origins: OriginOptions;
  schema: GraphQLSchema;
  checkOperation: CheckCallersOperation;
  limits: RequestLimits;
  contexts: RequestContexts<Request>;
  /** Whether browsers that open the endpoint are given GraphiQL. */
  graphiql: boolean;
}

const streamTypes = ['text/event-stream', 'multipart/mixed'];

/** Characters of an `Accept` that is looked at; a longer one takes longer than an operation, and no client needs it. */
const maxAcceptLength = 2000;

const ignoreLongAccept: RequestHandler = ({ headers }, _response, next) => {
  if ((headers.accept?.length ?? 0) > maxAcceptLength) delete headers.accept;
  next();
};

/** The best of the types by the request's `Accept`; clients may say that they want it in UTF-8, as it is. */
function acceptedOf(request: Request, types: readonly string[]): string | undefined {
  const accepted = request.accepts(types.map((type) => `${type}; charset=utf-8`));
  return accepted ? accepted.split(';')[0] : undefined;
}

interface Server {
  req: Request;
  res: Response;
}

/** `/graphql` over HTTP and SSE: GraphQL over HTTP, multipart uploads, persisted operations, GraphiQL. */
export function graphqlDoor({ origins, schema, checkOperation, limits, contexts, graphiql }: GraphqlDoor): Router {
  const yoga = createYoga<Server, Context>({
    schema,
    context: ({ req }) => graphqlRequestOf(req).context,
    cors: false,
    batching: false,
    logging: false,
    landingPage: false,
    graphiql: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    plugins: [useGate(), useKernel()],
  });
  const router = Router();
  router.use((request, _response, next) => next(request.path === '/' ? undefined : unknownPath()));
  if (graphiql) router.get('/', graphiqlPage());
  const prepare: RequestHandler = async (request, response, next) => {
    const type = acceptedOf(request, jsonTypes) ?? acceptedOf(request, streamTypes);
    if (!type) throw status(406, 'Accept', 'must allow application/graphql-response+json');
    const hasSession = contexts.hasSession(request);
    const { body: parameters, context } = await contexts.afterBody(request, (receive) =>
      readOperationRequest(request, { receive, hasSession }),
    );
    // A body that is read already would have Yoga take any content type for JSON.
    request.body = undefined;
    response.set('Cache-Control', 'no-store');
    noteGraphqlRequest(request, { parameters, context, type });
    next();
  };
  const answer: RequestHandler = async (request, response) => {
    const { checked, type } = graphqlRequestOf(request);
    const streams = checked?.operation?.operation === OperationTypeNode.SUBSCRIPTION;
    // Yoga's own reading knows no quality values, and leaves out what names its charset in another way.
    request.headers.accept = (streams ? acceptedOf(request, ['text/event-stream']) : undefined) ?? type;
    await yoga(request as never, response as never);
  };
  const guards = [ignoreLongAccept, refuseForeignPages(origins), refuseFormsAndLinks];
  router.use(guards, prepare, answerQueries(schema, { checkOperation, limits }), answer, onGraphqlError);
  return router;
}

/** An error that is told by an HTTP status of its own. */
const status = (code: number, path: string, message: string) =>
  new TaskgateError('VALIDATION_FAILED', `${path} ${message}`, {
    errors: [{ path, message }],
    http: { status: code },
  });

/** Tells Yoga what the gate said of an operation, and makes every error presentable, wherever in Yoga it comes from. */
function useGate(): Plugin<object, Server> {
  const documents = new WeakMap<GraphQLParams, DocumentNode>();
  return {
    onRequestParse({ request, serverContext, setRequestParser }) {
      const { parameters } = graphqlRequestOf(serverContext.req);
      if (parameters) return setRequestParser(() => parameters as GraphQLParams);
      if (request.method === 'POST') {
        throw status(415, 'Content-Type', 'must be application/json or, with files, multipart/form-data');
      }
      return undefined;
    },
    onParams({ setParams, context: { req } }) {
      const { checked } = graphqlRequestOf(req);
      if (!checked) throw new Error('an operation that was not checked');
      if (checked.errors) {
        const refused = { status: 400, spec: !checked.malformed };
        const httpFor = (error: GraphQLError) => (codeOf(error) === 'VALIDATION_FAILED' ? refused : httpOf(error));
        throw new AggregateError(checked.errors.map((error) => withHttp(error, httpFor(error))));
      }
      const { document, operation, operationName, variables } = checked;
      if (operation.operation === OperationTypeNode.SUBSCRIPTION && !req.accepts('text/event-stream')) {
        throw status(406, 'Accept', 'must allow text/event-stream for a subscription');
      }
      // Yoga wants a text; it is not read again.
      const accepted: GraphQLParams = { query: '{__typename}', variables, operationName };
      documents.set(accepted, document);
      setParams(accepted);
    },
    onParse({ context, setParsedDocument }) {
      const document = documents.get((context as { params: GraphQLParams }).params);
      if (document) setParsedDocument(document);
    },
    onValidate({ setResult }) {
      setResult([]);
    },
    onResultProcess(processed) {
      const { result, serverContext } = processed;
      const { id } = serverContext.req;
      if (isAsyncIterable(result)) {
        processed.setResult(mapAsyncIterator(result, (each: ExecutionResult) => presentableResult(each, id)));
      } else if (!Array.isArray(result)) {
        processed.setResult(presentableResult(result, id));
      }
    },
  };
}

function presentableResult(result: ExecutionResult, requestId: string): ExecutionResult {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => withHeaders(presentable(error, requestId)));
  // An operation that was executed has data, if only null: 200. The rest says why by its status.
  if ('data' in result) return { ...result, errors };
  return { ...result, errors: errors.map((error) => withHttp(error, httpOf(error))) };
}

/** The response's headers are those of the first of its errors that has any. */
function withHeaders(error: GraphQLError): GraphQLError {
  const headers = headersOf(error.originalError instanceof GraphQLError ? error.originalError : error);
  return Object.keys(headers).length > 0 ? withHttp(error, { headers }) : error;
}

const codeOf = ({ extensions }: GraphQLError) => extensions['code'] as ErrorCode;

/** What Yoga is told of an error that stands alone; where it has a status, that goes before the code's. */
function httpOf(error: GraphQLError): { status: number } {
  const told = error.extensions['http'];
  return { ...told, status: told?.status ?? errorCodes[codeOf(error)].status };
}

const withHttp = (error: GraphQLError, http: object) =>
  new GraphQLError(error.message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: { ...error.extensions, http },
  });

/** Answers what went wrong before an operation was found. */
export const onGraphqlError: ErrorRequestHandler = (error, request, response, _next) => {
  if (isHangUp(error, request)) return void response.destroy();
  const shown = presentable(asRequestError(error), request.id);
  if (response.headersSent) return void response.destroy();
  const extensions = { ...shown.extensions };
  delete extensions['http'];
  const type = request.accepts(['application/json', 'application/graphql-response+json']) || 'application/json';
  response.set({ ...headersOf(shown), 'Cache-Control': 'no-store' });
  response.status(httpOf(shown).status).type(type);
  response.send(JSON.stringify({ errors: [{ message: shown.message, extensions }] }));
};
