import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, barriers, detailsOf, type Page, row, setDue } from './acts.ts';

type Found = Record<'title' | 'dueDate', string> & {
  completed: boolean;
  recurrence: { rule: string; date: string } | null;
};

const query = `query ($id: ID!) {
  tasks(filter: { projectId: $id }) { nodes { title completed dueDate dueTime recurrence { rule basis timeZone date number } } }
}`;

describeWithBrowser('tasks that repeat', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let projectId: string;
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
    ({ id: projectId } = await makeProject(user, { name: 'Home' }));
    page = await newPage(watchedPage.browser, service.url, user.cookie, {
      locale: 'en-US',
      timezoneId: 'America/New_York',
    });
    // A Tuesday.
    await page.clock.setFixedTime('2040-01-31T12:00:00-05:00');
  });

  const details = () => detailsOf(page);
  const radio = (name: string) => details().getByRole('radio', { name });
  const found = async (): Promise<Found[]> =>
    (await user.data<{ tasks: { nodes: Found[] } }>(query, { id: projectId })).tasks.nodes;
  /** Due dates with a mark for completed tasks, in order. */
  const untilDates = (...expected: string[]) =>
    until(`the service has ${expected.join()}`, async () => {
      const tasks = await found();
      const dates = tasks.map(({ dueDate, completed }) => (completed ? `${dueDate} ✓` : dueDate));
      return dates.sort().join() === expected.join();
    });
  const untilRule = (rule: string | undefined) =>
    until(`the rule is ${rule}`, async () => (await found()).at(0)?.recurrence?.rule === rule);
  const openTask = async (fields: object = {}) => {
    const { id } = await makeTask(user, { title: 'Rent', projectId, dueDate: '2040-01-31', ...fields });
    await page.goto(`${service.url}/tasks/${id}`);
    await details().getByLabel('Repeat').waitFor();
  };
  const open = () => page.getByRole('main').getByRole('checkbox', { name: 'Rent', checked: false });
  const repeat = (preset: string) => details().getByLabel('Repeat').selectOption(preset);
  const shownPreset = () => details().getByLabel('Repeat').locator('option:checked').textContent();
  const nextDates = () => details().getByRole('list', { name: 'Next dates' }).getByRole('listitem').allInnerTexts();
  const image = (summary: string) => row(page, 'Rent').getByRole('img', { name: `Repeats ${summary}`, exact: true });

  test('each preset has its rule, its next dates and its image', async () => {
    await openTask();
    expect(await shownPreset()).toBe('Never');
    const table: [preset: string, rule: string, summary: string, dates: string][] = [
      ['Every day', 'FREQ=DAILY', 'every day', 'Tomorrow, Thu, Fri, Sat, Sun'],
      ['Every weekday', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'every weekday', 'Tomorrow, Thu, Fri, Mon, Feb 7'],
      ['Every week', 'FREQ=WEEKLY', 'every week on Tuesday', 'Feb 7, Feb 14, Feb 21, Feb 28, Mar 6'],
      [
        'Every month',
        'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
        'every month on the 31st or the last day before',
        'Feb 29, Mar 31, Apr 30, May 31, Jun 30',
      ],
      [
        'Every month on the last day',
        'FREQ=MONTHLY;BYMONTHDAY=-1',
        'every month on the last day',
        'Feb 29, Mar 31, Apr 30, May 31, Jun 30',
      ],
      [
        'Every year',
        'FREQ=YEARLY',
        'every year on 31 January',
        'Jan 31, 2041, Jan 31, 2042, Jan 31, 2043, Jan 31, 2044, Jan 31, 2045',
      ],
    ];
    for (const [preset, rule, summary, dates] of table) {
      await repeat(preset);
      await image(summary).waitFor();
      expect((await nextDates()).map((text) => text.trim()).join(', ')).toBe(dates);
      await untilRule(rule);
      await page.reload();
      await details().getByRole('list', { name: 'Next dates' }).waitFor();
      expect(await shownPreset()).toBe(preset);
    }
    await repeat('Never');
    await untilRule(undefined);
    await image('every year on 31 January').waitFor({ state: 'detached' });
  });

  test('“Every year” on 29 February leaves no year out', async () => {
    await openTask({ dueDate: '2040-02-29' });
    await repeat('Every year');
    await details().getByText('Feb 28, 2041').waitFor();
    expect((await nextDates()).join()).toContain('Feb 29, 2044');
    expect(await shownPreset()).toBe('Every year');
  });

  test('a task without a due date gets the first day that fits', async () => {
    await openTask({ dueDate: null });
    await repeat('Every weekday');
    await until('the field has it', async () => (await details().getByLabel('Due date').inputValue()) === 'Today');
    await details().getByRole('list', { name: 'History' }).getByText('Repeat: none → Every weekday').waitFor();
  });

  test('a custom rule is saved as a whole; a refused one stays in its field with the reason', async () => {
    await openTask();
    await repeat('Custom');
    const rule = details().getByLabel('Rule');
    await rule.fill('freq=monthly;byday=xx');
    await rule.press('Enter');
    await details().getByRole('alert').getByText('Rule must have MO, TU, WE, TH, FR, SA, SU in BYDAY').waitFor();
    expect(await rule.inputValue()).toBe('freq=monthly;byday=xx');
    expect(await rule.getAttribute('aria-invalid')).toBe('true');
    expect(await barriers(page)).toEqual([]);
    await rule.fill('freq=monthly;byday=-1fr');
    await details().getByLabel('Title').focus();
    await untilRule('FREQ=MONTHLY;BYDAY=-1FR');
    await until(
      'the field has its canonical form',
      async () => (await rule.inputValue()) === 'FREQ=MONTHLY;BYDAY=-1FR',
    );
    expect(await details().getByRole('alert').count()).toBe(0);
  });

  test('the next date can follow from the completion, if the rule is a plain interval', async () => {
    await openTask();
    await repeat('Every weekday');
    await untilRule('FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR');
    await radio('After completion').click();
    await details().getByRole('alert').getByText('Rule must be a plain interval').waitFor();
    expect(await radio('By the schedule').isChecked()).toBe(true);
    await radio('Each date').check();
    await image('every weekday, each date').waitFor();
    await repeat('Every month');
    await radio('After completion').check();
    await image('1 month after completion').waitFor();
    await untilRule('FREQ=MONTHLY');
    expect(await shownPreset()).toBe('Every month');
    await radio('By the schedule').check();
    await untilRule('FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1');
  });

  test('a series ends on a date or after times, and an incomplete value is not saved', async () => {
    await openTask();
    await repeat('Every day');
    await radio('After times').check();
    await details().getByLabel('Occurrences').fill('3');
    await details().getByLabel('Occurrences').press('Enter');
    await image('every day, 3 times').waitFor();
    expect(await nextDates()).toHaveLength(2);
    await radio('On a date').check();
    await details().getByLabel('Last day').focus();
    for (const key of '0209') await page.keyboard.press(key);
    await details().getByLabel('Title').focus();
    expect(await details().getByLabel('Last day').inputValue()).toBe('');
    await image('every day, 3 times').waitFor();
    await details().getByLabel('Last day').focus();
    for (const key of '02092040') await page.keyboard.press(key);
    await details().getByLabel('Title').focus();
    await untilRule('FREQ=DAILY;UNTIL=20400209');
    await radio('Never').check();
    await untilRule('FREQ=DAILY');
  });

  test('completing makes the next occurrence, and “Undo” takes both back', async () => {
    await openTask();
    await repeat('Every week');
    await untilRule('FREQ=WEEKLY');
    await page.getByRole('main').getByRole('checkbox', { name: 'Rent' }).first().check();
    await row(page, 'Rent').getByText('Feb 7').waitFor();
    await untilDates('2040-01-31 ✓', '2040-02-07');
    expect(await page.getByRole('main').getByRole('img', { name: 'Repeats every week on Tuesday' }).count()).toBe(1);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await untilDates('2040-01-31');
    await until('one row is left', async () => (await open().count()) === 1);
    await image('every week on Tuesday').waitFor();
    await page.getByRole('main').getByRole('checkbox', { name: 'Rent' }).check();
    await untilDates('2040-01-31 ✓', '2040-02-07');
    await details().getByLabel('Completed').uncheck();
    await untilDates('2040-01-31');
    await until('one row is left', async () => (await open().count()) === 1);
  });

  test('a date is skipped', async () => {
    await openTask();
    await repeat('Every week');
    await details().getByRole('button', { name: 'Skip this date' }).click();
    await row(page, 'Rent').getByText('Feb 7').waitFor();
    await untilDates('2040-02-07');
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await untilDates('2040-01-31');
  });

  test('a change of the date or time asks which occurrences it concerns', async () => {
    // 20:00, which is on the next day in UTC.
    await openTask({ dueDate: '2040-01-31', dueTime: '2040-02-01T01:00:00.000Z', isAllDay: false });
    await repeat('Every week');
    await untilRule('FREQ=WEEKLY');
    const dialog = page.getByRole('dialog', { name: 'Change the date' });
    const choose = (name: string) => dialog.getByRole('button', { name }).click();
    expect(await barriers(page)).toEqual([]);
    await setDue(page, '2040-02-02');
    await dialog.waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await details().getByLabel('Due date').inputValue()).toBe('Today');
    await setDue(page, '2040-02-02');
    await choose('Only this one');
    await untilDates('2040-02-02');
    expect((await found())[0]).toMatchObject({
      dueTime: '2040-02-03T01:00:00.000Z',
      recurrence: { rule: 'FREQ=WEEKLY', date: '2040-01-31', timeZone: 'America/New_York' },
    });
    await details().getByText('Feb 7').waitFor();
    await details().getByLabel('Time', { exact: true }).fill('21:30');
    await choose('This and all later');
    await until('the series moves', async () => (await found())[0]?.recurrence?.date === '2040-02-02');
    expect((await found())[0]).toMatchObject({ dueTime: '2040-02-03T02:30:00.000Z', recurrence: { number: 1 } });
    await details().getByText('Feb 9 9:30 PM').waitFor();
  });

  test('“This and all later” moves a rule for one weekday along', async () => {
    await openTask({ dueDate: '2040-01-30' });
    await repeat('Custom');
    await details().getByLabel('Rule').fill('FREQ=WEEKLY;BYDAY=MO;COUNT=5');
    await details().getByLabel('Rule').press('Enter');
    await untilRule('FREQ=WEEKLY;BYDAY=MO;COUNT=5');
    await details().getByRole('button', { name: 'Skip this date' }).click();
    await untilDates('2040-02-06');
    await setDue(page, '2040-02-08');
    await page.getByRole('dialog').getByRole('button', { name: 'This and all later' }).click();
    // Four of the five are left.
    await untilRule('FREQ=WEEKLY;COUNT=4');
    expect(await nextDates()).toHaveLength(3);
    await image('every week on Wednesday, 4 times').waitFor();
  });

  test('a series of another time zone stays in it, although its times are shown as local ones', async () => {
    // 09:00 in Berlin, which is 03:00 in New York.
    const due = { dueDate: '2040-01-31', dueTime: '2040-01-31T08:00:00.000Z', isAllDay: false };
    const { id } = await makeTask(user, { title: 'Rent', projectId, ...due });
    const input = { recurrence: { rule: 'FREQ=WEEKLY', timeZone: 'Europe/Berlin' } };
    const mutation = 'mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }';
    await user.data(mutation, { id, input });
    await page.goto(`${service.url}/tasks/${id}`);
    await details().getByText('Feb 7 3:00 AM').waitFor();
    await details().getByLabel('Time', { exact: true }).fill('20:00');
    await page.getByRole('dialog').getByRole('button', { name: 'This and all later' }).click();
    await details().getByText('Feb 7 8:00 PM').waitFor();
    await untilDates('2040-02-01');
    expect((await found())[0]).toMatchObject({
      dueTime: '2040-02-01T01:00:00.000Z',
      recurrence: { rule: 'FREQ=WEEKLY', date: '2040-02-01', timeZone: 'Europe/Berlin' },
    });
  });

  test('quick add understands rules', async () => {
    await page.goto(`${service.url}/today`);
    await page.getByLabel('Add a task').fill('Bins every monday and thursday 8:00');
    const chips = page.getByRole('list', { name: 'Details found' }).getByRole('listitem');
    expect(await chips.allTextContents()).toEqual(['Every week on Monday and Thursday', 'Thu 8:00 AM']);
    await page.getByRole('button', { name: 'Remove Thu 8:00 AM' }).click();
    await page.goto(`${service.url}/projects/${projectId}`);
    await add(page, 'Bins every monday and thursday');
    await add(page, 'Water every! 3 days 9:00');
    await add(page, 'Sort everything');
    await row(page, 'Bins').getByRole('img', { name: 'Repeats every week on Monday and Thursday' }).waitFor();
    await row(page, 'Water').getByRole('img', { name: 'Repeats 3 days after completion' }).waitFor();
    await until('all are sent', async () => (await found()).length === 3);
    const tasks = await found();
    const of = (name: string) => tasks.find(({ title }) => title === name);
    expect(of('Bins')).toMatchObject({ dueDate: '2040-02-02', recurrence: { rule: 'FREQ=WEEKLY;BYDAY=MO,TH' } });
    expect(of('Water')).toMatchObject({
      dueTime: '2040-01-31T14:00:00.000Z',
      recurrence: { rule: 'FREQ=DAILY;INTERVAL=3', basis: 'COMPLETION', timeZone: 'America/New_York' },
    });
    expect(of('Sort everything')).toMatchObject({ recurrence: null });
  });

  test('offline, it shows what the service then makes', async () => {
    await openTask();
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    await repeat('Every week');
    await image('every week on Tuesday').waitFor();
    await page.getByRole('main').getByRole('checkbox', { name: 'Rent' }).check();
    await row(page, 'Rent').getByText('Feb 7').waitFor();
    await page.reload();
    await row(page, 'Rent').getByText('Feb 7').waitFor();
    expect(await open().count()).toBe(1);
    await row(page, 'Rent').filter({ hasText: 'Feb 7' }).getByRole('link', { name: 'Rent' }).click();
    await details().getByRole('button', { name: 'Skip this date' }).click();
    await row(page, 'Rent').getByText('Feb 14').waitFor();
    await page.context().setOffline(false);
    await untilDates('2040-01-31 ✓', '2040-02-14');
    await page.getByText('Not sent yet').waitFor({ state: 'detached' });
    await row(page, 'Rent').getByText('Feb 14').waitFor();
    expect(await open().count()).toBe(1);
    expect(await page.getByText('Could not').count()).toBe(0);
  });
});
