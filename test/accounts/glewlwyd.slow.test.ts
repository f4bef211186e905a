import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Glewlwyd, startGlewlwyd, withGlewlwyd } from '../kit/glewlwyd.ts';
import { PublicBrowser, makePerson, viewerOf } from '../kit/providers.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

const publicUrl = 'http://127.0.0.1:39746';
/** Clients by provider name, with their method, their secret, and the secret that they send. */
const clients = {
  basic: { authentication: 'client_secret_basic', secret: 'first', given: 'first' },
  post: { authentication: 'client_secret_post', secret: 'second', given: 'second' },
  open: { authentication: 'none', secret: undefined, given: '' },
  wrong: { authentication: 'client_secret_basic', secret: 'third', given: 'other' },
} as const;
type Name = keyof typeof clients;

withGlewlwyd('a sign-in by Glewlwyd', () => {
  let glewlwyd: Glewlwyd;
  let service: Service;

  beforeAll(async () => {
    glewlwyd = await startGlewlwyd(
      Object.entries(clients).map(([id, { authentication, secret }]) => ({
        ...{ id, authentication, secret },
        redirectUri: `${publicUrl}/api/v1/auth/${id}/callback`,
      })),
    );
    const variables: Record<string, string> = { PUBLIC_URL: publicUrl };
    for (const [id, { given }] of Object.entries(clients)) {
      const prefix = `OIDC_${id.toUpperCase()}`;
      Object.assign(variables, { [`${prefix}_ISSUER`]: glewlwyd.issuer, [`${prefix}_CLIENT_ID`]: id });
      variables[`${prefix}_CLIENT_SECRET`] = given;
    }
    service = await startService(variables);
  });
  afterAll(async () => {
    await service.close();
    await glewlwyd.stop();
  });

  const browserOf = (cookie?: string) => new PublicBrowser(service, publicUrl, cookie);
  const callbackOf = async (browser: PublicBrowser, name: Name, username: string) => {
    const { location } = await browser.visit(`/api/v1/auth/${name}?returnTo=/home`);
    return glewlwyd.signIn(location ?? '', username);
  };
  const signIn = async (browser: PublicBrowser, name: Name, username: string) =>
    (await browser.visit(await callbackOf(browser, name, username))).location;

  test('creates an account, and signs in to it with each kind of client', async () => {
    const person = makePerson();
    const username = await glewlwyd.addUser(person);
    const accounts: unknown[] = [];
    for (const name of ['basic', 'post', 'open'] as const) {
      const browser = browserOf();
      expect(await signIn(browser, name, username)).toBe('/home');
      accounts.push(await viewerOf(browser));
    }
    const { email, name } = person;
    expect(accounts[0]).toMatchObject({ email, name, isPasswordSet: false, isOAuthLinked: true, providers: ['basic'] });
    expect(accounts).toEqual([accounts[0], accounts[0], accounts[0]]);
  });

  test('needs the right secret and a verified address', async () => {
    expect(await signIn(browserOf(), 'wrong', await glewlwyd.addUser(makePerson()))).toBe(
      '/home?error=PROVIDER_UNAVAILABLE',
    );
    const unverified = await glewlwyd.addUser({ ...makePerson(), email_verified: false });
    expect(await signIn(browserOf(), 'basic', unverified)).toBe('/home?error=EMAIL_NOT_VERIFIED');
  });

  test('accepts each code once, for its own sign-in and issuer', async () => {
    const username = await glewlwyd.addUser(makePerson());
    const browser = browserOf();
    const used = await callbackOf(browser, 'basic', username);
    expect((await browser.visit(used)).location).toBe('/home');
    expect((await browser.visit(used)).location).toBe('/?error=INVALID_STATE');
    const other = browserOf();
    const returnFrom = async (change: (query: URLSearchParams) => void) => {
      const callback = new URL(await callbackOf(other, 'basic', username));
      change(callback.searchParams);
      return (await other.visit(callback.href)).location;
    };
    const code = new URL(used).searchParams.get('code') ?? '';
    expect(await returnFrom((query) => query.set('code', code))).toBe('/home?error=PROVIDER_UNAVAILABLE');
    expect(await returnFrom((query) => query.set('iss', 'https://other.example'))).toBe(
      '/home?error=PROVIDER_UNAVAILABLE',
    );
    // The code belongs to another browser, with another PKCE verifier.
    const foreign = new URL(await callbackOf(browserOf(), 'basic', username)).searchParams.get('code') ?? '';
    expect(await returnFrom((query) => query.set('code', foreign))).toBe('/home?error=PROVIDER_UNAVAILABLE');
    expect(other.cookie).toBeUndefined();
  });

  test('links to an existing account', async () => {
    const anna = await signUp(service);
    const browser = browserOf(anna.cookie);
    const { url } = (await browser.link('open')).body;
    const callback = await glewlwyd.signIn(url, await glewlwyd.addUser(makePerson()));
    expect((await browser.visit(callback)).location).toBe('/settings');
    expect(await viewerOf(browser)).toMatchObject({ id: anna.id, email: anna.email, providers: ['open'] });
  });
});
