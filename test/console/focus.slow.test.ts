import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import type { Page } from './acts.ts';

describeWithBrowser('the focus of the keyboard', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let projectId: string;
  beforeAll(async () => {
    service = await startService();
    watchedPage = await openPage(service.url);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    user = await signUp(service);
    ({ id: projectId } = await makeProject(user, { name: 'Garden' }));
    page = await newPage(watchedPage.browser, service.url, user.cookie);
  });

  const open = async (path: string, ...titles: readonly string[]) => {
    for (const title of titles) await makeTask(user, { title, projectId });
    await page.goto(`${service.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const press = async (button: Locator) => {
    await button.focus();
    await page.keyboard.press('Enter');
  };
  const choose = async (button: Locator, item: string) => {
    await press(button);
    await press(page.getByRole('menuitem', { name: item, exact: true }));
  };
  const untilFocused = (element: Locator) => element.and(page.locator(':focus')).waitFor();
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  test.each([
    ['confirmed', async () => page.keyboard.press('Enter')],
    ['cancelled', async () => press(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }))],
    ['closed by Escape', async () => page.keyboard.press('Escape')],
  ])('returns to its place from a dialog that is %s', async (_how, leave) => {
    await open(`/projects/${projectId}`);
    await choose(button('Project menu'), 'Rename');
    await page.getByRole('dialog').getByLabel('Name').fill('Meadow');
    await leave();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await untilFocused(button('Project menu'));
  });
});
