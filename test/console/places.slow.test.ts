import { afterAll, beforeAll, beforeEach, describe, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeSection, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { choose, type Page, parentsIn, row, untilTitles } from './acts.ts';

describeWithBrowser('places of moved tasks', () => {
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
    await page.context().setOffline(false);
  });

  const make = async (title: string, fields: object = {}) =>
    makeTask(user, { title, projectId: project.id, ...fields });
  const open = async (window: Page, shown: readonly string[]) => {
    await window.goto(`${service.url}/projects/${project.id}`);
    await untilTitles(window, shown);
  };

  describe('among tasks with equal sort keys', () => {
    const keysOf = (...shown: string[]) =>
      service.sql<{ key: string }>(
        'SELECT DISTINCT sort_key AS key FROM tasks WHERE project_id = $1 AND title = ANY($2)',
        [project.id, shown],
      );

    test('of two offline windows, by mouse', async () => {
      const all = ['First', 'Last', 'Dig', 'Sow', 'Water'];
      for (const title of all) await make(title);
      const other = await newPage(watchedPage.browser, service.url, user.cookie);
      for (const window of [page, other]) await open(window, all);
      const above = { targetPosition: { x: 200, y: 3 } };
      for (const [window, title] of [[page, 'Dig'] as const, [other, 'Sow'] as const]) {
        await window.context().setOffline(true);
        await window.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
        await row(window, title).dragTo(row(window, 'Last'), above);
      }
      for (const window of [page, other]) await window.context().setOffline(false);
      await until('both have one sort key', async () => (await keysOf('Dig', 'Sow')).length === 1);
      await untilTitles(page, ['First', 'Dig', 'Sow', 'Last', 'Water']);
      await page.context().setOffline(true);
      await row(page, 'Water').dragTo(row(page, 'Sow'), above);
      await untilTitles(page, ['First', 'Dig', 'Water', 'Sow', 'Last']);
      await page.context().setOffline(false);
      await untilTitles(other, ['First', 'Dig', 'Water', 'Sow', 'Last']);
      await page.getByRole('button', { name: 'Undo' }).click();
      await untilTitles(page, ['First', 'Dig', 'Sow', 'Last', 'Water']);
      await other.context().close();
    });

    test('of a program, by keys, to another section', async () => {
      const { id: projectSectionId } = await makeSection(user, project.id, { name: 'Done' });
      for (const title of ['Dig', 'Sow', 'Water']) {
        const { id } = await make(title, { projectSectionId });
        await user.patch(`/api/v2/todo/${id}`, { sortKey: 'a5' });
      }
      await make('Plant');
      await open(page, ['Plant', 'Dig', 'Sow', 'Water']);
      await row(page, 'Plant').getByRole('link', { name: 'Plant' }).focus();
      await page.keyboard.press('Space');
      const bar = page.getByRole('toolbar', { name: 'Move “Plant”' });
      for (const place of ['Position 1 of 4 in Done', 'Position 2 of 4 in Done']) {
        await page.keyboard.press('ArrowDown');
        await bar.getByText(place).waitFor();
      }
      await page.keyboard.press('Space');
      await untilTitles(page, ['Dig', 'Plant', 'Sow', 'Water'], 'Done');
      await page.getByRole('button', { name: 'Undo' }).click();
      await untilTitles(page, ['Plant', 'Dig', 'Sow', 'Water']);
      await untilTitles(page, ['Dig', 'Sow', 'Water'], 'Done');
    });
  });

  describe('of several selected tasks', () => {
    const parents = async (projectId: string) => {
      const all = await parentsIn(user, projectId);
      return [...all].map(([title, parent]) => `${title}: ${parent ?? 'none'}`).sort();
    };
    const select = async (...all: string[]) => {
      for (const title of all) {
        await row(page, title).getByRole('link', { name: title }).focus();
        await page.keyboard.press('x');
      }
      await page.getByRole('toolbar', { name: 'Selected tasks' }).getByText(`${all.length} selected`).waitFor();
    };
    const start = async (name: string) => {
      const house = await makeProject(user, { name });
      const { id: parentId } = await make('Roof');
      await make('Tiles', { parentId });
      await make('Dig');
      await open(page, ['Roof', 'Dig']);
      await page.getByRole('button', { name: 'Subtasks of Roof' }).click();
      await untilTitles(page, ['Roof', 'Tiles', 'Dig']);
      return house.id;
    };

    test('a subtask leaves its parent', async () => {
      const house = await start('House');
      await select('Tiles', 'Dig');
      await choose(page, 'Move', 'House');
      await untilTitles(page, ['Roof']);
      await until('both are there', async () => (await parents(house)).join() === 'Dig: none,Tiles: none');
      await page.getByRole('button', { name: 'Undo' }).click();
      await untilTitles(page, ['Roof', 'Tiles', 'Dig']);
      await until('both are back', async () => (await parents(house)).length === 0);
      await until('the subtask has its parent', async () => (await parents(project.id)).includes('Tiles: Roof'));
    });

    test.each(['toolbar', 'mouse'])('a subtask stays with a parent that moves too, by the %s', async (way) => {
      const name = `House by ${way}`;
      const house = await start(name);
      await select('Roof', 'Tiles');
      if (way === 'toolbar') await choose(page, 'Move', name);
      else
        await page
          .locator('main .title', { hasText: 'Roof' })
          .dragTo(page.getByRole('navigation').getByRole('link', { name }));
      await untilTitles(page, ['Dig']);
      await page.getByRole('navigation').getByRole('link', { name }).click();
      await page.getByRole('button', { name: 'Subtasks of Roof' }).waitFor();
      await until('both are there', async () => (await parents(house)).join() === 'Roof: none,Tiles: Roof');
    });
  });
});
