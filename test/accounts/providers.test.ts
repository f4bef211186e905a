import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { makeProgram } from '../kit/program.ts';
import {
  honestProvider,
  type ProviderFaults,
  lyingProvider,
  PublicBrowser,
  type RunningProvider,
  makePerson,
  viewerOf,
} from '../kit/providers.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

const publicUrl = 'http://127.0.0.1:39741';
const redirectUri = (name: string) => () => `${publicUrl}/api/v1/auth/${name}/callback`;

let service: Service;
let honest: RunningProvider;
let open: RunningProvider;
let liar: Awaited<ReturnType<typeof lyingProvider>>;

beforeAll(async () => {
  honest = await honestProvider({
    id: 'taskgate',
    secret: 'a secret of the client',
    redirectUri: redirectUri('honest'),
  });
  open = await honestProvider({ id: 'public', redirectUri: redirectUri('open') });
  liar = await lyingProvider('taskgate');
  service = await startService({
    PUBLIC_URL: publicUrl,
    OIDC_HONEST_ISSUER: honest.issuer,
    OIDC_HONEST_CLIENT_ID: 'taskgate',
    OIDC_HONEST_CLIENT_SECRET: 'a secret of the client',
    OIDC_HONEST_LABEL: 'An honest provider',
    OIDC_OPEN_ISSUER: open.issuer,
    OIDC_OPEN_CLIENT_ID: 'public',
    OIDC_OPEN_TRUST_EMAIL: 'on',
    OIDC_LIAR_ISSUER: liar.issuer,
    OIDC_LIAR_CLIENT_ID: 'taskgate',
    OIDC_LIAR_CLIENT_SECRET: 'x',
    OIDC_AWAY_ISSUER: 'http://127.0.0.1:1',
    OIDC_AWAY_CLIENT_ID: 'taskgate',
  });
});
afterAll(async () => {
  await service.close();
  for (const provider of [honest, open, liar]) await provider.close();
});
beforeEach(() => liar.setFaults({}));

const browserOf = () => new PublicBrowser(service, publicUrl);

test('providers are listed without a session', async () => {
  const { status, body } = await service.anonymous.get('/api/v1/auth/providers');
  expect([status, body]).toEqual([
    200,
    {
      providers: [
        { name: 'away', label: 'away' },
        { name: 'honest', label: 'An honest provider' },
        { name: 'liar', label: 'liar' },
        { name: 'open', label: 'open' },
      ],
    },
  ]);
});

describe('a sign-in', () => {
  test('creates an account for a new subject, and finds it again, whatever the provider sends later', async () => {
    honest.person = makePerson();
    const { email } = honest.person;
    const browser = browserOf();
    expect(await browser.signIn('honest', '/home?tab=1#top')).toBe('/home?tab=1#top');
    const viewer = await viewerOf(browser);
    expect(viewer).toMatchObject({ email, name: 'Anna Example', isPasswordSet: false, isOAuthLinked: true });
    expect(viewer).toMatchObject({ provider: 'honest', providers: ['honest'] });
    expect(await browser.data('{ inbox { isDefault } }')).toEqual({ inbox: { isDefault: true } });
    honest.person = { ...honest.person, email: randomEmail(), name: 'Other' };
    const later = browserOf();
    expect(await later.signIn('honest')).toBe('/home');
    expect(await viewerOf(later)).toEqual(viewer);
  });

  test('responds with a separate cookie for ten minutes, PKCE, a state and a nonce, and is not stored', async () => {
    const { status, location, headers } = await browserOf().visit('/api/v1/auth/honest');
    expect(status).toBe(302);
    const { origin, searchParams } = new URL(location ?? '');
    expect(origin).toBe(honest.issuer);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'taskgate',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      redirect_uri: redirectUri('honest')(),
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(searchParams.get(name)?.length).toBeGreaterThan(20);
    expect(headers.get('Set-Cookie')).toMatch(
      /^oidc=[\w-]+; Max-Age=600; Path=\/api\/v1\/auth; .*HttpOnly; SameSite=Lax$/,
    );
    expect(headers.get('Cache-Control')).toBe('no-store');
  });

  test('with the address of an account is refused, or signs in to it if the provider is trusted', async () => {
    const anna = await signUp(service);
    for (const provider of [honest, open]) provider.person = makePerson({ email: anna.email.toUpperCase() });
    const browser = browserOf();
    expect(await browser.signIn('honest', '/a?b=1#c')).toBe('/a?b=1&error=ACCOUNT_EXISTS#c');
    expect(browser.cookie).toBeUndefined();
    expect(await browser.signIn('open')).toBe('/home');
    expect(await viewerOf(browser)).toMatchObject({ id: anna.id, isPasswordSet: true, providers: ['open'] });
    open.person = makePerson({ email: anna.email, email_verified: false });
    expect(await browserOf().signIn('open')).toBe('/home?error=EMAIL_NOT_VERIFIED');
  });

  test.each([undefined, false, 'true', 1])('needs a verified address, not %p', async (email_verified) => {
    honest.person = makePerson({ email_verified });
    expect(await browserOf().signIn('honest')).toBe('/home?error=EMAIL_NOT_VERIFIED');
    honest.person = { sub: crypto.randomUUID(), email_verified: true };
    expect(await browserOf().signIn('honest')).toBe('/home?error=EMAIL_NOT_VERIFIED');
  });

  test('ignores an invisible name', async () => {
    honest.person = makePerson({ name: '\u200b' });
    const browser = browserOf();
    expect([await browser.signIn('honest'), await viewerOf(browser)]).toMatchObject(['/home', { name: null }]);
  });

  test('of the same new subject twice at once creates one account', async () => {
    liar.person = makePerson();
    const browsers = [browserOf(), browserOf(), browserOf()];
    const callbacks = await Promise.all(browsers.map((browser) => browser.goToCallback('/api/v1/auth/liar')));
    await Promise.all(browsers.map((browser, index) => browser.visit(callbacks[index] ?? '')));
    const viewers = await Promise.all(browsers.map(viewerOf));
    expect(new Set(viewers.map((viewer) => viewer?.id)).size).toBe(1);
  });

  test('returns once, in its own browser, from its own provider', async () => {
    liar.person = makePerson();
    const [browser, other] = [browserOf(), browserOf()];
    const callback = await browser.goToCallback('/api/v1/auth/liar?returnTo=/home');
    await other.visit('/api/v1/auth/liar');
    expect((await other.visit(callback)).location).toBe('/?error=INVALID_STATE');
    expect((await browserOf().visit(callback)).location).toBe('/?error=INVALID_STATE');
    const mixedUpCallback = callback.replace('/auth/liar/', '/auth/honest/');
    const later = browserOf();
    const second = await later.goToCallback('/api/v1/auth/liar');
    expect((await later.visit(second.replace('/auth/liar/', '/auth/honest/'))).location).toBe('/?error=INVALID_STATE');
    expect((await browserOf().visit(mixedUpCallback)).location).toBe('/?error=INVALID_STATE');
    expect((await browser.visit(callback)).location).toBe('/home');
    expect((await browser.visit(callback)).location).toBe('/?error=INVALID_STATE');
    expect((await browser.visit('/api/v1/auth/liar/callback')).location).toBe('/?error=INVALID_STATE');
  });

  test('with an unknown provider is 404, and with an unreachable one returns at once', async () => {
    expect(await service.anonymous.get('/api/v1/auth/nobody')).toMatchObject({ status: 404 });
    expect(await service.anonymous.get('/api/v1/auth/nobody/callback')).toMatchObject({ status: 404 });
    expect(await browserOf().signIn('away')).toBe('/home?error=PROVIDER_UNAVAILABLE');
  });

  test('requires no TOTP code, and returns to / by default', async () => {
    liar.person = makePerson();
    const browser = browserOf();
    await browser.signIn('liar');
    const { id } = (await viewerOf(browser)) ?? {};
    await service.sql("INSERT INTO totp_factors (user_id, secret, key_name) VALUES ($1, 'x', 'x')", [id]);
    const later = browserOf();
    expect((await later.visit(await later.goToCallback('/api/v1/auth/liar'))).location).toBe('/');
    expect((await viewerOf(later))?.id).toBe(id);
  });

  test('is refused for access tokens', async () => {
    const program = await makeProgram(service, await signUp(service));
    expect(await program.get('/api/v1/auth/providers')).toMatchObject({ status: 200 });
    for (const path of ['/api/v1/auth/honest', '/api/v1/auth/honest/callback'])
      expect(await program.get(path)).toMatchObject({ status: 403 });
  });
});

describe('a provider that lies', () => {
  const claim = (extraClaims: object): ProviderFaults => ({ claims: (claims) => ({ ...claims, ...extraClaims }) });
  const noAddress = claim({ email: undefined, email_verified: undefined });
  const past = Math.floor(Date.now() / 1000) - 3600;
  const respondEndlessly = (response: ServerResponse) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const writeMore = () => void response.write(' '.repeat(65_536), (error) => error ?? setImmediate(writeMore));
    writeMore();
  };

  test.each<[string, ProviderFaults, string]>([
    ['a wrong nonce', claim({ nonce: 'other' }), 'PROVIDER_UNAVAILABLE'],
    ['no nonce', claim({ nonce: undefined }), 'PROVIDER_UNAVAILABLE'],
    ['a wrong issuer', claim({ iss: 'https://other.example' }), 'PROVIDER_UNAVAILABLE'],
    ['a wrong audience', claim({ aud: 'other' }), 'PROVIDER_UNAVAILABLE'],
    ['an expired token', claim({ exp: past, iat: past - 60 }), 'PROVIDER_UNAVAILABLE'],
    ['a token that never expires', claim({ exp: undefined }), 'PROVIDER_UNAVAILABLE'],
    ['a token that is not valid yet', claim({ nbf: past + 7200 }), 'PROVIDER_UNAVAILABLE'],
    ['a token for another party', claim({ aud: ['taskgate', 'other'], azp: 'other' }), 'PROVIDER_UNAVAILABLE'],
    ['no subject', claim({ sub: undefined }), 'PROVIDER_UNAVAILABLE'],
    ['an empty subject', claim({ sub: '' }), 'PROVIDER_UNAVAILABLE'],
    ['a subject that is no string', claim({ sub: 7 }), 'PROVIDER_UNAVAILABLE'],
    ['a subject that is too long', claim({ sub: 'x'.repeat(256) }), 'PROVIDER_UNAVAILABLE'],
    ['a subject beyond ASCII', claim({ sub: 'Ann\u00e9' }), 'PROVIDER_UNAVAILABLE'],
    ['a subject with control characters', claim({ sub: 'anna\n' }), 'PROVIDER_UNAVAILABLE'],
    ['a key that it does not publish', { isForged: true }, 'PROVIDER_UNAVAILABLE'],
    ['alg none', { alg: 'none' }, 'PROVIDER_UNAVAILABLE'],
    ['a symmetric signature', { alg: 'HS256' }, 'PROVIDER_UNAVAILABLE'],
    ['a code of another sign-in', { redirectParameters: { code: 'other' } }, 'PROVIDER_UNAVAILABLE'],
    ['a refusal', { redirectParameters: { error: 'access_denied' } }, 'PROVIDER_DENIED'],
    ['another error', { redirectParameters: { error: 'server_error' } }, 'PROVIDER_UNAVAILABLE'],
    ['a response that never ends', { token: respondEndlessly }, 'PROVIDER_UNAVAILABLE'],
    [
      'a redirect of the token endpoint',
      { token: (response) => response.writeHead(307, { Location: `${liar.issuer}/token` }).end() },
      'PROVIDER_UNAVAILABLE',
    ],
    ['userinfo of another subject', { ...noAddress, userinfo: makePerson() }, 'PROVIDER_UNAVAILABLE'],
    ['userinfo of no subject', { ...noAddress, userinfo: makePerson({ sub: undefined }) }, 'PROVIDER_UNAVAILABLE'],
    ['userinfo of an empty subject', { ...noAddress, userinfo: makePerson({ sub: '' }) }, 'PROVIDER_UNAVAILABLE'],
    [
      'an empty subject in both',
      { ...claim({ sub: '', email: undefined }), userinfo: makePerson({ sub: '' }) },
      'PROVIDER_UNAVAILABLE',
    ],
  ])('by %s signs nobody in', async (_name, lies, code) => {
    liar.person = makePerson();
    liar.setFaults(lies);
    const browser = browserOf();
    expect(await browser.signIn('liar')).toBe(`/home?error=${code}`);
    expect(browser.cookie).toBeUndefined();
    expect(await service.sql('SELECT FROM users WHERE email = $1', [liar.person.email])).toEqual([]);
  });

  const providerAt = async ({ issuer }: { issuer: string }) => {
    const { Provider } = await import('../../src/accounts/providers/provider.ts');
    const client = { clientId: 'c', clientSecret: undefined, scopes: 'openid' };
    return new Provider({ name: 'x', label: 'x', issuer, ...client, trustEmail: false }, publicUrl);
  };

  test('about the addresses for browsers and the service is not used', async () => {
    const other = await lyingProvider('taskgate');
    const provider = await providerAt(other);
    const endpoints = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'];
    const addresses = ['javascript:alert(1)//', 'http://evil.example/authorize', 'data:,{}', '/authorize', 7];
    for (const [name, address] of endpoints.flatMap((name) => addresses.map((address) => [name, address] as const))) {
      other.setFaults({ discovery: { [name]: address } });
      await expect(provider.begin()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    }
    await other.close();
  });

  test('about its identity is not used', async () => {
    const other = await lyingProvider('taskgate');
    other.setFaults({ discovery: { issuer: 'https://other.example' } });
    const provider = await providerAt(other);
    await expect(provider.begin()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    // The next use fetches the metadata again.
    other.setFaults({});
    await provider.begin();
    await provider.begin();
    expect(other.discoveries).toBe(2);
    // So does a use after an hour. The old metadata serves until then.
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_001);
    try {
      other.setFaults({ discovery: { issuer: 'https://other.example' } });
      await provider.begin();
      other.setFaults({ discovery: { authorization_endpoint: `${other.issuer}/moved` } });
      expect((await provider.begin()).url).toContain(`${other.issuer}/moved?`);
      expect(other.discoveries).toBe(4);
    } finally {
      clock.mockRestore();
    }
    await other.close();
  });

  test('is trusted with a new key, a minute after its keys were last fetched', async () => {
    const signIn = () => {
      liar.person = makePerson();
      return browserOf().signIn('liar');
    };
    expect(await signIn()).toBe('/home');
    liar.rotateKey();
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 61_000);
    try {
      expect(await signIn()).toBe('/home');
    } finally {
      clock.mockRestore();
    }
  });

  test('may send a subject of 255 characters', async () => {
    liar.person = makePerson({ sub: `a b|${'~'.repeat(251)}` });
    liar.setFaults({});
    expect(await browserOf().signIn('liar')).toBe('/home');
  });

  test('may send the address by userinfo if its token has none, which is requested only then', async () => {
    liar.person = makePerson();
    liar.setFaults({ userinfo: makePerson() });
    expect(await browserOf().signIn('liar')).toBe('/home');
    liar.person = makePerson();
    liar.setFaults(claim({ email: undefined, email_verified: undefined, name: undefined }));
    const browser = browserOf();
    expect(await browser.signIn('liar')).toBe('/home');
    expect(await viewerOf(browser)).toMatchObject({ email: liar.person.email, name: 'Anna Example' });
  });
});

test('the tables of sign-ins store no state, and their rows expire', async () => {
  const browser = browserOf();
  const { location } = await browser.visit('/api/v1/auth/liar');
  const state = new URL(location ?? '').searchParams.get('state') ?? '';
  const [row] = await service.sql<{ text: string }>('SELECT string_agg(f::text, $1) AS text FROM pending_sign_ins f', [
    ' ',
  ]);
  expect(row?.text).not.toContain(state);
  liar.person = makePerson();
  const callback = await browser.goToCallback('/api/v1/auth/liar');
  await service.sql("UPDATE pending_sign_ins SET expires_at = now() - interval '1 second'");
  expect((await browser.visit(callback)).location).toBe('/?error=INVALID_STATE');
});
