import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  allow,
  applicationsOf,
  codeForm,
  connect,
  type OAuthFault,
  postForm,
  queryFor,
  registered,
  tryToAllow,
} from '../kit/application.ts';
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

describe('allowApplication', () => {
  test('returns the redirect with a code, the state and the issuer (RFC 6749, 4.1.2; RFC 9207, 2)', async () => {
    const url = await allow(anna, queryFor(await registered(service), { state: 'ä &=' }));
    expect(`${url.origin}${url.pathname}`).toBe('https://app.example/callback');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      of: 'app',
      code: expect.any(String),
      state: 'ä &=',
      iss: service.url,
    });
  });

  test('makes a grant, which the account sees', async () => {
    const ben = await signUp(service);
    const application = await connect(service, ben, { scopes: ['WRITE'], spaceIds: [ben.id, ben.id] });
    expect(await applicationsOf(ben)).toEqual([
      {
        id: expect.stringMatching(/^appl_/),
        name: 'Assistant',
        redirectHost: 'app.example',
        scopes: ['READ', 'WRITE'],
        spaceIds: [ben.id],
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
      },
    ]);
    expect(application.tokens.scope).toBe('read write');
    await connect(service, ben, { scopes: ['READ'], clientId: application.clientId });
    expect(await applicationsOf(ben)).toHaveLength(2);
    expect(await application.get('/api/v2/todo')).toMatchObject({ status: 200 });
  });

  test('refuses more scopes than the application asks for, none, and foreign spaces', async () => {
    const query = queryFor(await registered(service), { scope: 'read' });
    const pathOf = async (consent: Parameters<typeof tryToAllow>[2]) => {
      const { errors } = await tryToAllow(anna, query, consent);
      return (errors?.[0]?.extensions as { errors?: { path: string }[] }).errors?.[0]?.path;
    };
    expect(await pathOf({ scopes: ['READ', 'WRITE'] })).toBe('scopes.1');
    expect(await pathOf({ scopes: [] })).toBe('scopes');
    expect(await pathOf({ scopes: ['READ'], spaceIds: [] })).toBe('spaceIds');
    expect(await pathOf({ scopes: ['READ'], spaceIds: [anna.id, 'wksp_01jcq7y3zveb8r3n5m2k4t6w8x'] })).toBe(
      'spaceIds.1',
    );
  });

  test.each([
    ['', '-11 minutes'],
    [', also after the clock of the database was set back', '1 day'],
  ])('needs a sign-in within ten minutes%s', async (_what, age) => {
    const ben = await signUp(service);
    await service.sql(`UPDATE sessions SET created_at = now() + $2::interval WHERE sid = $1`, [ben.sessionId, age]);
    expect(codeOf(await tryToAllow(ben, queryFor(await registered(service))))).toBe('REAUTHENTICATION_REQUIRED');
  });

  test('ignores idempotency keys', async () => {
    const ben = await signUp(service);
    const query = queryFor(await registered(service));
    const body = { query: `mutation { allowApplication(query: "${query}", scopes: [READ]) }` };
    const headers = { 'Idempotency-Key': 'same', 'x-graphql-yoga-csrf': '1' };
    const [one, other] = [
      await ben.post<{ data: object }>('/graphql', body, { headers }),
      await ben.post<{ data: object }>('/graphql', body, { headers }),
    ];
    expect(one.body.data).toBeTruthy();
    expect(other.body.data).not.toEqual(one.body.data);
  });

  test('makes at most a hundred grants, of which an unused code counts for a minute', async () => {
    const ben = await signUp(service);
    await service.sql(
      `INSERT INTO access_tokens (hash, id, user_id, kind, name, scopes, client, redirect_host, refresh_number, expires_at)
       SELECT 'hash ' || $1 || n, 'appl ' || $1 || n, $1, 'application', 'many', '{READ}', '', '', 1, now() + interval '1 day'
       FROM generate_series(1, 99) AS n`,
      [ben.id],
    );
    const query = queryFor(await registered(service));
    await allow(ben, query);
    expect(codeOf(await tryToAllow(ben, query))).toBe('VALIDATION_FAILED');
    await service.sql(`UPDATE access_tokens SET expires_at = now() WHERE user_id = $1 AND refresh_number = 0`, [
      ben.id,
    ]);
    expect(codeOf(await tryToAllow(ben, query))).toBeUndefined();
  });

  test('is reported by a mail with the host', async () => {
    const ben = await signUp(service);
    const clientId = await registered(service, { client_name: 'Claude', redirect_uris: ['https://evil.example/cb'] });
    await allow(ben, queryFor(clientId, { redirect_uri: 'https://evil.example/cb' }));
    const { subject, text } = await service.mailbox.take(ben.email);
    expect(subject).toBe('The sign-in to your Taskgate account was changed');
    // Mail programs would make a link of the host.
    expect(text).toContain('The application “Claude” of evil. example was connected. Its name is not verified.');
  });
});

describe('an application ends', () => {
  const statusOf = async (application: { get(path: string): Promise<{ status: number }> }) =>
    (await application.get('/api/v2/todo')).status;
  const revoke = (form: Record<string, string>) => postForm<OAuthFault | ''>(service, '/oauth/revoke', form);

  test('by revokeApplication of its account alone', async () => {
    const [ben, cleo] = [await signUp(service), await signUp(service)];
    const application = await connect(service, ben);
    const mutation = (id: string) => `mutation { revokeApplication(id: "${id}") }`;
    expect(codeOf(await cleo.graphql(mutation(application.tokenId)))).toBe('NOT_FOUND');
    expect(await statusOf(application)).toBe(200);
    expect(await ben.data(mutation(application.tokenId))).toEqual({ revokeApplication: application.tokenId });
    expect(await statusOf(application)).toBe(401);
    expect(await applicationsOf(ben)).toEqual([]);
    expect(await postForm(service, '/oauth/token', application.refreshForm())).toMatchObject({
      body: { error: 'invalid_grant' },
    });
    for (const id of [application.tokenId, 'x']) expect(codeOf(await ben.graphql(mutation(id)))).toBe('NOT_FOUND');
  });

  test('before its code is used, too', async () => {
    const ben = await signUp(service);
    const form = await codeForm(service, ben);
    const [grant] = await applicationsOf(ben);
    await ben.data(`mutation { revokeApplication(id: "${grant?.id}") }`);
    expect(await postForm(service, '/oauth/token', form)).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  test.each(['access_token', 'refresh_token'] as const)('by the revocation of its %s (RFC 7009, 2.1)', async (kind) => {
    const application = await connect(service, anna);
    const form = { token: application.tokens[kind], token_type_hint: 'unknown', client_id: application.clientId };
    const { status, headers, body } = await revoke(form);
    expect({ status, body }).toEqual({ status: 200, body: '' });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await statusOf(application)).toBe(401);
    // RFC 7009, 2.2: invalid tokens cause no error.
    expect(await revoke(form)).toMatchObject({ status: 200 });
  });

  test('by a revocation without a client id', async () => {
    const application = await connect(service, anna);
    await revoke({ token: application.token });
    expect(await statusOf(application)).toBe(401);
  });

  test('not by a revocation of another client, nor of any other text', async () => {
    const application = await connect(service, anna);
    const program = await makeProgram(service, anna);
    const { clientId, tokens } = application;
    for (const form of [
      { token: tokens.access_token, client_id: await registered(service) },
      { token: tokens.refresh_token, client_id: await registered(service) },
      { token: `${tokens.refresh_token}x`, client_id: clientId },
      { token: program.token, client_id: clientId },
      { token: 'x'.repeat(5000), client_id: clientId },
      { token: '\u0000', client_id: clientId },
    ])
      expect(await revoke(form)).toMatchObject({ status: 200, body: '' });
    for (const each of [application, program]) expect(await statusOf(each)).toBe(200);
  });

  test('with its account', async () => {
    const ben = await signUp(service);
    const application = await connect(service, ben);
    await ben.data('mutation ($password: String) { deleteAccount(password: $password) }', { password: ben.password });
    expect(await statusOf(application)).toBe(401);
    expect(await postForm(service, '/oauth/token', application.refreshForm())).toMatchObject({
      body: { error: 'invalid_grant' },
    });
  });
});
