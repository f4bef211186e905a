import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { lanes } from '../../src/notifications/kinds.ts';
import { randomEmail } from '../kit/random.ts';
import { until } from '../kit/until.ts';
import type { User } from '../kit/users.ts';
import { hourMs, minuteMs, planAndSend, planAndSendAt } from './deliveries.ts';
import { dueAt, moment, noon, openStage, type Stage } from './stage.ts';

let stage: Stage;
let anna: User;
let ben: User;
beforeAll(async () => {
  stage = await openStage();
  ({ anna, ben } = stage);
});
afterAll(() => stage.close());
beforeEach(async () => {
  await stage.reset();
  stage.sink.mails.length = 0;
  stage.sink.attempts.clear();
});

const subjectsTo = (user: User) =>
  stage.sink.mails.filter(({ recipient }) => recipient === user.email).map(({ subject }) => subject);

const notify = (to: string) =>
  stage.service.services.mailer.send({ kind: 'NOTICE', to, subject: 'News', text: 'News\n', html: '<p>News</p>\n' });

describe('reminders of a user that are due together', () => {
  test.each([
    [3, 'each has a mail', (titles: string[]) => titles.map((title) => `Reminder: ${title}`)],
    [5, 'they share one mail', () => ['Reminder: 5 tasks']],
  ])('if there are %i, %s', async (count, _label, expected) => {
    const tasks = [];
    for (let index = 0; index < count; index += 1) tasks.push(await dueAt(anna, 2 * hourMs));
    await planAndSend(stage.service);
    await planAndSendAt(stage.service, stage.clock, noon + 90 * minuteMs);
    const titles = tasks.map(({ title }) => title);
    expect(subjectsTo(anna).sort()).toEqual(expected(titles).sort());
    const text = stage.sink.mails.map((mail) => mail.text).join('');
    for (const [at, title] of titles.entries()) {
      expect(text).toContain(title);
      expect(await stage.reminderRows(anna, tasks[at] ?? { id: '' })).toEqual(['90m SENT']);
    }
    await stage.service.sql("UPDATE deliveries SET sent_at = sent_at - interval '1 hour' WHERE status = 'SENT'");
  });

  test('become one mail if the user had three within the minute', async () => {
    const tasks = [];
    for (let index = 0; index < 5; index += 1) tasks.push(await dueAt(ben, 2 * hourMs + Number(index > 2) * 1000));
    await planAndSend(stage.service);
    await planAndSendAt(stage.service, stage.clock, noon + 90 * minuteMs);
    expect(subjectsTo(ben)).toHaveLength(3);
    await planAndSendAt(stage.service, stage.clock, noon + 90 * minuteMs + 1000);
    expect(subjectsTo(ben).slice(3)).toEqual(['Reminder: 2 tasks']);
  });

  test('omit reminders without a reason', async () => {
    const tasks = [];
    for (let index = 0; index < 5; index += 1) tasks.push(await dueAt(anna, 2 * hourMs));
    await planAndSend(stage.service);
    await stage.service.sql('UPDATE tasks SET completed = true, completed_at = now() WHERE id = $1', [tasks[0]?.id]);
    stage.clock.set(noon + 90 * minuteMs);
    await stage.service.services.mailer.drain();
    expect(subjectsTo(anna)).toEqual(['Reminder: 4 tasks']);
    expect(await stage.reminderRows(anna, tasks[0] ?? { id: '' })).toEqual(['90m SKIPPED The task was completed.']);
    await stage.service.sql("UPDATE deliveries SET sent_at = sent_at - interval '1 hour' WHERE status = 'SENT'");
  });

  test('wait if the user has reached the limit of mails in an hour', async () => {
    await stage.service.sql(
      `INSERT INTO deliveries (id, user_id, kind, occurrence, task_id, space_id, due_at, at, next_at, expires_at, status, sent_at)
       SELECT 'dlvr_' || n, $1, 'REMINDER', 'of ' || n, 'task_' || n, $1, $2, $2, $2, $2, 'SENT', $2::timestamptz - n * interval '1 second'
       FROM generate_series(1, 120) AS n`,
      [ben.id, moment(90 * minuteMs)],
    );
    const task = await dueAt(ben, 2 * hourMs);
    await planAndSend(stage.service);
    await planAndSendAt(stage.service, stage.clock, noon + 90 * minuteMs);
    expect(await stage.reminderRows(ben, task)).toEqual(['90m PLANNED']);
    await planAndSendAt(stage.service, stage.clock, noon + 152 * minuteMs);
    expect(await stage.reminderRows(ben, task)).toEqual(['90m SENT']);
    await stage.service.sql("DELETE FROM deliveries WHERE id LIKE 'dlvr_%' AND length(id) < 10");
  });
});

describe('recipients with a hanging mail server', () => {
  /** Lets all mails to a domain hang. @returns a function that releases them */
  const hangDomain = (domain: string) => {
    let end = () => {};
    const ended = new Promise<undefined>((resolve) => (end = () => resolve(undefined)));
    stage.sink.setBehaviour((recipient) => (recipient.endsWith(`@${domain}`) ? ended : undefined));
    return end;
  };
  const hangingAttempts = () => [...stage.sink.attempts].filter(([address]) => address.endsWith('slow.example'));

  test('have one slot each', async () => {
    const end = hangDomain('slow.example');
    for (let index = 0; index < 2 * lanes.NOTICE; index += 1) await notify('anna@slow.example');
    await stage.sink.untilMet('one that hangs', () => hangingAttempts().length === 1);
    const other = randomEmail();
    await notify(other);
    await stage.sink.take(other);
    expect(hangingAttempts()).toEqual([['anna@slow.example', 1]]);
    end();
    await planAndSend(stage.service);
    expect(hangingAttempts()).toEqual([['anna@slow.example', 2 * lanes.NOTICE]]);
  });

  test('have four slots for each domain, and other domains come before the rest of them', async () => {
    const end = hangDomain('slow.example');
    await Promise.all(Array.from({ length: 200 }, (_, index) => notify(`user${index}@slow.example`)));
    await stage.sink.untilMet('some that hang', () => hangingAttempts().length === 4);
    const other = randomEmail();
    await notify(other);
    await stage.sink.take(other);
    expect(hangingAttempts()).toHaveLength(4);
    end();
    await until('all are sent', async () => {
      stage.clock.advance(1000);
      await planAndSend(stage.service);
      return stage.sink.mails.length === 201;
    });
  });
});
