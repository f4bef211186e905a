import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeWorkspace } from '../kit/make.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { publicUrl, WaysIn } from '../accounts/ways.ts';
import { makeWebhook } from '../webhooks/webhooks.ts';

describeWithBrowser('a removal that cannot be undone', () => {
  let ways: WaysIn;
  let [anna, bert] = [] as unknown as [User, User];
  let workspaceId: string;
  let watchedPage: WatchedPage;
  beforeAll(async () => {
    ways = await WaysIn.open();
    [anna, bert] = [await signUp(ways.service), await signUp(ways.service)];
    ({ id: workspaceId } = await makeWorkspace(anna, bert));
    await ways.addPasskey(anna);
    await ways.createToken(anna);
    await makeWebhook(anna, 'https://hooks.invalid/w.x');
    await ways.link(anna);
    watchedPage = await openPage(publicUrl, anna.cookie, ways.service.url);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await ways.close();
  });

  test.each([
    { what: 'a member', path: () => `workspaces/${workspaceId}`, row: () => bert.email, action: 'Remove' },
    { what: 'an access token', path: () => 'settings/tokens', row: () => 'Bot of w.x', action: 'Revoke' },
    { what: 'a webhook', path: () => 'settings/webhooks', row: () => 'https://hooks.invalid/w.x', action: 'Delete' },
    { what: 'a passkey', path: () => 'settings/security', row: () => 'Key at w.x', action: 'Remove' },
    { what: 'a linked provider', path: () => 'settings/security', row: () => 'Liar & Sons', action: 'Unlink' },
  ])('asks first: $what', async ({ path, row, action }) => {
    const { page } = watchedPage;
    const changes: string[] = [];
    page.on('request', (request) => {
      if (request.postData()?.includes('"query":"mutation')) changes.push(request.postData() ?? '');
    });
    await page.goto(`${publicUrl}/${path()}`);
    const button = page
      .getByRole('listitem')
      .filter({ hasText: row() })
      .getByRole('button', { name: action, exact: true });
    const dialog = page.getByRole('dialog', { name: action });
    await button.click();
    await dialog.getByText(row()).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(changes).toEqual([]);
    await button.click();
    await dialog.getByRole('button', { name: action }).click();
    await button.waitFor({ state: 'detached' });
    await dialog.waitFor({ state: 'detached' });
    expect(changes).toHaveLength(1);
  });
});
