import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  allow,
  applicationsOf,
  codeForm,
  connect,
  newVerifier,
  postForm,
  queryFor,
  refresh,
  registered,
  type Tokens,
} from '../kit/application.ts';
import { makeTask } from '../kit/make.ts';
import { Program } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { changeWebhook, makeWebhook, webhooksOf } from '../webhooks/webhooks.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const exchange = (form: Readonly<Record<string, string>>) => postForm<Tokens>(service, '/oauth/token', form);
const fault = (error: string, status = 400) => ({ status, body: { error } });
const statusOf = async (token: string) => (await new Program(service, token).get('/api/v2/todo')).status;

/** Moves the answers of a grant into the past. */
const pass = (id: string, time: string) =>
  service.sql(
    `UPDATE access_tokens SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval
     WHERE $1 IN (id, grant_id)`,
    [id, time],
  );

describe('a code (RFC 6749, 4.1.3)', () => {
  test('gives an access token in the form of access tokens, and a refresh token', async () => {
    const { status, headers, body } = await exchange(await codeForm(service, anna));
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^tg_[0-9A-Za-z]{48}$/),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      refresh_token: expect.any(String),
      scope: 'read write',
    });
    expect(body.expires_in).toBeGreaterThan(3590);
    expect(body.expires_in).toBeLessThanOrEqual(3600);
    // RFC 6749, 5.1.
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('set-cookie')).toBeNull();
    expect(await statusOf(body.access_token)).toBe(200);
  });

  test('and its tokens are stored in no column', async () => {
    const form = await codeForm(service, anna);
    const { body } = await exchange(form);
    const rows = await service.sql<{ text: string }>(
      'SELECT access_tokens::text AS text FROM access_tokens WHERE user_id = $1',
      [anna.id],
    );
    const text = rows.map((row) => row.text).join('\n');
    for (const secret of [form.code, form.client_id, body.access_token, body.refresh_token])
      expect(text).not.toContain(secret.slice(-20));
  });

  test('works once: a second use ends the grant', async () => {
    const form = await codeForm(service, anna);
    const { body } = await exchange(form);
    const before = await applicationsOf(anna);
    expect(await exchange(form)).toMatchObject(fault('invalid_grant'));
    expect(await statusOf(body.access_token)).toBe(401);
    expect(await applicationsOf(anna)).toHaveLength(before.length - 1);
    expect(
      await exchange({ grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: form.client_id }),
    ).toMatchObject(fault('invalid_grant'));
  });

  test('used twice at the same moment gives tokens once, and ends the grant', async () => {
    const form = await codeForm(service, anna);
    const answers = await Promise.all([exchange(form), exchange(form)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const given = answers.find(({ status }) => status === 200);
    expect(await statusOf(given?.body.access_token ?? '')).toBe(401);
  });

  test('lives a minute', async () => {
    const ben = await signUp(service);
    const form = await codeForm(service, ben);
    const [grant] = await applicationsOf(ben);
    await pass(grant?.id ?? '', '61 seconds');
    expect(await exchange(form)).toMatchObject(fault('invalid_grant'));
    expect(await applicationsOf(ben)).toEqual([]);
  });

  test('of another client, redirect URI or verifier is refused, and not spent', async () => {
    const form = await codeForm(service, anna);
    for (const wrong of [
      { ...form, client_id: await registered(service) },
      // RFC 6749, 4.1.3.
      { ...form, redirect_uri: 'https://app.example/other' },
      { ...form, redirect_uri: '' },
      // RFC 7636, 4.6.
      { ...form, code_verifier: newVerifier().verifier },
      { ...form, code: `${form.code}x` },
    ])
      expect(await exchange(wrong)).toMatchObject(fault('invalid_grant'));
    expect(await exchange(form)).toMatchObject({ status: 200 });
  });

  test('needs no redirect URI if the request had none', async () => {
    const clientId = await registered(service);
    const { verifier, challenge } = newVerifier();
    const query = queryFor(clientId, { redirect_uri: undefined, code_challenge: challenge });
    const code = (await allow(anna, query)).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: verifier };
    expect(await exchange(form)).toMatchObject({ status: 200 });
  });
});

describe('a refresh token (RFC 6749, 6)', () => {
  test('gives new tokens, and the older access token goes on', async () => {
    const application = await connect(service, anna);
    const { status, body } = await refresh(service, application);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', scope: 'read write' });
    expect(body.access_token).not.toBe(application.token);
    expect(body.refresh_token).not.toBe(application.tokens.refresh_token);
    for (const token of [body.access_token, application.token]) expect(await statusOf(token)).toBe(200);
  });

  test('used by two requests at once and again within a minute gives each the same successor', async () => {
    const application = await connect(service, anna);
    const both = await Promise.all([refresh(service, application), refresh(service, application)]);
    await pass(application.tokenId, '5 seconds');
    const third = await refresh(service, application);
    const [first, ...others] = [...both, third].map(({ status, body: { expires_in: _seconds, ...tokens } }) => ({
      status,
      tokens,
    }));
    expect(first).toMatchObject({ status: 200, tokens: { token_type: 'Bearer' } });
    for (const other of others) expect(other).toEqual(first);
    expect(await statusOf(first?.tokens.access_token ?? '')).toBe(200);
    const next = { refresh_token: first?.tokens.refresh_token ?? '' };
    expect(await refresh(service, application, next)).toMatchObject({ status: 200 });
    // Its own answer is not a minute old, although its successor has been used.
    expect((await refresh(service, application)).body.refresh_token).toBe(next.refresh_token);
  });

  test.each([
    ['after two minutes', '2 minutes'],
    ['after the clock of the database was set back', '-1 day'],
  ])('used %s again ends the grant', async (_when, time) => {
    const application = await connect(service, anna);
    const { body } = await refresh(service, application);
    await pass(application.tokenId, time);
    expect(await refresh(service, application)).toMatchObject(fault('invalid_grant'));
    expect(await refresh(service, application, { refresh_token: body.refresh_token })).toMatchObject(
      fault('invalid_grant'),
    );
    for (const token of [body.access_token, application.token]) expect(await statusOf(token)).toBe(401);
    expect((await applicationsOf(anna)).map(({ id }) => id)).not.toContain(application.tokenId);
  });

  test('of another client is refused, and not spent', async () => {
    const application = await connect(service, anna);
    const other = await registered(service);
    expect(await refresh(service, application, { client_id: other })).toMatchObject(fault('invalid_grant'));
    expect(await refresh(service, application)).toMatchObject({ status: 200 });
  });

  test('gives fewer scopes on request, never more', async () => {
    const application = await connect(service, anna);
    const { body } = await refresh(service, application, { scope: 'read' });
    expect(body.scope).toBe('read');
    expect(await new Program(service, body.access_token).post('/api/v2/todo', { title: 'No' })).toMatchObject({
      status: 403,
    });
    const again = await refresh(service, application, { refresh_token: body.refresh_token });
    expect(again.body.scope).toBe('read write');
    const reader = await connect(service, anna, { scopes: ['READ'] });
    expect(await refresh(service, reader, { scope: 'read write' })).toMatchObject(fault('invalid_scope'));
    expect(await refresh(service, reader)).toMatchObject({ status: 200, body: { scope: 'read' } });
  });

  test('ends after 90 days without use, and not before', async () => {
    const application = await connect(service, anna);
    await pass(application.tokenId, '89 days');
    const { status, body } = await refresh(service, application);
    expect(status).toBe(200);
    await pass(application.tokenId, '91 days');
    expect(await refresh(service, application, { refresh_token: body.refresh_token })).toMatchObject(
      fault('invalid_grant'),
    );
  });

  test('that is newer than the row, after a restored backup, is accepted', async () => {
    const application = await connect(service, anna);
    const { body } = await refresh(service, application);
    await service.sql('UPDATE access_tokens SET refresh_number = 1 WHERE id = $1', [application.tokenId]);
    await service.sql('DELETE FROM access_tokens WHERE grant_id = $1', [application.tokenId]);
    expect(await refresh(service, application, { refresh_token: body.refresh_token })).toMatchObject({ status: 200 });
  });

  test('leaves a grant with at most a hundred access tokens', async () => {
    const application = await connect(service, anna);
    await service.sql(
      `INSERT INTO access_tokens (hash, id, user_id, name, scopes, grant_id, created_at, expires_at)
       SELECT 'hash ' || $1 || n, 'tokn ' || $1 || n, $2, 'many', '{READ}', $1, now() - interval '1 minute', now() + interval '1 hour'
       FROM generate_series(1, 120) AS n`,
      [application.tokenId, anna.id],
    );
    await refresh(service, application);
    const [row] = await service.sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM access_tokens WHERE grant_id = $1',
      [application.tokenId],
    );
    expect(row?.count).toBe(100);
    expect(await statusOf(application.token)).toBe(200);
  });
});

describe('an access token of an application', () => {
  test('writes under the name of the application, within the granted spaces and scopes', async () => {
    const ben = await signUp(service);
    const application = await connect(service, ben, {
      clientId: await registered(service, { client_name: 'Planner' }),
      spaceIds: [ben.id],
    });
    const { id } = await makeTask(application, { title: 'By an application' });
    expect(
      await ben.data(`{ node(id: "${id}") { ... on Task { history { nodes { operation { client } } } } } }`),
    ).toEqual({
      node: { history: { nodes: [{ operation: { client: 'Planner' } }] } },
    });
    const reader = await connect(service, ben, { scopes: ['READ'] });
    expect(await reader.post('/api/v2/todo', { title: 'No' })).toMatchObject({ status: 403 });
    expect(await reader.get('/api/v2/todo')).toMatchObject({ status: 200 });
  });

  test('is no access token of the account: neither listed nor revoked as one', async () => {
    const ben = await signUp(service);
    const application = await connect(service, ben);
    expect(await ben.data('{ viewer { accessTokens { id } } }')).toEqual({ viewer: { accessTokens: [] } });
    const { body } = await ben.get<{ accessTokens: object[]; applications: object[] }>('/api/v2/export');
    expect(body).toMatchObject({ accessTokens: [], applications: [{ id: application.tokenId, name: 'Assistant' }] });
    expect(JSON.stringify(body)).not.toContain(application.tokens.refresh_token);
    const [row] = await service.sql<{ id: string }>('SELECT id FROM access_tokens WHERE grant_id = $1', [
      application.tokenId,
    ]);
    for (const id of [row?.id, application.tokenId])
      expect(await ben.graphql(`mutation { revokeAccessToken(id: "${id}") }`)).toMatchObject({
        errors: [{ extensions: { code: 'NOT_FOUND' } }],
      });
  });

  test('expires after an hour, and the grant goes on', async () => {
    const application = await connect(service, anna);
    await pass(application.tokenId, '61 minutes');
    expect(await statusOf(application.token)).toBe(401);
    const { body } = await refresh(service, application);
    expect(await statusOf(body.access_token)).toBe(200);
  });

  test('makes webhooks of the grant: its next token goes on with them, and they end with it', async () => {
    const ben = await signUp(service);
    const application = await connect(service, ben);
    const { webhook } = await makeWebhook(application, 'https://hooks.example/');
    expect(webhook.client).toBe('Assistant');
    const { body } = await refresh(service, application);
    await service.sql(
      `DELETE FROM access_tokens WHERE grant_id = $1 AND created_at < (
      SELECT max(created_at) FROM access_tokens WHERE grant_id = $1)`,
      [application.tokenId],
    );
    const next = new Program(service, body.access_token);
    expect(await webhooksOf(next)).toEqual([webhook]);
    expect(await webhooksOf(await connect(service, ben))).toEqual([]);
    expect(await changeWebhook(next, webhook.id, { enabled: false })).toMatchObject({ state: 'paused' });
    await ben.data(`mutation { revokeApplication(id: "${application.tokenId}") }`);
    expect(await webhooksOf(ben)).toEqual([]);
  });

  test('replays under an idempotency key what another token of the grant has done', async () => {
    const application = await connect(service, anna);
    const { body } = await refresh(service, application);
    const headers = { 'Idempotency-Key': 'once' };
    const first = await application.post<{ todo: object }>('/api/v2/todo', { title: 'Once' }, { headers });
    const second = await new Program(service, body.access_token).post('/api/v2/todo', { title: 'Once' }, { headers });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });
});
