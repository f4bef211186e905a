import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, barriers, detailsOf, type Page, row, untilTitles } from './acts.ts';

describeWithBrowser('two people who work on one task, and a third who only reads', () => {
  let service: Service;
  let [anna, bert, cara] = [] as unknown as [User, User, User];
  let watchedPages: WatchedPage[] = [];
  let [annas, berts, caras] = [] as unknown as [Page, Page, Page];
  let [projectId, workspaceId, taskId] = ['', '', ''];
  const open = async (page: Page, path: string, heading: string) => {
    await page.goto(`${service.url}${path}`);
    await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  };
  beforeAll(async () => {
    service = await startService();
    [anna, bert, cara] = [await signUp(service), await signUp(service), await signUp(service)];
    const names = [
      [anna, 'Anna Ott'],
      [bert, 'Bert Ude'],
      [cara, 'Cara Wu'],
    ] as const;
    for (const [user, name] of names) await user.put('/api/v1/user/name', { name });
    workspaceId = (await makeWorkspace(anna, bert)).id;
    await addMember(anna, workspaceId, cara, 'VIEWER');
    projectId = (await makeProject(anna, { name: 'Launch', workspaceId })).id;
    taskId = (await makeTask(anna, { title: 'Book the venue', projectId, description: 'For forty people' })).id;
    watchedPages = await Promise.all([anna, bert, cara].map(({ cookie }) => openPage(service.url, cookie)));
    [annas, berts, caras] = watchedPages.map(({ page }) => page) as [Page, Page, Page];
    await open(annas, `/projects/${projectId}`, 'Launch');
    await open(berts, '/assigned', 'My tasks');
  });
  const comments = (page: Page) => detailsOf(page).getByRole('list', { name: 'Comments' }).getByRole('listitem');
  const comment = async (page: Page, text: string) => {
    await detailsOf(page).getByLabel('Write a comment').fill(text);
    await detailsOf(page).getByRole('button', { name: 'Comment', exact: true }).click();
  };
  const scrollWidth = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);
  const openDetails = async (page: Page) => {
    await page.goto(`${service.url}/tasks/${taskId}`);
    await detailsOf(page).getByRole('heading', { name: 'Comments' }).waitFor();
  };
  afterAll(async () => {
    await Promise.all(watchedPages.map(({ browser }) => browser.close()));
    await service.close();
  });

  test('quick add offers members, and the assigned one sees the task among “My tasks”', async () => {
    await annas.getByLabel('Add a task').pressSequentially('Write the invitation +be');
    await annas.getByRole('listbox', { name: 'Members' }).getByRole('option', { name: 'Bert Ude' }).waitFor();
    await annas.keyboard.press('Enter');
    await annas.getByRole('list', { name: 'Details found' }).getByText('+Bert Ude').waitFor();
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
  });

  test('a comment mentions by “@”, survives a reload before it is sent, and is plain text', async () => {
    await openDetails(annas);
    await openDetails(berts);
    const field = detailsOf(annas).getByLabel('Write a comment');
    await field.pressSequentially('Can you call, @be');
    await detailsOf(annas)
      .getByRole('listbox', { name: 'Members' })
      .getByRole('option', { name: 'Bert Ude' })
      .waitFor();
    expect(await barriers(annas)).toEqual([]);
    await field.press('Enter');
    await field.pressSequentially('?\n<b>Soon</b>');
    await annas.reload();
    await until(
      'the text is back',
      async () => (await field.inputValue()) === 'Can you call, @Bert Ude ?\n<b>Soon</b>',
    );
    await detailsOf(annas).getByRole('button', { name: 'Comment', exact: true }).click();
    await comments(berts).getByText('@Bert Ude').waitFor();
    expect(await comments(berts).locator('.plain').innerText()).toBe('Can you call, @Bert Ude ?\n<b>Soon</b>');
    const { task } = await anna.data<{ task: { comments: { nodes: { text: string }[] } } }>(
      'query ($id: ID!) { task(id: $id) { comments { nodes { text } } } }',
      { id: taskId },
    );
    expect(task.comments.nodes).toEqual([{ text: `Can you call, @${bert.id} ?\n<b>Soon</b>` }]);
  });

  test('a mention is a notification, and “Mark all as read” ends it', async () => {
    await open(berts, '/today', 'Today');
    await berts.getByRole('button', { name: /^Notifications \(\d unread\)$/ }).waitFor();
    await berts.keyboard.press('g');
    await berts.keyboard.press('n');
    const list = berts.getByRole('list', { name: 'Notifications' });
    const entry = list.getByRole('listitem').filter({ hasText: 'Book the venue' });
    await entry.getByText('You were mentioned').waitFor();
    const assignee = `/api/v2/todo/${taskId}/assignees/${bert.id}`;
    await anna.put(assignee);
    await entry.getByText('You were assigned').waitFor();
    await anna.delete(assignee);
    await entry.getByText('You were assigned').waitFor({ state: 'detached' });
    expect(await barriers(berts)).toEqual([]);
    await berts.getByRole('button', { name: 'Mark all as read' }).click();
    await berts.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await entry.getByRole('link').click();
    await comments(berts).first().waitFor();
  });

  test('a comment that is written offline shows at once, and reaches others later', async () => {
    await berts.context().setOffline(true);
    await comment(berts, 'Called from the train');
    const written = comments(berts).filter({ hasText: 'Called from the train' });
    await written.getByText('Not sent yet').waitFor();
    await written.getByText('Bert Ude').waitFor();
    expect(await comments(annas).count()).toBe(1);
    await berts.context().setOffline(false);
    await comments(annas).getByText('Called from the train').waitFor();
    await written.getByText('Not sent yet').waitFor({ state: 'detached' });
  });

  test('authors edit and delete their comments, and an ADMIN deletes those of others', async () => {
    const own = comments(berts).nth(1);
    expect(await comments(berts).first().getByRole('button').count()).toBe(0);
    await own.getByRole('button', { name: 'Edit' }).click();
    await own.getByLabel('Edit the comment').fill('Called');
    await own.getByRole('button', { name: 'Save' }).click();
    await comments(annas).nth(1).getByText('edited').waitFor();
    expect(await comments(annas).nth(1).getByRole('button').allTextContents()).toEqual(['Delete']);
    await comments(annas).nth(1).getByRole('button', { name: 'Delete' }).click();
    await own.waitFor({ state: 'detached' });
  });

  test('a VIEWER sees everything, and has no control that changes it', async () => {
    await openDetails(caras);
    await detailsOf(caras).getByText('You can only read this workspace').waitFor();
    await detailsOf(caras).getByText('For forty people').waitFor();
    await detailsOf(caras).getByRole('list', { name: 'History' }).getByRole('listitem').first().waitFor();
    const controls = 'button, input, textarea, select, [draggable=true], [data-drop]';
    await detailsOf(caras).getByRole('button', { name: 'Mute' }).waitFor();
    expect(
      await detailsOf(caras)
        .locator(controls)
        .evaluateAll((all) => all.map((each) => each.textContent)),
    ).toEqual(['', 'Mute']);
    // It changes the page only for its user.
    expect(await caras.locator('main').locator(controls).allTextContents()).toEqual(['Display']);
    expect(await barriers(caras)).toEqual([]);
    await caras.locator('main').getByRole('link', { name: 'Book the venue' }).focus();
    for (const key of ['c', '1', 'x', ' ', 'e', 'd']) await caras.keyboard.press(key);
    const { id } = await makeTask(anna, { title: 'Print it twice', projectId });
    await anna.delete(`/api/v2/todo/${id}`);
    await open(caras, '/trash', 'Trash');
    await caras.getByRole('list', { name: 'Trash' }).getByText('Print it twice').waitFor();
    expect(await caras.locator('main').getByRole('button').count()).toBe(0);
    await open(caras, `/workspaces/${workspaceId}`, (await caras.locator('nav .group-name a').textContent()) ?? '');
    await caras.getByRole('list', { name: 'Members' }).getByText('Viewer').waitFor();
    expect(await caras.getByRole('list', { name: 'Members' }).locator('button, select').count()).toBe(0);
    expect(await barriers(caras)).toEqual([]);
  });

  test('an ADMIN changes roles, and the pages follow', async () => {
    await open(caras, `/projects/${projectId}`, 'Launch');
    await annas.goto(`${service.url}/workspaces/${workspaceId}`);
    const role = annas.getByLabel('Role of Cara Wu');
    await role.selectOption('COMMENTER');
    await caras.getByText('You can only comment').waitFor();
    await role.selectOption('EDITOR');
    await caras.getByLabel('Add a task').waitFor();
    await annas.getByLabel('Role of Anna Ott').selectOption('EDITOR');
    await annas.getByText('A workspace needs an admin').waitFor();
    await annas.getByRole('button', { name: 'Workspace menu' }).click();
    await annas.getByRole('menuitem', { name: 'Leave workspace' }).click();
    await annas.getByRole('dialog').getByText('You are the only admin').waitFor();
    await annas.keyboard.press('Escape');
    await annas.getByRole('button', { name: 'Invite' }).click();
    await annas.getByRole('dialog').getByLabel('E-mail').fill('new@example.com');
    await annas.getByRole('dialog').getByLabel('Role').selectOption('VIEWER');
    await annas.getByRole('button', { name: 'Send invitation' }).click();
    await annas.getByRole('list', { name: 'Open invitations' }).getByText('Viewer').waitFor();
    expect(await barriers(annas)).toEqual([]);
  });

  test('a refused comment keeps its text, for the field if there is one', async () => {
    await openDetails(caras);
    await caras.context().setOffline(true);
    await comment(caras, 'Too late for @Anna Ott');
    await annas.getByLabel('Role of Cara Wu').selectOption('VIEWER');
    await until('Cara only reads', async () => {
      const { workspaces } = await cara.data<{ workspaces: { role: string }[] }>('{ workspaces { role } }');
      return workspaces[0]?.role === 'VIEWER';
    });
    await caras.context().setOffline(false);
    const refusal = caras.getByRole('alert').filter({ hasText: 'Could not add the comment' });
    await refusal.getByText('Too late for @').waitFor();
    expect(await refusal.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await annas.getByLabel('Role of Cara Wu').selectOption('COMMENTER');
    await refusal.getByRole('button', { name: 'Edit' }).click();
    await refusal.waitFor({ state: 'detached' });
    expect(await detailsOf(caras).getByLabel('Write a comment').inputValue()).toBe('Too late for @Anna Ott');
  });

  test('the pages fit into 320 pixels', async () => {
    await annas.setViewportSize({ width: 320, height: 700 });
    expect(await scrollWidth(annas)).toBe(320);
    await openDetails(annas);
    expect(await scrollWidth(annas)).toBe(320);
    await open(annas, '/notifications', 'Notifications');
    expect(await scrollWidth(annas)).toBe(320);
    expect(
      watchedPages.flatMap(({ problems }) => problems).filter((text) => !/Failed to load|WebSocket/.test(text)),
    ).toEqual([]);
  });
});
