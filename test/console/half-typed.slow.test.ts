import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeComment, makeProject, makeSection, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, choose, detailsOf, type Page } from './acts.ts';

describeWithBrowser('a text that is half typed', () => {
  let service: Service;
  let [user, admin] = [] as unknown as [User, User];
  let watchedPage: WatchedPage;
  let page: Page;
  let [workspaceId, projectId, sectionId] = ['', '', ''];
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
    projectId = (await makeProject(admin, { name: 'Garden', personal: undefined, workspaceId })).id;
    sectionId = (await makeSection(admin, projectId, { name: 'Beds' })).id;
    page = await newPage(watchedPage.browser, service.url, user.cookie);
  });

  const open = async (path: string) => {
    await page.goto(`${service.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const line = () => page.getByRole('textbox', { name: 'Add a task', exact: true });
  const subtask = () => detailsOf(page).getByLabel('Add a subtask');
  const untilHas = (field: () => ReturnType<Page['getByLabel']>, text: string) =>
    until(
      `the field has "${text}"`,
      async () => (await field().count()) === 1 && (await field().inputValue()) === text,
    );

  const endSessionAndReturn = async () => {
    await page.evaluate(() => fetch('/api/v1/user/logout', { method: 'POST' }));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  const setRole = (role: 'VIEWER' | 'EDITOR') =>
    admin.data(
      'mutation ($w: ID!, $u: ID!, $role: WorkspaceRole!) { setWorkspaceRole(workspaceId: $w, userId: $u, role: $role) { id } }',
      { w: workspaceId, u: user.id, role },
    );
  const lowerRole = () => setRole('VIEWER');

  test.each([
    ['the role is lowered', lowerRole],
    [
      'the user is removed from the workspace',
      () =>
        admin.data('mutation ($w: ID!, $u: ID!) { removeWorkspaceMember(workspaceId: $w, userId: $u) { id } }', {
          w: workspaceId,
          u: user.id,
        }),
    ],
    ['the project is deleted', () => admin.data('mutation ($id: ID!) { deleteProject(id: $id) }', { id: projectId })],
  ])('is in the next field for tasks if %s', async (_event, happen) => {
    await open(`/projects/${projectId}`);
    await line().fill('Water the lilies');
    await happen();
    await line().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Inbox' }).click();
    await untilHas(line, 'Water the lilies');
  });

  test('is in the field of the page if its section is deleted', async () => {
    await open(`/projects/${projectId}`);
    await page.getByRole('button', { name: 'Add a task to Beds' }).click();
    await page.keyboard.type('Water the lilies');
    await admin.data('mutation ($id: ID!) { deleteSection(id: $id) }', { id: sectionId });
    await untilHas(line, 'Water the lilies');
  });

  test('stays in the field for subtasks until it is sent', async () => {
    const { id } = await makeTask(admin, { title: 'Dig', projectId });
    await open(`/tasks/${id}`);
    await subtask().fill('Fetch the spade');
    await endSessionAndReturn();
    await untilHas(subtask, 'Fetch the spade');
    await page.reload();
    await untilHas(subtask, 'Fetch the spade');
    await subtask().press('Enter');
    await page.getByRole('list', { name: 'Subtasks' }).getByText('Fetch the spade').waitFor();
    await untilHas(subtask, '');
  });

  test.each([
    ['the role is lowered', lowerRole],
    [
      'the task is deleted',
      (taskId: string) => admin.data('mutation ($id: ID!) { deleteTask(id: $id) }', { id: taskId }),
    ],
  ])('is shown without its field if %s, until it is dismissed', async (_event, happen) => {
    const { id } = await makeTask(admin, { title: 'Dig', projectId });
    await open(`/tasks/${id}`);
    await subtask().fill('Fetch the spade');
    await page.getByLabel('Write a comment').fill('How deep');
    await happen(id);
    const unsent = detailsOf(page).getByRole('region', { name: 'Not sent yet' });
    for (const text of ['How deep', 'Fetch the spade']) {
      await unsent.filter({ hasText: text }).getByRole('button', { name: 'Dismiss' }).click();
      await unsent.filter({ hasText: text }).waitFor({ state: 'detached' });
    }
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('taskgate:text');
  });

  describe('in a comment that is being edited', () => {
    const edit = async () => {
      const task = await makeTask(admin, { title: 'Dig', projectId });
      const comment = await makeComment(user, task.id, { text: 'How deep' });
      await open(`/tasks/${task.id}`);
      await detailsOf(page).getByRole('list', { name: 'Comments' }).getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Edit the comment').fill('How deep, and how wide');
      return comment;
    };

    test('is in the field for comments if the comment is deleted', async () => {
      const { id } = await edit();
      await page.getByLabel('Write a comment').fill('Where');
      await admin.data('mutation ($id: ID!) { deleteComment(id: $id) }', { id });
      await untilHas(() => page.getByLabel('Write a comment'), 'Where\nHow deep, and how wide');
    });

    test('is shown without its field if the role is lowered, until it is dismissed', async () => {
      await edit();
      await lowerRole();
      const unsent = detailsOf(page).getByRole('region', { name: 'Not sent yet' });
      await unsent.getByText('How deep, and how wide').waitFor();
      await unsent.getByRole('button', { name: 'Dismiss' }).click();
      await unsent.waitFor({ state: 'detached' });
    });
  });

  test('stays in its field if a refused comment comes back to it', async () => {
    const { id } = await makeTask(admin, { title: 'Dig', projectId });
    await open(`/tasks/${id}`);
    const field = () => page.getByLabel('Write a comment');
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    await field().fill('How deep');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await detailsOf(page).getByText('Not sent yet').waitFor();
    await setRole('VIEWER');
    await page.context().setOffline(false);
    const refusal = page.getByRole('alert').filter({ hasText: 'Could not add the comment' });
    await refusal.waitFor();
    await setRole('EDITOR');
    await field().fill('Half typed');
    await refusal.getByRole('button', { name: 'Edit' }).click();
    await untilHas(field, 'Half typed\nHow deep');
  });

  test('of a refused change is deleted by a sign-out only after a question', async () => {
    await open(`/projects/${projectId}`);
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    await add(page, 'Water the lilies');
    await page.getByText('Not sent yet').waitFor();
    await lowerRole();
    await page.context().setOffline(false);
    await page.getByRole('alert').filter({ hasText: 'Water the lilies' }).waitFor();
    await choose(page, 'Account', 'Sign out');
    const dialog = page.getByRole('dialog', { name: 'Sign out' });
    await dialog.getByText('Signing out deletes it').waitFor();
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('stays in its page after a reload, although another page is open', async () => {
    const { id } = await makeTask(admin, { title: 'Dig', projectId });
    await open(`/tasks/${id}`);
    const comment = () => page.getByLabel('Write a comment');
    await comment().fill('How deep');
    const other = await page.context().newPage();
    await other.goto(`${service.url}/today`);
    await until('the other page waits for the end of this one', () =>
      other.evaluate(async () => {
        const { pending = [] } = await navigator.locks.query();
        return pending.some(({ name = '' }) => !name.startsWith('taskgate:'));
      }),
    );
    await page.reload();
    await untilHas(comment, 'How deep');
  });

  test('is deleted by a sign-out only after a question', async () => {
    const { id } = await makeTask(admin, { title: 'Dig', projectId });
    await open(`/tasks/${id}`);
    await page.getByLabel('Write a comment').fill('How deep');
    const dialog = page.getByRole('dialog', { name: 'Sign out' });
    await choose(page, 'Account', 'Sign out');
    await dialog.getByText('Signing out deletes it').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await open('/settings/security');
    await page
      .getByRole('listitem')
      .filter({ hasText: '(this one)' })
      .getByRole('button', { name: 'Sign out' })
      .click();
    await dialog.getByText('Signing out deletes it').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await open(`/tasks/${id}`);
    await page.getByLabel('Write a comment').fill(' ');
    await choose(page, 'Account', 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('taskgate:text');
  });

  test('stays in its dialog if it is a name without a letter', async () => {
    await open('/today');
    await page.getByRole('button', { name: 'New project', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'New project' });
    await dialog.getByLabel('Name').fill('  ');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('Name must contain more than spaces').waitFor();
    await dialog.getByLabel('Name').fill('Meadow');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Meadow' }).waitFor();
  });

  test('is in its dialog again after the session has ended', async () => {
    await open('/today');
    await page.getByRole('button', { name: 'New project', exact: true }).click();
    const field = () => page.getByRole('dialog', { name: 'New project' }).getByLabel('Name');
    await field().fill('Meadow');
    await endSessionAndReturn();
    await untilHas(field, 'Meadow');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Meadow' }).waitFor();
  });
});
