import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { invite, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { name, type Page } from './acts.ts';

describeWithBrowser('an invitation to a workspace, while the pages of both are open', () => {
  let service: Service;
  let [anna, bert]: User[] = [];
  let watchedPages: WatchedPage[] = [];
  let workspace: { id: string; name: string };
  let [page, invitedPage] = [] as unknown as [Page, Page];
  beforeAll(async () => {
    service = await startService();
    [anna, bert] = [await signUp(service), await signUp(service)];
    workspace = await makeWorkspace(anna);
    watchedPages = [await openPage(service.url, anna.cookie), await openPage(service.url, bert.cookie)];
    [page, invitedPage] = watchedPages.map((each) => each.page) as [Page, Page];
    await page.goto(`${service.url}/workspaces/${workspace.id}`);
    await page.getByRole('heading', { name: workspace.name }).waitFor();
    await invitedPage.goto(`${service.url}/upcoming`);
    await invitedPage.getByRole('heading', { name: 'Upcoming' }).waitFor();
  });
  afterAll(async () => {
    await Promise.all(watchedPages.map(({ browser }) => browser.close()));
    await service.close();
  });

  const send = () => invite(anna as User, workspace.id, bert?.email ?? '');
  const offer = () =>
    invitedPage.getByRole('list', { name: 'Invitations' }).getByRole('listitem').filter({ hasText: workspace.name });
  const isOpen = (state: 'visible' | 'detached') =>
    page
      .getByRole('list', { name: 'Open invitations' })
      .getByText(bert?.email ?? '')
      .waitFor({ state });

  test('is shown, and disappears when it is withdrawn', async () => {
    await send();
    await offer().getByRole('button', { name: 'Accept' }).waitFor();
    await isOpen('visible');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await offer().waitFor({ state: 'detached' });
  });

  test('is declined', async () => {
    await send();
    await offer().getByRole('button', { name: 'Decline' }).click();
    await offer().waitFor({ state: 'detached' });
    await isOpen('detached');
  });

  test('is sent for a workspace that is still unsent', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('createWorkspace')) await released;
      await route.continue();
    });
    await page.getByRole('button', { name: 'New workspace' }).click();
    await name(page, 'Just made');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill(bert?.email ?? '');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    release();
    await isOpen('visible');
    await page.unroute('**/graphql');
    await invitedPage.getByRole('list', { name: 'Invitations' }).getByRole('button', { name: 'Decline' }).click();
    await isOpen('detached');
    await page.goto(`${service.url}/workspaces/${workspace.id}`);
  });

  test('is accepted, and the pages of both users show the member', async () => {
    await send();
    await isOpen('visible');
    await offer().getByRole('button', { name: 'Accept' }).click();
    await offer().waitFor({ state: 'detached' });
    await invitedPage.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name: workspace.name }).waitFor();
    await page
      .getByRole('list', { name: 'Members' })
      .getByText(bert?.email ?? '')
      .waitFor();
    await isOpen('detached');
    expect(watchedPages.flatMap(({ problems }) => problems)).toEqual([]);
  });
});
