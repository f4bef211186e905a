import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { choose, detailsOf, type Page } from './acts.ts';

describeWithBrowser('fields of the console that are saved without a button', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    service = await startService();
    user = await signUp(service);
    watchedPage = await openPage(service.url);
    page = await newPage(watchedPage.browser, service.url, user.cookie, {
      locale: 'en-US',
      timezoneId: 'America/New_York',
    });
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  const type = async (keys: string) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  describe('the due date of a task that has a time', () => {
    let id: string;
    const dueOf = async () => {
      const { task } = await user.data<{ task: Record<string, unknown> }>(
        'query ($id: ID!) { task(id: $id) { dueDate dueTime } }',
        { id },
      );
      return task;
    };
    const operations = async () => {
      const { task } = await user.data<{ task: { history: { nodes: unknown[] } } }>(
        'query ($id: ID!) { task(id: $id) { history(first: 50) { nodes { kind } } } }',
        { id },
      );
      return task.history.nodes.length;
    };
    const focus = (label: string) => detailsOf(page).getByLabel(label).focus();
    const clear = async () => {
      for (const key of ['Backspace', 'Tab', 'Backspace', 'Tab', 'Backspace']) await page.keyboard.press(key);
      await focus('Title');
    };
    const untilDue = (dueDate: string | null, dueTime: string | null) =>
      until(`it is due ${dueDate ?? 'never'}`, async () => {
        const due = await dueOf();
        return due['dueDate'] === dueDate && due['dueTime'] === dueTime;
      });
    let sent = 0;
    /** Waits for a change of the title, and thus for all earlier changes. */
    const untilSent = async () => {
      const title = `Sent ${(sent += 1)}`;
      await detailsOf(page).getByLabel('Title').fill(title);
      await detailsOf(page).getByLabel('Title').press('Enter');
      await until('the title is sent', async () => {
        const { task } = await user.data<{ task: { title: string } }>('query ($id: ID!) { task(id: $id) { title } }', {
          id,
        });
        return task.title === title;
      });
    };
    const before = { dueDate: '2026-12-24', dueTime: '2026-12-24T20:30:00.000Z' };
    beforeEach(async () => {
      ({ id } = await makeTask(user, { ...before, isAllDay: false }));
      await page.goto(`${service.url}/tasks/${id}`);
      await detailsOf(page).getByLabel('Due date').waitFor();
    });

    test('moves to the typed day, with its time, in one operation', async () => {
      const count = await operations();
      await focus('Due date');
      await type('2027-01-15');
      await focus('Title');
      await untilDue('2027-01-15', '2027-01-15T20:30:00.000Z');
      expect(await operations()).toBe(count + 1);
    });

    test('is saved by Enter, while the field keeps the focus', async () => {
      await focus('Due date');
      await type('2027-02-24');
      await page.keyboard.press('Enter');
      await untilDue('2027-02-24', '2027-02-24T20:30:00.000Z');
      await detailsOf(page).getByLabel('Due date').and(page.locator(':focus')).waitFor();
    });

    test('takes the words of quick add: a time, and a rule', async () => {
      await focus('Due date');
      await page.keyboard.type('15 Jan 2027 at 17:00');
      await page.keyboard.press('Enter');
      await untilDue('2027-01-15', '2027-01-15T22:00:00.000Z');
      await page.keyboard.press('Control+a');
      await page.keyboard.type('every month on the last day');
      await page.keyboard.press('Enter');
      const repeat = detailsOf(page).getByLabel('Repeat');
      await until('the rule is set', async () => (await repeat.inputValue()) === 'monthEnd');
    });

    test('stays unchanged while its words are unclear, and says so', async () => {
      const field = detailsOf(page).getByLabel('Due date');
      await focus('Due date');
      await page.keyboard.type('some day');
      await user.data('mutation ($id: ID!) { updateTask(id: $id, input: { priority: HIGH }) { id } }', { id });
      await until(
        'the change of elsewhere is shown',
        async () => (await detailsOf(page).getByLabel('Priority').inputValue()) === 'HIGH',
      );
      await page.keyboard.press('Enter');
      await detailsOf(page).getByRole('alert').getByText('Due date is unclear').waitFor();
      expect(await field.inputValue()).toBe('some day');
      await untilSent();
      expect(await dueOf()).toEqual(before);
      await field.fill('2027-02-24');
      await field.press('Enter');
      await untilDue('2027-02-24', '2027-02-24T20:30:00.000Z');
      await detailsOf(page).getByText('Due date is unclear').waitFor({ state: 'detached' });
    });

    test('is removed if its words are', async () => {
      await focus('Due date');
      await page.keyboard.press('Backspace');
      await focus('Title');
      await untilDue(null, null);
    });

    test('is kept when the details close by Escape', async () => {
      await focus('Due date');
      await type('2027-03-24');
      await page.keyboard.press('Escape');
      await untilDue('2027-03-24', '2027-03-24T19:30:00.000Z');
    });

    test('the time in the same way: half of it is no time', async () => {
      await focus('Time');
      await page.keyboard.press('Backspace');
      await untilSent();
      expect(await dueOf()).toEqual(before);
      await focus('Time');
      await type('0415');
      await focus('Title');
      await untilDue('2026-12-24', '2026-12-24T21:15:00.000Z');
      await focus('Time');
      await clear();
      await untilDue('2026-12-24', null);
    });
  });

  test('a name that is being typed stays while the account changes elsewhere', async () => {
    await page.goto(`${service.url}/settings/profile`);
    const field = page.getByLabel('Name', { exact: true });
    await field.fill('Ada');
    await user.data('mutation { updateProfile(name: "Elsewhere") { id } }');
    const initial = page.locator('main .avatar').filter({ hasText: 'E' });
    await initial.waitFor();
    expect(await field.inputValue()).toBe('Ada');
  });

  test('an unchanged name is not sent, because somebody else may have changed it', async () => {
    const project = await user.data<{ createProject: { id: string } }>(
      'mutation { createProject(name: "Garden") { id } }',
    );
    const { id } = project.createProject;
    await page.goto(`${service.url}/projects/${id}`);
    await choose(page, 'Project menu', 'Rename');
    await page.getByRole('dialog').waitFor();
    await user.data('mutation ($id: ID!) { updateProject(id: $id, name: "Park") { id } }', { id });
    await page.getByRole('heading', { name: 'Park', includeHidden: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Park');
  });

  test('preferences are saved when their field is left, and only if they are complete', async () => {
    const preferences = async () => {
      const { viewer } = await user.data<{ viewer: { preferences: Record<string, unknown> } }>(
        '{ viewer { preferences { digestTime reminderBefore } } }',
      );
      return viewer.preferences;
    };
    await user.data('mutation { updatePreferences(input: { digestTime: "07:00", reminderBefore: 10 }) { id } }');
    await page.goto(`${service.url}/settings/notifications`);
    const digest = page.getByLabel('Digest time');
    await digest.focus();
    await page.keyboard.press('Backspace');
    const minutes = page.getByLabel('Minutes before the due time');
    await minutes.press('Control+a');
    await type('45');
    await page.keyboard.press('Tab');
    await until('the minutes are saved', async () => (await preferences())['reminderBefore'] === 45);
    expect(await preferences()).toEqual({ digestTime: '07:00', reminderBefore: 45 });
    await minutes.press('Control+a');
    await minutes.press('Delete');
    await digest.focus();
    await type('08');
    await minutes.focus();
    await until('the time is saved', async () => (await preferences())['digestTime'] === '08:00');
    expect([await minutes.inputValue(), (await preferences())['reminderBefore']]).toEqual(['45', 45]);
  });

  test('the planned reminder follows the preferences and the clock', async () => {
    const { id } = await makeTask(user, {
      ...{ dueDate: '2027-03-14', dueTime: '2027-03-14T17:00:00.000Z', isAllDay: false },
      reminder: true,
    });
    const own = await newPage(watchedPage.browser, service.url, user.cookie, {
      locale: 'en-US',
      timezoneId: 'America/New_York',
    });
    await own.clock.install({ time: new Date('2027-03-14T16:00:00.000Z') });
    await user.patch('/api/v1/user/user-preferences', { reminderBefore: 30 });
    await own.goto(`${service.url}/tasks/${id}`);
    await detailsOf(own)
      .getByText(/^Planned for .*12:30.PM$/)
      .waitFor();
    await user.patch('/api/v1/user/user-preferences', { reminderBefore: 10 });
    await detailsOf(own)
      .getByText(/^Planned for .*12:50.PM$/)
      .waitFor();
    await own.clock.fastForward('51:00');
    await detailsOf(own).getByText('You will not get a reminder').waitFor();
    await own.context().close();
  });

  test('the next digest is shown again when the connection returns', async () => {
    const preview = page.getByRole('region', { name: 'Next digest' });
    await page.goto(`${service.url}/settings/notifications`);
    await preview.waitFor();
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
    const day = await page.evaluate(() => new Date().toLocaleDateString('sv'));
    await makeTask(user, { title: 'Prune the roses', dueDate: day });
    await page.context().setOffline(false);
    await preview.getByText('Prune the roses').waitFor();
  });
});
