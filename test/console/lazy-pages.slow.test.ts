import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';

describeWithBrowser('a page whose module cannot be loaded', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  beforeAll(async () => {
    service = await startService();
    user = await signUp(service);
    watchedPage = await openPage(service.url, user.cookie);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  test.each([
    { name: 'settings', path: '/settings/profile', shown: 'Change e-mail', failures: 1 },
    { name: 'search', path: '/search?q=nothing', shown: 'Nothing found', failures: 1 },
    { name: 'search', path: '/search?q=nothing', shown: 'Nothing found', failures: 2 },
  ])('shows $name on another attempt, after $failures failures', async ({ name, path, shown, failures }) => {
    const page = await newPage(watchedPage.browser, service.url, user.cookie, { serviceWorkers: 'block' });
    let requests = 0;
    await page.route(new RegExp(`/assets/${name}-\\w+\\.js$`), (route) =>
      (requests += 1) <= failures ? route.abort() : route.continue(),
    );
    await page.goto(service.url + path);
    const alert = page.getByRole('alert').filter({ hasText: 'Could not load this page.' });
    await alert.waitFor();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(shown).waitFor();
    expect(requests).toBe(failures + 1);
    await page.context().close();
  });

  test.each(['console-\\w+\\.js', 'style-\\w+\\.css'])(
    'shows the page after the service of another build was asked for %s',
    async (name) => {
      const page = await newPage(watchedPage.browser, service.url, user.cookie, { serviceWorkers: 'block' });
      let requests = 0;
      await page.route(new RegExp(`/assets/${name}$`), (route) =>
        (requests += 1) === 1 ? route.fulfill({ status: 404 }) : route.continue(),
      );
      await page.goto(`${service.url}/today`);
      await page.getByRole('heading', { name: 'Today' }).waitFor();
      await page.waitForFunction(() => [...document.styleSheets].some(({ cssRules }) => cssRules.length > 0));
      expect(requests).toBe(2);
      await page.context().close();
    },
  );
});
