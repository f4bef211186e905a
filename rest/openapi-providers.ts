import { z } from 'zod';
import { json } from '../src/http/media-types.ts';
import type { Components } from './json-schema.ts';
import { anywhere, commonHeaders, type ErrorResponses, headersOf } from './openapi-responses.ts';

const listed = z.object({
  providers: z.array(
    z.object({
      name: z.string().describe('What paths name it by.'),
      label: z.string().describe('What a button says.'),
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

/** Of a redirect: `Set-Cookie` is another cookie in each. */
const redirect = (description: string, cookie: string) => ({
  description,
  headers: {
    ...headersOf(...commonHeaders, 'Location'),
    'Set-Cookie': { description: cookie, schema: { type: 'string' } },
  },
});

/** Paths of external sign-in. They have no rows, because they run no operation. */
export function providerPaths(components: Components, errors: ErrorResponses): Record<string, object> {
  const common = { tags: ['user'], 'x-addition': true, security: [] };
  const browsing = errors.of(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', ...anywhere]);
  return {
    '/api/v1/auth/providers': {
      get: {
        operationId: 'listProviders',
        summary: 'Lists the external providers that one can sign in with',
        description: 'It needs no session.',
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
        summary: 'Sends the browser to an external provider, to sign in',
        description:
          'For a link or a form of a page, not for a script. It never links: a session that the browser has is replaced after the sign-in. Access tokens are FORBIDDEN.',
        ...common,
        parameters: [
          provider,
          parameter(
            'query',
            'returnTo',
            'Path of this origin to come back to, percent-encoded. Anything else is refused, never changed.',
            { default: '/', maxLength: 2000, pattern: '^/' },
          ),
        ],
        responses: {
          302: redirect(
            'To the provider; or to `returnTo` with `?error=PROVIDER_UNAVAILABLE`, if the provider cannot be reached.',
            'Binds the sign-in to this browser for ten minutes; HTTP-only.',
          ),
          ...browsing,
        },
      },
    },
    '/api/v1/auth/{provider}/callback': {
      get: {
        operationId: 'finishProviderSignIn',
        summary: 'Takes the browser back from an external provider',
        description:
          'The redirect URI that is registered at the provider. It ends what a start or a link began in this browser, once. Access tokens are FORBIDDEN.',
        ...common,
        parameters: [
          provider,
          parameter('query', 'state', 'What the browser was sent to the provider with.'),
          parameter('query', 'code', 'By which the service learns who has signed in.'),
          parameter('query', 'error', 'Why the provider has refused, in place of `code`.'),
          parameter('query', 'iss', 'Issuer of the response (RFC 9207).'),
        ],
        responses: {
          302: redirect(
            'To `returnTo`. If it failed, with `?error=` and `ACCOUNT_EXISTS`, `ALREADY_LINKED`, `EMAIL_NOT_VERIFIED`, `PROVIDER_DENIED`, `PROVIDER_UNAVAILABLE` or `UNAUTHENTICATED`; to `/?error=INVALID_STATE`, if the state is unknown, used or of another browser.',
            'The session, if the browser has signed in; and the end of the cookie of the start.',
          ),
          ...browsing,
        },
      },
    },
  };
}
