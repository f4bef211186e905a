import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { barriers, name, type Page, row, untilTitles } from './acts.ts';

describeWithBrowser('the console on a phone', () => {
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
    for (const title of ['Dig', 'Sow', 'Water']) await makeTask(user, { title, projectId, dueDate: '2027-01-15' });
    const viewport = { width: 320, height: 640 };
    page = await newPage(watchedPage.browser, service.url, user.cookie, { viewport, hasTouch: true, isMobile: true });
    await page.goto(`${service.url}/projects/${projectId}`);
    await untilTitles(page, ['Dig', 'Sow', 'Water']);
  });

  const toolbar = () => page.getByRole('toolbar', { name: 'Selected tasks' });
  const select = async (...titles: readonly string[]) => {
    const [first = '', ...others] = titles;
    await row(page, first).getByRole('button', { name: 'More' }).tap();
    await page.getByRole('menuitem', { name: 'Select' }).tap();
    for (const title of others) await row(page, title).getByRole('link', { name: title }).tap();
    await toolbar().getByText(`${titles.length} selected`).waitFor();
  };
  const stored = async (field: string) =>
    (
      await user.data<{ tasks: { nodes: Record<string, unknown>[] } }>(
        `query ($id: ID!) { tasks(filter: { projectId: $id }) { nodes { title ${field} } } }`,
        { id: projectId },
      )
    ).tasks.nodes;

  test.each(['today', 'upcoming', 'calendar', 'trash', 'settings/profile'])(
    'a button within reach of the thumb adds a task: %s',
    async (path) => {
      await page.goto(`${service.url}/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const button = page.getByRole('button', { name: 'Add a task', exact: true });
      const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
      expect([x + width / 2 > 160, y + height > 560, y + height <= 640, Math.min(width, height) >= 44]).toEqual(
        Array.from({ length: 4 }, () => true),
      );
      expect(await barriers(page)).toEqual([]);
      await button.tap();
      await page.getByLabel('Add a task', { exact: true }).and(page.locator(':focus')).waitFor();
    },
  );

  test('a day of the calendar shows how many more tasks it has', async () => {
    const dueDate = await page.evaluate(() => new Date().toLocaleDateString('sv'));
    for (let index = 0; index < 12; index += 1) await makeTask(user, { title: `Task ${index}`, projectId, dueDate });
    await page.goto(`${service.url}/calendar`);
    const more = page.getByRole('gridcell').getByRole('button', { name: /^1\d more$/ });
    await more.waitFor();
    const [text, width] = await more.evaluate((button) => [button.scrollWidth, button.clientWidth]);
    expect(text).toBe(width);
  });

  test('after “Select”, taps select, until nothing is selected', async () => {
    await select('Dig', 'Water');
    expect(new URL(page.url()).pathname).toBe(`/projects/${projectId}`);
    expect(await barriers(page)).toEqual([]);
    await row(page, 'Water').getByRole('link', { name: 'Water' }).tap();
    await row(page, 'Dig').getByRole('link', { name: 'Dig' }).tap();
    await toolbar().waitFor({ state: 'detached' });
    await row(page, 'Dig').getByRole('link', { name: 'Dig' }).tap();
    await page.getByRole('complementary', { name: 'Task' }).waitFor();
  });

  test('the toolbar and the notice share one bar', async () => {
    await select('Dig', 'Sow');
    await toolbar().getByRole('button', { name: 'Complete' }).tap();
    const notice = page.getByRole('status').filter({ hasText: 'Completed 2 tasks' });
    await notice.waitFor();
    const boxes = [await page.locator('.bar').boundingBox(), await toolbar().boundingBox(), await notice.boundingBox()];
    const [bar, ...parts] = boxes.map((box) => ({ top: box?.y ?? 0, bottom: (box?.y ?? 0) + (box?.height ?? 0) }));
    expect([bar?.bottom, (bar?.bottom ?? 0) - (bar?.top ?? 0) < 130]).toEqual([640, true]);
    for (const part of parts) expect([part.top >= (bar?.top ?? 0), part.bottom <= 640]).toEqual([true, true]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    expect((await page.locator('.bar').boundingBox())?.width).toBe(320);
    await notice.getByRole('button', { name: 'Undo' }).tap();
    await until('both are open', async () => (await stored('completed')).every(({ completed }) => completed === false));
  });

  test('“Due date” clears, and “Tags” makes a tag', async () => {
    await select('Dig', 'Sow');
    await toolbar().getByRole('button', { name: 'Due date' }).tap();
    await page.getByRole('dialog').getByRole('button', { name: 'No due date' }).tap();
    await until('two have no date', async () => {
      return (await stored('dueDate')).filter(({ dueDate }) => dueDate === null).length === 2;
    });
    await toolbar().getByRole('button', { name: 'Tags' }).tap();
    await page.getByRole('menuitem', { name: 'New tag' }).tap();
    await name(page, 'phone');
    await row(page, 'Sow').getByRole('link', { name: 'phone' }).waitFor();
    await row(page, 'Dig').getByRole('link', { name: 'phone' }).waitFor();
  });
});
