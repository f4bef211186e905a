import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { lanes } from '../../src/notifications/kinds.ts';
import { codeMail } from '../../src/notifications/mails/account-mails.ts';
import { type CapturedLog, captureLog, levels } from '../kit/log-lines.ts';
import { makeTask } from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, type ServiceOptions, startService } from '../kit/service.ts';
import { mailboxOf, openSmtpSink, type SmtpReply, type SmtpSink } from '../kit/smtp-sink.ts';
import { silentServer } from '../kit/smtp.ts';
import { until } from '../kit/until.ts';
import { signUpByMail, User } from '../kit/users.ts';
import {
  deliveriesOf,
  FixedClock,
  hourMs,
  minuteMs,
  changePreferences,
  planAndSend,
  planAndSendAt,
} from './deliveries.ts';

const noon = Date.parse('2026-11-24T12:00:00Z');
const busyReply: SmtpReply = { responseCode: 451, message: 'come again later' };
const rejection: SmtpReply = { responseCode: 550, message: 'not here' };
const gaveUpReason = 'The mail server could not be reached, or did not accept the mail in time.';

const usual = {
  MAIL_FROM: 'Taskgate <tasks@example.com>',
  SESSION_SECRET: 'a secret of the tests',
  LOG_LEVEL: 'debug',
};
const clock = new FixedClock('2026-11-24T12:00:00Z');
let capturedLog: CapturedLog;
let sink: SmtpSink;
let service: Service;
let anna: User;

const start = (variables: Record<string, string> = {}, options: ServiceOptions = {}) =>
  startService({ SMTP_URL: sink.url, ...usual, ...variables }, { clock, ...options });

beforeEach(async () => {
  clock.set(noon);
  capturedLog = captureLog();
  sink = await openSmtpSink();
  service = await start();
  anna = await signUpByMail({ ...service, mailbox: mailboxOf(sink) });
  sink.attempts.clear();
  sink.copies.clear();
});
afterEach(async () => {
  await service.close();
  await sink.close();
  capturedLog.release();
});

async function restart(variables: Record<string, string>): Promise<void> {
  await service.close();
  service = await start(variables, { databaseUrl: service.databaseUrl });
  anna = new User(service, anna.cookie, anna);
}

/** An SMTP address with a timeout that is longer than an attempt. */
const patientUrl = () => `${sink.url}?socketTimeout=600000`;

const rowsOf = (kind: string) =>
  service.sql<{ id: string; isLeased: boolean }>(
    `SELECT *, leased_until IS NOT NULL AS "isLeased" FROM deliveries WHERE kind = $1::"DeliveryKind" ORDER BY id DESC`,
    [kind],
  );

async function requestCode(email: string): Promise<void> {
  expect(await service.anonymous.post('/api/v1/user/signup/send-otp', { email })).toMatchObject({ status: 200 });
}

const createDueTask = () => makeTask(anna, { reminder: true, isAllDay: false, dueTime: '2026-11-24T12:30:00.000Z' });

/** Causes of a mail of each kind. @returns its address, and the end of its retries */
const causes = {
  async CODE() {
    const to = randomEmail();
    await requestCode(to);
    return { to, ends: noon + 5 * minuteMs };
  },
  async NOTICE() {
    const mail = { subject: 'News', text: 'News\n', html: '<p>News</p>\n' };
    await service.services.mailer.send({ kind: 'NOTICE', userId: anna.id, to: anna.email, ...mail });
    return { to: anna.email, ends: noon + 24 * hourMs };
  },
  async TEST() {
    await anna.data('mutation { sendTestMail }');
    return { to: anna.email, ends: noon + 24 * hourMs };
  },
  async REMINDER() {
    await createDueTask();
    return { to: anna.email, ends: noon + 90 * minuteMs };
  },
  async DIGEST() {
    await makeTask(anna, { dueDate: '2026-11-24' });
    await changePreferences(anna, { dailyDigest: true, digestTime: '13:01', timeZone: 'Europe/Berlin' });
    await planAndSend(service);
    clock.advance(minuteMs);
    return { to: anna.email, ends: Date.parse('2026-11-25T00:00:00+01:00') };
  },
};
const kinds = Object.keys(causes) as (keyof typeof causes)[];

describe('a mailer with an SMTP server', () => {
  test('delivers a mail unchanged, with a Message-ID that names its delivery', async () => {
    const { to } = await causes.CODE();
    const mail = await sink.take(to);
    const [code = ''] = /\d{6}/.exec(mail.subject ?? '') ?? [];
    const [{ id } = { id: '' }] = await rowsOf('CODE');
    expect(mail).toMatchObject({
      ...codeMail(code),
      from: { text: '"Taskgate" <tasks@example.com>' },
      to: { text: to },
      messageId: `<${id}@example.com>`,
    });
    expect(service.services.mailer.writesFiles).toBe(false);
  });

  test.each([
    ['REMINDER', 'taskRemainders'],
    ['DIGEST', 'dailyDigest'],
  ] as const)('sends a %s with the headers of a one-click link that turns off %s', async (kind, preference) => {
    await causes[kind]();
    await planAndSend(service);
    const { headerLines } = await sink.take(anna.email);
    const headers = Object.fromEntries(headerLines.map(({ key, line }) => [key, line.replaceAll(/\s+/g, ' ')]));
    expect(headers['list-unsubscribe-post']).toBe('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const [, url = ''] = /^List-Unsubscribe: <(.+)>$/.exec(headers['list-unsubscribe'] ?? '') ?? [];
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
    expect(answer.status).toBe(200);
    expect(await anna.get('/api/v1/user/user-preferences')).toMatchObject({ body: { [preference]: false } });
  });

  test('writes no header that a text contains', async () => {
    const mail = { subject: 'one\r\nBcc: ben@example.com', text: 'News\n', html: '<p>News</p>\n' };
    await service.services.mailer.send({ kind: 'NOTICE', to: anna.email, ...mail });
    const { subject, bcc, headers } = await sink.take(anna.email);
    expect(subject).toBe('one Bcc: ben@example.com');
    expect(bcc).toBeUndefined();
    expect(headers.has('bcc')).toBe(false);
    expect([...sink.attempts.keys()]).toEqual([anna.email]);
  });

  test('retries a mail that the server refused for now', async () => {
    sink.setBehaviour(() => busyReply, 'end of DATA');
    await causes.TEST();
    await planAndSend(service);
    const pauses = [2, 6, 18, 54, 162, 486, 1458, 1800, 1800];
    for (const [index, seconds] of pauses.entries()) {
      clock.advance(seconds * 1000 - 1);
      await planAndSend(service);
      expect([seconds, sink.attempts.get(anna.email)]).toEqual([seconds, index + 1]);
      if (index === pauses.length - 1) sink.setBehaviour(() => undefined, 'end of DATA');
      else expect(await deliveriesOf(anna)).toMatchObject([{ status: 'PLANNED', reason: null }, {}]);
      clock.advance(1);
      await planAndSend(service);
      expect([seconds, sink.attempts.get(anna.email)]).toEqual([seconds, index + 2]);
    }
    expect(await deliveriesOf(anna)).toMatchObject([{ status: 'SENT', sentAt: clock.now.toISOString() }, {}]);
    const { messageId } = await sink.take(anna.email);
    expect([...sink.copies]).toEqual([[messageId, pauses.length + 1]]);
  });

  test.each(kinds)('gives up a %s if it still fails when it expires', async (kind) => {
    sink.setBehaviour(() => busyReply);
    const { to, ends } = await causes[kind]();
    await planAndSend(service);
    expect(sink.attempts.get(to)).toBe(1);
    await planAndSendAt(service, clock, ends - 1);
    expect(sink.attempts.get(to)).toBe(2);
    expect(await rowsOf(kind)).toContainEqual(expect.objectContaining({ status: 'PLANNED', attempts: 2 }));
    await planAndSendAt(service, clock, ends);
    expect(sink.attempts.get(to)).toBe(2);
    expect(await rowsOf(kind)).toContainEqual(expect.objectContaining({ status: 'FAILED', reason: gaveUpReason }));
  });

  test('gives up a mail that still cannot be composed when it expires', async () => {
    const { ends } = await causes.REMINDER();
    // A newer release may have changed the tables.
    await service.sql('ALTER TABLE projects RENAME COLUMN name TO former_name');
    await planAndSend(service);
    expect(await rowsOf('REMINDER')).toMatchObject([{ status: 'PLANNED', attempts: 1, isLeased: false }]);
    await planAndSendAt(service, clock, ends);
    expect(await rowsOf('REMINDER')).toMatchObject([{ status: 'FAILED', reason: gaveUpReason, attempts: 2 }]);
    expect(sink.attempts.size).toBe(0);
  });

  test.each(['RCPT TO', 'end of DATA'] as const)(
    'does not retry a mail that is refused permanently at %s',
    async (step) => {
      sink.setBehaviour(() => rejection, step);
      await causes.TEST();
      await planAndSend(service);
      const failedDelivery = { status: 'FAILED', reason: 'The mail server rejected the mail.', sentAt: null };
      expect(await deliveriesOf(anna)).toMatchObject([failedDelivery, {}]);
      await planAndSendAt(service, clock, noon + hourMs);
      expect(sink.attempts.get(anna.email)).toBe(1);
      expect(await deliveriesOf(anna)).toMatchObject([failedDelivery, {}]);
    },
  );

  test.each([
    [535, 'AUTH'],
    [530, 'RCPT TO'],
  ] as const)(
    'retries if the server responds with %i at %s, which refuses the service, not the mail',
    async (responseCode, step) => {
      await restart({ SMTP_URL: sink.url.replace('//', '//taskgate:wrong@') });
      sink.setBehaviour(() => ({ responseCode, message: 'who is there?' }), step);
      const { to } = await causes.CODE();
      await planAndSend(service);
      expect(await rowsOf('CODE')).toMatchObject([{ status: 'PLANNED', attempts: 1, isLeased: false }, {}]);
      sink.setBehaviour(() => undefined, step);
      clock.advance(2000);
      await sink.take(to);
    },
  );

  test('logs neither the address nor the text of the server', async () => {
    const answers = [450, 550];
    sink.setBehaviour((recipient, attempt) => ({
      responseCode: answers[attempt - 1] ?? 0,
      message: `${recipient} is unknown here`,
    }));
    const { to } = await causes.CODE();
    await planAndSend(service);
    await planAndSendAt(service, clock, noon + 2000);
    const [{ id } = { id: '' }] = await rowsOf('CODE');
    const failure = { kind: 'CODE', level: levels.warn, msg: 'a mail could not be sent', reason: 'EENVELOPE' };
    expect(capturedLog.lines.filter(({ deliveryId }) => deliveryId === id)).toMatchObject([
      { ...failure, attempts: 1, responseCode: 450, command: 'RCPT TO', pauseSeconds: 2 },
      { ...failure, attempts: 2, responseCode: 550, command: 'RCPT TO' },
      { kind: 'CODE', level: levels.error, msg: 'a mail has ended', status: 'FAILED', attempts: 2, lateSeconds: 2 },
    ]);
    const text = JSON.stringify(capturedLog.lines);
    for (const secretly of [to, anna.email, 'unknown here', 'Taskgate code', 'oneTimeCode']) {
      expect(text).not.toContain(secretly);
    }
  });

  test('delays no other mail if the server of one address hangs', async () => {
    await restart({ SMTP_URL: patientUrl() });
    const slowAddress = randomEmail();
    const answer = sink.hangFor(slowAddress);
    await requestCode(slowAddress);
    await sink.untilMet('the mail that hangs', () => sink.attempts.has(slowAddress));
    for (let count = 0; count < lanes.CODE; count += 1) await sink.take((await causes.CODE()).to);
    expect(await rowsOf('CODE')).toContainEqual(expect.objectContaining({ status: 'PLANNED', isLeased: true }));
    answer();
    await sink.take(slowAddress);
  });

  test('sends codes while reminders hang, one reminder at a time to a recipient', async () => {
    await restart({ SMTP_URL: patientUrl() });
    const answer = sink.hangFor(anna.email);
    const tasks = [createDueTask(), createDueTask()];
    await Promise.all(tasks);
    await sink.untilMet('a reminder that hangs', () => sink.attempts.get(anna.email) === 1);
    await sink.take((await causes.CODE()).to);
    const plannedDelivery = expect.objectContaining({ status: 'PLANNED' });
    expect(await rowsOf('REMINDER')).toEqual(tasks.map(() => plannedDelivery));
    expect(sink.attempts.get(anna.email)).toBe(1);
    answer();
    for (let count = 0; count < tasks.length; count += 1) await sink.take(anna.email);
  });

  test('delays no request if the server accepts connections but never responds', async () => {
    const silentSmtp = await silentServer();
    await restart({ SMTP_URL: silentSmtp.url });
    await causes.CODE();
    await silentSmtp.accepted;
    await causes.CODE();
    await createDueTask();
    await causes.TEST();
    expect(await rowsOf('CODE')).toMatchObject([
      { status: 'PLANNED' },
      { status: 'PLANNED', attempts: 1, isLeased: true },
      {},
    ]);
    await silentSmtp.close();
    await until('the mails are free again', async () => (await rowsOf('CODE')).every(({ isLeased }) => !isLeased));
  });
});

describe('a mailer without an SMTP server', () => {
  test('writes each mail to a file that only its account can read, and logs codes', async () => {
    await restart({ SMTP_URL: '' });
    const [email, other] = [randomEmail(), randomEmail()];
    await requestCode(email);
    await requestCode(other);
    await service.services.mailer.drain();
    const outbox = path.join(service.dataDir, 'outbox');
    const files = await readdir(outbox);
    expect(files).toHaveLength(2);
    const modes = await Promise.all(
      ['.', ...files].map(async (file) => (await stat(path.join(outbox, file))).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    const oneTimeCode = await service.mailbox.takeCode(email);
    expect(capturedLog.lines).toContainEqual(expect.objectContaining({ email, oneTimeCode }));
  });
});
