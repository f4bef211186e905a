import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTag, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, barriers, name } from './acts.ts';

describeWithBrowser('theme, lists and next steps', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: WatchedPage['page'];
  beforeAll(async () => {
    service = await startService();
    user = await signUp(service);
    watchedPage = await openPage(service.url, user.cookie);
    ({ page } = watchedPage);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const [white, dark] = ['rgb(255, 255, 255)', 'rgb(22, 23, 27)'];

  test.each(['/assigned', '/completed', '/trash', '/notifications', '/projects/none', '/tags/none', '/tags/empty'])(
    '%s has nothing to show, and leads to Today',
    async (path) => {
      const newcomer = await signUp(service);
      const tag = await makeTag(newcomer);
      const ownPage = await newPage(watchedPage.browser, service.url, newcomer.cookie);
      await ownPage.goto(service.url + path.replace('empty', tag.id));
      const next = ownPage.getByRole('main').getByRole('button', { name: 'Go to Today' });
      await next.waitFor();
      expect(await barriers(ownPage)).toEqual([]);
      await next.click();
      await ownPage.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
      await ownPage.context().close();
    },
  );

  test('the theme is chosen in the profile, and the browser keeps it', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${service.url}/settings/profile`);
    const themes = page.getByRole('radiogroup', { name: 'Theme' });
    await themes.getByRole('radio', { name: 'System' }).and(page.locator(':checked')).waitFor();
    expect(await background()).toBe(white);
    await themes.getByRole('radio', { name: 'Dark' }).check();
    expect(await background()).toBe(dark);
    expect(await barriers(page)).toEqual([]);
    await page.reload();
    await themes.getByRole('radio', { name: 'Dark' }).and(page.locator(':checked')).waitFor();
    expect(await background()).toBe(dark);
    const shownColors = () =>
      page
        .locator('meta[name=theme-color]')
        .evaluateAll((metas) =>
          metas.flatMap((meta) =>
            matchMedia((meta as HTMLMetaElement).media).matches ? (meta as HTMLMetaElement).content : [],
          ),
        );
    expect(await shownColors()).toEqual(['#1b1c21']);
    await themes.getByRole('radio', { name: 'System' }).check();
    expect([await background(), await shownColors()]).toEqual([white, ['#f6f6f8']]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect([await background(), await shownColors()]).toEqual([dark, ['#1b1c21']]);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('the theme is there before the first paint, without the modules of the page', async () => {
    const window = await newPage(watchedPage.browser, service.url, user.cookie, { serviceWorkers: 'block' });
    await window.addInitScript(() => localStorage.setItem('taskgate:theme', 'dark'));
    await window.route(/\/assets\/(console|chunk)-\w+\.js$/, (route) => route.abort());
    await window.goto(service.url, { waitUntil: 'domcontentloaded' });
    expect(await window.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe(dark);
    await window.context().close();
  });

  test('"Lists" counts open tasks, folds its groups, and adds a task', async () => {
    const { id: projectId } = await makeProject(user, { name: 'Garden' });
    for (const title of ['Dig', 'Sow']) await makeTask(user, { title, projectId });
    await page.goto(`${service.url}/projects/${projectId}`);
    const lists = page.getByRole('navigation', { name: 'Lists' });
    const garden = lists.getByRole('link', { name: 'Garden', exact: true });
    await garden.filter({ hasText: '2' }).waitFor();
    await page.getByRole('checkbox', { name: 'Dig' }).check();
    await garden.filter({ hasText: '1' }).waitFor();
    const fold = lists.getByRole('group', { name: 'Projects' }).getByRole('button', { name: 'Fold' });
    await fold.press('Enter');
    await garden.waitFor({ state: 'detached' });
    expect(await fold.getAttribute('aria-expanded')).toBe('false');
    await page.reload();
    await page.getByRole('heading', { name: 'Garden' }).waitFor();
    expect(await garden.count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    await fold.click();
    await garden.waitFor();
    await page.goto(`${service.url}/trash`);
    await lists.getByRole('button', { name: 'Add a task' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.getByRole('textbox', { name: 'Add a task', exact: true }).and(page.locator(':focus')).waitFor();
    await lists.getByRole('link', { name: 'Taskgate' }).waitFor();
  });

  test('on a phone, "Lists" closes when it adds a task', async () => {
    await page.setViewportSize({ width: 320, height: 600 });
    await page.goto(`${service.url}/today`);
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    const lists = page.getByRole('navigation', { name: 'Lists' });
    await lists.getByRole('button', { name: 'Add a task' }).click();
    await lists.waitFor({ state: 'hidden' });
    await page.getByRole('textbox', { name: 'Add a task', exact: true }).and(page.locator(':focus')).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('an empty workspace offers a project', async () => {
    await page.goto(`${service.url}/workspaces`);
    await page.getByRole('main').getByRole('button', { name: 'New workspace' }).click();
    await name(page, 'Team');
    await page.getByRole('main').getByRole('button', { name: 'New project' }).click();
    await name(page, 'Launch');
    await page.getByRole('heading', { level: 1, name: 'Launch' }).waitFor();
    await add(page, 'Announce');
  });

  test('the sign-in page says what Taskgate is', async () => {
    const window = await newPage(watchedPage.browser, service.url);
    await window.goto(service.url);
    await window.getByText('Taskgate keeps your tasks').waitFor();
    expect(await barriers(window)).toEqual([]);
    await window.context().close();
  });

  test('a picture that does not load leaves the letter of the name', async () => {
    await page.goto(`${service.url}/today`);
    const picture = new Uint8Array(await page.screenshot());
    const form = new FormData();
    form.set('name', 'Zoe');
    form.set('image', new Blob([picture], { type: 'image/png' }), 'me.png');
    await user.post('/api/v1/user/profile', form);
    const button = page.getByRole('button', { name: 'Account' });
    await button.locator('img').waitFor();
    await page.route('**/avatars/**', (route) => route.abort());
    await page.reload();
    await button.getByText('Z').waitFor();
    expect(await button.locator('img').count()).toBe(0);
    await page.unrouteAll();
  });

  test('chosen, selected and current parts are marked without colours', async () => {
    const { id } = await makeProject(user, { name: 'Marked' });
    await makeTask(user, { title: 'Marked task', projectId: id });
    const ownPage = await newPage(watchedPage.browser, service.url, user.cookie, { forcedColors: 'active' });
    const untilMarked = (part: Locator) =>
      until('it has an outline', () => part.evaluate((element) => getComputedStyle(element).outlineStyle === 'solid'));
    await ownPage.goto(`${service.url}/projects/${id}`);
    await untilMarked(ownPage.getByRole('navigation').getByRole('link', { name: 'Marked' }));
    await untilMarked(ownPage.locator('.radios label', { hasText: 'List' }));
    await ownPage.getByRole('link', { name: 'Marked task' }).focus();
    await ownPage.keyboard.press('x');
    await untilMarked(ownPage.locator('[data-selected=true] > .row'));
    await ownPage.keyboard.press('Control+k');
    await untilMarked(ownPage.getByRole('option', { selected: true }));
    await ownPage.goto(`${service.url}/calendar`);
    await untilMarked(ownPage.locator('[aria-current=date] .number'));
    await ownPage.context().close();
  });
});
