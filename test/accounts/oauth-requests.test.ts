import { beforeAll, describe, expect, test } from '@jest/globals';
import { askFor, queryFor, redirectUri, registered, tryToAllow } from '../kit/application.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const codeOf = ({ errors: [error] = [] }: { errors?: { extensions: { code: string } }[] }) => error?.extensions.code;

async function requestOf(query: string) {
  const { data, errors } = await askFor(anna, query);
  if (!data) throw new Error(`applicationRequest failed: ${JSON.stringify(errors)}`);
  return data.applicationRequest;
}

/** Parameters that the redirect of a faulty request adds. */
async function faultOf(query: string) {
  const { redirectTo } = await requestOf(query);
  const { searchParams } = new URL(redirectTo ?? '');
  expect(searchParams.get('error_description')).not.toBe('');
  searchParams.delete('error_description');
  return Object.fromEntries(searchParams);
}

describe('applicationRequest', () => {
  test('explains the request', async () => {
    const clientId = await registered(service, { client_name: 'Claude', redirect_uris: ['https://evil.example/cb'] });
    const query = queryFor(clientId, { redirect_uri: 'https://evil.example/cb' });
    for (const text of [query, `?${query}`])
      expect(await requestOf(text)).toEqual({
        name: 'Claude',
        redirectHost: 'evil.example',
        isLocal: false,
        scopes: ['READ', 'WRITE'],
        redirectTo: null,
        // RFC 6749, 4.1.2.1; RFC 9207, 2.
        cancelTo: `https://evil.example/cb?error=access_denied&state=a+state&iss=${encodeURIComponent(service.url)}`,
      });
  });

  test.each([
    ['http://localhost/callback', 'http://localhost:51212/callback', 'localhost'],
    ['http://127.0.0.1:1/callback?a=b', 'http://127.0.0.1/callback?a=b', '127.0.0.1'],
    ['http://[::1]/callback', 'http://[::1]:9/callback', '[::1]'],
    ['cursor://anysphere/callback', 'cursor://anysphere/callback', 'cursor'],
  ])('takes for %s any port of a loopback address (RFC 8252, 7.3): %s', async (uri, asked, redirectHost) => {
    const clientId = await registered(service, { redirect_uris: [uri] });
    expect(await requestOf(queryFor(clientId, { redirect_uri: asked }))).toMatchObject({
      redirectHost,
      isLocal: true,
      redirectTo: null,
    });
  });

  test.each([
    ['another host', 'http://localhost/callback', 'http://127.0.0.1:51212/callback'],
    ['another path', 'http://localhost/callback', 'http://localhost:1/callback/'],
    ['a port that does not exist', 'http://localhost/callback', 'http://localhost:99999/callback'],
    ['a user', 'http://localhost/callback', 'http://localhost:1@evil.example/callback'],
    ['a port of https', 'https://app.example/cb', 'https://app.example:444/cb'],
    ['the host in capitals', 'https://app.example/cb', 'https://APP.example/cb'],
    ['a query', 'https://app.example/cb', 'https://app.example/cb?x'],
  ])('refuses a redirect URI with %s (RFC 6749, 3.1.2.3), without a redirect', async (_label, uri, asked) => {
    const clientId = await registered(service, { redirect_uris: [uri] });
    const { data, errors } = await askFor(anna, queryFor(clientId, { redirect_uri: asked }));
    expect(data).toBeFalsy();
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'query' }] } }]);
  });

  test('refuses an unknown client, without a redirect', async () => {
    const clientId = await registered(service);
    const [text = '', signature = ''] = clientId.split('.');
    const other = await registered(service);
    for (const id of [
      '',
      'https://client.example/metadata.json',
      text,
      `${text}.${signature.startsWith('x') ? 'y' : 'x'}${signature.slice(1)}`,
      `${text}.${other.split('.')[1]}`,
      `${clientId}.x`,
    ])
      expect(codeOf(await askFor(anna, queryFor(id)))).toBe('VALIDATION_FAILED');
    expect(codeOf(await askFor(anna, queryFor(clientId, { client_id: undefined })))).toBe('VALIDATION_FAILED');
    expect(codeOf(await askFor(anna, `${queryFor(clientId)}&client_id=${other}`))).toBe('VALIDATION_FAILED');
    expect(codeOf(await askFor(anna, `${queryFor(clientId)}&redirect_uri=x`))).toBe('VALIDATION_FAILED');
    expect(codeOf(await askFor(anna, queryFor(clientId, { state: 'x'.repeat(17_000) })))).toBe('VALIDATION_FAILED');
  });

  test('needs a redirect URI if the client registered several (RFC 6749, 3.1.2.3)', async () => {
    const one = await registered(service);
    expect(await requestOf(queryFor(one, { redirect_uri: undefined }))).toMatchObject({ redirectHost: 'app.example' });
    const two = await registered(service, { redirect_uris: [redirectUri, 'https://b.example/'] });
    expect(codeOf(await askFor(anna, queryFor(two, { redirect_uri: undefined })))).toBe('VALIDATION_FAILED');
  });

  test.each([
    // RFC 6749, 4.1.2.1.
    ['invalid_request', { response_type: undefined }],
    ['unsupported_response_type', { response_type: 'token' }],
    // RFC 7636, 4.4.1.
    ['invalid_request', { code_challenge: undefined }],
    ['invalid_request', { code_challenge_method: undefined }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_request', { code_challenge: '' }],
    ['invalid_scope', { scope: 'offline_access' }],
    ['invalid_scope', { scope: 'READ' }],
    // RFC 8707, 2.
    ['invalid_target', { resource: 'https://other.example/' }],
    ['invalid_target', { resource: 'mcp' }],
  ])('redirects with %s for %j', async (error, parameters) => {
    const query = queryFor(await registered(service), parameters);
    const { url: iss } = service;
    expect(await faultOf(query)).toEqual({ of: 'app', error, state: 'a state', iss });
    expect(codeOf(await tryToAllow(anna, query))).toBe('VALIDATION_FAILED');
  });

  test.each(['response_type', 'code_challenge', 'code_challenge_method', 'scope', 'state', 'resource', 'unknown'])(
    'redirects with invalid_request for %s twice (RFC 6749, 3.1)',
    async (name) => {
      const query = queryFor(await registered(service), { [name]: name === 'resource' ? service.url : 'read' });
      expect(await faultOf(`${query}&${name}=read`)).toMatchObject({ error: 'invalid_request' });
    },
  );

  test('keeps the query of the redirect URI as it is (RFC 6749, 3.1.2), and leaves out an absent state', async () => {
    for (const [uri, start] of [
      ['https://app.example/?a=b%20c+d', 'https://app.example/?a=b%20c+d&error='],
      ['https://app.example/?', 'https://app.example/?error='],
      ['app:/cb', 'app:/cb?error='],
    ] as const) {
      const clientId = await registered(service, { redirect_uris: [uri] });
      const { cancelTo } = await requestOf(queryFor(clientId, { redirect_uri: uri, state: undefined }));
      expect(cancelTo).toBe(`${start}access_denied&iss=${encodeURIComponent(service.url)}`);
    }
  });

  test.each(['', '/', '/mcp', '/mcp/'])('takes the resource PUBLIC_URL%s (RFC 8707, 2)', async (path) => {
    const query = queryFor(await registered(service), { resource: `${service.url}${path}` });
    expect(await requestOf(query)).toMatchObject({ redirectTo: null });
  });

  test.each([
    [undefined, ['READ']],
    ['read', ['READ']],
    ['write', ['READ', 'WRITE']],
    ['openid write offline_access', ['READ', 'WRITE']],
  ])('understands the scope %j', async (scope, scopes) => {
    expect(await requestOf(queryFor(await registered(service), { scope }))).toMatchObject({ scopes });
  });

  test('needs a session, and no token suffices', async () => {
    const query = queryFor(await registered(service));
    expect(codeOf(await askFor(service.anonymous, query))).toBe('UNAUTHENTICATED');
    const program = await makeProgram(service, anna);
    expect(codeOf(await askFor(program, query))).toBe('FORBIDDEN');
    expect(codeOf(await tryToAllow(program, query))).toBe('FORBIDDEN');
    expect(codeOf(await program.graphql('{ viewer { applications { id } } }'))).toBe('FORBIDDEN');
    expect(codeOf(await program.graphql('mutation { revokeApplication(id: "x") }'))).toBe('FORBIDDEN');
  });
});
