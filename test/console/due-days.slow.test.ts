import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { choose, type Page } from './acts.ts';

/** Noon of Tuesday, 1 December in New York. */
const noon = '2026-12-01T12:00:00-05:00';

describeWithBrowser('the day of a task that has a time', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let project: { id: string };
  beforeAll(async () => {
    service = await startService();
    watchedPage = await openPage(service.url);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    user = await signUp(service);
    project = await makeProject(user, { name: 'Garden' });
    page = await newPage(watchedPage.browser, service.url, user.cookie, {
      locale: 'en-US',
      timezoneId: 'America/New_York',
    });
    await page.clock.setFixedTime(noon);
  });

  const row = (title: string) => page.locator('main').locator('[data-task]').filter({ hasText: title });
  const dueOf = async (id: string) => {
    const { task } = await user.data<{ task: Record<string, unknown> }>(
      'query ($id: ID!) { task(id: $id) { dueDate dueTime isAllDay } }',
      { id },
    );
    return task;
  };

  describe('moves with its time by', () => {
    let id: string;
    beforeEach(async () => {
      // In six days at 15:30.
      const due = { dueDate: '2026-12-07', dueTime: '2026-12-07T20:30:00.000Z', isAllDay: false };
      ({ id } = await makeTask(user, { title: 'Sow', projectId: project.id, reminder: true, ...due }));
    });
    const untilDue = (dueDate: string | null, dueTime: string | null) =>
      until(`it is due ${dueTime ?? 'never'}`, async () => {
        const due = await dueOf(id);
        return due['dueDate'] === dueDate && due['dueTime'] === dueTime;
      });
    const openProject = async (view?: string) => {
      await page.goto(`${service.url}/projects/${project.id}`);
      if (view !== undefined) await page.getByRole('radio', { name: view }).check();
      await row('Sow').waitFor();
    };

    test('the menu "More", and loses it with the day', async () => {
      await openProject();
      await row('Sow').hover();
      await choose(page, 'More', 'Due tomorrow');
      await untilDue('2026-12-02', '2026-12-02T20:30:00.000Z');
      await row('Sow').getByText('Tomorrow 3:30 PM').waitFor();
      await choose(page, 'More', 'No due date');
      await untilDue(null, null);
    });

    test('the toolbar, beside a task without a time, and one "Undo" takes both back', async () => {
      const dayTask = await makeTask(user, { title: 'Dig', projectId: project.id, dueDate: '2026-12-09' });
      await openProject();
      for (const title of ['Sow', 'Dig'])
        await page.getByRole('link', { name: title }).click({ modifiers: ['Control'] });
      await page.getByRole('toolbar').getByRole('button', { name: 'Due date' }).click();
      await page.getByRole('dialog').getByLabel('Due date').fill('2026-12-03');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await untilDue('2026-12-03', '2026-12-03T20:30:00.000Z');
      expect(await dueOf(dayTask.id)).toMatchObject({ dueDate: '2026-12-03', dueTime: null });
      await page
        .getByRole('status')
        .filter({ hasText: '2 tasks updated' })
        .getByRole('button', { name: 'Undo' })
        .click();
      await untilDue('2026-12-07', '2026-12-07T20:30:00.000Z');
      await until('the other one is taken back', async () => (await dueOf(dayTask.id))['dueDate'] === '2026-12-09');
    });

    test('a drop on "Today"', async () => {
      await openProject();
      await row('Sow').dragTo(page.getByRole('navigation').getByRole('link', { name: 'Today' }));
      await untilDue('2026-12-01', '2026-12-01T20:30:00.000Z');
    });

    test('a drag in the calendar', async () => {
      await openProject('Calendar');
      const day = (date: string) => page.locator(`[data-day="${date}"]`);
      await day('2026-12-07').getByRole('link', { name: 'Sow' }).dragTo(day('2026-12-16'));
      await untilDue('2026-12-16', '2026-12-16T20:30:00.000Z');
      await day('2026-12-16').getByRole('link', { name: 'Sow' }).waitFor();
    });
  });

  test('is that of the moment in the zone of the browser, in pages, rows, counts and the calendar', async () => {
    const make = (title: string, dueDate: string | null, dueTime: string | null) =>
      makeTask(user, { title, projectId: project.id, dueDate, dueTime, isAllDay: dueTime === null });
    await make('Evening', '2026-12-02', '2026-12-02T01:00:00.000Z');
    await make('Only a time', null, '2026-12-01T18:00:00.000Z');
    await make('Late at night', '2026-12-01', '2026-12-01T03:00:00.000Z');
    await make('Tomorrow', null, '2026-12-02T06:00:00.000Z');
    await make('All day', '2026-12-02', null);
    await page.goto(`${service.url}/today`);
    await row('Evening').getByText('8:00 PM', { exact: true }).waitFor();
    await row('Only a time').getByText('1:00 PM', { exact: true }).waitFor();
    const overdue = page.getByRole('region', { name: 'Overdue' });
    await overdue.getByText('Yesterday 10:00 PM').waitFor();
    expect(await page.locator('main .title').allTextContents()).toEqual(['Late at night', 'Only a time', 'Evening']);
    expect(await overdue.locator('.title').allTextContents()).toEqual(['Late at night']);
    const link = page.getByRole('navigation').getByRole('link', { name: 'Today' });
    expect(await link.locator('.count').textContent()).toBe('3');
    await page.getByRole('link', { name: 'Upcoming' }).click();
    const tomorrow = page.getByRole('region', { name: 'Wednesday, December 2' });
    await tomorrow.getByText('1:00 AM', { exact: true }).waitFor();
    expect(await page.locator('main .title').allTextContents()).toEqual(['Tomorrow', 'All day']);
    await page.goto(`${service.url}/projects/${project.id}`);
    await page.getByRole('radio', { name: 'Calendar' }).check();
    const titlesOfDay = (day: string) => page.locator(`[data-day="${day}"] .title`).allTextContents();
    await page.locator('[data-day="2026-12-01"] .title').first().waitFor();
    expect((await titlesOfDay('2026-12-01')).sort()).toEqual(['Evening', 'Only a time']);
    expect((await titlesOfDay('2026-12-02')).sort()).toEqual(['All day', 'Tomorrow']);
  });
});
