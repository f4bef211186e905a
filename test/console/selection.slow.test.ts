import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import type { Page } from './acts.ts';

describeWithBrowser('selected tasks, while others change them', () => {
  let service: Service;
  let [user, admin] = [] as unknown as [User, User];
  let watchedPage: WatchedPage;
  let page: Page;
  let workspaceId: string;
  let tasks: readonly { id: string }[];
  beforeAll(async () => {
    service = await startService();
    watchedPage = await openPage(service.url);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    [user, admin] = [await signUp(service), await signUp(service)];
    workspaceId = (await makeWorkspace(admin, user)).id;
    const { id: projectId } = await makeProject(admin, { name: 'Garden', personal: undefined, workspaceId });
    tasks = [await makeTask(admin, { title: 'Dig', projectId }), await makeTask(admin, { title: 'Sow', projectId })];
    page = await newPage(watchedPage.browser, service.url, user.cookie);
    await page.goto(`${service.url}/projects/${projectId}`);
    for (const title of ['Dig', 'Sow']) {
      await page.getByRole('link', { name: title }).focus();
      await page.keyboard.press('x');
    }
    await toolbar().getByText('2 selected').waitFor();
  });

  const toolbar = () => page.getByRole('toolbar', { name: 'Selected tasks' });

  test('are fewer when one is deleted', async () => {
    await admin.data('mutation ($id: ID!) { deleteTask(id: $id) }', { id: tasks[0]?.id });
    await toolbar().getByText('1 selected').waitFor();
    await toolbar().getByRole('button', { name: 'Complete' }).click();
    await page.getByRole('status').getByText('Completed 1 task').waitFor();
  });

  test('are none when the role is lowered', async () => {
    await admin.data(
      'mutation ($w: ID!, $u: ID!) { setWorkspaceRole(workspaceId: $w, userId: $u, role: VIEWER) { id } }',
      { w: workspaceId, u: user.id },
    );
    await toolbar().waitFor({ state: 'detached' });
  });
});
