import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject } from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, barriers, choose, name, type Page, titles } from './acts.ts';

describeWithBrowser('the console in Chromium', () => {
  let service: Service;
  let [anna, bert]: User[] = [];
  let watchedPages: WatchedPage[] = [];
  let page: Page;
  let other: Page;
  const collectProblems = () =>
    watchedPages
      .flatMap((each) => each.problems)
      .filter((text) => !/ERR_INTERNET_DISCONNECTED|status of 40[13]/.test(text));

  beforeAll(async () => {
    service = await startService();
    [anna, bert] = [await signUp(service), await signUp(service)];
    watchedPages = [await openPage(service.url, anna.cookie), await openPage(service.url, bert.cookie)];
    [page, other] = watchedPages.map((each) => each.page) as [Page, Page];
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
  });
  afterAll(async () => {
    await Promise.all(watchedPages.map(({ browser }) => browser.close()));
    await service.close();
  });

  test('a new user creates an account, and gets to the address of the link', async () => {
    const context = await (watchedPages[0] as WatchedPage).browser.newContext();
    const newPage = await context.newPage();
    const email = randomEmail();
    await newPage.goto(`${service.url}/upcoming`);
    await newPage.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await barriers(newPage)).toEqual([]);
    await newPage.getByRole('link', { name: 'Create an account' }).click();
    await newPage.getByLabel('E-mail').fill(email);
    await newPage.getByRole('button', { name: 'Send code' }).click();
    const place = `Your code is in the terminal where Taskgate runs and in ${service.dataDir}/outbox`;
    await newPage.getByRole('status').getByText(place).waitFor();
    await expect(newPage.getByText('on its way').count()).resolves.toBe(0);
    await service.mailbox.takeCode(email);
    await newPage.getByRole('button', { name: 'Send another code' }).click();
    await newPage.getByLabel('Code').fill('000000');
    await newPage.getByLabel('Password').fill('correct horse battery');
    await newPage.getByRole('button', { name: 'Create account' }).click();
    await newPage.getByText('Code is wrong').waitFor();
    await newPage.getByLabel('Code').fill(await service.mailbox.takeCode(email));
    await newPage.getByLabel('Password').fill('correct horse battery');
    await newPage.getByRole('button', { name: 'Create account' }).click();
    await newPage.getByRole('heading', { name: 'Upcoming' }).waitFor();
    await choose(newPage, 'Account', 'Sign out');
    await newPage.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await newPage.evaluate(() => indexedDB.databases().then(({ length }) => length))).toBe(0);
    await newPage.goto(`${service.url}/?returnTo=/%5Cevil.example`);
    await newPage.getByLabel('E-mail').fill(email);
    await newPage.getByLabel('Password').fill('a wrong one');
    await newPage.getByRole('button', { name: 'Sign in' }).click();
    await newPage.getByRole('alert').filter({ hasText: 'Wrong e-mail address or password' }).waitFor();
    expect(await newPage.getByLabel('Code from your authenticator app').count()).toBe(0);
    await newPage.getByLabel('Password').fill('correct horse battery');
    await newPage.getByRole('button', { name: 'Sign in' }).click();
    await newPage.getByRole('heading', { name: 'Today' }).waitFor();
    await context.close();
  });

  test('the understood parts of a line leave the title', async () => {
    await page.getByLabel('Add a task').fill('Call Ada in 3 days 9:00 !high #phone');
    const chips = page.getByRole('list', { name: 'Details found' });
    expect(await chips.getByRole('listitem').count()).toBe(3);
    await page.getByRole('button', { name: 'Remove #phone' }).click();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Upcoming' }).click();
    await page.getByRole('link', { name: 'Call Ada #phone', exact: true }).waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  test('Enter adds a task and returns the focus to the list, Shift+Enter continues below the task', async () => {
    const { id } = await makeProject(anna as User, { name: 'Errands' });
    await page.goto(`${service.url}/projects/${id}`);
    const field = page.getByLabel('Add a task');
    await field.focus();
    for (const title of ['First', 'Second']) {
      await page.keyboard.type(title);
      await page.keyboard.press('Shift+Enter');
    }
    await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Third');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Third' }).waitFor();
    expect(await titles(page)).toEqual(['First', 'Second', 'Third']);
    expect(await field.inputValue()).toBe('');
    await page.keyboard.press('j');
    await page.getByRole('link', { name: 'First' }).and(page.locator(':focus')).waitFor();
  });

  test('a change is undone by its button, and by keys', async () => {
    await page.getByRole('link', { name: 'Today' }).click();
    await add(page, 'Undo me');
    const box = page.getByRole('checkbox', { name: 'Undo me' });
    for (const undo of [
      () => page.getByRole('status').getByRole('button', { name: 'Undo' }).click(),
      () => page.keyboard.press('Control+z'),
    ]) {
      // An earlier undo may still be on its way.
      await box.click();
      await page.locator('input[aria-label="Undo me"]:checked').waitFor();
      await undo();
      await page.locator('input[aria-label="Undo me"]:not(:checked)').waitFor();
    }
  });

  test('details are saved while they are typed, with their history', async () => {
    await page.getByRole('link', { name: 'Undo me' }).click();
    const details = page.getByRole('complementary', { name: 'Task' });
    await details.getByLabel('Title').fill('Renamed');
    await details.getByLabel('Description').fill('Words');
    await details.getByLabel('Add a subtask').fill('Below');
    await details.getByLabel('Add a subtask').press('Enter');
    await details.getByLabel('Tags').fill('garden');
    await details.getByLabel('Tags').press('Enter');
    await details.getByRole('list', { name: 'Subtasks' }).getByRole('link', { name: 'Below' }).waitFor();
    const historyEntries = details
      .getByRole('list', { name: 'History' })
      .getByRole('listitem')
      .filter({ hasText: 'description' });
    await historyEntries.waitFor();
    expect(await barriers(page)).toEqual([]);
    // A used button keeps the focus, so keys go on from there.
    await historyEntries.getByRole('button', { name: 'Undo' }).press('Enter');
    await historyEntries.filter({ hasText: '· undone' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Subtasks of Renamed' }).click();
    await page.getByRole('checkbox', { name: 'Below' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/today');
  });

  test('a board works by mouse, and a list by keys', async () => {
    await page.getByRole('button', { name: 'New project' }).click();
    await name(page, 'Garden');
    for (const title of ['Dig', 'Sow', 'Water']) await add(page, title);
    for (const section of ['Doing', 'Done']) {
      await choose(page, 'Project menu', 'New section');
      await name(page, section);
    }
    await page.getByRole('radio', { name: 'Board' }).check();
    const doingColumn = page.getByRole('region', { name: 'Doing' });
    await page.getByRole('listitem').filter({ hasText: 'Sow' }).dragTo(doingColumn);
    await doingColumn.getByRole('link', { name: 'Sow' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('radio', { name: 'List' }).check();
    await page.getByRole('link', { name: 'Dig' }).focus();
    for (const key of ['Space', 'ArrowDown', 'Space']) await page.keyboard.press(key);
    await page.locator('main li + li .title', { hasText: 'Dig' }).waitFor();
    expect(await titles(page)).toEqual(['Water', 'Dig', 'Sow']);
  });

  test('days of a calendar accept tasks', async () => {
    await page.getByRole('radio', { name: 'Calendar' }).check();
    await add(page, 'Harvest today');
    const day = page.locator('[role=gridcell]:not([aria-current])').nth(3);
    await page.getByRole('gridcell').getByRole('link', { name: 'Harvest' }).dragTo(day);
    const harvestLink = day.getByRole('link', { name: 'Harvest' });
    await harvestLink.focus();
    for (const key of ['Space', 'ArrowDown', 'ArrowRight', 'Space']) await page.keyboard.press(key);
    await harvestLink.waitFor({ state: 'detached' });
    await page.getByRole('gridcell').getByRole('link', { name: 'Harvest' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    const current = page.locator('[role=gridcell][tabindex="0"]');
    await current.focus();
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp', 'End', 'Home'])
      await page.keyboard.press(key);
    await page.locator('[role=gridcell]:focus:first-child').waitFor();
    const month = await page.getByRole('grid').getAttribute('aria-label');
    const from = await current.getAttribute('data-day');
    await page.keyboard.press('PageDown');
    await page.locator('[role=gridcell]:focus[data-day$="-01"]').waitFor();
    expect(await page.getByRole('grid').getAttribute('aria-label')).not.toBe(month);
    expect(await current.getAttribute('data-day')).not.toBe(from);
    await page.getByRole('button', { name: 'Today' }).click();
    await page.getByRole('radio', { name: 'List' }).check();
  });

  test('many tasks are changed at once', async () => {
    await page.getByRole('link', { name: 'Dig' }).click({ modifiers: ['Control'] });
    await page.getByRole('link', { name: 'Sow' }).click({ modifiers: ['Control'] });
    const toolbar = page.getByRole('toolbar', { name: 'Selected tasks' });
    await toolbar.getByRole('button', { name: 'Complete' }).click();
    await page.locator('input[aria-label=Sow]:checked').waitFor();
    await page.locator('input[aria-label=Dig]:checked').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await toolbar.waitFor({ state: 'detached' });
  });

  test("two users share a workspace, and see each other's changes", async () => {
    await page.getByRole('button', { name: 'New workspace' }).click();
    await name(page, 'Team');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill(bert?.email ?? '');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByRole('list', { name: 'Open invitations' }).getByRole('listitem').waitFor();
    await other.goto(`${service.url}/workspaces`);
    await other.getByRole('button', { name: 'Accept' }).click();
    await page
      .getByRole('list', { name: 'Members' })
      .getByText(bert?.email ?? '')
      .waitFor();
    await page.getByRole('button', { name: 'New project in Team' }).click();
    await name(page, 'Launch');
    await other.getByRole('link', { name: 'Launch' }).click();
    await add(page, 'Shared');
    await other.getByRole('checkbox', { name: 'Shared' }).check();
    await page.locator('input[aria-label=Shared]:checked').waitFor();
  });

  test('works without a network and after a reload, and reports refusals', async () => {
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    await add(page, 'Made offline');
    await page.getByText('Not sent yet').waitFor();
    await page.reload();
    await page.getByRole('checkbox', { name: 'Made offline' }).waitFor();
    await page.context().setOffline(false);
    await other.getByRole('checkbox', { name: 'Made offline' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    await add(page, 'Too late');
    await choose(other, 'Project menu', 'Delete project');
    const projects = () => service.sql("SELECT FROM projects WHERE name = 'Launch'");
    await until('the service has deleted the project', async () => (await projects()).length === 0);
    await page.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name: 'Launch' }).waitFor();
    await page.context().setOffline(false);
    const refusal = page.getByRole('alert').filter({ hasText: 'Too late' });
    await refusal.getByText('The project no longer exists, or you do not have access to it.').waitFor();
    await refusal.getByRole('button', { name: 'Dismiss' }).click();
    await refusal.waitFor({ state: 'detached' });
  });

  test('keys do everything', async () => {
    await page.getByRole('link', { name: 'Today' }).click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    // The second key has to follow soon.
    await until('the inbox is open', async () => {
      for (const key of ['g', 'i']) await page.keyboard.press(key);
      return (await page.getByRole('heading', { level: 1, name: 'Inbox' }).count()) > 0;
    });
    await choose(page, 'Account', 'Trash');
    await page.keyboard.press('q');
    await page.getByLabel('Add a task').and(page.locator(':focus')).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.keyboard.press('q');
    await page.keyboard.type('Typed');
    for (const key of ['Enter', 'Escape', 'j', '2', 'c']) await page.keyboard.press(key);
    await page.locator('input[aria-label="Call Ada #phone"].medium:checked').waitFor();
    await page.keyboard.press('d');
    await page.getByLabel('Due date').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
  });

  test.each(['profile', 'notifications', 'security', 'tokens', 'webhooks', 'export', 'account'])(
    'the settings of %s are accessible',
    async (subject) => {
      await page.goto(`${service.url}/settings/${subject}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      expect(await barriers(page)).toEqual([]);
    },
  );

  test('a session that ends elsewhere leads to the sign-in and back', async () => {
    await page.goto(`${service.url}/trash`);
    await page.getByRole('heading', { name: 'Trash' }).waitFor();
    await anna?.post('/api/v1/user/logout', {});
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Password').fill(anna?.password ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Trash' }).waitFor();
  });

  test('the account belongs to the cookie, whichever was shown last', async () => {
    const [name = '', value = ''] = (bert?.cookie ?? '').split('=');
    await page.context().addCookies([{ name, value, url: service.url }]);
    await page.goto(`${service.url}/today`);
    await page.waitForFunction((id) => localStorage.getItem('taskgate:account')?.includes(id), bert?.id ?? '');
    await page.getByRole('heading', { name: 'Today' }).waitFor();
  });

  test('makes requests only to the service, and violates no policy', () => {
    const foreignAddresses = watchedPages
      .flatMap(({ addresses }) => addresses)
      .filter((address) => !address.startsWith(service.url));
    expect(foreignAddresses).toEqual([]);
    expect(collectProblems()).toEqual([]);
  });
});
