import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  honestProvider,
  lyingProvider,
  PublicBrowser,
  type RunningProvider,
  makePerson,
  viewerOf,
} from '../kit/providers.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

const publicUrl = 'http://127.0.0.1:39742';

let service: Service;
let honest: RunningProvider;
let liar: Awaited<ReturnType<typeof lyingProvider>>;

beforeAll(async () => {
  honest = await honestProvider({ id: 'taskgate', redirectUri: () => `${publicUrl}/api/v1/auth/honest/callback` });
  liar = await lyingProvider('taskgate');
  service = await startService({
    PUBLIC_URL: publicUrl,
    OIDC_HONEST_ISSUER: honest.issuer,
    OIDC_HONEST_CLIENT_ID: 'taskgate',
    OIDC_LIAR_ISSUER: liar.issuer,
    OIDC_LIAR_CLIENT_ID: 'taskgate',
    OIDC_AWAY_ISSUER: 'http://127.0.0.1:1',
    OIDC_AWAY_CLIENT_ID: 'taskgate',
  });
});
afterAll(async () => {
  await service.close();
  for (const provider of [honest, liar]) await provider.close();
});

const browserOf = (user?: User) => new PublicBrowser(service, publicUrl, user?.cookie);

describe('linking', () => {
  test('needs a recent sign-in, the same session and browser, and a subject without an account', async () => {
    const anna = await signUp(service);
    const browser = browserOf(anna);
    liar.person = { sub: crypto.randomUUID() };
    const { url } = (await browser.link('liar')).body;
    expect(new URL(url).origin).toBe(liar.issuer);
    const callback = await browser.goToCallback(url);
    expect((await browser.visit(callback)).location).toBe('/settings');
    expect(await viewerOf(browser)).toMatchObject({
      id: anna.id,
      email: anna.email,
      provider: 'liar',
      providers: ['liar'],
    });
    const other = browserOf(await signUp(service));
    const bensCallback = await other.goToCallback((await other.link('liar')).body.url);
    expect((await other.visit(bensCallback)).location).toBe('/settings?error=ALREADY_LINKED');
    const newBrowser = browserOf();
    expect(await newBrowser.signIn('liar')).toBe('/home');
    expect(await viewerOf(newBrowser)).toMatchObject({ id: anna.id });
    await service.sql("UPDATE sessions SET created_at = created_at - interval '11 minutes' WHERE user_id = $1", [
      anna.id,
    ]);
    expect(await browser.link('liar')).toMatchObject({ status: 403, body: { code: 'REAUTHENTICATION_REQUIRED' } });
  });

  test('ends with the session, and a plain start never links', async () => {
    const anna = await signUp(service);
    const browser = browserOf(anna);
    liar.person = makePerson();
    const callback = await browser.goToCallback((await browser.link('liar')).body.url);
    await anna.post('/api/v1/user/logout');
    expect((await browser.visit(callback)).location).toBe('/settings?error=UNAUTHENTICATED');
    const ben = await signUp(service);
    const bensBrowser = browserOf(ben);
    expect(await bensBrowser.signIn('liar')).toBe('/home');
    const { id } = (await viewerOf(bensBrowser)) ?? {};
    expect([anna.id, ben.id]).not.toContain(id);
  });

  test('ends with another session of the same browser, begun over GraphQL', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const browser = browserOf(anna);
    liar.person = makePerson();
    const query = 'mutation { linkProvider(provider: "liar", returnTo: "/settings") }';
    const answer = await browser.post<{ data: { linkProvider: string } }>('/graphql', { query });
    browser.storeCookies(answer.headers);
    const callback = await browser.goToCallback(answer.body.data.linkProvider);
    browser.cookie = ben.cookie;
    expect((await browser.visit(callback)).location).toBe('/settings?error=UNAUTHENTICATED');
    expect(await service.sql('SELECT FROM provider_links WHERE user_id = ANY ($1)', [[anna.id, ben.id]])).toEqual([]);
  });

  test('distinguishes subjects of the same name at two providers', async () => {
    const sub = crypto.randomUUID();
    const ids = [];
    for (const [name, provider] of [
      ['liar', liar],
      ['honest', honest],
    ] as const) {
      provider.person = makePerson({ sub });
      const browser = browserOf();
      expect(await browser.signIn(name)).toBe('/home');
      ids.push((await viewerOf(browser))?.id);
    }
    expect(new Set(ids).size).toBe(2);
  });

  test('can be undone, except for the last way to sign in', async () => {
    liar.person = makePerson();
    honest.person = makePerson();
    const browser = browserOf();
    await browser.signIn('liar');
    await browser.visit(await browser.goToCallback((await browser.link('honest')).body.url));
    expect(await viewerOf(browser)).toMatchObject({ provider: 'liar', providers: ['liar', 'honest'] });
    const unlink = (provider: string) =>
      browser.graphql(`mutation { unlinkProvider(provider: "${provider}") { provider providers isOAuthLinked } }`);
    expect(await unlink('liar')).toMatchObject({
      data: { unlinkProvider: { provider: 'honest', providers: ['honest'], isOAuthLinked: true } },
    });
    expect(await unlink('honest')).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
    expect(await unlink('liar')).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  });

  test('reports errors', async () => {
    const browser = browserOf(await signUp(service));
    expect(await browser.link('nobody')).toMatchObject({ status: 404 });
    expect(await browser.link('liar', '//evil.example')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'returnTo' }] },
    });
    expect(await browser.link('away')).toMatchObject({ status: 503 });
    expect(await browserOf().link('liar')).toMatchObject({ status: 401 });
  });
});
