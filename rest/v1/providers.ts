import { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { jsonType } from '@taskgate/http';
import { noBody, type RequestContexts } from '../../src/http/request-contexts.ts';
import { sendFinished } from '../../src/http/response-cache.ts';
import { graphql } from '../graphql.ts';
import { beginSignIn, finishSignIn, providersOf } from '../operation.ts';
import { route } from '../route.ts';

export const providerRoutes = [
  route({
    method: 'post',
    path: '/api/v1/auth/:provider/link',
    summary: 'Starts to link an external provider to the account',
    description: 'Returns the URL of the provider for the browser. Requires a sign-in within the last ten minutes.',
    input: z.object({
      path: z.object({ provider: z.string().describe('Name of the provider.') }),
      body: z.object({
        returnTo: z.string().nullish().describe('Path of this origin to return to. Default: `/`.'),
      }),
    }),
    document: graphql(`
      mutation LinkProvider($provider: String!, $returnTo: String) {
        linkProvider(provider: $provider, returnTo: $returnTo)
      }
    `),
    errors: ['NOT_FOUND', 'REAUTHENTICATION_REQUIRED'],
    setsCookie: true,
    response: z.object({ url: z.string() }),
    reply: ({ linkProvider: url }) => ({ url }),
  }),
];

/** Redirects have no rows. */
export function providerEndpoints(contexts: RequestContexts): Router {
  const redirect = async (
    request: Request<{ provider: string }>,
    response: Response,
    go: (context: Parameters<typeof beginSignIn>[0], provider: string) => Promise<string>,
  ) => {
    const { context } = await contexts.afterBody(request as Request, noBody);
    const location = await go(context, request.params.provider);
    // Express would encode the URL again.
    response.status(302).set({ Location: location, 'Cache-Control': 'no-store' }).end();
  };
  const list: RequestHandler = async (request, response) => {
    const { context } = await contexts.afterBody(request, noBody);
    sendFinished(response, { type: jsonType, body: Buffer.from(JSON.stringify({ providers: providersOf(context) })) });
  };
  const start: RequestHandler<{ provider: string }> = (request, response) =>
    redirect(request, response, (context, provider) => {
      const { returnTo } = request.query;
      if (returnTo !== undefined && typeof returnTo !== 'string') throw invalid('returnTo', 'must be a single path');
      return beginSignIn(context, provider, returnTo);
    });
  const callback: RequestHandler<{ provider: string }> = (request, response) =>
    redirect(request, response, (context, provider) => {
      const [, query] = /^[^?]*(\?.*)?$/s.exec(request.originalUrl) ?? [];
      return finishSignIn(context, provider, { search: query ?? '', browser: context.session.takeFlow() });
    });
  return Router({ caseSensitive: true })
    .get('/api/v1/auth/providers', list)
    .get('/api/v1/auth/:provider', start)
    .get('/api/v1/auth/:provider/callback', callback);
}
