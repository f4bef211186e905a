import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { Endpoint, verify } from '../webhooks/endpoint.ts';
import { attemptsOf, makeWebhook, nearby, untilIdle, untilReleased, webhooksOf } from '../webhooks/webhooks.ts';
import { barriers, type Page } from './acts.ts';

describeWithBrowser('webhooks in the settings of the console', () => {
  let service: Service;
  let watchedPage: WatchedPage;
  let page: Page;
  let anna: User;
  let endpoint: Endpoint;
  beforeAll(async () => {
    service = await startService(nearby);
    watchedPage = await openPage(service.url);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    anna = await signUp(service);
    endpoint = await Endpoint.open();
    page = await newPage(watchedPage.browser, service.url, anna.cookie);
  });
  afterEach(async () => {
    await page.context().close();
    await endpoint.close();
  });

  const open = async () => {
    await page.goto(`${service.url}/settings/webhooks`);
    await page.getByRole('heading', { name: 'New webhook' }).waitFor();
  };
  const hooks = () => page.getByRole('list', { name: 'Webhooks' });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const attempts = () => hooks().getByRole('list', { name: 'Attempts' }).getByRole('listitem');

  test('a new one has the chosen space and kinds, and its secret verifies the messages', async () => {
    const workspace = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    await open();
    await page.getByText('You have no webhooks.').waitFor();
    await page.getByLabel('URL').fill(endpoint.url);
    await page.getByLabel('Reaches').selectOption({ value: workspace.id });
    await page.getByRole('checkbox', { name: 'Changed' }).uncheck();
    await press('Create webhook');
    const secret = (await page.getByRole('status').locator('code').textContent()) ?? '';
    await hooks().getByText('Created, Deleted').waitFor();
    await hooks().getByText('Active', { exact: true }).waitFor();
    expect(await webhooksOf(anna)).toMatchObject([
      { url: endpoint.url, kinds: ['created', 'deleted'], spaceIds: [workspace.id] },
    ]);
    await makeTask(anna);
    const task = await makeTask(anna, { projectId: project.id });
    const message = await endpoint.next();
    verify(secret, message);
    expect(message.changes).toMatchObject([{ taskId: task.id }]);
    expect(await page.getByLabel('URL').inputValue()).toBe('');
    await page.reload();
    await hooks().getByText(endpoint.url).waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
  });

  test('a refused URL is explained at its field, and missing kinds at theirs', async () => {
    await open();
    await page.getByLabel('URL').fill('https://10.0.0.1/');
    await press('Create webhook');
    const url = page.getByLabel('URL').and(page.locator('[aria-invalid=true]'));
    await url.waitFor();
    await page
      .getByRole('alert')
      .filter({ hasText: 'URL must begin with https: and lead to a public address' })
      .waitFor();
    await page.getByLabel('URL').fill(endpoint.url);
    for (const kind of ['Created', 'Changed', 'Deleted']) await page.getByRole('checkbox', { name: kind }).uncheck();
    await press('Create webhook');
    await page.getByRole('group', { name: 'Changes to send' }).getByText('Choose at least one').waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await webhooksOf(anna)).toEqual([]);
  });

  test('a session that signed in long ago is asked to sign in again', async () => {
    await service.sql(`UPDATE sessions SET created_at = now() - interval '11 minutes' WHERE user_id = $1`, [anna.id]);
    await open();
    await page.getByLabel('URL').fill(endpoint.url);
    await press('Create webhook');
    await page.getByRole('alert').filter({ hasText: 'sign out and sign in again' }).waitFor();
    expect(await webhooksOf(anna)).toEqual([]);
  });

  test('"Test" sends a message at once, and "Attempts" has its result', async () => {
    await makeWebhook(anna, endpoint.url);
    await open();
    await press('Test');
    expect((await endpoint.next()).type).toBe('ping');
    await attempts().filter({ hasText: 'test' }).filter({ hasText: '204' }).waitFor();
    endpoint.respond = (response) => response.writeHead(503).end();
    await press('Test');
    await attempts().first().getByText('The endpoint answered 503.').waitFor();
    expect(await attempts().count()).toBe(2);
  });

  test('"Pause", "Resume" and "Delete" work, and the page shows what happened in the meantime', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url);
    await open();
    await press('Pause');
    await hooks().getByText('Paused').waitFor();
    const task = await makeTask(anna);
    let refuse = () => {};
    endpoint.respond = (response) => (refuse = () => response.writeHead(500).end());
    await press('Resume');
    await hooks().getByText('Active', { exact: true }).waitFor();
    expect((await endpoint.next()).changes).toMatchObject([{ taskId: task.id }]);
    refuse();
    await untilReleased(service, webhook.id, ({ failures }) => failures === 1);
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await hooks().getByText('Failing').waitFor();
    await attempts().filter({ hasText: 'The endpoint answered 500.' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete' });
    await dialog.getByText(endpoint.url).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await hooks().getByText(endpoint.url).waitFor({ state: 'detached' });
    expect(await webhooksOf(anna)).toEqual([]);
  });

  test('one that the log has left behind resumes after a gap', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url);
    await open();
    await press('Pause');
    await hooks().getByText('Paused').waitFor();
    await makeTask(anna);
    await service.sql('UPDATE spaces SET log_start = revision, log_start_nonce = history_nonce WHERE id = $1', [
      anna.id,
    ]);
    await press('Resume');
    await page.getByRole('alert').filter({ hasText: 'can only continue with the next change' }).waitFor();
    await press('Resume after a gap');
    await hooks().getByText('Active', { exact: true }).waitFor();
    const task = await makeTask(anna);
    expect((await endpoint.next()).changes).toMatchObject([{ taskId: task.id }]);
    await untilIdle(service, webhook.id);
  });

  test('a new secret is shown once, and signs', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url);
    await open();
    await press('New secret');
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    const secret = (await page.getByRole('status').locator('code').textContent()) ?? '';
    await anna.post(`/api/v2/webhooks/${webhook.id}/test`);
    verify(secret, await endpoint.next());
  });

  test('the list of attempts says if it is empty, and keys scroll through all of a long one', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url);
    await open();
    await hooks().getByText('No attempts yet.').waitFor();
    expect(await attempts().count()).toBe(0);
    for (let n = 0; n < 9; n += 1) await anna.post(`/api/v2/webhooks/${webhook.id}/test`);
    expect(await attemptsOf(anna, webhook.id)).toHaveLength(9);
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await attempts().nth(8).waitFor();
    const list = hooks().getByRole('list', { name: 'Attempts' });
    await list.press('End');
    await until('the list has scrolled', () => list.evaluate(({ scrollTop }) => scrollTop > 0));
    expect(await barriers(page)).toEqual([]);
  });

  test('the palette leads to the page', async () => {
    await page.goto(`${service.url}/today`);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).fill('webhooks');
    await page.getByRole('option', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'New webhook' }).waitFor();
    expect(page.url()).toBe(`${service.url}/settings/webhooks`);
  });
});
