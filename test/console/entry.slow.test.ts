import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeTask } from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, type Page } from './acts.ts';

describeWithBrowser('the way into the console', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    service = await startService();
    user = await signUp(service);
    watchedPage = await openPage(service.url);
    await makeTask(user, { title: 'Buy milk' });
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    await (page as Page | undefined)?.context().close();
    page = await newPage(watchedPage.browser, service.url);
  });

  const signIn = async () => {
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const enterByCookie = () => {
    const [name = '', value = ''] = (user.cookie ?? '').split('=');
    return page.context().addCookies([{ name, value, url: service.url }]);
  };
  const address = () => page.url().slice(service.url.length);

  test.each(['at once', 'over the page for a new account'])('a link keeps its query: %s', async (way) => {
    await page.goto(`${service.url}/search?q=milk`);
    if (way !== 'at once') {
      await page.getByRole('link', { name: 'Create an account' }).click();
      await page.getByRole('link', { name: 'I have an account' }).click();
    }
    await signIn();
    await page.getByRole('checkbox', { name: 'Buy milk' }).waitFor();
    expect(address()).toBe('/search?q=milk');
  });

  test('a link keeps its query over the sign-in with a provider', async () => {
    const providers = [{ name: 'one', label: 'One' }];
    await page.route('**/api/v1/auth/providers', (route) => route.fulfill({ json: { providers } }));
    await page.route('**/api/v1/auth/one?**', (route) => route.fulfill({ body: 'The provider' }));
    await page.goto(`${service.url}/search?q=milk&error=PROVIDER_DENIED`);
    await page.getByRole('button', { name: 'Continue with One' }).click();
    await page.getByText('The provider').waitFor();
    const returnTo = new URL(page.url()).searchParams.get('returnTo');
    expect(returnTo).toBe('/search?q=milk&signed-in=');
  });

  const untilFocused = (label: string, part: Page | Locator = page) =>
    until(`${label} has the focus`, () =>
      part.getByLabel(label, { exact: true }).evaluate((element) => element === document.activeElement),
    );

  test('the first field has the focus, and after "Send code" the code', async () => {
    await page.goto(service.url);
    await untilFocused('E-mail');
    for (const link of ['Forgot your password?', 'Back to sign in', 'Create an account']) {
      await page.getByRole('link', { name: link }).click();
      await page.getByRole('link', { name: link }).waitFor({ state: 'detached' });
      await untilFocused('E-mail');
    }
    await page.keyboard.type(randomEmail());
    await page.keyboard.press('Enter');
    await untilFocused('Code');
  });

  test('the first field of a dialog has the focus', async () => {
    await enterByCookie();
    await page.goto(`${service.url}/search?q=milk`);
    await page.getByRole('link', { name: 'Buy milk' }).focus();
    await page.keyboard.press('x');
    const dialogs = { 'New project': 'Name', 'New tag': 'Name', 'Due date': 'Due date' };
    for (const [button, label] of Object.entries(dialogs)) {
      await page.getByRole('button', { name: button, exact: true }).click();
      await untilFocused(label, page.getByRole('dialog'));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  test.each(['localStorage', 'localStorage, sessionStorage, indexedDB, caches', 'localStorage, locks'])(
    'a browser that denies %s shows the tasks',
    async (list) => {
      const deniedFeatures = list.split(', ');
      await enterByCookie();
      await page.addInitScript((names) => {
        for (const each of names) {
          Object.defineProperty(each === 'locks' ? Navigator.prototype : window, each, {
            get: () => {
              throw new DOMException('Access is denied for this document', 'SecurityError');
            },
          });
        }
      }, deniedFeatures);
      await page.goto(`${service.url}/search?q=milk`);
      await page.getByRole('checkbox', { name: 'Buy milk' }).waitFor();
      await page.goto(`${service.url}/today`);
      await add(page, `Sow without ${deniedFeatures.join(' ')} today`);
      await page.getByRole('checkbox', { name: `Sow without ${deniedFeatures.join(' ')}`, exact: true }).waitFor();
      await page.getByText('Not sent yet').waitFor({ state: 'detached' });
    },
  );

  test('a full browser storage keeps nobody out, and shows no former account', async () => {
    await page.goto(`${service.url}/search?q=milk`);
    await page.evaluate(() => {
      localStorage.setItem('taskgate:account', '{}');
      let text = 'x'.repeat(1 << 20);
      for (let index = 0; text !== ''; index += 1) {
        try {
          localStorage.setItem(`other:${index}`, text);
        } catch {
          text = text.slice(0, text.length / 2);
        }
      }
    });
    await signIn();
    await page.getByRole('checkbox', { name: 'Buy milk' }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem('taskgate:account'))).toBeNull();
    await page.reload();
    await page.getByRole('checkbox', { name: 'Buy milk' }).waitFor();
  });

  test('a browser in which the console cannot open shows a message', async () => {
    await enterByCookie();
    await page.addInitScript(() => {
      const add = window.addEventListener.bind(window);
      window.addEventListener = (...args: Parameters<typeof add>) => {
        if (args[0] === 'online') throw new DOMException('Access is denied for this document', 'SecurityError');
        add(...args);
      };
    });
    await page.goto(`${service.url}/today`);
    await page.getByRole('alert').getByText('cannot open in this browser').waitFor();
  });

  test.each([
    [502, '<h1>Bad Gateway</h1>'],
    [200, 'Accept the terms of this network'],
  ])('an answer of a proxy is explained: %i', async (status, body) => {
    await page.goto(service.url);
    await page.route('**/graphql', (route) => route.fulfill({ status, body, contentType: 'text/html' }));
    await signIn();
    await page.getByRole('alert').filter({ hasText: 'Your network or a proxy answered' }).waitFor();
  });
});
