import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, choose, detailsOf, dropOnto, type Page, parentsIn, row as task, untilTitles } from './acts.ts';

describeWithBrowser('drops in the console', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let project: { id: string };
  beforeAll(async () => {
    service = await startService();
    user = await signUp(service);
    watchedPage = await openPage(service.url, user.cookie);
    ({ page } = watchedPage);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    project = await makeProject(user, { name: 'Garden' });
  });

  const open = async (...shown: readonly string[]) => {
    for (const title of shown) await makeTask(user, { title, projectId: project.id });
    await page.goto(`${service.url}/projects/${project.id}`);
    await untilTitles(page, shown);
  };

  describe('onto a task', () => {
    const isInView = (title: string) =>
      watchedPage.page.locator('main .title', { hasText: title }).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });

    test('not without a pause: the half of the row decides', async () => {
      await open('Dig', 'Sow', 'Water');
      const { height = 0 } = (await task(page, 'Dig').boundingBox()) ?? {};
      await task(page, 'Water').dragTo(task(page, 'Dig'), { targetPosition: { x: 200, y: height / 2 + 2 } });
      await untilTitles(page, ['Dig', 'Water', 'Sow']);
      await task(page, 'Sow').dragTo(task(page, 'Dig'), { targetPosition: { x: 200, y: height / 2 - 2 } });
      await untilTitles(page, ['Sow', 'Dig', 'Water']);
      await until('no task has a parent', async () => {
        const parents = await parentsIn(user, project.id);
        return ['Dig', 'Sow', 'Water'].every((title) => parents.get(title) === undefined);
      });
    });

    test('not beyond the middle of its row, however long the pause is', async () => {
      await open('Dig', 'Sow', 'Water');
      const digBox = await task(page, 'Dig').boundingBox();
      const { x = 0, y = 0, height = 0 } = digBox ?? {};
      await task(page, 'Water').hover();
      await page.mouse.down();
      await page.mouse.move(x + 200, y + height / 2, { steps: 3 });
      await page.locator('.drop-mark', { hasText: 'Subtask of Dig' }).waitFor();
      await page.mouse.move(x + 200, y + height * 0.55);
      await page.locator('.drop-mark', { hasText: 'Subtask of Dig' }).waitFor();
      await page.mouse.move(x + 200, y + height * 0.8);
      await page.locator('.drop-mark:not(.frame)').waitFor();
      await page.mouse.up();
      await untilTitles(page, ['Dig', 'Water', 'Sow']);
    });

    test('shows it among the other subtasks, by mouse and by keys', async () => {
      const parent = await makeTask(user, { title: 'Harvest', projectId: project.id });
      const rowsBelow = Array.from({ length: 40 }, (_, index) => `Row ${index}.`);
      for (const title of rowsBelow) await makeTask(user, { title, parentId: parent.id });
      await makeTask(user, { title: 'Water', projectId: project.id });
      await makeTask(user, { title: 'Weed', projectId: project.id });
      await page.goto(`${service.url}/projects/${project.id}`);
      await untilTitles(page, ['Harvest', 'Water', 'Weed']);
      await dropOnto(page, 'Weed', 'Harvest');
      await untilTitles(page, ['Harvest', ...rowsBelow, 'Weed', 'Water']);
      await until('it is in view', () => isInView('Weed'));
      await page.getByRole('button', { name: 'Subtasks of Harvest' }).click();
      await untilTitles(page, ['Harvest', 'Water']);
      await task(page, 'Water').getByRole('link', { name: 'Water' }).focus();
      await page.keyboard.press('Space');
      await page.keyboard.press('ArrowRight');
      await page.locator('.drop-mark', { hasText: 'Subtask of Harvest' }).waitFor();
      await page.keyboard.press('Space');
      await untilTitles(page, ['Harvest', ...rowsBelow, 'Water', 'Weed']);
      await until('it is in view', () => isInView('Water'));
      await page.locator('main .title:focus', { hasText: 'Water' }).waitFor();
    });

    test('from a page that mixes projects', async () => {
      const dueDate = await page.evaluate(() => new Date().toLocaleDateString('sv'));
      await makeTask(user, { title: 'Bread', dueDate });
      await makeTask(user, { title: 'Yeast', dueDate, projectId: project.id });
      await page.goto(`${service.url}/today`);
      await task(page, 'Yeast').dragTo(task(page, 'Bread'));
      await dropOnto(page, 'Yeast', 'Bread');
      await page.getByRole('button', { name: 'Subtasks of Bread' }).waitFor();
      await page.getByRole('status').getByText('Moved “Yeast” to Inbox').waitFor();
    });
  });

  describe('to a place that the page does not show, which the notice links to', () => {
    const notice = (text: string) => page.getByRole('status').filter({ hasText: text });
    const follow = async (text: string, link: string, path: string) => {
      await notice(text).getByRole('link', { name: link, exact: true }).click();
      await page.waitForURL(`**${path}`);
    };
    let reading: { id: string };
    beforeEach(async () => {
      reading = await makeProject(user, { name: `Reading list ${project.id.slice(-4)}` });
    });
    const name = () => `Reading list ${project.id.slice(-4)}`;

    test('by quick add', async () => {
      await open('Dig');
      await add(page, `Call Ada @${name()}`);
      await follow(`Added “Call Ada” to ${name()}`, name(), `/projects/${reading.id}`);
      await untilTitles(page, ['Call Ada']);
      await add(page, 'Call Bert');
      await notice('Added “Call Bert”').waitFor();
      expect(await notice('Added “Call Bert”').getByRole('link').count()).toBe(0);
      await page.goto(`${service.url}/today`);
      await add(page, 'Call Carl tomorrow');
      await follow('Added “Call Carl” to Inbox', 'Inbox', '');
      await page.getByRole('checkbox', { name: 'Call Carl' }).waitFor();
    });

    test('by mouse, by the toolbar, by keys, and in the details', async () => {
      await open('Dig', 'Sow', 'Water', 'Weed');
      await task(page, 'Dig').dragTo(page.getByRole('navigation').getByRole('link', { name: name() }));
      await notice(`Moved “Dig” to ${name()}`).getByRole('link', { name: name() }).waitFor();
      await task(page, 'Sow').getByRole('link', { name: 'Sow' }).focus();
      await page.keyboard.press('x');
      await choose(page, 'Move', name());
      await notice(`Moved 1 task to ${name()}`).getByRole('link', { name: name() }).waitFor();
      await page.keyboard.press('Escape');
      await task(page, 'Water').getByRole('link', { name: 'Water' }).focus();
      await page.keyboard.press('Space');
      await choose(page, 'To project', name());
      await notice(`Moved “Water” to ${name()}`).getByRole('link', { name: name() }).waitFor();
      await task(page, 'Weed').getByRole('link', { name: 'Weed' }).click();
      await detailsOf(page).getByLabel('Project').selectOption({ label: name() });
      await follow(`Moved “Weed” to ${name()}`, name(), `/projects/${reading.id}`);
      await untilTitles(page, ['Dig', 'Sow', 'Water', 'Weed']);
    });

    test('by another day', async () => {
      const dueDate = await page.evaluate(() => new Date().toLocaleDateString('sv'));
      await makeTask(user, { title: 'Prune', dueDate, projectId: project.id });
      await page.goto(`${service.url}/today`);
      await task(page, 'Prune').getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Due tomorrow' }).click();
      await follow('Moved “Prune” to Upcoming', 'Upcoming', '/upcoming');
      await task(page, 'Prune').getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'No due date' }).click();
      await follow('Moved “Prune” to Garden', 'Garden', `/projects/${project.id}`);
    });
  });
});
