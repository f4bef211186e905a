import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { titlesOf } from '../idempotency/keyed.ts';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, type Page } from './acts.ts';

/** Each try is a race of the input, its request, and the end of the old session's socket. */
const tries = 12;

describeWithBrowser('input while another tab signs in as a different user', () => {
  let service: Service;
  let [anna, bert] = [] as unknown as [User, User];
  let watchedPage: WatchedPage;
  let page: Page;
  let other: Page;
  beforeAll(async () => {
    service = await startService();
    [anna, bert] = [await signUp(service), await signUp(service)];
    watchedPage = await openPage(service.url, anna.cookie);
    ({ page } = watchedPage);
    other = await page.context().newPage();
    await other.goto(`${service.url}/docs`);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  /** Signs in by another page of the service: no tab of the console is notified. */
  const signInElsewhere = async ({ email, password }: User) => {
    const status = await other.evaluate(async (body) => {
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch('/api/v1/user/signin', { method: 'POST', headers, body })).status;
    }, JSON.stringify({ email, password }));
    expect(status).toBe(200);
  };
  test(`is not written to the account of that user, in ${tries} attempts`, async () => {
    for (let index = 0; index < tries; index += 1) {
      const following = page.waitForEvent('websocket');
      await page.goto(`${service.url}/today`);
      await following;
      await page.getByLabel('Add a task').focus();
      let isOver = false;
      const signedOut = page
        .getByRole('heading', { name: 'Sign in' })
        .waitFor()
        .then(() => (isOver = true));
      const signingIn = signInElsewhere(bert);
      // Types until the page asks for a sign-in. Some input falls between the two accounts.
      while (!isOver as boolean) await page.keyboard.type(`${index}\n`);
      await signedOut;
      await signingIn;
      await signInElsewhere(anna);
    }
    await page.goto(`${service.url}/today`);
    await add(page, 'last');
    await until('all input is sent', async () => (await titlesOf(service, anna)).includes('last'));
    expect(await titlesOf(service, bert)).toEqual([]);
  });

  /** Keeps the page's socket open after its session has ended. */
  const keepSocketOpen = () =>
    page.routeWebSocket(/graphql/, (socket) => {
      socket.connectToServer().onClose(() => undefined);
    });

  test('is kept for its own account if the socket of the old session stays open', async () => {
    await keepSocketOpen();
    await page.goto(`${service.url}/today`);
    await add(page, 'before');
    await until('it is sent', async () => (await titlesOf(service, anna)).includes('before'));
    await signInElsewhere(bert);
    await add(page, 'after');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await titlesOf(service, bert)).toEqual([]);
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'password');
    await page.getByLabel('Password').fill(anna.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await until('it is sent', async () => (await titlesOf(service, anna)).includes('after'));
    expect(await titlesOf(service, bert)).toEqual([]);
  });

  test('changes nothing in the settings of that user', async () => {
    await page.goto(`${service.url}/settings/profile`);
    await page.getByLabel('Name', { exact: true }).fill('Anna');
    await signInElsewhere(bert);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: /./ }).first().waitFor();
    expect(await service.sql('SELECT name FROM users WHERE id = $1', [bert.id])).toEqual([{ name: null }]);
    await signInElsewhere(anna);
  });

  test('is sent with the name of its account, like all requests of the console', async () => {
    const unnamedElements: string[] = [];
    const account = anna.id;
    const check = (text: string, extensions: { account?: string } | undefined) => {
      if (extensions?.account !== account) unnamedElements.push(text);
    };
    const own = await page.context().newPage();
    own.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const body = request.postData() ?? '';
      if (pathname.startsWith('/api/') && request.headers()['x-account-id'] !== account) unnamedElements.push(pathname);
      if (pathname !== '/graphql') return;
      const operations = [JSON.parse(body)].flat() as { query: string; extensions?: { account?: string } }[];
      for (const { query, extensions } of operations) check(query, extensions);
    });
    own.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => {
        const message = JSON.parse(String(payload)) as {
          type: string;
          payload?: { extensions?: { account?: string } };
        };
        if (message.type === 'subscribe') check('a subscription', message.payload?.extensions);
      });
    });
    const subjects = ['profile', 'notifications', 'security', 'tokens', 'webhooks', 'export', 'account'];
    for (const path of ['today', 'trash', ...subjects.map((subject) => `settings/${subject}`)]) {
      await own.goto(`${service.url}/${path}`);
      await own.getByRole('heading', { level: 1 }).first().waitFor();
      await own.waitForLoadState('networkidle');
    }
    await own.goto(`${service.url}/settings/export`);
    expect(await own.getByRole('link', { name: 'Download' }).getAttribute('href')).toContain(`account=${account}`);
    await own.goto(`${service.url}/settings/profile`);
    await own.getByLabel('Name', { exact: true }).fill('Anna');
    await own.getByRole('button', { name: 'Save' }).click();
    await own.getByRole('status').getByText('Saved').waitFor();
    // The viewer tells the account, and the providers belong to none.
    expect(new Set(unnamedElements)).toEqual(new Set(['{ viewer { id email } }', '/api/v1/auth/providers']));
  });
});
