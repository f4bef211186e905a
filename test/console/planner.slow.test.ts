import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { barriers, choose, type Page, row, untilTitles } from './acts.ts';

describeWithBrowser('planning in the console', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: Page;
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
    await user.data('mutation { updatePreferences(input: { timeZone: "America/New_York" }) { id } }');
    page = await newPage(watchedPage.browser, service.url, user.cookie, {
      locale: 'en-US',
      timezoneId: 'America/New_York',
    });
    // A Tuesday.
    await page.clock.setFixedTime('2040-01-31T12:00:00-05:00');
  });

  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const undo = () => page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  const untilDue = (title: string, day: string | null) =>
    until(`${title} is due ${day}`, async () => {
      const { tasks } = await user.data<{ tasks: { nodes: { title: string; dueDate: string | null }[] } }>(
        '{ tasks(filter: { completed: false }) { nodes { title dueDate } } }',
      );
      return tasks.nodes.find((task) => task.title === title)?.dueDate === day;
    });
  const open = async (path: string) => {
    await page.goto(service.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const repeating = async (title: string, dueDate: string) => {
    const { id } = await makeTask(user, { title, dueDate });
    const input = { recurrence: { rule: 'FREQ=WEEKLY', timeZone: 'America/New_York' } };
    await user.data('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', {
      id,
      input,
    });
  };

  describe('Upcoming', () => {
    test('has the next 14 days, and then the later days with tasks', async () => {
      await makeTask(user, { title: 'Sow', dueDate: '2040-02-01' });
      await makeTask(user, { title: 'Harvest', dueDate: '2040-06-01' });
      await open('/upcoming');
      await row(page, 'Harvest').waitFor();
      const names = await page
        .getByRole('region')
        .evaluateAll((regions) => regions.map((each) => each.getAttribute('aria-label')));
      expect(names).toHaveLength(15);
      expect([names[0], names[13], names[14]]).toEqual([
        'Wednesday, February 1',
        'Tuesday, February 14',
        'Friday, June 1',
      ]);
      expect(await region('Wednesday, February 1').locator('time').count()).toBe(0);
      expect(await barriers(page)).toEqual([]);
    });

    test('takes drops on empty days, by mouse and by keys', async () => {
      await makeTask(user, { title: 'Sow', dueDate: '2040-02-01' });
      await open('/upcoming');
      await row(page, 'Sow').dragTo(region('Friday, February 3'));
      await untilTitles(page, ['Sow'], 'Friday, February 3');
      await untilDue('Sow', '2040-02-03');
      await row(page, 'Sow').getByRole('link').focus();
      for (const key of ['Space', 'ArrowUp']) await page.keyboard.press(key);
      await page.getByRole('toolbar').getByText('To “Thursday, February 2”').waitFor();
      await page.keyboard.press('Space');
      await untilTitles(page, ['Sow'], 'Thursday, February 2');
    });

    test('takes new tasks in place', async () => {
      await open('/upcoming');
      await region('Sunday, February 5').getByRole('button', { name: 'Add a task to Sunday, February 5' }).click();
      await page.keyboard.type('Rest');
      await page.keyboard.press('Enter');
      await untilTitles(page, ['Rest'], 'Sunday, February 5');
      await untilDue('Rest', '2040-02-05');
    });

    test('the keys [ and ] move the task with the focus by a day, and the focus stays with it', async () => {
      await makeTask(user, { title: 'Sow', dueDate: '2040-02-01' });
      await open('/upcoming');
      const link = row(page, 'Sow').getByRole('link', { name: 'Sow' });
      await link.focus();
      for (const [key, name] of [
        [']', 'Thursday, February 2'],
        [']', 'Friday, February 3'],
        ['[', 'Thursday, February 2'],
      ] as const) {
        await page.keyboard.press(key);
        await untilTitles(page, ['Sow'], name);
        await link.and(page.locator(':focus')).waitFor();
      }
      await page.keyboard.press('Control+z');
      await untilTitles(page, ['Sow'], 'Friday, February 3');
      await untilDue('Sow', '2040-02-03');
    });

    test('asks about the later dates of a repeating task, by key and by drop', async () => {
      await repeating('Rent', '2040-02-01');
      await open('/upcoming');
      const dialog = page.getByRole('dialog', { name: 'Change the date' });
      await row(page, 'Rent').getByRole('link', { name: 'Rent' }).focus();
      await page.keyboard.press(']');
      await dialog.getByRole('button', { name: 'Only this one' }).click();
      await untilTitles(page, ['Rent'], 'Thursday, February 2');
      await row(page, 'Rent').getByRole('img', { name: 'Repeats every week on Wednesday' }).waitFor();
      await row(page, 'Rent').dragTo(region('Saturday, February 4'));
      await dialog.getByRole('button', { name: 'This and all later' }).click();
      await untilTitles(page, ['Rent'], 'Saturday, February 4');
      await row(page, 'Rent').getByRole('img', { name: 'Repeats every week on Saturday' }).waitFor();
    });
  });

  describe('Overdue', () => {
    beforeEach(async () => {
      await makeTask(user, { title: 'Dig', dueDate: '2040-01-29' });
      const dueTime = '2040-01-30T20:30:00.000Z';
      await makeTask(user, { title: 'Call', dueDate: '2040-01-30', dueTime, isAllDay: false });
      await repeating('Rent', '2040-01-24');
    });

    test.each([
      ['Today', '2040-01-31'],
      ['Tomorrow', '2040-02-01'],
      ['Next week', '2040-02-07'],
      ['No due date', null],
    ] as const)('is rescheduled as a whole, and taken back by one undo: %s', async (item, day) => {
      await open('/today');
      await untilTitles(page, ['Rent', 'Dig', 'Call'], 'Overdue');
      expect(await barriers(page)).toEqual([]);
      await choose(page, 'Reschedule', item);
      await region('Overdue').waitFor({ state: 'detached' });
      for (const title of ['Dig', 'Call', 'Rent']) await untilDue(title, day);
      expect(await page.getByRole('dialog').count()).toBe(0);
      await undo();
      await untilTitles(page, ['Rent', 'Dig', 'Call'], 'Overdue');
      await untilDue('Call', '2040-01-30');
      await untilDue('Rent', '2040-01-24');
    });

    test('the keys undo the whole change too, after its notice has gone', async () => {
      await open('/today');
      await choose(page, 'Reschedule', 'Today');
      await region('Overdue').waitFor({ state: 'detached' });
      await page.clock.runFor(9_000);
      await page.getByRole('status').getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
      await page.keyboard.press('Control+z');
      await untilTitles(page, ['Rent', 'Dig', 'Call'], 'Overdue');
    });

    test('leaves tasks that the user may only read', async () => {
      const owner = await signUp(service);
      const workspace = await makeWorkspace(owner);
      await addMember(owner, workspace.id, user, 'VIEWER');
      const { id: projectId } = await makeProject(owner, { name: 'Shared', workspaceId: workspace.id });
      await makeTask(owner, { title: 'Read only', dueDate: '2040-01-30', projectId });
      await open('/today');
      await row(page, 'Read only').waitFor();
      await choose(page, 'Reschedule', 'Today');
      await untilTitles(page, ['Read only'], 'Overdue');
      expect(await page.getByRole('button', { name: 'Reschedule' }).count()).toBe(0);
    });
  });

  describe('Calendar', () => {
    const day = (date: string) => page.locator(`[data-day="${date}"]`);
    const popup = (name: string) => page.getByRole('dialog', { name });

    test('shows the month over all projects, and its days take drops', async () => {
      const house = await makeProject(user, { name: 'House' });
      await makeTask(user, { title: 'Paint', dueDate: '2040-01-10', projectId: house.id });
      const dueTime = '2040-01-10T20:30:00.000Z';
      await makeTask(user, { title: 'Call', dueDate: '2040-01-10', dueTime, isAllDay: false });
      await open('/today');
      await page.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name: 'Calendar' }).click();
      await page.getByRole('grid', { name: 'January 2040' }).waitFor();
      await day('2040-01-10').getByRole('link', { name: 'Paint' }).waitFor();
      await day('2040-01-10').getByText('3:30 PM').waitFor();
      await day('2040-01-10').getByRole('link', { name: 'Paint' }).dragTo(day('2040-01-12'));
      await untilDue('Paint', '2040-01-12');
      expect(await barriers(page)).toEqual([]);
    });

    test('Enter and a double click on a day open a field for it', async () => {
      await open('/calendar');
      await day('2040-01-31').focus();
      await page.keyboard.press('Enter');
      const field = popup('Tuesday, January 31').getByRole('textbox', { name: 'Add a task to Tuesday, January 31' });
      await field.and(page.locator(':focus')).waitFor();
      for (const title of ['Dig', 'Sow']) {
        await page.keyboard.type(title);
        await page.keyboard.press('Enter');
        await day('2040-01-31').getByRole('link', { name: title }).waitFor();
      }
      expect(await barriers(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await popup('Tuesday, January 31').waitFor({ state: 'detached' });
      await day('2040-01-31').and(page.locator(':focus')).waitFor();
      await day('2040-01-18').dblclick();
      await page.keyboard.type('Water');
      await page.keyboard.press('Enter');
      await untilDue('Water', '2040-01-18');
      await page.mouse.click(5, 5);
      await popup('Wednesday, January 18').waitFor({ state: 'detached' });
    });

    test.each([
      [1280, 700],
      [320, 700],
    ])('six weeks fit in a window of %d by %d, and “N more” opens the day', async (width, height) => {
      await page.setViewportSize({ width, height });
      const titles = Array.from({ length: 9 }, (_, index) => `Task ${index}.`);
      for (const title of titles) await makeTask(user, { title, dueDate: '2040-01-18' });
      await open('/calendar');
      await day('2040-01-18').getByRole('link').first().waitFor();
      const more = day('2040-01-18').getByRole('button', { name: /more$/ });
      await more.waitFor();
      expect(await page.getByRole('gridcell').count()).toBe(42);
      const heights = await page
        .locator('main')
        .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
      expect(heights).toBe(0);
      const shown = await day('2040-01-18').getByRole('link').count();
      expect(
        await day('2040-01-18')
          .getByRole('button', { name: `${9 - shown} more`, exact: true })
          .count(),
      ).toBe(1);
      const cut = await page
        .getByRole('gridcell')
        .evaluateAll((cells) => cells.filter((cell) => cell.scrollHeight > cell.clientHeight).length);
      expect(cut).toBe(0);
      await more.click();
      const links = popup('Wednesday, January 18').getByRole('link');
      expect(await links.count()).toBe(9);
      expect(await barriers(page)).toEqual([]);
      await links.first().click();
      await page.getByRole('complementary', { name: 'Task' }).waitFor();
      expect(await popup('Wednesday, January 18').count()).toBe(0);
    });
  });
});
