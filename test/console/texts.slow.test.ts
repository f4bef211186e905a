import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { detailsOf, type Page } from './acts.ts';

describeWithBrowser('texts of a task in the console', () => {
  let service: Service;
  let [anna, bert]: User[] = [];
  let watchedPage: WatchedPage;
  let [workspaceId, projectId] = ['', ''];
  let page: Page;
  let id: string;
  beforeAll(async () => {
    service = await startService();
    [anna, bert] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna);
    workspaceId = workspace.id;
    await addMember(anna, workspaceId, bert);
    projectId = (await makeProject(anna, { name: 'Shared', workspaceId })).id;
    watchedPage = await openPage(service.url);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  const description = (of = page) => detailsOf(of).getByLabel('Description');
  const text = 'First line.\nSecond line.\nThird line.';
  beforeEach(async () => {
    const task = await makeTask(anna as User, { title: 'Plan', projectId, description: text });
    id = task.id;
    page = await newPage(watchedPage.browser, service.url, anna?.cookie);
    await open(page);
  });
  const open = async (of: Page) => {
    await of.goto(`${service.url}/tasks/${id}`);
    await description(of).waitFor();
    await detailsOf(of).getByRole('list', { name: 'History' }).getByRole('listitem').first().waitFor();
  };
  const stored = async () => {
    const { task } = await (anna as User).data<{ task: { description: string | null; history: { nodes: unknown[] } } }>(
      'query ($id: ID!) { task(id: $id) { description history(first: 50) { nodes { kind } } } }',
      { id },
    );
    return { description: task.description, operations: task.history.nodes.length };
  };
  const untilStored = (expected: string | null) =>
    until(`the description is ${expected ?? 'empty'}`, async () => (await stored()).description === expected);
  const write = async (user: User | undefined, description: string) => {
    await (user as User).data(
      'mutation ($id: ID!, $description: String) { updateTask(id: $id, input: { description: $description }) { id } }',
      { id, description },
    );
  };
  const type = async (more: string, of = page) => {
    await description(of).focus();
    await of.keyboard.press('Control+End');
    await of.keyboard.type(more);
  };
  const untilOperations = (count: number, of = page) =>
    until(
      `the page shows ${count} operations`,
      async () => (await detailsOf(of).getByRole('list', { name: 'History' }).getByRole('listitem').count()) === count,
    );
  const theirs = `Before.\n${text}`;
  const merged = `${theirs} Mine.`;

  test.each([
    ['Tab', () => page.keyboard.press('Tab')],
    ['Escape', () => page.keyboard.press('Escape')],
    ['"Close"', () => detailsOf(page).getByRole('button', { name: 'Close' }).click()],
    ['another page', () => page.getByRole('link', { name: 'Upcoming' }).click()],
  ])('are merged with the simultaneous text of somebody else, if the field is left by %s', async (_by, leavePage) => {
    await type(' Mine.');
    await write(bert, theirs);
    await untilOperations(2);
    expect(await description().inputValue()).toBe(`${text} Mine.`);
    await leavePage();
    await untilStored(merged);
    expect(await stored()).toEqual({ description: merged, operations: 3 });
  });

  test('keep the text of somebody else if nothing was typed, or nothing of it is left', async () => {
    await type('x');
    await page.keyboard.press('Backspace');
    await write(bert, theirs);
    await untilOperations(2);
    await page.keyboard.press('Tab');
    await until('theirs is shown', async () => (await description().inputValue()) === theirs);
    expect(await stored()).toEqual({ description: theirs, operations: 2 });
  });

  test('keep the text of somebody else if both are in one place, and "Use mine" takes the other one', async () => {
    await type(' Mine.');
    await write(bert, `${text} Theirs.`);
    await untilOperations(2);
    await page.keyboard.press('Tab');
    const offer = page.getByRole('status').filter({ hasText: 'Use mine' });
    await offer.waitFor();
    expect(await description().inputValue()).toBe(`${text} Theirs.`);
    expect(await stored()).toEqual({ description: `${text} Theirs.`, operations: 2 });
    await page.reload();
    await offer.getByRole('button', { name: 'Use mine' }).click();
    await untilStored(`${text} Mine.`);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await untilStored(`${text} Theirs.`);
    await offer.waitFor({ state: 'detached' });
  });

  const setRole = (role: string) =>
    (anna as User).data(
      'mutation ($workspaceId: ID!, $userId: ID!, $role: WorkspaceRole!) { setWorkspaceRole(workspaceId: $workspaceId, userId: $userId, role: $role) { id } }',
      { workspaceId, userId: bert?.id, role },
    );

  test.each([
    ['the task was deleted', () => anna?.delete(`/api/v2/todo/${id}`), 'This no longer exists'],
    ['its user may only read now', () => setRole('VIEWER'), 'You do not have permission'],
  ])('are shown with the reason if %s', async (_reason, act, reason) => {
    const other = await newPage(watchedPage.browser, service.url, bert?.cookie);
    await open(other);
    await type(` Typed by Bert.${' More of it.'.repeat(10)} The end.`, other);
    await act();
    const refusal = other.getByRole('alert').filter({ hasText: 'Typed by Bert.' });
    await refusal.getByText(reason).waitFor();
    await refusal.getByText('The end.').waitFor();
    await setRole('EDITOR');
    await other.context().close();
  });

  test('in two tabs of one browser, each being typed into, keep both', async () => {
    const other = await page.context().newPage();
    await open(other);
    await type(' Of one tab.');
    await description(other).focus();
    await other.keyboard.press('Control+Home');
    await other.keyboard.type('Of the other. ');
    await page.keyboard.press('Tab');
    await untilStored(`${text} Of one tab.`);
    await untilOperations(2, other);
    await other.keyboard.press('Tab');
    await untilStored(`Of the other. ${text} Of one tab.`);
    expect(await stored()).toMatchObject({ operations: 3 });
    await other.close();
  });

  test('are one change, however long the pause', async () => {
    await page.clock.install();
    await type(' One');
    await page.clock.runFor(60_000);
    await type(' two');
    await page.clock.runFor(60_000);
    expect(await stored()).toEqual({ description: text, operations: 1 });
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await untilStored(`${text} One two`);
    expect(await stored()).toMatchObject({ operations: 2 });
  });

  test.each(['reload', 'crash'] as const)('are not lost by a %s', async (end) => {
    // The page cannot store its last change.
    if (end === 'crash') await page.evaluate('IDBObjectStore.prototype.put = () => new Promise(() => {})');
    await type(' Not lost.');
    await page.reload();
    await until('it is there again', async () => (await description().inputValue()) === `${text} Not lost.`);
    await untilStored(`${text} Not lost.`);
    expect(await stored()).toMatchObject({ operations: 2 });
    await until('the browser keeps no text any more', () =>
      page.evaluate(() => Object.keys(localStorage).every((key) => !key.includes('task_'))),
    );
  });

  test('of a closed tab are sent by the next one', async () => {
    const other = await page.context().newPage();
    await open(other);
    await other.evaluate('IDBObjectStore.prototype.put = () => new Promise(() => {})');
    await type(' Closed.', other);
    await other.close();
    await page.goto(`${service.url}/today`);
    await untilStored(`${text} Closed.`);
  });

  test('are undone in their field by Ctrl+Z, empty or not, and nothing else is', async () => {
    const doneTask = await makeTask(anna as User, { title: 'Done before', projectId });
    await page.goto(`${service.url}/projects/${projectId}`);
    await page.getByRole('checkbox', { name: 'Done before' }).check();
    await page.getByRole('link', { name: 'Plan' }).last().click();
    await description().focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    expect(await description().inputValue()).toBe('');
    await page.keyboard.press('Control+z');
    expect(await description().inputValue()).toBe(text);
    await detailsOf(page).getByLabel('Add a subtask').focus();
    await page.keyboard.press('Control+z');
    await description().focus();
    await page.keyboard.type('!');
    await page.keyboard.press('Tab');
    await until('all is sent', async () => (await stored()).description !== text);
    const { task } = await (anna as User).data<{ task: { completed: boolean } }>(
      'query ($id: ID!) { task(id: $id) { completed } }',
      { id: doneTask.id },
    );
    expect(task.completed).toBe(true);
  });
});
