import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { barriers, detailsOf, type Page, row } from './acts.ts';

describeWithBrowser('the details of a task', () => {
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
    page = await newPage(watchedPage.browser, service.url, user.cookie, { locale: 'en-GB' });
  });

  const details = () => detailsOf(page);
  const open = async (fields: object = {}) => {
    const { id } = await makeTask(user, { title: 'Dig', projectId, ...fields });
    await page.goto(`${service.url}/tasks/${id}`);
    await details().getByRole('list', { name: 'History' }).getByRole('listitem').first().waitFor();
    return id;
  };
  const description = 'Use a **spade**, see https://example.org/spades.\n\n- one\n- <b>two</b>';

  test('a description has its links and lists, and is plain text while it is edited', async () => {
    await open({ description });
    await details().locator('strong', { hasText: 'spade' }).waitFor();
    const link = details().getByRole('link', { name: 'https://example.org/spades' });
    expect(await link.getAttribute('rel')).toBe('noopener');
    expect(await details().locator('.rendered b, .rendered img').count()).toBe(0);
    expect(await details().locator('.rendered li').allTextContents()).toEqual(['one', '<b>two</b>']);
    expect(await barriers(page)).toEqual([]);
    const field = details().getByLabel('Description');
    await field.click();
    await link.waitFor({ state: 'hidden' });
    expect(await field.inputValue()).toBe(description);
    expect(await barriers(page)).toEqual([]);
    await field.fill('Only *this*');
    await details().getByLabel('Title').focus();
    await details().locator('em', { hasText: 'this' }).waitFor();
  });

  test('a missing task leads on', async () => {
    await page.goto(`${service.url}/tasks/task_none`);
    await details().getByText('This task was deleted, or you do not have access to it.').waitFor();
    await details().getByRole('button', { name: 'Go to Today' }).click();
    await details().waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  });

  test('a description without its module is plain text', async () => {
    // The service worker has the module.
    page = await newPage(watchedPage.browser, service.url, user.cookie, { serviceWorkers: 'block' });
    await page.route('**/assets/markdown-*', (route) => route.abort());
    await open({ description });
    await details().locator('.rendered').getByText('Use a **spade**').waitFor();
  });

  test('a reader sees the description in the same way', async () => {
    const owner = await signUp(service);
    const workspace = await makeWorkspace(owner);
    await addMember(owner, workspace.id, user, 'VIEWER');
    const shared = await makeProject(owner, { name: 'Shared', workspaceId: workspace.id });
    const { id } = await makeTask(owner, { title: 'Dig', projectId: shared.id, description });
    await page.goto(`${service.url}/tasks/${id}`);
    await details().locator('strong', { hasText: 'spade' }).waitFor();
    expect(await details().getByRole('textbox', { name: 'Description' }).count()).toBe(0);
  });

  test('the list marks the open task', async () => {
    await open();
    const current = page.locator('main [aria-current=true]');
    await current
      .getByText('Dig')
      .or(current.and(page.getByText('Dig')))
      .first()
      .waitFor();
    expect(await current.count()).toBe(1);
    await page.keyboard.press('Escape');
    await current.waitFor({ state: 'detached' });
    await row(page, 'Dig').getByRole('link', { name: 'Dig' }).and(page.locator(':focus')).waitFor();
  });

  test('a choice opens by Enter', async () => {
    await open();
    await page.evaluate(() => {
      HTMLSelectElement.prototype.showPicker = function () {
        Object.assign(globalThis, { opened: this.labels[0]?.textContent });
      };
    });
    await details().getByLabel('Priority').press('Enter');
    await until('the choices are open', () => page.evaluate(() => 'opened' in globalThis));
    expect(await page.evaluate('opened')).toBe('Priority');
  });

  test('the history says what has changed, and is folded if it is long', async () => {
    const id = await open({ dueDate: null });
    const entries = details().getByRole('list', { name: 'History' }).getByRole('listitem');
    await entries.getByText('Created', { exact: true }).waitFor();
    const update = (input: object) =>
      user.data('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', {
        id,
        input,
      });
    const { createTag } = await user.data<{ createTag: { id: string } }>(
      'mutation { createTag(name: "phone") { id } }',
    );
    await update({ dueDate: '2027-12-03' });
    await entries.getByText('Due date: none → 3 Dec 2027', { exact: true }).waitFor();
    await update({ dueDate: '2027-12-04', tagIds: [createTag.id] });
    await entries.getByText('Due date: 3 Dec 2027 → 4 Dec 2027').getByText('Tags: none → phone').waitFor();
    await update({ priority: 'HIGH' });
    await entries.getByText('Priority: none → High', { exact: true }).waitFor();
    await update({ title: 'Dig deep', completed: true });
    await entries.getByText('Title: Dig → Dig deep').getByText('Completed').waitFor();
    await update({ projectId: null });
    // It grows while it is open, and stays open.
    await entries.getByText('Project: Garden → Inbox').waitFor();
    expect(await entries.count()).toBe(6);
    await page.reload();
    await details().getByRole('heading', { name: 'History' }).waitFor();
    await details().locator('.history:not([open])').waitFor();
    expect(await entries.first().isVisible()).toBe(false);
    await details().getByRole('heading', { name: 'History' }).click();
    await entries.getByText('Created', { exact: true }).waitFor();
    expect(await barriers(page)).toEqual([]);
  });
});
