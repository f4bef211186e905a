import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTag, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { detailsOf, type Page } from './acts.ts';

describeWithBrowser('subtasks in the console', () => {
  let service: Service;
  let anna: User;
  let watchedPage: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
    watchedPage = await openPage(service.url, anna.cookie);
    ({ page } = watchedPage);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  const row = (title: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name: title }) });
  const notice = () => page.getByRole('status').filter({ hasText: 'Completed' });
  const openTitles = async () => {
    const { body } = await anna.get<{ todos: { title: string }[] }>('/api/v2/todo?completed=false');
    return body.todos.map(({ title }) => title);
  };
  const day = (daysAhead: number) => new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10);

  test('name their parent in Today, Upcoming, a tag and the search', async () => {
    const tag = await makeTag(anna);
    const parent = await makeTask(anna, { title: 'Renovate the kitchen' });
    for (const [title, daysAhead] of [
      ['Measure the walls', 0],
      ['Choose the tiles', 3],
    ] as const) {
      await makeTask(anna, { title, dueDate: day(daysAhead), parentId: parent.id, tags: [tag.id] });
    }
    for (const [path, title] of [
      ['today', 'Measure the walls'],
      ['upcoming', 'Choose the tiles'],
      [`tags/${tag.id}`, 'Measure the walls'],
      ['search?q=tiles', 'Choose the tiles'],
    ] as const) {
      await page.goto(`${service.url}/${path}`);
      await row(title).getByRole('link', { name: parent.title }).click();
      await detailsOf(page).waitFor();
      expect(await detailsOf(page).getByLabel('Title', { exact: true }).inputValue()).toBe(parent.title);
    }
    await page.goto(`${service.url}/inbox`);
  });

  test.each([
    { how: 'a checkbox', complete: (title: string) => page.getByRole('checkbox', { name: title }).check() },
    {
      how: 'the toolbar',
      complete: async (title: string) => {
        await page.getByRole('link', { name: title }).click({ modifiers: ['ControlOrMeta'] });
        await page.getByRole('toolbar').getByRole('button', { name: 'Complete', exact: true }).click();
      },
    },
  ])('are offered to be completed if a parent is completed by $how', async ({ how, complete }) => {
    const title = `Plan the party by ${how}`;
    const subtasks = [`Write the list by ${how}`, `Ask Bert by ${how}`] as const;
    const parent = await makeTask(anna, { title, dueDate: day(0) });
    const list = await makeTask(anna, { title: subtasks[0], parentId: parent.id });
    await makeTask(anna, { title: subtasks[1], parentId: list.id });
    const sent = await makeTask(anna, { title: 'Send cards', parentId: parent.id });
    await anna.patch(`/api/v2/todo/${sent.id}`, { completed: true });
    await page.goto(`${service.url}/today`);
    await complete(title);
    await notice().getByRole('button', { name: 'Complete subtasks' }).click();
    await notice().getByText('Completed 2 tasks').waitFor();
    await until('all are completed', async () => !(await openTitles()).some((each) => each.endsWith(how)));
    await notice().getByRole('button', { name: 'Undo' }).click();
    await until('the subtasks are open', async () => {
      const open = await openTitles();
      return subtasks.every((each) => open.includes(each)) && !open.includes(title);
    });
  });

  test('have room for their titles on each of the ten levels, on the smallest phone', async () => {
    const { id: projectId } = await makeProject(anna);
    let { id: parentId } = await makeTask(anna, { title: 'Level 1', projectId });
    for (let level = 2; level <= 10; level += 1)
      parentId = (await makeTask(anna, { title: `Level ${level}`, parentId })).id;
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${service.url}/projects/${projectId}`);
    for (let level = 1; level < 10; level += 1)
      await page.getByRole('button', { name: `Subtasks of Level ${level}`, exact: true }).click();
    // Two lines.
    expect((await page.getByRole('link', { name: 'Level 10' }).boundingBox())?.height).toBeLessThan(50);
    await page.setViewportSize({ width: 1400, height: 900 });
  });

  test('have long titles, also from the menu', async () => {
    await makeTask(anna, { title: 'Parent of a long title' });
    const title = 'long '.repeat(99).trim();
    await page.goto(`${service.url}/search?q=parent`);
    await row('Parent of a long title').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Add subtask' }).click();
    await page.getByRole('dialog').getByLabel('Title').focus();
    await page.keyboard.insertText(title);
    await page.keyboard.press('Enter');
    await until('the subtask has its whole title', async () => {
      return (await service.sql('SELECT FROM tasks WHERE title = $1', [title])).length === 1;
    });
  });

  test('are not offered if there are none that are open', async () => {
    await makeTask(anna, { title: 'Alone', dueDate: day(0) });
    await page.goto(`${service.url}/today`);
    await page.getByRole('checkbox', { name: 'Alone' }).check();
    await notice().getByRole('button', { name: 'Undo' }).waitFor();
    expect(await page.getByRole('button', { name: 'Complete subtasks' }).count()).toBe(0);
  });
});
