import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { addMember, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { barriers, choose, type Page, row, titles, untilTitles } from './acts.ts';

const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toLocaleDateString('sv');

describeWithBrowser('the display of lists', () => {
  let service: Service;
  let anna: User;
  let vera: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let address: string;
  let tag: { id: string };
  const manual = ['Water', 'Dig', 'Sow', 'Build'];
  beforeAll(async () => {
    service = await startService();
    [anna, vera] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna);
    await addMember(anna, workspace.id, vera, 'VIEWER');
    const { id: projectId } = await makeProject(anna, { name: 'Garden', workspaceId: workspace.id });
    const { id: sectionId } = await makeSection(anna, projectId, { name: 'Later' });
    tag = await makeTag(anna, { name: 'outside' });
    const { id } = await makeTask(anna, { title: 'Water', projectId, dueDate: dayIn(3), priority: 'low' });
    await makeTask(anna, { title: 'Dig', projectId, dueDate: dayIn(-1), tags: [tag.id] });
    await makeTask(anna, { title: 'Sow', projectId, priority: 'high', projectSectionId: sectionId });
    await makeTask(anna, { title: 'Build', projectId, dueDate: dayIn(20), projectSectionId: sectionId });
    await makeTask(anna, { title: 'Measure', parentId: id, tags: [tag.id] });
    const { id: doneId } = await makeTask(anna, { title: 'Plan', projectId });
    await anna.patch(`/api/v2/todo/${doneId}`, { completed: true });
    const { id: me } = anna;
    await anna.data('mutation ($id: ID!, $me: ID!) { updateTask(id: $id, input: { addAssigneeIds: [$me] }) { id } }', {
      id,
      me,
    });
    address = `/projects/${projectId}`;
    watchedPage = await openPage(service.url, anna.cookie);
    ({ page } = watchedPage);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  const open = async (path = address, shown: readonly string[] = manual) => {
    await page.goto(service.url + path);
    await untilTitles(page, shown);
  };
  beforeEach(() => open());

  const show = async (window = page) => {
    await window.getByRole('button', { name: 'Display', exact: true }).click();
    return window.getByRole('dialog', { name: 'Display' });
  };
  const select = async (name: string, choice: string) => {
    const panel = await show();
    await panel.getByLabel(name).selectOption(choice);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
  };
  const search = () => new URL(page.url()).search;
  /** Names of groups with their tasks. */
  const regions = () =>
    page
      .locator('main')
      .getByRole('region')
      .evaluateAll((all) =>
        all.map((each) =>
          [
            each.getAttribute('aria-label'),
            ...Array.from(each.querySelectorAll('.title'), (title) => title.textContent),
          ].join(),
        ),
      );

  test.each([
    { sort: 'Due date', value: 'due', shown: ['Dig', 'Water', 'Build', 'Sow'] },
    { sort: 'Priority', value: 'priority', shown: ['Water', 'Dig', 'Sow', 'Build'] },
    { sort: 'Title', value: 'title', shown: ['Dig', 'Water', 'Build', 'Sow'] },
    { sort: 'Created', value: 'created', shown: ['Dig', 'Water', 'Build', 'Sow'] },
  ])('sorts by $sort, and back to the manual order', async ({ sort, value, shown }) => {
    await select('Sort by', sort);
    await untilTitles(page, shown);
    expect(search()).toBe(`?sort=${value}`);
    await page.reload();
    await untilTitles(page, shown);
    await page.goBack();
    await untilTitles(page, manual);
    await page.goForward();
    await select('Sort by', 'Manual');
    await untilTitles(page, manual);
    expect(search()).toBe('');
  });

  test.each([
    { group: 'Priority', groups: ['High,Sow', 'Low,Water', 'No priority,Dig,Build'] },
    { group: 'Tag', groups: ['outside,Dig', 'No tags,Water,Sow,Build'] },
    { group: 'None', groups: [] },
  ])('groups by $group', async ({ group, groups }) => {
    await select('Group by', group);
    await page.getByRole('region', { name: 'Later' }).waitFor({ state: 'detached' });
    expect(await regions()).toEqual(groups);
    await select('Group by', 'Section');
    await page.getByRole('region', { name: 'Later' }).waitFor();
    expect(search()).toBe('');
  });

  test.each(['constructor', 'toString', '__proto__'])('ignores “%s”, which every object has', async (name) => {
    await open(`${address}?sort=${name}&group=${name}&due=${name}&priority=${name}`);
    await page.goto(`${service.url}/settings/${name}`);
    await page.getByRole('heading', { name: 'Profile' }).waitFor();
  });

  test('groups by due date and by assignee', async () => {
    await open(`${address}?group=due&sort=title`, ['Dig', 'Water', 'Build', 'Sow']);
    const [overdue, ...others] = await regions();
    expect(overdue).toBe('Overdue,Dig');
    expect(others.at(-1)).toBe('No due date,Sow');
    await open(`${address}?group=assignee`, ['Water', 'Dig', 'Sow', 'Build']);
    expect(await regions()).toEqual([`${anna.email},Water`, 'Not assigned,Dig,Sow,Build']);
  });

  test('groups other pages by section', async () => {
    await open('/upcoming?group=section', ['Water', 'Build']);
    expect(await regions()).toEqual(['Garden,Water', 'Later (Garden),Build']);
  });

  test('a task that is dropped on a group gets its priority', async () => {
    await open(`${address}?group=priority`, ['Sow', 'Water', 'Dig', 'Build']);
    await row(page, 'Dig')
      .locator('.title')
      .dragTo(page.getByRole('region', { name: 'High' }).getByRole('heading'));
    await untilTitles(page, ['Dig', 'Sow'], 'High');
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilTitles(page, ['Sow'], 'High');
  });

  test('shows completed tasks, and hides them', async () => {
    await select('Completed', 'Show');
    await untilTitles(page, ['Water', 'Dig', 'Plan', 'Sow', 'Build']);
    expect(search()).toBe('?completed=show');
    await select('Completed', 'Hide');
    await untilTitles(page, manual);
  });

  test('filters by tag, priority and due date, with chips', async () => {
    const panel = await show();
    const filter = (name: string) => panel.getByRole('button', { name, exact: true }).click();
    await panel.getByRole('button', { name: 'outside', exact: true }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await filter('outside');
    // The parent of a task does not have its tag.
    await untilTitles(page, ['Dig', 'Measure']);
    await filter('Overdue');
    await untilTitles(page, ['Dig']);
    expect(search()).toBe(`?tag=${tag.id}&due=overdue`);
    await filter('High');
    await page.getByText('No tasks match your filters.').waitFor();
    await page.keyboard.press('Escape');
    expect(await barriers(page)).toEqual([]);
    const chips = page.getByRole('list', { name: 'Filters' });
    expect(await chips.getByRole('listitem').allTextContents()).toEqual(['outside', 'High', 'Overdue']);
    await chips.getByRole('button', { name: 'Remove High' }).click();
    await untilTitles(page, ['Dig']);
    await page.getByRole('button', { name: 'Display' }).and(page.locator(':focus')).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await untilTitles(page, manual);
    await chips.waitFor({ state: 'detached' });
  });

  test('details keep the list behind them', async () => {
    await open(`${address}?sort=title`, ['Dig', 'Water', 'Build', 'Sow']);
    await page.getByRole('link', { name: 'Water', exact: true }).click();
    await page.getByRole('complementary', { name: 'Task' }).waitFor();
    await untilTitles(page, ['Dig', 'Water', 'Build', 'Sow']);
    await select('Sort by', 'Manual');
    await untilTitles(page, manual);
    await page.getByRole('complementary', { name: 'Task' }).waitFor();
    await page.goBack();
    await untilTitles(page, ['Dig', 'Water', 'Build', 'Sow']);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    expect(search()).toBe('?sort=title');
    const current = page.getByRole('navigation', { name: 'Lists' }).locator('[aria-current=page]');
    expect(await current.textContent()).toContain('Garden');
  });

  test('says why a task of a sorted list cannot be moved', async () => {
    const reason = page
      .getByRole('status')
      .filter({ hasText: 'You cannot move tasks while the list is sorted by title.' });
    const tries: (() => Promise<void>)[] = [
      async () => {
        await page.getByRole('link', { name: 'Water', exact: true }).focus();
        for (const key of ['Space', 'ArrowUp', 'Space']) await page.keyboard.press(key);
      },
      () => row(page, 'Water').dragTo(row(page, 'Dig')),
      async () => {
        await row(page, 'Water').hover();
        await row(page, 'Water').getByRole('button', { name: 'More' }).click();
        await page.getByRole('menuitem', { name: 'Move', exact: true }).click();
      },
    ];
    for (const attempt of tries) {
      await open(`${address}?sort=title`, ['Dig', 'Water', 'Build', 'Sow']);
      await attempt();
      await reason.waitFor();
      expect(await page.getByRole('toolbar').count()).toBe(0);
      expect(await titles(page)).toEqual(['Dig', 'Water', 'Build', 'Sow']);
    }
    await reason.getByRole('button', { name: 'Sort manually' }).click();
    await untilTitles(page, manual);
    await page.getByRole('link', { name: 'Dig', exact: true }).focus();
    for (const key of ['Space', 'ArrowUp', 'Space']) await page.keyboard.press(key);
    await untilTitles(page, ['Dig', 'Water', 'Sow', 'Build']);
    await page.keyboard.press('Control+z');
    await untilTitles(page, manual);
  });

  test('is for one page of one user, who may be a viewer', async () => {
    await select('Sort by', 'Title');
    await untilTitles(page, ['Dig', 'Water', 'Build', 'Sow']);
    const window = await newPage(watchedPage.browser, service.url, vera.cookie);
    await window.goto(service.url + address);
    await untilTitles(window, manual);
    const panel = await show(window);
    await panel.getByLabel('Group by').selectOption('Priority');
    await window.getByRole('region', { name: 'High' }).waitFor();
    await window.context().close();
    for (const path of ['/today', '/assigned', `/tags/${tag.id}`, '/completed']) {
      await page.goto(service.url + path);
      await page.getByRole('button', { name: 'Display', exact: true }).waitFor();
    }
  });

  test('a board has columns by priority', async () => {
    await page.getByRole('radio', { name: 'Board' }).check();
    await select('Group by', 'Priority');
    await page.getByRole('region', { name: 'Medium' }).waitFor();
    expect(await regions()).toEqual(['High,Sow', 'Medium', 'Low,Water', 'No priority,Dig,Build']);
    await page.getByRole('radio', { name: 'List' }).check();
  });

  test('moved tasks keep their links to other pages', async () => {
    await open('/today?sort=title', ['Dig']);
    await choose(page, 'More', 'Due tomorrow');
    await page.getByRole('status').getByRole('link', { name: 'Upcoming' }).waitFor();
    await page.keyboard.press('Control+z');
    await untilTitles(page, ['Dig']);
  });

  test('calendars show the tasks that match the filters, and completed ones if they are asked for', async () => {
    const ben = await signUp(service);
    const blue = await makeTag(ben, { name: 'blue' });
    const { id: projectId } = await makeProject(ben, { name: 'Yard' });
    const due = { projectId, dueDate: dayIn(0) };
    await makeTask(ben, { title: 'Mow', ...due, tags: [blue.id] });
    await makeTask(ben, { title: 'Rake', ...due });
    const { id: doneId } = await makeTask(ben, { title: 'Mulch', ...due, tags: [blue.id] });
    await ben.patch(`/api/v2/todo/${doneId}`, { completed: true });
    const window = await newPage(watchedPage.browser, service.url, ben.cookie);
    await window.goto(`${service.url}/calendar`);
    await untilTitles(window, ['Mow', 'Rake']);
    const panel = await show(window);
    expect(await panel.getByLabel('Sort by').count()).toBe(0);
    await panel.getByRole('group', { name: 'Tags' }).getByRole('button', { name: 'blue' }).click();
    await untilTitles(window, ['Mow']);
    await panel.getByLabel('Completed').selectOption('Show');
    await untilTitles(window, ['Mow', 'Mulch']);
    expect(await barriers(window)).toEqual([]);
    await window.goto(`${service.url}/projects/${projectId}?tag=${blue.id}`);
    await window.getByRole('radio', { name: 'Calendar' }).check();
    await window.getByRole('grid').waitFor();
    await untilTitles(window, ['Mow']);
    await window.getByRole('button', { name: 'Remove blue' }).click();
    await untilTitles(window, ['Mow', 'Rake']);
    await window.context().close();
  });
});
