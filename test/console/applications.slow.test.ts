import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  applicationsOf,
  codeForm,
  connect,
  newVerifier,
  postForm,
  queryFor,
  registered,
  type Tokens,
} from '../kit/application.ts';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { barriers, type Page } from './acts.ts';

describeWithBrowser('applications in the console', () => {
  let service: Service;
  let watchedPage: WatchedPage;
  let page: Page;
  let anna: User;
  beforeAll(async () => {
    service = await startService();
    watchedPage = await openPage(service.url);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    anna = await signUp(service);
    page = await newPage(watchedPage.browser, service.url, anna.cookie);
  });
  afterEach(() => page.context().close());

  const redirectUri = 'https://evil.example/cb';
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  /** Opens the page as an application does. Its own pages are empty. */
  async function ask(uri = redirectUri, parameters: Record<string, string> = {}, client_name = 'Claude') {
    await page.route(`${new URL(uri).origin}/**`, (route) => route.fulfill({ body: 'The application' }));
    const clientId = await registered(service, { client_name, redirect_uris: [uri] });
    const { verifier, challenge } = newVerifier();
    const query = queryFor(clientId, { redirect_uri: uri, code_challenge: challenge, ...parameters });
    await page.goto(`${service.url}/oauth/authorize?${query}`);
    return { clientId, verifier };
  }

  const arrival = async () => {
    await page.waitForURL('https://evil.example/**');
    return Object.fromEntries(new URL(page.url()).searchParams);
  };

  test('the page says who asks, for which account, and where the browser goes', async () => {
    await ask();
    await page.getByRole('heading', { name: 'Connect Claude' }).waitFor();
    for (const text of [anna.email, 'This name is not verified']) await page.getByText(text).waitFor();
    const host = page.getByText('evil.example', { exact: true });
    const sizeOf = (selected: typeof host) =>
      selected.evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
    expect(await sizeOf(host)).toBeGreaterThan(1.5 * (await sizeOf(page.getByText('This name is not verified'))));
    expect(await page.getByText('program on your computer').count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });

  test('a name with stacked accents covers nothing below it', async () => {
    const pictureWith = async (name: string) => {
      await ask(redirectUri, {}, name);
      return page.getByText('This name is not verified').screenshot();
    };
    const covered = await pictureWith(`Claude${'\u0323'.repeat(90)}`);
    expect(covered.equals(await pictureWith('Claude'))).toBe(true);
  });

  test('"Allow" lets it in with the chosen scope and space', async () => {
    const workspace = await makeWorkspace(anna);
    const { clientId, verifier } = await ask();
    await page.getByRole('radiogroup', { name: 'May' }).getByRole('radio', { name: 'Read only' }).check();
    await page.getByLabel('Reaches').selectOption({ value: workspace.id });
    await press('Allow');
    const { code = '', state, iss } = await arrival();
    expect({ state, iss }).toEqual({ state: 'a state', iss: service.url });
    expect(await applicationsOf(anna)).toMatchObject([{ name: 'Claude', scopes: ['READ'], spaceIds: [workspace.id] }]);
    const form = { grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: redirectUri };
    const { body } = await postForm<Tokens>(service, '/oauth/token', { ...form, code_verifier: verifier });
    expect(body.scope).toBe('read');
  });

  test('"Cancel" refuses, and a faulty request goes back at once', async () => {
    await ask();
    await press('Cancel');
    expect(await arrival()).toEqual({ error: 'access_denied', state: 'a state', iss: service.url });
    await ask(redirectUri, { code_challenge_method: 'plain' });
    expect(await arrival()).toMatchObject({ error: 'invalid_request', state: 'a state' });
    expect(await applicationsOf(anna)).toEqual([]);
  });

  test('an application that asks to read cannot get more, and one on the computer is warned about', async () => {
    await ask('http://127.0.0.1/callback', { scope: 'read', redirect_uri: 'http://127.0.0.1:9/callback' });
    await page.getByText('program on your computer').waitFor();
    expect(await page.getByRole('radio').count()).toBe(1);
  });

  test('an unknown client or redirect URI goes nowhere', async () => {
    await ask(redirectUri, { redirect_uri: 'https://other.example/' });
    await page.getByRole('alert').getByText('does not work').waitFor();
    expect(new URL(page.url()).origin).toBe(service.url);
  });

  test('a visitor signs in first, and one whose sign-in is old signs in again', async () => {
    await page.context().clearCookies();
    await ask();
    const signIn = async ({ email, password } = anna) => {
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password').fill(password);
      await press('Sign in');
      await page.getByRole('heading', { name: 'Connect Claude' }).waitFor();
    };
    await signIn();
    const signInAgain = async (account: User) => {
      await service.sql(`UPDATE sessions SET created_at = now() - interval '11 minutes'`);
      await press('Allow');
      await press('Sign in again');
      await signIn(account);
    };
    await page.evaluate(() => (document.body.dataset['isSame'] = 'true'));
    await signInAgain(anna);
    // A reload would lose what somebody types until then.
    expect(await page.locator('body').getAttribute('data-is-same')).toBe('true');
    const ben = await signUp(service);
    await signInAgain(ben);
    await page.getByText(ben.email).waitFor();
    await press('Allow');
    expect(await arrival()).toMatchObject({ code: expect.any(String) });
  });

  test('the settings list applications, and disconnect them', async () => {
    await connect(service, anna, { clientId: await registered(service, { client_name: 'Planner' }) });
    await codeForm(service, anna, { scopes: ['READ'] });
    await page.goto(`${service.url}/settings/applications`);
    const rows = page.getByRole('list', { name: 'Connected applications' }).getByRole('listitem');
    const planner = rows.filter({ hasText: 'Planner' });
    await planner.getByText('of app.example, a name that is not verified · Read and change · used').waitFor();
    await rows.filter({ hasText: 'Assistant' }).getByText('Read only · never used').waitFor();
    await planner.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await planner.waitFor({ state: 'detached' });
    expect(await applicationsOf(anna)).toMatchObject([{ name: 'Assistant' }]);
    await page.getByText(`${service.url}/mcp`).waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  test('the address for assistants is the one of the metadata, whatever address the page has', async () => {
    const resource = 'https://tasks.example/mcp';
    await page.route('**/.well-known/oauth-protected-resource/mcp', (route) => route.fulfill({ json: { resource } }));
    await page.goto(`${service.url}/settings/applications`);
    await page.getByText(resource, { exact: true }).waitFor();
  });

  test('the page appears in no frame', async () => {
    const { headers } = await service.anonymous.get('/oauth/authorize', { headers: { Accept: 'text/html' } });
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});
