import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { CDPSession } from 'playwright-core';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeSection, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { choose, dropOnto, type Page, parentsIn, row as task, untilTitles } from './acts.ts';

describeWithBrowser('tasks of the console are moved', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let project: { id: string };
  beforeAll(async () => {
    service = await startService();
    user = await signUp(service);
    watchedPage = await openPage(service.url, user.cookie);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    project = await makeProject(user, { name: 'Garden' });
  });

  const open = async (page: Page, shown: readonly string[]) => {
    for (const title of shown) await makeTask(user, { title, projectId: project.id });
    await page.goto(`${service.url}/projects/${project.id}`);
    await untilTitles(page, shown);
  };
  const untilBelow = (title: string, parent: string) =>
    until(`${title} is below ${parent}`, async () => {
      return (await parentsIn(user, project.id)).get(title) === parent;
    });

  describe('by mouse', () => {
    test('within a list, onto a task, and into a project of the navigation', async () => {
      const { page } = watchedPage;
      await open(page, ['Dig', 'Sow', 'Water']);
      await task(page, 'Water').dragTo(task(page, 'Dig'), { targetPosition: { x: 200, y: 3 } });
      await untilTitles(page, ['Water', 'Dig', 'Sow']);
      await dropOnto(page, 'Sow', 'Water');
      await untilTitles(page, ['Water', 'Sow', 'Dig']);
      await untilBelow('Sow', 'Water');
      await makeProject(user, { name: 'House' });
      await task(page, 'Dig').dragTo(page.getByRole('navigation').getByRole('link', { name: 'House' }));
      await task(page, 'Dig').waitFor({ state: 'detached' });
      await page.getByRole('navigation').getByRole('link', { name: 'House' }).click();
      await untilTitles(page, ['Dig']);
    });

    test('between sections and columns', async () => {
      const { page } = watchedPage;
      for (const name of ['Doing', 'Done']) await makeSection(user, project.id, { name });
      await open(page, ['Dig', 'Sow']);
      const section = (name: string) => page.getByRole('region', { name, exact: true });
      await task(page, 'Dig').dragTo(section('Done'));
      await untilTitles(page, ['Dig'], 'Done');
      await task(page, 'Sow').dragTo(section('Done').getByRole('listitem'), { targetPosition: { x: 200, y: 3 } });
      await untilTitles(page, ['Sow', 'Dig'], 'Done');
      await page.getByRole('radio', { name: 'Board' }).check();
      await task(page, 'Sow').dragTo(section('Doing'));
      await untilTitles(page, ['Sow'], 'Doing');
      await untilTitles(page, ['Dig'], 'Done');
    });

    test('to places of a long list outside the window', async () => {
      const { page } = watchedPage;
      const all = Array.from({ length: 40 }, (_, index) => `Task ${index}.`);
      await open(page, all);
      // Otherwise the browser scrolls the window too.
      expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
      const main = page.locator('main');
      const { x = 0, y = 0, height = 0 } = (await main.boundingBox()) ?? {};
      await task(page, 'Task 0.').hover();
      await page.mouse.down();
      await page.mouse.move(x + 300, y + height / 2, { steps: 3 });
      await page.mouse.move(x + 300, y + height - 10, { steps: 3 });
      await until('the end is reached', () =>
        main.evaluate((element) => element.scrollTop + element.clientHeight >= element.scrollHeight - 1),
      );
      const last = await task(page, 'Task 39.').boundingBox();
      await page.mouse.move(x + 300, (last?.y ?? 0) + (last?.height ?? 0) - 3, { steps: 3 });
      await page.mouse.up();
      await untilTitles(page, [...all.slice(1), 'Task 0.']);
    });
  });

  describe('by a finger', () => {
    let page: Page;
    let session: CDPSession;
    beforeAll(async () => {
      const [name = '', value = ''] = (user.cookie ?? '').split('=');
      const context = await watchedPage.browser.newContext({
        ...{ viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
      });
      await context.addCookies([{ name, value, url: service.url }]);
      page = await context.newPage();
      session = await context.newCDPSession(page);
    });

    const dispatchTouch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) => {
      await session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    };
    const boxOf = async (title: string) => {
      const { x = 0, y = 0, width = 0, height = 0 } = (await task(page, title).boundingBox()) ?? {};
      return { x: x + width / 2, top: y + 3, middle: y + height / 2, bottom: y + height - 3 };
    };
    const lift = async (title: string) => {
      const { x, middle } = await boxOf(title);
      await dispatchTouch('touchStart', [{ x, y: middle }]);
      await page.locator('.ghost', { hasText: title }).waitFor();
      return { x, y: middle };
    };
    const dropAt = async (point: { x: number; y: number }, mark = '') => {
      await dispatchTouch('touchMove', [{ x: point.x, y: point.y - 20 }]);
      await dispatchTouch('touchMove', [point]);
      await page.locator('.drop-mark', { hasText: mark }).waitFor();
      await dispatchTouch('touchEnd', []);
      await page.locator('.ghost').waitFor({ state: 'detached' });
    };

    test('within a list, and onto a task', async () => {
      await open(page, ['Dig', 'Sow', 'Water']);
      const { x } = await lift('Water');
      // Events that a browser fires when a finger rests on a link or a draggable element.
      const startedEvents = await page.evaluate(() =>
        ['dragstart', 'contextmenu'].filter((type) =>
          document.querySelector('main .title')?.dispatchEvent(new Event(type, { bubbles: true, cancelable: true })),
        ),
      );
      expect(startedEvents).toEqual([]);
      await dropAt({ x, y: (await boxOf('Dig')).top });
      await untilTitles(page, ['Water', 'Dig', 'Sow']);
      await lift('Sow');
      await dropAt({ x, y: (await boxOf('Water')).middle }, 'Subtask of Water');
      await untilTitles(page, ['Water', 'Sow', 'Dig']);
      await untilBelow('Sow', 'Water');
      expect(new URL(page.url()).pathname).toBe(`/projects/${project.id}`);
    });

    test('not if it scrolls, or if a touch is a click', async () => {
      await open(
        page,
        Array.from({ length: 40 }, (_, index) => `Task ${index}.`),
      );
      const { x, middle } = await boxOf('Task 5.');
      await dispatchTouch('touchStart', [{ x, y: middle }]);
      for (const by of [20, 60, 120, 200]) await dispatchTouch('touchMove', [{ x, y: middle - by }]);
      await until('it has scrolled', () => page.locator('main').evaluate(({ scrollTop }) => scrollTop > 50));
      await dispatchTouch('touchEnd', []);
      expect(await page.locator('.ghost').count()).toBe(0);
      await task(page, 'Task 9.').getByRole('link', { name: 'Task 9.' }).tap();
      await page.getByRole('complementary', { name: 'Task' }).waitFor();
    });

    test('to places outside the window', async () => {
      const all = Array.from({ length: 30 }, (_, index) => `Task ${index}.`);
      await open(page, all);
      const { x } = await lift('Task 0.');
      await dispatchTouch('touchMove', [{ x, y: 690 }]);
      const main = page.locator('main');
      await until('the end is reached', () =>
        main.evaluate((element) => element.scrollTop + element.clientHeight >= element.scrollHeight - 1),
      );
      await dropAt({ x, y: (await boxOf('Task 29.')).bottom });
      await untilTitles(page, [...all.slice(1), 'Task 0.']);
    });

    test('between days of a calendar', async () => {
      await open(page, []);
      await page.getByRole('radio', { name: 'Calendar' }).check();
      await page.getByLabel('Add a task').fill('Harvest today');
      await page.getByLabel('Add a task').press('Enter');
      const harvestLink = page.getByRole('gridcell').getByRole('link', { name: 'Harvest' });
      const from = await harvestLink.boundingBox();
      const day = page.locator('[role=gridcell]:not([aria-current])').nth(9);
      const to = await day.boundingBox();
      await dispatchTouch('touchStart', [{ x: (from?.x ?? 0) + 10, y: (from?.y ?? 0) + 5 }]);
      await page.locator('.ghost').waitFor();
      await dropAt({ x: (to?.x ?? 0) + 20, y: (to?.y ?? 0) + 30 });
      await day.getByRole('link', { name: 'Harvest' }).waitFor();
    });

    test('without dragging: by the menu of a task', async () => {
      await makeSection(user, project.id, { name: 'Done' });
      await open(page, ['Dig', 'Sow', 'Water']);
      const openMenuOf = async (title: string) => {
        await task(page, title).getByRole('button', { name: 'More' }).tap();
        await page.getByRole('menuitem', { name: 'Move', exact: true }).tap();
        return page.getByRole('toolbar', { name: `Move “${title}”` });
      };
      let bar = await openMenuOf('Dig');
      await bar.getByRole('button', { name: 'Down' }).tap();
      await bar.getByText('Position 2 of 3 in Garden').waitFor();
      await bar.getByRole('button', { name: 'Drop' }).tap();
      await untilTitles(page, ['Sow', 'Dig', 'Water']);
      bar = await openMenuOf('Dig');
      for (const place of ['Position 3 of 3 in Garden', 'Position 1 of 1 in Done']) {
        await bar.getByRole('button', { name: 'Down' }).tap();
        await bar.getByText(place).waitFor();
      }
      await bar.getByRole('button', { name: 'Drop' }).tap();
      await untilTitles(page, ['Dig'], 'Done');
      bar = await openMenuOf('Water');
      await bar.getByRole('button', { name: 'Right' }).tap();
      await bar.getByRole('button', { name: 'Put back' }).tap();
      await bar.waitFor({ state: 'detached' });
      await openMenuOf('Water');
      await choose(page, 'To project', 'Inbox');
      await untilTitles(page, ['Sow', 'Dig']);
    });
  });

  test('by keys, to a project of the navigation from a page that mixes projects', async () => {
    const { page } = watchedPage;
    const today = await page.evaluate(() => new Date().toLocaleDateString('sv'));
    await makeTask(user, { title: 'Due', projectId: project.id, dueDate: today });
    const house = await makeProject(user, { name: 'Barn' });
    await page.goto(`${service.url}/today`);
    await page.getByRole('link', { name: 'Barn' }).waitFor();
    await task(page, 'Due').getByRole('link', { name: 'Due' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('toolbar', { name: 'Move “Due”' }).waitFor();
    // The lists of the navigation follow the lists of the page, and the order is a ring.
    await page.keyboard.press('ArrowUp');
    await page.getByRole('toolbar').getByText('To “Barn”').waitFor();
    await page.keyboard.press('Space');
    await page.goto(`${service.url}/projects/${house.id}`);
    await untilTitles(page, ['Due']);
  });
});
