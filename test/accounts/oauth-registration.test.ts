import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { connect, redirectUri, register, registered } from '../kit/application.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('metadata', () => {
  const documentOf = async (path: string) => {
    const { status, headers, body } = await service.anonymous.get<Record<string, unknown>>(`/.well-known/${path}`);
    expect(status).toBe(200);
    // RFC 8414, 3.2; RFC 9728, 3.2.
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    return body;
  };

  test('of the server (RFC 8414, 2 and 3.3) name the issuer and the endpoints', async () => {
    const { url } = service;
    expect(await documentOf('oauth-authorization-server')).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      revocation_endpoint: `${url}/oauth/revoke`,
      registration_endpoint: `${url}/oauth/register`,
      scopes_supported: ['read', 'write'],
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      // RFC 7636 (RFC 8414, 2).
      code_challenge_methods_supported: ['S256'],
      // RFC 9207, 3.
      authorization_response_iss_parameter_supported: true,
    });
  });

  test('promise no client id metadata documents and no OpenID', async () => {
    const server = await documentOf('oauth-authorization-server');
    expect(server).not.toHaveProperty('client_id_metadata_document_supported');
    expect(server).not.toHaveProperty('userinfo_endpoint');
    expect(await service.anonymous.get('/.well-known/openid-configuration')).toMatchObject({ status: 404 });
  });

  test.each(['', '/mcp'])('of the resource "%s" (RFC 9728, 2 and 3.3) name it and its server', async (path) => {
    expect(await documentOf(`oauth-protected-resource${path}`)).toMatchObject({
      resource: `${service.url}${path}`,
      authorization_servers: [service.url],
      scopes_supported: ['read', 'write'],
      bearer_methods_supported: ['header'],
    });
  });
});

describe('POST /oauth/register (RFC 7591)', () => {
  test('does not parse a URI that is too long, because an international host takes a time that grows with its square', async () => {
    const parse = jest.spyOn(URL, 'canParse');
    const uri = `https://xn--${'a'.repeat(1500)}-${'b'.repeat(1500)}.example/`;
    expect(await register(service, { redirect_uris: [uri] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    });
    expect(parse.mock.calls.filter(([text]) => text === uri)).toEqual([]);
  });

  test('answers 201 with all registered metadata (3.2.1), and no secret for a client that asks for one', async () => {
    const { status, headers, body } = await register<Record<string, unknown>>(service, {
      client_name: 'Claude',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'refresh_token'],
      logo_uri: 'https://169.254.169.254/logo.png',
    });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      client_id: expect.any(String),
      client_name: 'Claude',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'read write',
    });
    expect(await connect(service, anna, { clientId: String(body['client_id']) })).toMatchObject({
      tokens: { token_type: 'Bearer' },
    });
  });

  test('gives each registration an id of its own, and asks nothing of the database', async () => {
    const { statements, result } = await recordStatements(async () => [
      await registered(service),
      await registered(service),
    ]);
    expect(new Set(result).size).toBe(2);
    expect(statements.filter(({ purpose }) => purpose !== 'background')).toEqual([]);
  });

  test.each([
    ['a long name', 'ä'.repeat(150), 'ä'.repeat(100)],
    ['a name of emoji', '👩‍🚀'.repeat(60), '👩‍🚀'.repeat(33) + '👩'],
    ['spaces and control characters', ' A\n\u0000 B\u202E ', 'A B'],
    ['no visible character', '\u200b ', 'app.example'],
    ['spaces for the first 10,000 characters', `${' '.repeat(10_000)}A`, 'app.example'],
    ['no visible character before the cut', `${'\u200b'.repeat(100)}x`, 'app.example'],
    ['half a character', 'A\ud800', 'A\ufffd'],
    ['no name', undefined, 'app.example'],
  ])('cuts and cleans a name: %s', async (_label, name, shown) => {
    const { body } = await register<{ client_name: string }>(service, { client_name: name });
    expect(body.client_name.replace(/\u200d$/, '')).toBe(shown);
  });

  test.each([
    ...[
      'https://app.example/cb',
      'http://127.0.0.1/cb',
      'http://[::1]:8080/cb',
      'http://localhost',
      'cursor://anysphere.cursor-mcp/oauth',
    ],
    ...['com.example.app:/callback', 'vscode://host/path?a=b', 'https://app.example:8443/?x=%20'],
  ])('takes the redirect URI %s (RFC 8252, 7)', async (uri) => {
    expect(await register(service, { redirect_uris: [uri] })).toMatchObject({ status: 201 });
  });

  test.each([
    ...[
      'http://app.example/cb',
      'http://127.0.0.2/cb',
      'http://localhost.evil.example/',
      'http://localhost@evil.example/',
      'https://user:word@app.example/',
    ],
    ...[
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'blob:https://a/b',
    ],
    ...[
      'https://app.example/#',
      'https://app.example/cb#x',
      '/callback',
      '',
      'https://',
      'https:\\\\evil.example',
      'https:evil.example/cb',
      'https:/settings',
      'https://häuser.example/',
      'urn:ietf:wg:oauth:2.0:oob',
    ],
    ...['http://localhost:99999/', `https://app.example/${'x'.repeat(3000)}`],
  ])('refuses the redirect URI %j', async (uri) => {
    expect(await register(service, { redirect_uris: [redirectUri, uri] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    });
  });

  test.each([
    ['invalid_redirect_uri', { redirect_uris: [] }],
    ['invalid_redirect_uri', { redirect_uris: undefined }],
    ['invalid_redirect_uri', { redirect_uris: Array.from({ length: 11 }, (_none, n) => `https://app.example/${n}`) }],
    ['invalid_redirect_uri', { redirect_uris: redirectUri }],
    ['invalid_redirect_uri', { redirect_uris: [1] }],
    ['invalid_client_metadata', { client_name: 5 }],
  ])('answers %s (3.2.2)', async (error, metadata) => {
    expect(await register(service, metadata)).toMatchObject({ status: 400, body: { error } });
  });

  test('answers invalid_client_metadata for JSON that is no object', async () => {
    for (const body of ['[]', '"text"', 'null', '1'])
      expect(await service.anonymous.post('/oauth/register', body)).toMatchObject({
        status: 400,
        body: { error: 'invalid_client_metadata' },
      });
  });
});
