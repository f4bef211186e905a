import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { claimOf, mustClaim, release } from '../claims/claims.ts';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { barriers, detailsOf, type Page } from './acts.ts';

describeWithBrowser('claims in the details of a task', () => {
  let service: Service;
  let [anna, bert] = [] as unknown as [User, User];
  let [agent, other] = [] as unknown as [Program, Program];
  let watchedPages: WatchedPage[] = [];
  let [page, second, berts] = [] as unknown as [Page, Page, Page];
  let [projectId, taskId] = ['', ''];
  beforeAll(async () => {
    service = await startService();
    [anna, bert] = [await signUp(service), await signUp(service)];
    await anna.put('/api/v1/user/name', { name: 'Anna Ott' });
    const { id } = await makeWorkspace(anna);
    await addMember(anna, id, bert, 'VIEWER');
    projectId = (await makeProject(anna, { workspaceId: id })).id;
    [agent, other] = [
      await makeProgram(service, anna, { name: 'Planner' }),
      await makeProgram(service, anna, { name: 'Night shift' }),
    ];
    watchedPages = await Promise.all([anna, anna, bert].map(({ cookie }) => openPage(service.url, cookie)));
    [page, second, berts] = watchedPages.map((each) => each.page) as [Page, Page, Page];
  });
  afterAll(async () => {
    await Promise.all(watchedPages.map(({ browser }) => browser.close()));
    await service.close();
  });
  beforeEach(async () => {
    taskId = (await makeTask(anna, { projectId, title: 'Book the venue' })).id;
  });

  const open = async (...pages: Page[]) => {
    for (const each of pages) {
      await each.goto(`${service.url}/tasks/${taskId}`);
      await detailsOf(each).getByRole('heading', { name: 'Comments' }).waitFor();
    }
  };
  const claimedBy = (at: Page, name: string) => detailsOf(at).getByText(`Claimed by ${name}`, { exact: true });
  const takeBack = (at: Page) => detailsOf(at).getByRole('button', { name: 'Take back' });
  const noticed = (at: Page, text: string) => at.getByRole('status').filter({ hasText: text }).waitFor();

  test('"Take back" ends the claim of a program in every window, and says so', async () => {
    await open(page, second);
    expect(await takeBack(page).count()).toBe(0);
    await mustClaim(agent, taskId);
    for (const each of [page, second]) await claimedBy(each, 'Planner').waitFor();
    expect(await barriers(page)).toEqual([]);
    await takeBack(page).press('Enter');
    await noticed(page, 'You took the task back from Planner.');
    for (const each of [page, second]) await claimedBy(each, 'Planner').waitFor({ state: 'detached' });
    expect(await claimOf(anna, taskId)).toBeNull();
    expect(await detailsOf(page).evaluate((panel) => panel === document.activeElement)).toBe(true);
  });

  test('a session’s claim shows its device, and without one its holder', async () => {
    const session = await signInAgain(service, anna);
    const fence = await mustClaim(session, taskId);
    await open(page);
    const { client } = (await claimOf(anna, taskId)) ?? {};
    await claimedBy(page, String(client)).waitFor();
    await service.sql('UPDATE claims SET client = NULL WHERE fence = $1', [fence]);
    await anna.patch(`/api/v2/todo/${taskId}`, { priority: 'high' });
    await claimedBy(page, 'Anna Ott').waitFor();
  });

  test('after the claim went to another program, the new claim stays, and a notice says why', async () => {
    const fence = await mustClaim(agent, taskId);
    await open(page);
    await claimedBy(page, 'Planner').waitFor();
    // The request goes out before this window hears of the new claim.
    let next = '';
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('releaseClaim')) {
        await release(agent, fence);
        next = await mustClaim(other, taskId);
      }
      await route.continue();
    });
    await takeBack(page).click();
    await noticed(page, 'That claim has already ended.');
    await claimedBy(page, 'Night shift').waitFor();
    expect(await claimOf(anna, taskId)).toMatchObject({ fence: next, client: 'Night shift' });
    await page.unroute('**/graphql');
    await takeBack(page).click();
    await noticed(page, 'You took the task back from Night shift.');
  });

  test('members who only read see the claim without the button', async () => {
    await mustClaim(agent, taskId);
    await open(berts);
    await claimedBy(berts, 'Planner').waitFor();
    expect(await takeBack(berts).count()).toBe(0);
    expect(await barriers(berts)).toEqual([]);
  });

  test('offline, the button says why it does nothing, and a completion ends the claim', async () => {
    await mustClaim(agent, taskId);
    await open(page);
    await claimedBy(page, 'Planner').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('status').getByText('Offline').waitFor();
    const button = takeBack(page).and(page.getByRole('button', { disabled: true }));
    await button.click({ force: true });
    expect(await button.getAttribute('aria-describedby')).not.toBeNull();
    await detailsOf(page).getByText('You can take it back when you are online.').waitFor();
    expect(await barriers(page)).toEqual([]);
    await detailsOf(page).getByRole('checkbox', { name: 'Completed' }).check();
    await claimedBy(page, 'Planner').waitFor({ state: 'detached' });
    expect(await claimOf(anna, taskId)).toMatchObject({ client: 'Planner' });
    await page.context().setOffline(false);
    await until('the claim has ended', async () => (await claimOf(anna, taskId)) === null);
  });

  test.each(['light', 'dark'] as const)('a long name fits into 320 px, %s', async (colorScheme) => {
    const long = await makeProgram(service, anna, { name: 'Terminbuchungsassistent'.repeat(4) });
    await mustClaim(long, taskId);
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page);
    await takeBack(page).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    expect(await barriers(page)).toEqual([]);
  });
});
