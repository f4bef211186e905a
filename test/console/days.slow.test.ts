import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { CDPSession } from 'playwright-core';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { type Page, titles } from './acts.ts';

describeWithBrowser('days in a page that stays open', () => {
  let service: Service;
  let anna: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let project: string;
  let devTools: CDPSession;
  beforeAll(async () => {
    service = await startService();
    watchedPage = await openPage(service.url);
    anna = await signUp(service);
    const { id } = await makeProject(anna, { name: 'Days' });
    project = `/projects/${id}`;
    for (const dueDate of ['2027-03-13', '2027-03-14', '2027-03-15', '2027-03-16']) {
      await makeTask(anna, { title: `Due ${dueDate}`, dueDate, projectId: id });
    }
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  afterEach(() => page.context().close());

  const travelTo = (timezoneId: string) => devTools.send('Emulation.setTimezoneOverride', { timezoneId });

  async function openAt(time: string, path = '/today', offset = '-05:00'): Promise<void> {
    page = await newPage(watchedPage.browser, service.url, anna.cookie, { locale: 'en-US' });
    devTools = await page.context().newCDPSession(page);
    await travelTo('America/New_York');
    await page.clock.install({ time: new Date(`${time}${offset}`) });
    await page.goto(service.url + path);
    await page.getByRole('main').getByText('Due 2027').first().waitFor();
  }
  const main = () => page.getByRole('main');
  const dayOf = (title: string) => page.getByRole('listitem').filter({ hasText: title }).locator('time');
  const count = () => page.getByRole('link', { name: 'Today' }).locator('.count').textContent();

  test('Today, counts and late marks change at midnight', async () => {
    await openAt('2027-03-13T23:58:30', project);
    expect(await dayOf('Due 2027-03-13').textContent()).toBe('Today');
    expect(await count()).toBe('1');
    await page.clock.fastForward('02:00');
    await dayOf('Due 2027-03-13').and(page.locator('.late')).getByText('Yesterday').waitFor();
    expect(await dayOf('Due 2027-03-14').textContent()).toBe('Today');
    expect(await count()).toBe('2');
    await page.getByRole('link', { name: 'Today' }).click();
    expect(await titles(page, 'Overdue')).toEqual(['Due 2027-03-13']);
  });

  test.each([
    ['23 hours', '2027-03-14T00:30:00', '-05:00', '2027-03-14', '22:28:00', '04:00'],
    ['25 hours', '2027-11-07T00:30:00', '-04:00', '2027-11-07', '24:28:00', '04:00'],
  ])('a day of %s ends at its midnight', async (_length, time, offset, day, before, rest) => {
    const { title } = await makeTask(anna, { dueDate: day });
    await openAt(time, '/today', offset);
    await main().getByText(title).waitFor();
    await page.clock.fastForward(before);
    const row = main().getByRole('listitem').filter({ hasText: title });
    expect(await page.getByRole('region', { name: 'Overdue' }).getByText(title).count()).toBe(0);
    await page.clock.fastForward(rest);
    await row.getByText('Yesterday').waitFor();
  });

  test.each(['focus', 'visibilitychange', 'resume', 'pageshow'])(
    'a machine that wakes on another day shows it: %s',
    async (event) => {
      await openAt('2027-03-13T20:00:00', '/upcoming');
      expect(await titles(page)).toContain('Due 2027-03-14');
      // Timers do not run during sleep.
      await page.clock.setSystemTime(new Date('2027-03-15T08:00:00-04:00'));
      await page.evaluate((name) => {
        const target = ['visibilitychange', 'resume'].includes(name) ? document : window;
        target.dispatchEvent(new Event(name));
      }, event);
      await main().getByText('Due 2027-03-15').waitFor({ state: 'detached' });
      expect(await titles(page)).toContain('Due 2027-03-16');
    },
  );

  test('a new time zone changes days and times', async () => {
    const dueTime = '2027-03-14T02:30:00Z';
    const { title } = await makeTask(anna, { dueDate: '2027-03-13', dueTime, isAllDay: false });
    await openAt('2027-03-13T22:00:00');
    await main().getByText(title).waitFor();
    expect(await dayOf(title).textContent()).toMatch(/9:30.PM$/);
    await travelTo('Asia/Tokyo');
    await page.clock.fastForward('01:00');
    await main().getByText('Sunday, March 14').waitFor();
    expect(await dayOf(title).textContent()).toMatch(/11:30.AM$/);
  });

  test('a line that is being typed and a row with the focus keep their places', async () => {
    await openAt('2027-03-13T23:59:00');
    const field = page.getByLabel('Add a task');
    await field.pressSequentially('Half a li');
    await page.clock.fastForward('02:00');
    await page.getByRole('region', { name: 'Overdue' }).waitFor();
    await page.keyboard.type('ne');
    expect(await field.inputValue()).toBe('Half a line');

    await page.context().close();
    await openAt('2027-03-13T23:59:00', '/upcoming');
    const link = main().getByRole('link', { name: 'Due 2027-03-14' });
    await link.focus();
    await page.clock.fastForward('02:00');
    // The last of the fourteen days.
    await page.getByRole('region', { name: 'Sunday, March 28' }).waitFor();
    await link.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('j');
    await link.waitFor({ state: 'detached' });
    await main().getByRole('link', { name: 'Due 2027-03-15' }).and(page.locator(':focus')).waitFor();
  });

  test('tasks that were completed yesterday leave Today at midnight', async () => {
    const { title } = await makeTask(anna, { dueDate: '2027-03-13' });
    await openAt('2027-03-13T23:59:00');
    await page.getByRole('checkbox', { name: title }).click();
    await page.getByLabel('Add a task').focus();
    await page.clock.fastForward('02:00');
    await page.getByRole('region', { name: 'Overdue' }).getByText('Due 2027-03-13').waitFor();
    expect(await titles(page)).not.toContain(title);
  });

  test('the calendar marks the new day, and shows its month unless it is in use', async () => {
    await openAt('2027-03-31T23:59:00', project, '-04:00');
    await page.getByRole('radio', { name: 'Calendar' }).check();
    const markedDay = page.locator('[aria-current=date]');
    expect(await markedDay.getAttribute('data-day')).toBe('2027-03-31');
    await page.clock.fastForward('02:00');
    await page.getByRole('grid', { name: 'April 2027' }).waitFor();
    expect(await markedDay.getAttribute('data-day')).toBe('2027-04-01');
    await markedDay.focus();
    await page.clock.fastForward('24:00:00');
    await page.locator('[data-day="2027-04-02"][aria-current=date]').waitFor();
    await page.locator('[data-day="2027-04-01"]:focus').waitFor();
  });
});
