import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeSection, makeTag, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { withBrowser } from '../kit/with-browser.ts';
import { add, choose, type Page } from './acts.ts';

withBrowser('how the console looks', () => {
  let service: Service;
  let opened: WatchedPage;
  let page: Page;
  let project: string;
  const long = 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle';
  beforeAll(async () => {
    service = await startService();
    const user = await signUp(service);
    const { id } = await makeProject(user, { name: long });
    await makeSection(user, id, { name: long });
    const tag = await makeTag(user, { name: long });
    const task = await makeTask(user, {
      title: `${long}${long}`,
      projectId: id,
      dueDate: '2026-01-01',
      tagIds: [tag.id],
    });
    project = `/projects/${id}`;
    opened = await openPage(service.url, user.cookie);
    ({ page } = opened);
    await page.goto(`${service.url}/tasks/${task.id}`);
    await page.getByRole('complementary', { name: 'Task' }).getByLabel('Title').waitFor();
  });
  afterAll(async () => {
    await opened.browser.close();
    await service.close();
  });

  test('nothing moves by itself where that is not wanted', async () => {
    /** Elements whose style takes its time. */
    const moving = () =>
      page.evaluate(() => {
        const isStill = (style: CSSStyleDeclaration) =>
          style.scrollBehavior !== 'smooth' &&
          [style.transitionDuration, style.animationDuration].every((text) => /^0s(, 0s)*$/.test(text));
        return [...document.querySelectorAll('*')]
          .filter((element) => [undefined, '::before', '::after'].some((of) => !isStill(getComputedStyle(element, of))))
          .map((element) => element.outerHTML.slice(0, 80));
      });
    expect(await moving()).not.toEqual([]);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Close' }).click();
    await add(page, 'Unsent');
    await page.getByText('Not sent yet').waitFor();
    await page.getByRole('link', { name: 'Unsent' }).click();
    await page.getByRole('button', { name: 'Project menu' }).click();
    expect(await moving()).toEqual([]);
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await moving()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.context().setOffline(false);
    await page.getByText('Not sent yet').waitFor({ state: 'detached' });
  });

  test('the lists of a phone close by a tap outside them, by Escape, and by the choice of the page that is shown', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${service.url}/today`);
    const lists = page.getByRole('navigation', { name: 'Lists' });
    for (const close of [
      () => page.mouse.click(380, 500),
      () => page.keyboard.press('Escape'),
      () => lists.getByRole('link', { name: 'Today' }).click(),
    ]) {
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await lists.waitFor();
      await close();
      await lists.waitFor({ state: 'hidden' });
    }
  });

  test('one heading has the name of the page, and the shortcuts are shown from their beginning', async () => {
    await page.getByRole('region', { name: 'Overdue' }).waitFor();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.setViewportSize({ width: 320, height: 500 });
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.waitFor();
    expect(
      await sheet.evaluate(({ scrollTop, scrollHeight, clientHeight }) => [scrollTop, scrollHeight > clientHeight]),
    ).toEqual([0, true]);
    await page.keyboard.press('Escape');
  });

  test.each([320, 390, 768, 1280, 2560])('all has room in %d pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    /** What sticks out of the window, where that cannot be scrolled within a part of the page. */
    const outside = () =>
      page.evaluate(() => {
        const isClipped = (element: Element | null): boolean =>
          element !== null && (getComputedStyle(element).overflowX !== 'visible' || isClipped(element.parentElement));
        return [...document.querySelectorAll('body *')]
          .filter((element) => element.checkVisibility() && !isClipped(element.parentElement))
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
          .map((element) => element.outerHTML.slice(0, 80));
      });
    /** Parts that would scroll sideways, but for the columns of a board. */
    const scrolling = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('body *:not(.board, .hidden, input, textarea, .name, .title, .group-name a)')]
          .filter((element) => element.checkVisibility() && getComputedStyle(element).overflowX !== 'visible')
          .filter((element) => element.scrollWidth > element.clientWidth + 1)
          .map((element) => element.outerHTML.slice(0, 80)),
      );
    const settings = ['profile', 'notifications', 'security', 'tokens', 'export', 'account'].map(
      (name) => `/settings/${name}`,
    );
    for (const path of ['/today', '/upcoming', '/completed', '/trash', '/workspaces', project, ...settings]) {
      await page.goto(`${service.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([path, await outside(), await scrolling()]).toEqual([path, [], []]);
    }
    await page.goto(`${service.url}${project}`);
    for (const view of ['Board', 'Calendar', 'List']) {
      await page.getByRole('radio', { name: view }).check();
      expect([view, await outside(), await scrolling()]).toEqual([view, [], []]);
    }
    await page.locator('main').getByRole('listitem').first().getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Move', exact: true }).click();
    await page.getByRole('toolbar').waitFor();
    expect([await outside(), await scrolling()]).toEqual([[], []]);
    await page.keyboard.press('Escape');
    await choose(page, 'Project menu', 'Rename');
    await page.getByRole('dialog').waitFor();
    expect([await outside(), await scrolling()]).toEqual([[], []]);
  });
});
