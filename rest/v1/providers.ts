import type { Request } from 'express';
import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { noBody, sendJson } from '../../src/door/http.ts';
import { beginSignIn, type Context, finishSignIn, providersOf } from '../../src/door/index.ts';
import { graphql } from '../graphql.ts';
import { sentAs } from '../json-schema.ts';
import { rawRoute, type RawRoute, route } from '../route.ts';

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

const providersOfService = rawRoute({
  path: '/api/v1/auth/providers',
  operationId: 'listProviders',
  reason: 'The list is a setting, which pages need before there is a session.',
  summary: 'Lists the external sign-in providers',
  description: 'Requires no session.',
  auth: 'none',
  errors: ['UNAUTHENTICATED'],
  response: z.object({
    providers: z.array(
      z.object({
        name: z.string().describe('Name in paths.'),
        label: z.string().describe('Text for a button.'),
      }),
    ),
  }),
  raw:
    ({ contexts }) =>
    async (request, response) => {
      const { context } = await contexts.afterBody(request, noBody);
      sendJson(response, { providers: providersOf(context) });
    },
});

type Redirect = (context: Context, provider: string, request: Request) => Promise<string>;

/** Makes a row that redirects to the location that `go` returns. */
const redirectRoute = ({
  go,
  query,
  ...row
}: Pick<RawRoute, 'path' | 'operationId' | 'summary' | 'description' | 'redirect'> & {
  go: Redirect;
  query: z.ZodType;
}) =>
  rawRoute({
    ...row,
    reason: 'A browser follows the redirect to or from the provider.',
    auth: 'none',
    input: z.object({ path: z.object({ provider: z.string().describe('Name of the provider.') }), query }),
    errors: ['UNAUTHENTICATED', 'FORBIDDEN'],
    raw:
      ({ contexts }) =>
      async (request, response) => {
        const { context } = await contexts.afterBody(request, noBody);
        const { provider } = request.params as { provider: string };
        const location = await go(context, provider, request);
        // Express would encode the URL again.
        response.status(302).set({ Location: location, 'Cache-Control': 'no-store' }).end();
      },
  });

/** Defaults, patterns and optional parameters are documented here, and checked by the rules. */
export const providerRedirects = [
  providersOfService,
  redirectRoute({
    path: '/api/v1/auth/:provider',
    operationId: 'startProviderSignIn',
    summary: 'Redirects the browser to an external provider to sign in',
    description:
      'For a link or form of a page, not for a script. It never links an account: the sign-in replaces the session of the browser. Access tokens are FORBIDDEN.',
    query: z.object({
      returnTo: sentAs(z.string().optional(), {
        type: 'string',
        description: 'Path of this origin to return to, percent-encoded. Any other value is refused.',
        default: '/',
        maxLength: 2000,
        pattern: '^/',
      }),
    }),
    redirect: {
      description:
        'To the provider; or to `returnTo` with `?error=PROVIDER_UNAVAILABLE`, if the provider cannot be reached.',
      cookie: 'An HTTP-only cookie that binds the sign-in to this browser for ten minutes.',
    },
    go(context, provider, { query: { returnTo } }) {
      if (returnTo !== undefined && typeof returnTo !== 'string') throw invalid('returnTo', 'must be a single path');
      return beginSignIn(context, provider, returnTo);
    },
  }),
  redirectRoute({
    path: '/api/v1/auth/:provider/callback',
    operationId: 'finishProviderSignIn',
    summary: 'Completes the sign-in or link at an external provider',
    description:
      'The redirect URI that is registered with the provider. It completes, once, a sign-in or link that this browser began. Access tokens are FORBIDDEN.',
    query: z.object({
      state: z.string().optional().describe('State that was sent to the provider.'),
      code: z.string().optional().describe('Authorization code.'),
      error: z.string().optional().describe('Error of the provider, instead of `code`.'),
      iss: z.string().optional().describe('Issuer of the response (RFC 9207).'),
    }),
    redirect: {
      description:
        'To `returnTo`. If it failed, with `?error=` and `ACCOUNT_EXISTS`, `ALREADY_LINKED`, `EMAIL_NOT_VERIFIED`, `PROVIDER_DENIED`, `PROVIDER_UNAVAILABLE` or `UNAUTHENTICATED`. To `/?error=INVALID_STATE`, if the state is unknown, used or from another browser.',
      cookie: 'The session cookie after a sign-in. The cookie of the start is cleared.',
    },
    go(context, provider, { originalUrl }) {
      const [, search = ''] = /^[^?]*(\?.*)?$/s.exec(originalUrl) ?? [];
      return finishSignIn(context, provider, { search, browser: context.session.takeFlow() });
    },
  }),
];
