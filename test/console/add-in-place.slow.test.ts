import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { titlesOf } from '../idempotency/keyed.ts';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { addMember, makeProject, makeSection, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { barriers, type Page, paste, titles, untilTitles } from './acts.ts';

describeWithBrowser('adding tasks in place', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let projectId: string;
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
    ({ id: projectId } = await makeProject(user, { name: 'Garden' }));
    for (const name of ['Beds', 'Trees']) await makeSection(user, projectId, { name });
    await makeTask(user, { title: 'Plan', projectId });
  });

  const button = (name: string) => page.getByRole('button', { name: `Add a task to ${name}`, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name: `Add a task to ${name}`, exact: true });
  const open = async (view = 'List') => {
    await page.goto(`${service.url}/projects/${projectId}`);
    await page.getByRole('radio', { name: view }).check();
    await page.getByRole('region', { name: 'Beds' }).waitFor();
  };

  test.each(['List', 'Board'])('Enter goes on to the next one, and Escape closes the field: %s', async (view) => {
    await open(view);
    await button('Beds').press('Enter');
    await field('Beds').and(page.locator(':focus')).waitFor();
    for (const line of ['Dig !high', 'Sow']) {
      await page.keyboard.type(line);
      await page.keyboard.press('Enter');
    }
    await untilTitles(page, ['Dig', 'Sow'], 'Beds');
    await field('Beds').and(page.locator(':focus')).waitFor();
    expect(await field('Beds').inputValue()).toBe('');
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await button('Beds').and(page.locator(':focus')).waitFor();
    expect(await field('Beds').count()).toBe(0);
    expect(await titles(page, 'Trees')).toEqual([]);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await untilTitles(page, ['Dig'], 'Beds');
  });

  test('an empty field closes if the user goes elsewhere, and one with text stays', async () => {
    await open();
    await button('Beds').click();
    await button('Trees').click();
    await field('Beds').waitFor({ state: 'detached' });
    await page.keyboard.type('Apple');
    await page.getByRole('heading', { name: 'Garden' }).click();
    expect(await field('Trees').inputValue()).toBe('Apple');
  });

  test('several pasted lines become tasks after a question, and one undo takes them back', async () => {
    await open();
    await button('Garden').click();
    await paste(page, 'Buy seeds\r\n\n - [ ] Buy pots tomorrow\n2. Buy #tools !low\n');
    const dialog = page.getByRole('dialog', { name: 'Add 3 tasks' });
    await dialog.getByText('Buy pots tomorrow').waitFor();
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add 3 tasks' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await untilTitles(page, ['Plan', 'Buy seeds', 'Buy pots', 'Buy']);
    await field('Garden').and(page.locator(':focus')).waitFor();
    await page.getByRole('status').filter({ hasText: 'Added 3 tasks' }).getByRole('button', { name: 'Undo' }).click();
    await untilTitles(page, ['Plan']);
    await button('Garden').click();
    await paste(page, 'Rake\nMow');
    await page.getByRole('dialog').getByRole('button', { name: 'As one task' }).click();
    await until('the field has both', async () => (await field('Garden').inputValue()) === 'Rake Mow');
    await page.getByLabel('Add a task', { exact: true }).focus();
    await paste(page, 'One line');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('each undo takes back one whole change, and never more', async () => {
    await open();
    await page.getByLabel('Add a task', { exact: true }).fill('First #plan');
    await page.keyboard.press('Enter');
    await button('Garden').click();
    await paste(page, 'Rake\nMow\nSow');
    await page.getByRole('dialog').getByRole('button', { name: 'Add 3 tasks' }).click();
    await field('Garden').fill('Last');
    await page.keyboard.press('Enter');
    await untilTitles(page, ['Plan', 'First', 'Rake', 'Mow', 'Sow', 'Last']);
    await page.locator('main').focus();
    for (const rest of [['Plan', 'First', 'Rake', 'Mow', 'Sow'], ['Plan', 'First'], ['Plan']]) {
      await page.keyboard.press('Control+z');
      await untilTitles(page, rest);
    }
  });

  test('a refused change offers no undo, which would take back an earlier one', async () => {
    await open();
    await page.getByLabel('Add a task', { exact: true }).fill('First');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).waitFor();
    await page.getByLabel('Add a task', { exact: true }).fill('Nul \u0000');
    await page.keyboard.press('Enter');
    const refusal = page.getByRole('alert').filter({ hasText: 'Could not add' });
    await refusal.waitFor();
    expect(await page.getByRole('status').getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await refusal.getByRole('button', { name: 'Dismiss' }).click();
    expect(await titles(page)).toEqual(['Plan', 'First']);
  });

  test('an undo says if another device has changed the same since', async () => {
    await open();
    await page.getByLabel('Add a task', { exact: true }).fill('First');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent yet').first().waitFor({ state: 'detached' });
    const { tasks } = await user.data<{ tasks: { nodes: { id: string }[] } }>(
      'query ($id: ID!) { tasks(filter: { projectId: $id }, orderBy: CREATED_AT) { nodes { id } } }',
      { id: projectId },
    );
    await user.patch(`/api/v2/todo/${tasks.nodes[0]?.id}`, { title: 'Second' });
    await untilTitles(page, ['Plan', 'Second']);
    await page.locator('main').focus();
    await page.keyboard.press('Control+z');
    await page.getByRole('status').getByText('This cannot be undone, because someone has changed it since.').waitFor();
    await untilTitles(page, ['Plan', 'Second']);
  });

  test('many refused changes are shown a few at a time, and dismissed together once all were shown', async () => {
    await open();
    for (let number = 0; number < 7; number += 1) {
      await page.getByLabel('Add a task', { exact: true }).fill(`Nul ${number} \u0000`);
      await page.keyboard.press('Enter');
    }
    const refusals = page.getByRole('alert').filter({ hasText: 'Could not add' });
    await page.getByRole('alert').getByText('2 more changes were refused.').waitFor();
    expect(await refusals.count()).toBe(5);
    expect(await page.getByRole('button', { name: 'Dismiss all' }).count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await refusals.count()).toBe(7);
    await page.getByRole('button', { name: 'Dismiss all' }).click();
    await refusals.first().waitFor({ state: 'detached' });
    expect(await refusals.count()).toBe(0);
  });

  test('a pasted line that is too long ends with a whole character', async () => {
    await open();
    await button('Garden').click();
    await paste(page, `${'x'.repeat(499)}😀\nMow`);
    await page.getByRole('dialog').getByRole('button', { name: 'Add 2 tasks' }).click();
    await untilTitles(page, ['Plan', 'x'.repeat(499), 'Mow']);
    await page.getByText('Not sent yet').first().waitFor({ state: 'detached' });
    expect(await titlesOf(service, user)).toContain('x'.repeat(499));
  });

  test('a day of the calendar keeps a time for itself', async () => {
    await page.goto(`${service.url}/calendar`);
    const cell = page.getByRole('gridcell').last();
    const day = (await cell.getAttribute('data-day')) ?? '';
    await cell.dblclick();
    await page.keyboard.type('Call 9:00 #phone');
    const chips = page.getByRole('list', { name: 'Details found' }).getByRole('listitem');
    await chips.nth(1).waitFor();
    for (const chip of await chips.all()) expect((await chip.boundingBox())?.height).toBeLessThan(30);
    await page.keyboard.press('Enter');
    await until('the service has it', async () => {
      const { tasks } = await user.data<{ tasks: { nodes: { title: string; dueDate: string }[] } }>(
        '{ tasks { nodes { title dueDate } } }',
      );
      return tasks.nodes.some(({ title, dueDate }) => title === 'Call' && dueDate === day);
    });
  });

  test('the page keeps the keys of its last 1,000 changes only', async () => {
    await open();
    await button('Beds').click();
    await paste(page, Array.from({ length: 1050 }, (_line, index) => `Row ${index}`).join('\n'));
    await page.getByRole('dialog').getByRole('button', { name: 'Add 1050 tasks' }).click();
    const count = async () => {
      const [found] = await service.sql<{ count: number }>(
        'SELECT count(*)::int AS count FROM tasks WHERE project_id = $1',
        [projectId],
      );
      return found?.count ?? 0;
    };
    // A slow machine needs minutes for all.
    for (const some of [350, 700]) await until(`the service has ${some} of them`, async () => (await count()) >= some);
    // Until then, the replica has keys too.
    await until('the service has them', async () => (await count()) === 1051);
    await until('nothing is unsent', async () => (await page.getByText('Not sent yet').count()) === 0);
    const cdp = await page.context().newCDPSession(page);
    const { result } = await cdp.send('Runtime.evaluate', { expression: 'Map.prototype' });
    const { objects } = await cdp.send('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' });
    const sizes = await cdp.send('Runtime.callFunctionOn', {
      objectId: objects.objectId ?? '',
      functionDeclaration: `function () {
        return this.filter((map) => /^mut_/.test(map.keys().next().value)).map(({ size }) => size);
      }`,
      returnByValue: true,
    });
    expect(sizes.result.value).toEqual([1000]);
  });

  test('a viewer has no buttons for it', async () => {
    const owner = await signUp(service);
    const workspace = await makeWorkspace(owner);
    await addMember(owner, workspace.id, user, 'VIEWER');
    const shared = await makeProject(owner, { name: 'Shared', workspaceId: workspace.id });
    await makeSection(owner, shared.id, { name: 'Beds' });
    await page.goto(`${service.url}/projects/${shared.id}`);
    await page.getByRole('region', { name: 'Beds' }).waitFor();
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /^Add a task/ })
        .count(),
    ).toBe(0);
  });
});
