import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeComment, makeProject, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { detailsOf, type Page, row } from './acts.ts';

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

  test('goes to the next row if its task is deleted, and to the previous row from the last one', async () => {
    await open(`/projects/${projectId}`, 'Dig', 'Sow', 'Water');
    const deleteTask = (title: string) => choose(row(page, title).getByRole('button', { name: 'More' }), 'Delete');
    await deleteTask('Sow');
    await untilFocused(page.getByRole('link', { name: 'Water' }));
    await deleteTask('Water');
    await untilFocused(page.getByRole('link', { name: 'Dig' }));
    await deleteTask('Dig');
    await untilFocused(page.getByRole('main'));
  });

  test('goes to the list if the toolbar of the selected tasks disappears', async () => {
    await open(`/projects/${projectId}`, 'Dig');
    await page.getByRole('link', { name: 'Dig' }).focus();
    await page.keyboard.press('x');
    await press(page.getByRole('toolbar').getByRole('button', { name: 'Delete' }));
    await untilFocused(page.getByRole('main'));
    await press(button('Undo'));
    await untilFocused(page.getByRole('main'));
    await page.keyboard.press('j');
    await untilFocused(page.getByRole('link', { name: 'Dig' }));
  });

  test.each([
    ['Escape', () => page.keyboard.press('Escape')],
    ['"Back"', () => page.goBack()],
  ])('returns to the row of a task when its details are closed by %s', async (_how, close) => {
    await open(`/projects/${projectId}`, 'Dig', 'Sow');
    await page.getByRole('link', { name: 'Sow' }).focus();
    await page.keyboard.press('Enter');
    await untilFocused(detailsOf(page));
    await close();
    await untilFocused(page.getByRole('main').getByRole('link', { name: 'Sow' }));
  });

  test('stays in the details, where Escape closes them, if a control disappears', async () => {
    const { id } = await makeTask(user, { title: 'Dig', projectId, color: '#ff0000' });
    await open(`/tasks/${id}`);
    await press(detailsOf(page).getByRole('button', { name: 'No color' }));
    await untilFocused(detailsOf(page));
    await page.keyboard.press('Escape');
    await untilFocused(page.getByRole('main').getByRole('link', { name: 'Dig' }));
  });

  test('goes to the text of a comment whenever it is edited', async () => {
    const { id } = await makeTask(user, { title: 'Dig', projectId });
    await makeComment(user, id);
    await open(`/tasks/${id}`);
    for (const text of ['Deeper', 'Deepest']) {
      await press(page.getByRole('list', { name: 'Comments' }).getByRole('button', { name: 'Edit' }));
      await untilFocused(page.getByLabel('Edit the comment'));
      await page.getByLabel('Edit the comment').fill(text);
      await page.keyboard.press('Control+Enter');
      await untilFocused(detailsOf(page));
      await page.getByRole('list', { name: 'Comments' }).getByText(text).waitFor();
    }
  });

  test.each([
    ['a dialog', () => press(button('New project')), () => button('New project')],
    ['a menu', () => press(button('Account')), () => button('Account')],
    ['the keys', () => page.keyboard.press('?'), () => page.getByRole('main')],
  ])('returns to its place if "Back" leaves %s open', async (_what, openIt, place) => {
    const opened = page.getByRole('dialog').or(page.getByRole('menu'));
    await open('/today');
    await page.getByRole('navigation').getByRole('link', { name: 'Upcoming' }).click();
    await openIt();
    await opened.waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Today', exact: true, includeHidden: true }).waitFor();
    await opened.waitFor({ state: 'detached' });
    await untilFocused(place());
  });
});
