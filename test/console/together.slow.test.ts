import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, barriers, detailsOf, type Page, row, untilTitles } from './acts.ts';

describeWithBrowser('people who work on one task', () => {
  let service: Service;
  let [anna, bert] = [] as unknown as [User, User];
  let watchedPages: WatchedPage[] = [];
  let [annas, berts] = [] as unknown as [Page, Page];
  let projectId: string;
  const open = async (page: Page, path: string, heading: string) => {
    await page.goto(`${service.url}${path}`);
    await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  };
  beforeAll(async () => {
    service = await startService();
    [anna, bert] = [await signUp(service), await signUp(service)];
    for (const [user, name] of [
      [anna, 'Anna Ott'],
      [bert, 'Bert Ude'],
    ] as const)
      await user.put('/api/v1/user/name', { name });
    const workspace = await makeWorkspace(anna, bert);
    projectId = (await makeProject(anna, { name: 'Launch', workspaceId: workspace.id })).id;
    watchedPages = [await openPage(service.url, anna.cookie), await openPage(service.url, bert.cookie)];
    [annas, berts] = watchedPages.map(({ page }) => page) as [Page, Page];
    await open(annas, `/projects/${projectId}`, 'Launch');
    await open(berts, '/assigned', 'My tasks');
  });
  afterAll(async () => {
    await Promise.all(watchedPages.map(({ browser }) => browser.close()));
    await service.close();
  });

  test('quick add offers members, and the assigned one sees the task among “My tasks”', async () => {
    await annas.getByLabel('Add a task').pressSequentially('Write the invitation +be');
    await annas.getByRole('listbox', { name: 'Members' }).getByRole('option', { name: 'Bert Ude' }).waitFor();
    await annas.keyboard.press('Enter');
    await annas.getByRole('list', { name: 'Understood' }).getByText('+Bert Ude').waitFor();
    expect(await barriers(annas)).toEqual([]);
    await annas.keyboard.press('Enter');
    await untilTitles(berts, ['Write the invitation']);
    await row(annas, 'Write the invitation').getByRole('img', { name: 'Assigned to Bert Ude' }).waitFor();
    expect(await barriers(berts)).toEqual([]);
  });

  test('details assign, and personal tasks have no assignees', async () => {
    await annas.getByRole('link', { name: 'Write the invitation' }).click();
    const details = detailsOf(annas);
    await details.getByRole('button', { name: 'Remove Bert Ude' }).click();
    await untilTitles(berts, []);
    await details.getByLabel('Assignees').fill('bert');
    await details.getByLabel('Assignees').press('Enter');
    await untilTitles(berts, ['Write the invitation']);
    expect(await barriers(annas)).toEqual([]);
    const { id } = await makeTask(anna, { title: 'Own' });
    await annas.goto(`${service.url}/tasks/${id}`);
    await details.getByLabel('Tags').waitFor();
    expect(await details.getByLabel('Assignees').count()).toBe(0);
  });

  test('the toolbar assigns many tasks', async () => {
    await open(annas, `/projects/${projectId}`, 'Launch');
    await add(annas, 'Print it');
    for (const title of ['Write the invitation', 'Print it'])
      await row(annas, title).click({ modifiers: ['ControlOrMeta'], position: { x: 300, y: 12 } });
    await annas.getByRole('toolbar').getByRole('button', { name: 'Assignees' }).click();
    await annas.getByRole('menuitem', { name: 'Bert Ude' }).click();
    await until('both are assigned', async () => (await berts.locator('main [data-task]').count()) === 2);
    await berts.keyboard.press('g');
    await berts.keyboard.press('t');
    await berts.keyboard.press('g');
    await berts.keyboard.press('m');
    await berts.getByRole('heading', { name: 'My tasks' }).waitFor();
    expect(watchedPages.flatMap(({ problems }) => problems)).toEqual([]);
  });
});
