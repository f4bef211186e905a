import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp } from '../kit/users.ts';
import { withBrowser } from '../kit/with-browser.ts';
import type { Page } from './acts.ts';

const count = 300;
const titleOf = (number: number) => `Task ${String(number).padStart(3, '0')}`;

withBrowser('a list of the console that is longer than the window', () => {
  let service: Service;
  let opened: WatchedPage;
  let page: Page;
  let address: string;
  beforeAll(async () => {
    service = await startService();
    const user = await signUp(service);
    const project = await makeProject(user, { name: 'Archive' });
    address = `${service.url}/projects/${project.id}`;
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT 'task_' || lpad(number::text, 26, '0'), p.space_id, p.id, 'Task ' || lpad(number::text, 3, '0'), 'a1' || lpad(number::text, 3, '0')
       FROM projects p, generate_series(1, $2::int) AS number WHERE p.id = $1`,
      [project.id, count],
    );
    opened = await openPage(service.url, user.cookie);
    ({ page } = opened);
  });
  afterAll(async () => {
    await opened.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    await page.goto(address);
    await task(1).waitFor();
  });

  const task = (number: number) => page.getByRole('link', { name: titleOf(number), exact: true });
  const scrollTo = (part: number) =>
    page.locator('main').evaluate((main, at) => (main.scrollTop = at * main.scrollHeight), part);
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

  test('is rendered near the window alone, and says where each task is', async () => {
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
    expect(opened.complaints).toEqual([]);
  });

  test('is selected from one task to another, with all that is between', async () => {
    await task(2).click({ modifiers: ['Control'] });
    await scrollTo(1);
    await task(count - 1).click({ modifiers: ['Shift'] });
    await page.getByText(`${count - 2} selected`).waitFor();
  });

  test('keeps the task with the focus, and goes on from it', async () => {
    await task(3).focus();
    await scrollTo(1);
    await task(count).waitFor();
    expect(await focused()).toBe(titleOf(3));
    await page.keyboard.press('j');
    expect(await focused()).toBe(titleOf(4));
    for (let number = 5; number <= 70; number += 1) {
      await page.keyboard.press('j');
      expect(await focused()).toBe(titleOf(number));
    }
  });

  test('has a task moved by keyboard beyond the window', async () => {
    await task(1).focus();
    await page.keyboard.press(' ');
    for (let place = 2; place <= 60; place += 1) {
      await page.keyboard.press('ArrowDown');
      await page.getByText(`Place ${place} of ${count} in Archive`).first().waitFor();
    }
    await page.keyboard.press('Enter');
    await until('it is the 60th', async () => {
      const rows = await service.sql<{ title: string }>('SELECT title FROM tasks ORDER BY sort_key LIMIT 60');
      return rows.at(-1)?.title === titleOf(1);
    });
    expect(await focused()).toBe(titleOf(1));
  });
});
