import { beforeAll, describe, expect, test } from '@jest/globals';
import { codeForm, connect, type OAuthFault, postForm, registered } from '../kit/application.ts';
import type { Answer } from '../kit/client.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const formType = 'application/x-www-form-urlencoded';

/** The form of RFC 6749, 5.2. */
function expectFault({ status, headers, body }: Answer<OAuthFault>, error: string, expected = 400) {
  expect({ status, body }).toEqual({ status: expected, body: { error, error_description: expect.any(String) } });
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('cache-control')).toBe('no-store');
}

const token = (form: Readonly<Record<string, string>> | string, headers?: Record<string, string>) =>
  postForm(service, '/oauth/token', form, headers);
const textOf = (form: Readonly<Record<string, string>>) => new URLSearchParams(form).toString();

describe('a parameter of /oauth/token', () => {
  test('that is there twice is refused, and spends nothing (RFC 6749, 3.2)', async () => {
    const form = await codeForm(service, anna);
    for (const [name, value] of Object.entries(form)) {
      expectFault(await token(`${textOf(form)}&${textOf({ [name]: value })}`), 'invalid_request');
      expectFault(await token(`${textOf({ [name]: 'other' })}&${textOf(form)}`), 'invalid_request');
    }
    expectFault(await token(`${textOf(form)}&scope=read&scope=write`), 'invalid_request');
    expect(await token(form)).toMatchObject({ status: 200 });
  });

  test('is found in a form of up to 64 KiB; a larger one is refused, and spends nothing', async () => {
    const form = await codeForm(service, anna);
    const padded = (bytes: number) => `${textOf(form)}&unknown=`.padEnd(bytes, 'x');
    for (const endpoint of ['token', 'revoke'])
      expectFault(await postForm(service, `/oauth/${endpoint}`, padded(64 * 1024 + 1)), 'invalid_request');
    expect(await token(padded(64 * 1024))).toMatchObject({ status: 200 });
  });

  test('that is missing or empty is refused (RFC 6749, 3.2)', async () => {
    const form = await codeForm(service, anna);
    const application = await connect(service, anna);
    for (const [whole, names] of [
      [form, ['grant_type', 'code', 'client_id', 'code_verifier']],
      [application.refreshForm(), ['grant_type', 'refresh_token', 'client_id']],
    ] as const)
      for (const name of names) {
        expectFault(await token({ ...whole, [name]: '' }), 'invalid_request');
        const others = Object.entries(whole).filter(([other]) => other !== name);
        expectFault(await token(Object.fromEntries(others)), 'invalid_request');
      }
    expect(await token(form)).toMatchObject({ status: 200 });
  });

  test('in the URL does not count (RFC 6749, 2.3.1), and an unknown one is ignored (3.2)', async () => {
    const form = await codeForm(service, anna);
    expectFault(await postForm(service, `/oauth/token?${textOf(form)}`, ''), 'invalid_request');
    const extra = { ...form, unknown: 'x', client_secret: 'x', scope: 'read' };
    expect(await postForm(service, '/oauth/token?unknown=1', extra)).toMatchObject({
      status: 200,
      body: { scope: 'read write' },
    });
  });

  test.each([
    'password',
    'client_credentials',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'Refresh_Token',
  ])('grant_type %s is unsupported_grant_type (RFC 6749, 5.2)', async (type) =>
    expectFault(await token({ grant_type: type, client_id: await registered(service) }), 'unsupported_grant_type'),
  );

  test('client_id of nobody is invalid_client, 401 (RFC 6749, 5.2)', async () => {
    const form = await codeForm(service, anna);
    for (const id of ['x', '.', 'a.b', 'a.b.c', '\u0000', 'ä', form.client_id.toLowerCase(), 'x'.repeat(20_000)]) {
      const answer = await token({ ...form, client_id: id });
      expectFault(answer, 'invalid_client', 401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
    }
  });

  test('resource of another service is invalid_target (RFC 8707, 2.2), and spends nothing', async () => {
    const form = await codeForm(service, anna);
    expectFault(await token({ ...form, resource: 'https://other.example/mcp' }), 'invalid_target');
    expect(await token({ ...form, resource: `${service.url}/mcp` })).toMatchObject({ status: 200 });
    const application = await connect(service, anna);
    expectFault(await token(application.refreshForm({ resource: `${service.url}/api` })), 'invalid_target');
    expect(await token(application.refreshForm({ resource: `${service.url}/` }))).toMatchObject({ status: 200 });
  });

  test('code or refresh token of any form is invalid_grant', async () => {
    const form = await codeForm(service, anna);
    const application = await connect(service, anna);
    const { refresh_token: refreshToken, access_token: accessToken } = application.tokens;
    const bad = ['x', '.', '..', '\u0000', 'ä', 'x'.repeat(50_000), "' OR 1=1", accessToken, `${refreshToken}.`];
    for (const code of [...bad, refreshToken, form.code.slice(1), form.code.replace('.', '..')])
      expectFault(await token({ ...form, code }), 'invalid_grant');
    const [start = '', number = '', signature = ''] = refreshToken.split('.');
    const changed = [
      `${start}.${Number(number) + 1}.${signature}`,
      `${start}.0${number}.${signature}`,
      `${start}.-1.${signature}`,
    ];
    for (const text of [...bad, ...changed, form.code])
      expectFault(await token(application.refreshForm({ refresh_token: text })), 'invalid_grant');
    for (const verifier of ['x', 'ä', 'x'.repeat(50_000), '\u0000'])
      expectFault(await token({ ...form, code_verifier: verifier }), 'invalid_grant');
    expect(await token(form)).toMatchObject({ status: 200 });
    expect(await token(application.refreshForm())).toMatchObject({ status: 200 });
  });

  test('scope of no known word is invalid_scope', async () => {
    const application = await connect(service, anna);
    for (const scope of ['openid', 'READ', 'read,write', 'x'.repeat(10_000)])
      expectFault(await token(application.refreshForm({ scope })), 'invalid_scope');
    expect(await token(application.refreshForm({ scope: 'write openid' }))).toMatchObject({
      body: { scope: 'read write' },
    });
  });

  test('may be percent-encoded in full, with + for spaces', async () => {
    const application = await connect(service, anna);
    const encode = (text: string) =>
      Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const text = Object.entries(application.refreshForm())
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .join('&');
    expect(await token(`${text}&scope=read+write`)).toMatchObject({ status: 200, body: { scope: 'read write' } });
  });
});

describe.each(['/oauth/token', '/oauth/revoke', '/oauth/register'])('%s', (path) => {
  const ownType = path === '/oauth/register' ? 'application/json' : formType;

  test.each([
    ...['text/plain', 'multipart/form-data; boundary=x', '', 'application/xml', `${formType}x`],
    ...[
      path === '/oauth/register' ? formType : 'application/json',
      `${ownType}; charset=utf-16`,
      `${ownType}; charset=latin1`,
    ],
  ])('refuses the content type "%s"', async (type) => {
    expectFault(await postForm(service, path, 'token=x', { 'Content-Type': type }), 'invalid_request');
  });

  test.each(['; charset=UTF-8', ';charset="utf-8"', ' ; Charset=utf-8 ', ';'])(
    'takes the content type with "%s"',
    async (suffix) => {
      const bodies: Record<string, string> = {
        '/oauth/register': '{"redirect_uris":["https://app.example/"]}',
        '/oauth/revoke': 'token=x',
        '/oauth/token': textOf(await codeForm(service, anna)),
      };
      const { status } = await postForm(service, path, bodies[path] ?? '', { 'Content-Type': `${ownType}${suffix}` });
      expect(status).toBe(path === '/oauth/register' ? 201 : 200);
    },
  );

  test('refuses a body that is empty, compressed, malformed or too large', async () => {
    for (const body of ['', '&&&=', '%', '{', '\u0000'])
      expect((await postForm(service, path, body, { 'Content-Type': ownType })).body).toMatchObject({
        error: expect.stringMatching(/^invalid_/),
      });
    const large = `token=${'x'.repeat(2 * 1024 * 1024)}`;
    expectFault(await postForm(service, path, large, { 'Content-Type': ownType }), 'invalid_request');
    for (const encoding of ['gzip', 'br', 'x'])
      expectFault(
        await postForm(service, path, 'token=x', { 'Content-Type': ownType, 'Content-Encoding': encoding }),
        'invalid_request',
      );
  });

  test('refuses a secret of a client, because clients have none (RFC 6749, 2.3 and 5.2)', async () => {
    const headers = { 'Content-Type': ownType, Authorization: `Basic ${btoa('client:secret')}` };
    const answer = await postForm(service, path, 'token=x', headers);
    expectFault(answer, 'invalid_client', 401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  test('is for POST alone (RFC 6749, 3.2)', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      expect(await service.anonymous.send(method, path)).toMatchObject({ status: 404 });
  });

  test('ignores a session', async () => {
    const answer = await anna.post<OAuthFault>(path, 'token=x', { headers: { 'Content-Type': 'text/plain' } });
    expectFault(answer, 'invalid_request');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

describe('pages of any origin', () => {
  const origin = 'https://inspector.example';

  test.each([
    ...['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'],
    ...['/.well-known/oauth-protected-resource/mcp', '/oauth/token', '/oauth/revoke', '/oauth/register'],
  ])('read the answers of %s, without credentials', async (path) => {
    const method = path.startsWith('/oauth') ? 'POST' : 'GET';
    const preflight = await service.anonymous.send('OPTIONS', path, undefined, {
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'content-type,mcp-protocol-version',
      },
    });
    expect(preflight.status).toBe(200);
    const answer = await service.anonymous.send(method, path, undefined, { headers: { Origin: origin } });
    for (const { headers } of [preflight, answer]) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
  });

  test.each(['/graphql', '/oauth/authorize', '/oauth/tokens', '/api/v2/todo'])(
    'do not read those of %s',
    async (path) => {
      const { headers } = await service.anonymous.get(path, { headers: { Origin: origin } });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});
