import { useCSRFPrevention } from '@graphql-yoga/plugin-csrf-prevention';
import type { Request, RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Context } from './kernel/context.ts';
import { presentable } from './kernel/execute.ts';

/** The `/graphql` door over HTTP. */
export function graphqlHandler(
  schema: GraphQLSchema,
  makeContext: (request: Request) => Promise<Context>,
): RequestHandler {
  const yoga = createYoga<{ req: Request }, Context>({
    schema,
    context: ({ req }) => makeContext(req),
    cors: false,
    batching: false,
    logging: false,
    landingPage: false,
    graphiql: false,
    maskedErrors: { maskError: (error) => presentable(error, '') },
    plugins: [useCSRFPrevention({ requestHeaders: ['x-graphql-yoga-csrf', 'apollo-require-preflight'] })],
  });
  return (request, response) => void yoga(request as never, response as never);
}
