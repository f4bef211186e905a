import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { type Page, titles } from './acts.ts';
import { dates, now } from './dates.ts';

describeWithBrowser('quick add in Chromium', () => {
  let service: Service;
  let anna: User;
  let watchedPage: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
    const { id } = await makeProject(anna, { name: 'Work' });
    watchedPage = await openPage(service.url);
    page = await newPage(watchedPage.browser, service.url, anna.cookie, { locale: 'en-GB' });
    await page.clock.setFixedTime(now);
    await page.goto(`${service.url}/projects/${id}`);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  async function addLine(line: string) {
    await page.getByLabel('Add a task').fill(line);
    const chips = page.getByRole('list', { name: 'Details found' }).getByRole('listitem');
    const texts = await chips.allTextContents();
    const words = await chips.evaluateAll((all) => all.map((chip) => chip.getAttribute('title') ?? ''));
    await page.getByLabel('Add a task').press('Enter');
    return { texts, words };
  }

  test('for each date that it understands, the chip, the list and the service have the same day', async () => {
    const expected: Record<string, string> = {};
    for (const [index, [text, meant]] of dates.entries()) {
      const title = `Call ${index}x`;
      const line = [`${title} ${text} !high`, `!high ${title} ${text}`, `${title} #tag ${text}`][index % 3] ?? '';
      const { texts, words } = await addLine(line);
      expect([title, ...words].join(' ').split(' ').toSorted()).toEqual(line.split(' ').toSorted());
      const row = page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name: title, exact: true }) });
      expect(texts).toContain(await row.locator('time').textContent());
      expected[title] = meant;
    }
    const found = () =>
      anna
        .data<{ tasks: { nodes: { title: string; dueDate: string; dueTime: string | null }[] } }>(
          '{ tasks(first: 100) { nodes { title dueDate dueTime } } }',
        )
        .then(({ tasks }) => tasks.nodes.filter(({ title }) => title in expected));
    await until('all tasks are sent', async () => (await found()).length === dates.length);
    const local = (moment: Date) => new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString();
    for (const { title, dueDate, dueTime } of await found()) {
      const time = dueTime === null ? '' : ` ${local(new Date(dueTime)).slice(11, 16)}`;
      expect([title, dueDate + time]).toEqual([title, expected[title]]);
    }
  });

  test('text stays in the title', async () => {
    const line = 'Call Tom at 25:00 about 2027-02-30, each monday, mon 9-10';
    expect(await addLine(line)).toEqual({ texts: [], words: [] });
    expect(await titles(page)).toContain(line);
  });

  test('a refused line returns for correction, also after a reload, and without its project', async () => {
    const { id } = await makeProject(anna, { name: 'Launch' });
    await page.goto(`${service.url}/projects/${id}`);
    await page.getByRole('heading', { name: 'Launch' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    const line = 'Water roses tomorrow !high #garden';
    await addLine(line);
    await anna.delete(`/api/v2/projects/${id}`);
    await page.context().setOffline(false);
    const refusal = page.getByRole('alert').filter({ hasText: 'Water roses' });
    await refusal.getByText('The project no longer exists').waitFor();
    await page.reload();
    await refusal.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    const field = page.getByLabel('Add a task');
    await until('the line is back', async () => (await field.inputValue()) === line);
    await until('it has the focus', () => field.evaluate((element) => element === document.activeElement));
    await refusal.waitFor({ state: 'detached' });
    await field.press('Enter');
    const task = page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name: 'Water roses' }) });
    for (const text of ['Tomorrow', 'High priority', 'garden']) await task.getByText(text).waitFor();
    await task.getByText('Not sent yet').waitFor({ state: 'detached' });
    await page.reload();
    await task.waitFor();
    expect(await refusal.count()).toBe(0);
  });

  test('a refused line is added to the one that is being typed', async () => {
    const { id } = await makeProject(anna, { name: 'Second' });
    await page.getByRole('link', { name: 'Second' }).click();
    await page.getByRole('heading', { name: 'Second' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    await addLine('Sow');
    await anna.delete(`/api/v2/projects/${id}`);
    await page.context().setOffline(false);
    const refusal = page.getByRole('alert').filter({ hasText: 'Sow' });
    await refusal.waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByLabel('Add a task').fill('Dig');
    await refusal.getByRole('button', { name: 'Edit' }).click();
    const field = page.getByLabel('Add a task');
    await until('the line joins', async () => (await field.inputValue()) === 'Dig Sow');
  });
});
