import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { addMember, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { barriers, type Page } from './acts.ts';

describeWithBrowser('the palette of commands', () => {
  let service: Service;
  let anna: User;
  let vera: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let project: { id: string };
  let shared: { id: string };
  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
    vera = await signUp(service);
    const bert = await signUp(service);
    await bert.put('/api/v1/user/name', { name: 'Bert Ude' });
    const workspace = await makeWorkspace(anna, bert);
    await addMember(anna, workspace.id, vera, 'VIEWER');
    shared = await makeProject(anna, { name: 'Launch', workspaceId: workspace.id });
    await makeTask(anna, { title: 'Announce', projectId: shared.id, dueDate: '2027-02-01' });
    project = await makeProject(anna, { name: 'Garden' });
    await makeSection(anna, project.id, { name: 'Vegetables' });
    await makeTag(anna, { name: 'phone' });
    for (const title of ['Dig', 'Sow']) await makeTask(anna, { title, projectId: project.id });
    watchedPage = await openPage(service.url, anna.cookie);
    ({ page } = watchedPage);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    await page.goto(`${service.url}/projects/${project.id}`);
    await page.getByRole('link', { name: 'Dig', exact: true }).waitFor();
  });

  const dialogOf = (window: Page) => window.getByRole('dialog', { name: 'Commands' });
  const open = async (window = page) => {
    await window.keyboard.press('Control+k');
    await dialogOf(window).getByRole('combobox').and(window.locator(':focus')).waitFor();
  };
  const optionsIn = (window: Page) => dialogOf(window).getByRole('option');
  const run = async (command: string, window = page) => {
    await open(window);
    await dialogOf(window).getByRole('combobox').fill(command);
    await optionsIn(window).filter({ hasText: command }).first().click();
    await dialogOf(window).waitFor({ state: 'detached' });
  };

  test.each([
    { words: 'gardn', heading: 'Garden', kind: 'Project' },
    { words: 'veget', heading: 'Garden', kind: 'Garden' },
    { words: 'phone', heading: 'phone', kind: 'Tag' },
    { words: 'security', heading: 'Settings', kind: 'Settings' },
    { words: 'go upcoming', heading: 'Upcoming', kind: 'gu' },
    { words: 'completed', heading: 'Completed', kind: '' },
  ])('Enter on "$words" opens $heading', async ({ words, heading, kind }) => {
    await page.goto(`${service.url}/today`);
    // Fields have no key of their own for it.
    await page.getByLabel('Search').focus();
    await open();
    await page.keyboard.type(words);
    await optionsIn(page).first().filter({ hasText: kind }).waitFor();
    expect(await optionsIn(page).first().getAttribute('aria-selected')).toBe('true');
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  });

  test('a task opens, by its words', async () => {
    await run('Sow');
    expect(await page.getByRole('complementary', { name: 'Task' }).getByLabel('Title').inputValue()).toBe('Sow');
  });

  test('all actions of the keys have an option with the keys, those of the focused task first', async () => {
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    const rows = await sheet.locator('dl > div').allTextContents();
    expect(rows.length).toBeGreaterThan(20);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Dig', exact: true }).focus();
    await open();
    await page.getByRole('option', { name: 'Delete', exact: true }).waitFor();
    const options = await optionsIn(page).evaluateAll((all) =>
      all.map(
        (option) => `${option.querySelector('.keys')?.textContent ?? ''}${option.querySelector('span')?.textContent}`,
      ),
    );
    // The sheet names the key of the palette itself, which is open.
    expect(rows.filter((row) => !options.includes(row))).toEqual(['CtrlKCommands']);
    expect(options.indexOf('Delete')).toBeLessThan(options.indexOf('qAdd a task'));
    await page.keyboard.press('ArrowUp');
    expect(await optionsIn(page).last().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Dig', exact: true }).and(page.locator(':focus')).waitFor();
    await open();
    await page.keyboard.type('nothing like this');
    await dialogOf(page).getByText('Nothing found').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('its actions do what the keys do, offline too, and are undone', async () => {
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Dig', exact: true }).focus();
    await run('Complete or reopen');
    await page.locator('input[aria-label=Dig]:checked').waitFor();
    await page.getByRole('link', { name: 'Dig', exact: true }).focus();
    await run('Undo');
    await page.locator('input[aria-label=Dig]:not(:checked)').waitFor();
    await page.getByRole('link', { name: 'Dig', exact: true }).focus();
    await run('Next task');
    await page.getByRole('link', { name: 'Sow', exact: true }).and(page.locator(':focus')).waitFor();
    await run('Add a task');
    await page.getByRole('textbox', { name: 'Add a task', exact: true }).and(page.locator(':focus')).waitFor();
    await run('Keyboard shortcuts');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.context().setOffline(false);
  });

  test('a task is repeated, skipped and assigned', async () => {
    const fields = async () => {
      const { body } = await anna.get<{ todos: { title: string; dueDate: string }[] }>('/api/v2/todo');
      return body.todos.find(({ title }) => title === 'Announce');
    };
    await page.goto(`${service.url}/projects/${shared.id}`);
    const link = page.getByRole('link', { name: 'Announce', exact: true });
    const chooseFor = async (command: string) => {
      await link.focus();
      await run(command);
    };
    await chooseFor('Repeat: Every week');
    await page.getByRole('img', { name: /^Repeats every week/ }).waitFor();
    await chooseFor('Skip this date');
    await until('the date is skipped', async () => (await fields())?.dueDate === '2027-02-08');
    await chooseFor('Assign to Bert Ude');
    await page.getByRole('img', { name: 'Assigned to Bert Ude' }).waitFor();
    await chooseFor('Unassign Bert Ude');
    await page.getByRole('img', { name: 'Assigned to Bert Ude' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await page.getByRole('img', { name: 'Assigned to Bert Ude' }).waitFor();
    await chooseFor('Repeat: Never');
    await page.getByRole('img', { name: /^Repeats/ }).waitFor({ state: 'detached' });
  });

  test('a viewer gets no action that changes a task', async () => {
    const window = await newPage(watchedPage.browser, service.url, vera.cookie);
    await window.goto(`${service.url}/projects/${shared.id}`);
    await window.getByRole('link', { name: 'Announce', exact: true }).focus();
    await open(window);
    await optionsIn(window).filter({ hasText: 'Open details' }).waitFor();
    const options = await optionsIn(window).allTextContents();
    expect(options[0]).toBe('Open detailsEnter');
    expect(options.filter((text) => /priority|complete or|due|assign|repeat|delete$|lift|select/i.test(text))).toEqual(
      [],
    );
    await window.context().close();
  });

  test('keys before its list is loaded go to its field', async () => {
    const window = await newPage(watchedPage.browser, service.url, anna.cookie, { serviceWorkers: 'block' });
    let load = () => {};
    const isLoading = new Promise<void>((resolve) => (load = resolve));
    await window.route(/\/assets\/palette-\w+\.js$/, async (route) => {
      await isLoading;
      await route.continue();
    });
    await window.goto(`${service.url}/projects/${project.id}`);
    await window.getByRole('link', { name: 'Sow', exact: true }).focus();
    await window.keyboard.press('Control+k');
    await window.keyboard.type('com');
    load();
    await dialogOf(window).getByRole('combobox').waitFor();
    await window.keyboard.type('plete');
    expect(await dialogOf(window).getByRole('combobox').inputValue()).toBe('complete');
    expect(await window.getByRole('checkbox', { name: 'Sow', includeHidden: true }).isChecked()).toBe(false);
    await window.context().close();
  });
});
