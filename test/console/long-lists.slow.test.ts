import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeSection, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import type { Page } from './acts.ts';

const count = 300;
const titleOf = (number: number) => `Task ${String(number).padStart(3, '0')}`;

describeWithBrowser('a list of the console that is longer than the window', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let address: string;
  beforeAll(async () => {
    service = await startService();
    user = await signUp(service);
    address = await makeList('Archive', count);
    watchedPage = await openPage(service.url, user.cookie);
    ({ page } = watchedPage);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    await page.goto(address);
    await task(1).waitFor();
  });

  async function makeList(name: string, length: number, suffix = ''): Promise<string> {
    const { id } = await makeProject(user, { name });
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT 'task_0' || right($1, 22) || lpad(number::text, 3, '0'), space_id, id, 'Task ' || lpad(number::text, 3, '0') || $3, 'a1' || lpad(number::text, 3, '0')
       FROM projects, generate_series(1, $2::int) AS number WHERE id = $1`,
      [id, length, suffix],
    );
    return `${service.url}/projects/${id}`;
  }

  const task = (number: number) => page.getByRole('link', { name: titleOf(number), exact: true });
  const scrollTo = (part: number) =>
    page.locator('main').evaluate((main, position) => (main.scrollTop = position * main.scrollHeight), part);
  const untilRendered = () =>
    page.evaluate(async () => {
      for (let rows = -1, unchangedFrames = 0; unchangedFrames < 20;) {
        await new Promise(requestAnimationFrame);
        const now = document.querySelectorAll('[data-task]').length;
        unchangedFrames = now === rows ? unchangedFrames + 1 : 0;
        rows = now;
      }
    });
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

  async function show(list: string): Promise<void> {
    await page.goto(list);
    await task(1).waitFor();
    await untilRendered();
  }

  async function showMiddle(name: string): Promise<void> {
    await show(await makeList(name, count));
    await scrollTo(0.5);
    await task(150).waitFor();
    await untilRendered();
  }

  async function deleteFirst(length: number, name: string): Promise<void> {
    const deleted = await service.sql<{ id: string }>(
      `SELECT tasks.id FROM tasks JOIN projects ON projects.id = project_id WHERE name = $1 AND title <= $2`,
      [name, titleOf(length)],
    );
    await user.data('mutation ($ids: [ID!]!) { deleteTasks(ids: $ids) { deletedIds } }', {
      ids: deleted.map(({ id }) => id),
    });
    await page
      .locator(`main li[aria-setsize="${count - length}"]`)
      .first()
      .waitFor();
  }

  test('is rendered only near the window, and announces the position of each task', async () => {
    await until('a screen is there', async () => (await page.locator('[data-task]').count()) > 20);
    expect(await page.locator('[data-task]').count()).toBeLessThan(100);
    await scrollTo(1);
    await task(count).waitFor();
    const last = page.getByRole('listitem').filter({ has: task(count) });
    expect(await last.getAttribute('aria-posinset')).toBe(String(count));
    expect(await last.getAttribute('aria-setsize')).toBe(String(count));
    await task(1).waitFor({ state: 'detached' });
    await scrollTo(0);
    await task(1).waitFor();
    await task(count).waitFor({ state: 'detached' });
    expect(watchedPage.problems).toEqual([]);
  });

  test('can be selected from one task to another, with all tasks between', async () => {
    await task(2).click({ modifiers: ['Control'] });
    await scrollTo(1);
    await task(count - 1).click({ modifiers: ['Shift'] });
    await page.getByText(`${count - 2} selected`).waitFor();
  });

  test('keeps the task with the focus, and continues from it', async () => {
    await task(3).focus();
    await scrollTo(1);
    await task(count).waitFor();
    expect(await focused()).toBe(titleOf(3));
    await page.keyboard.press('j');
    expect(await focused()).toBe(titleOf(4));
    for (let number = 5; number <= 70; number += 1) {
      await page.keyboard.press('j');
      // The focus waits for rows that are not rendered yet.
      await until(`task ${number} has the focus`, async () => (await focused()) === titleOf(number));
    }
  });

  test('keeps the focus if keys are pressed faster than rows are rendered', async () => {
    const list = await makeList('Pressed', count);
    const projectId = list.slice(list.lastIndexOf('/') + 1);
    const { id } = await makeSection(user, projectId, { name: 'Later' });
    await makeTask(user, { title: 'Another', projectId, sectionId: id });
    await page.goto(list);
    await task(1).focus();
    const press = () => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
    await page.evaluate(`for (let count = 0; count < 100; count += 1) (${press.toString()})()`);
    // The focus waits for the rows and does not go on to the next list.
    expect(await focused()).toMatch(/^Task 0/);
    await until('it has gone on', async () => {
      await page.keyboard.press('j');
      return (await focused()) === titleOf(100);
    });
  });

  test('keeps the focus if it grows beyond the length that is rendered as a whole', async () => {
    const list = await makeList('Short', 60);
    await page.goto(list);
    await task(55).focus();
    await makeTask(user, { title: 'Another', projectId: list.slice(list.lastIndexOf('/') + 1) });
    await page.getByRole('link', { name: 'Another', exact: true }).waitFor();
    expect(await focused()).toBe(titleOf(55));
  });

  test('keeps the focus if many tasks above it are deleted', async () => {
    await showMiddle('Deleted');
    // Does not scroll: only the change may render the list again.
    await task(150).evaluate((link) => link.focus({ preventScroll: true }));
    await deleteFirst(100, 'Deleted');
    expect(await focused()).toBe(titleOf(150));
  });

  test('keeps its position if many tasks above are deleted and nothing has the focus', async () => {
    await showMiddle('Shortened');
    const before = await task(150).boundingBox();
    await deleteFirst(100, 'Shortened');
    await untilRendered();
    expect(Math.abs(((await task(150).boundingBox())?.y ?? NaN) - (before?.y ?? NaN))).toBeLessThan(2);
  });

  test('ends at its last row even if rows are higher than earlier ones', async () => {
    const list = await makeList('Higher', count);
    await service.sql(
      `UPDATE tasks SET title = title || repeat(' and more', 50) FROM projects
       WHERE projects.id = project_id AND name = 'Higher' AND title BETWEEN $1 AND $2`,
      [titleOf(200), titleOf(count - 1)],
    );
    await show(list);
    await page.locator('main').press('End');
    await task(count).waitFor();
    await untilRendered();
    const hiddenHeight = () =>
      page.locator('main').evaluate((main) => main.scrollHeight - main.clientHeight - main.scrollTop);
    expect(await hiddenHeight()).toBeLessThan(2);
  });

  test('lets a task move by keyboard beyond the window', async () => {
    await task(1).focus();
    await page.keyboard.press(' ');
    for (let place = 2; place <= 60; place += 1) {
      await page.keyboard.press('ArrowDown');
      await page.getByText(`Position ${place} of ${count} in Archive`).first().waitFor();
    }
    await page.keyboard.press('Enter');
    await until('it is the 60th', async () => {
      const rows = await service.sql<{ title: string }>(
        `SELECT title FROM tasks WHERE project_id = (SELECT id FROM projects WHERE name = 'Archive') ORDER BY sort_key LIMIT 60`,
      );
      return rows.at(-1)?.title === titleOf(1);
    });
    expect(await focused()).toBe(titleOf(1));
  });
});
