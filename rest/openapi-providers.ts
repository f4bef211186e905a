import { z } from 'zod';
import { json } from '@taskgate/http';
import type { Components } from './json-schema.ts';
import { anywhere, commonHeaders, type ErrorResponses, headersOf } from './openapi-responses.ts';

const listed = z.object({
  providers: z.array(
    z.object({
      name: z.string().describe('Name in paths.'),
      label: z.string().describe('Text for a button.'),
    }),
  ),
});

const parameter = (place: 'path' | 'query', name: string, description: string, schema: object = {}) => ({
  name,
  in: place,
  required: place === 'path',
  description,
  schema: { type: 'string', ...schema },
});

const provider = parameter('path', 'provider', 'Name of the provider.');

/** Each redirect sets a different cookie. */
const redirect = (description: string, cookie: string) => ({
  description,
  headers: {
    ...headersOf(...commonHeaders, 'Location'),
    'Set-Cookie': { description: cookie, schema: { type: 'string' } },
  },
});

/** Runs no operation and has no rows. */
export function providerPaths(components: Components, errors: ErrorResponses): Record<string, object> {
  const common = { tags: ['user'], 'x-addition': true, security: [] };
  const browsing = errors.of(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', ...anywhere]);
  return {
    '/api/v1/auth/providers': {
      get: {
        operationId: 'listProviders',
        summary: 'Lists the external sign-in providers',
        description: 'Requires no session.',
        ...common,
        parameters: [],
        responses: {
          200: {
            description: 'Success.',
            headers: headersOf(...commonHeaders),
            content: { [json]: { schema: components.schemaOf(listed) } },
          },
          ...errors.of(['UNAUTHENTICATED', ...anywhere]),
        },
      },
    },
    '/api/v1/auth/{provider}': {
      get: {
        operationId: 'startProviderSignIn',
        summary: 'Redirects the browser to an external provider to sign in',
        description:
          'For a link or form of a page, not for a script. It never links an account: the sign-in replaces the session of the browser. Access tokens are FORBIDDEN.',
        ...common,
        parameters: [
          provider,
          parameter(
            'query',
            'returnTo',
            'Path of this origin to return to, percent-encoded. Any other value is refused.',
            { default: '/', maxLength: 2000, pattern: '^/' },
          ),
        ],
        responses: {
          302: redirect(
            'To the provider; or to `returnTo` with `?error=PROVIDER_UNAVAILABLE`, if the provider cannot be reached.',
            'An HTTP-only cookie that binds the sign-in to this browser for ten minutes.',
          ),
          ...browsing,
        },
      },
    },
    '/api/v1/auth/{provider}/callback': {
      get: {
        operationId: 'finishProviderSignIn',
        summary: 'Completes the sign-in or link at an external provider',
        description:
          'The redirect URI that is registered with the provider. It completes, once, a sign-in or link that this browser began. Access tokens are FORBIDDEN.',
        ...common,
        parameters: [
          provider,
          parameter('query', 'state', 'State that was sent to the provider.'),
          parameter('query', 'code', 'Authorization code.'),
          parameter('query', 'error', 'Error of the provider, instead of `code`.'),
          parameter('query', 'iss', 'Issuer of the response (RFC 9207).'),
        ],
        responses: {
          302: redirect(
            'To `returnTo`. If it failed, with `?error=` and `ACCOUNT_EXISTS`, `ALREADY_LINKED`, `EMAIL_NOT_VERIFIED`, `PROVIDER_DENIED`, `PROVIDER_UNAVAILABLE` or `UNAUTHENTICATED`. To `/?error=INVALID_STATE`, if the state is unknown, used or from another browser.',
            'The session cookie after a sign-in. The cookie of the start is cleared.',
          ),
          ...browsing,
        },
      },
    },
  };
}
