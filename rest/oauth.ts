import type { Request } from 'express';
import { ValidationError } from '@taskgate/base';
import { isOneOf, json, jsonParser, textParser, urlEncoded } from '@taskgate/http';
import { sendJson } from '../src/door/http.ts';
import {
  type Context,
  exchange,
  OAuthError,
  type Parameters,
  parametersOf,
  registerClient,
  revoke,
} from '../src/door/index.ts';
import type { BareRoute } from './route.ts';

// OAuth 2.1 for programs. It describes itself (RFC 8414), so `openapi.json` does not.

const grantTypes = ['authorization_code', 'refresh_token'];
const responseTypes = ['code'];
const scopes = ['read', 'write'];

/** RFC 8414, 2. */
const serverMetadata = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/oauth/authorize`,
  token_endpoint: `${url}/oauth/token`,
  revocation_endpoint: `${url}/oauth/revoke`,
  registration_endpoint: `${url}/oauth/register`,
  scopes_supported: scopes,
  response_types_supported: responseTypes,
  response_modes_supported: ['query'],
  grant_types_supported: grantTypes,
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
});

/** RFC 9728, 2. */
const resourceMetadata = (path: string) => (url: string) => ({
  resource: `${url}${path}`,
  resource_name: 'Taskgate',
  authorization_servers: [url],
  scopes_supported: scopes,
  bearer_methods_supported: ['header'],
});

const metadata = (path: string, document: (url: string) => object): BareRoute => ({
  method: 'get',
  path: `/.well-known/${path}`,
  auth: 'none',
  raw:
    ({ contexts: { publicUrl } }) =>
    (_request, response) =>
      sendJson(response.set('Cache-Control', 'no-store'), document(publicUrl)),
});

/** The charset of another encoding would change the text. */
const isUtf8 = (contentType: string) => /^[^;]*(?:;\s*(?:charset="?utf-8"?\s*)?)*$/i.test(contentType);

/** @throws OAuthError */
function requireType({ headers: { 'content-type': type = '' } }: Request, expected: string): void {
  if (!isOneOf(type, [expected]) || !isUtf8(type))
    throw new OAuthError('invalid_request', `The Content-Type must be ${expected}.`);
}

/** RFC 6749, 5.1 and 5.2. */
const uncached = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** Reading a form of a megabyte with many parameters blocks the event loop for half a second. */
const maxFormBytes = 64 * 1024;

const bodies = { [json]: jsonParser([json]), [urlEncoded]: textParser([urlEncoded], maxFormBytes) };

/** @param answer returns undefined for an empty response */
const endpoint = (
  path: string,
  type: keyof typeof bodies,
  status: number,
  answer: (context: Context, body: unknown) => unknown,
): BareRoute => ({
  method: 'post',
  path: `/oauth/${path}`,
  auth: 'none',
  raw:
    ({ contexts }) =>
    async (request, response) => {
      try {
        requireType(request, type);
        // Clients are public: they have no secret (RFC 6749, 2.3 and 5.2).
        if (/^basic/i.test(request.headers.authorization ?? ''))
          throw new OAuthError('invalid_client', 'Clients have no secret: send the client_id in the body.', 401);
        const { context } = await contexts.afterBody(request, (receive) => receive(bodies[type]));
        const answered = await answer(context, request.body);
        response.status(status).set(uncached);
        if (answered === undefined) response.end();
        else sendJson(response, answered);
      } catch (error) {
        const { code, message, status } = faultOf(error);
        if (status === 401) response.set('WWW-Authenticate', 'Basic realm="Taskgate"');
        sendJson(response.status(status).set(uncached), { error: code, error_description: message });
      }
    },
});

/** Errors of body parsers have a status. @throws every other error */
function faultOf(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  const isOfBody = error instanceof ValidationError || (error instanceof Error && 'status' in error);
  if (!isOfBody) throw error;
  return new OAuthError('invalid_request', 'The body cannot be read.');
}

const formEndpoint = (path: string, answer: (context: Context, parameters: Parameters) => unknown) =>
  endpoint(path, urlEncoded, 200, (context, body) =>
    answer(context, parametersOf(typeof body === 'string' ? body : '')),
  );

const register = endpoint('register', json, 201, ({ services: { accounts } }, body) => {
  const { id, name, redirectUris } = registerClient(accounts.secret, body);
  // RFC 7591, 3.2.1.
  return {
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: grantTypes,
    response_types: responseTypes,
    token_endpoint_auth_method: 'none',
    scope: scopes.join(' '),
  };
});

export const oauthRoutes: readonly BareRoute[] = [
  metadata('oauth-authorization-server', serverMetadata),
  metadata('oauth-protected-resource', resourceMetadata('')),
  metadata('oauth-protected-resource/mcp', resourceMetadata('/mcp')),
  register,
  formEndpoint('token', exchange),
  formEndpoint('revoke', revoke),
];
