import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, choose, type Page } from './acts.ts';

describeWithBrowser('a session that ended elsewhere, with changes that are not sent', () => {
  let service: Service;
  let [anna, bert] = [] as unknown as [User, User];
  let watchedPage: WatchedPage;
  let page: Page;
  let project: { id: string };
  beforeAll(async () => {
    service = await startService();
    [anna, bert] = [await signUp(service), await signUp(service)];
    project = await makeProject(anna, { name: 'Secret garden' });
    watchedPage = await openPage(service.url, anna.cookie);
    ({ page } = watchedPage);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  const signIn = async ({ email, password }: User) => {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const pageContent = () =>
    page.evaluate(() => [document.documentElement.outerHTML, document.title, location.href].join('\n'));

  test('leads to the sign-in, which shows nothing of the account', async () => {
    await page.goto(`${service.url}/projects/${project.id}`);
    await page.getByRole('heading', { name: 'Secret garden' }).waitFor();
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    await add(page, 'Unsent treasure');
    await page.getByText('Not sent yet').waitFor();
    // An open dialog belongs to the account, too.
    await choose(page, 'Project menu', 'Rename');
    await anna.post('/api/v1/user/logout', {});
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('Unsent changes are kept').waitFor();
    expect(await pageContent()).not.toMatch(/treasure|garden/i);
  });

  test('shows another account nothing of it', async () => {
    await signIn(bert);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.waitForFunction((id) => localStorage.getItem('taskgate:account')?.includes(id), bert.id);
    await page.keyboard.press('Control+z');
    await page.getByRole('status').getByText('Nothing to undo').waitFor();
    expect(await pageContent()).not.toMatch(/treasure|garden/i);
    expect(await pageContent()).not.toContain(project.id);
    const { tasks } = await bert.data<{ tasks: { nodes: unknown[] } }>('{ tasks { nodes { id } } }');
    expect(tasks.nodes).toEqual([]);
    await choose(page, 'Account', 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('sends them when the account is back', async () => {
    await signIn(anna);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.getByRole('link', { name: 'Secret garden' }).click();
    await page.getByRole('checkbox', { name: 'Unsent treasure' }).waitFor();
    await until('the service has it', async () => {
      const found = await service.sql("SELECT FROM tasks WHERE title = 'Unsent treasure'");
      return found.length === 1;
    });
    await page.getByText('Not sent yet').waitFor({ state: 'detached' });
  });

  test('keeps a line that is half typed', async () => {
    await page.getByLabel('Add a task', { exact: true }).fill('Half a treasure');
    await page.evaluate(() => fetch('/api/v1/user/logout', { method: 'POST' }));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await pageContent()).not.toMatch(/treasure|garden/i);
    await page.getByLabel('Password').fill(anna.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await until('the line is back', async () => {
      const line = page.getByLabel('Add a task', { exact: true });
      return (await line.count()) === 1 && (await line.inputValue()) === 'Half a treasure';
    });
  });

  test('returns to the same page if the same account signs in at once', async () => {
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    await add(page, 'Another treasure');
    const [session] = await service.sql<{ sid: string }>('DELETE FROM sessions WHERE user_id = $1 RETURNING sid', [
      anna.id,
    ]);
    expect(session).toBeDefined();
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Password').fill(anna.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('checkbox', { name: 'Another treasure' }).waitFor();
    await until('the service has it', async () => {
      const found = await service.sql("SELECT FROM tasks WHERE title = 'Another treasure'");
      return found.length === 1;
    });
  });

  test('stays hidden when the network is lost, and after a page load with and without it', async () => {
    const hidden = async () => {
      await page.getByText('Unsent changes are kept').waitFor();
      expect(await page.getByLabel('E-mail').inputValue()).toBe(anna.email);
      expect(await pageContent()).not.toMatch(/treasure|garden/i);
    };
    await page.evaluate(() => fetch('/api/v1/user/logout', { method: 'POST' }));
    await hidden();
    const failure = page.waitForEvent('requestfailed');
    await page.context().setOffline(true);
    await failure;
    await hidden();
    await page.reload();
    await hidden();
    await page.context().setOffline(false);
    // Also for a moment.
    await page.addInitScript(() => {
      new MutationObserver(() => {
        if (/treasure|garden/i.test(document.documentElement.outerHTML)) Object.assign(window, { hasShown: true });
      }).observe(document, { subtree: true, childList: true, characterData: true });
    });
    await page.reload();
    await hidden();
    expect(await page.evaluate(() => 'hasShown' in window)).toBe(false);
  });

  test('leaves nothing in the browser after a sign-out, although another tab writes its data again', async () => {
    await signIn(anna);
    await page.getByRole('link', { name: 'Secret garden' }).waitFor();
    const other = await page.context().newPage();
    await other.addInitScript(() => {
      const hold = (event: Event) => {
        if (event.isTrusted) event.stopImmediatePropagation();
      };
      addEventListener('storage', hold);
    });
    await other.goto(`${service.url}/today`);
    await other.getByRole('link', { name: 'Secret garden' }).waitFor();
    const hasData = () =>
      page.evaluate(
        async (id) => (await indexedDB.databases()).some((each) => each.name === `taskgate:${id}`),
        anna.id,
      );
    await choose(page, 'Account', 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // It writes only if it has not yet heard of the end.
    const hasEnded = async () => (await other.getByRole('heading', { name: 'Sign in' }).count()) === 1;
    await until(
      'the other tab has written its data, or has ended',
      async () => (await hasData()) || (await hasEnded()),
    );
    await other.evaluate(() => dispatchEvent(new StorageEvent('storage', { key: 'taskgate:account' })));
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await until('the data is deleted', async () => !(await hasData()));
    await other.close();
  });
});
