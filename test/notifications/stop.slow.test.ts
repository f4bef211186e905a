import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Client } from '../kit/client.ts';
import { createTestDatabase, sqlAt } from '../kit/postgres.ts';
import { dataFolders, endServices, spawnService } from '../kit/process.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';
import { silentServer } from '../kit/smtp.ts';
import { nextStatement } from '../kit/statements.ts';
import { until } from '../kit/until.ts';
import { expediteRetries } from '../../src/notifications/outbox-data.ts';
import { FixedClock, dayMs, hourMs, minuteMs, planAndSend } from './deliveries.ts';

const [secret, formerSecret] = ['the secret of now', 'the former secret'];
const busyReply = { responseCode: 451, message: 'come again later' };

let sink: SmtpSink;
let databaseUrl: string;
let email: string;
beforeEach(async () => {
  [sink, databaseUrl, email] = [await openSmtpSink(), await createTestDatabase(), randomEmail()];
});
afterEach(() => sink.close());

const requestCode = async (url: string) =>
  expect(await new Client(url).post('/api/v1/user/signup/send-otp', { email })).toMatchObject({ status: 200 });

async function delivery() {
  const rows = await sqlAt<{ id: string; message: Buffer | null }>(databaseUrl, 'SELECT * FROM deliveries');
  const [row, ...rest] = rows;
  if (!row || rest.length > 0) throw new Error(`there are ${rows.length} mails`);
  return row;
}

describe('a mail whose process ends while it is being sent', () => {
  const folders = dataFolders();
  afterEach(() => endServices('SIGKILL'));
  afterAll(() => folders.remove());

  const spawn = async (SMTP_URL: string) =>
    spawnService({ DATA_DIR: await folders.make(), DATABASE_URL: databaseUrl, SESSION_SECRET: secret, SMTP_URL });

  /** Takes the mail. No log may mention it. */
  async function takeMailOf(...services: { errors(): string }[]) {
    const { subject = '', messageId } = await sink.take(email);
    const [code = 'none'] = /\d{6}/.exec(subject) ?? [];
    const text = services.map((service) => service.errors()).join('');
    for (const secretly of [email, subject, `"${code}"`, ` ${code}`]) expect(text).not.toContain(secretly);
    expect(messageId).toContain((await delivery()).id);
    await until('the mail has ended', async () => (await delivery()).message === null);
    expect(await delivery()).toMatchObject({ status: 'SENT', attempts: 2 });
  }

  test('is sent by the next process after SIGTERM, and the first one exits with 0 even if the SMTP server never responds', async () => {
    const silentSmtp = await silentServer();
    const service = await spawn(silentSmtp.url);
    await requestCode(service.url ?? '');
    await silentSmtp.accepted;
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.errors()).toMatch(/"reason":"EABORT".*"a mail could not be sent"/);
    await silentSmtp.close();
    expect(await delivery()).toMatchObject({ status: 'PLANNED', attempts: 1, leased_until: null });
    await takeMailOf(service, await spawn(sink.url));
  });

  test('is sent by the next process after SIGKILL, when its lease has ended', async () => {
    const answer = sink.hangFor(email);
    const service = await spawn(sink.url);
    await requestCode(service.url ?? '');
    await sink.untilMet('the mail', () => sink.attempts.has(email));
    service.signal('SIGKILL');
    expect(await service.ended).toBe('SIGKILL');
    const next = await spawn(sink.url);
    answer();
    await sqlAt(databaseUrl, 'UPDATE deliveries SET next_at = now(), leased_until = now()');
    await takeMailOf(service, next);
  });
});

describe('a waiting mail', () => {
  const clock = new FixedClock('2026-11-24T12:00:00Z');
  let service: Service;
  afterEach(() => service.close());

  const start = async (secrets: string) => {
    service = await startService({ SMTP_URL: sink.url, SESSION_SECRET: secrets }, { clock, databaseUrl });
  };

  /** Leaves a mail under the former secret, and starts the service again. */
  async function restart(secrets: string) {
    await start(formerSecret);
    sink.setBehaviour(() => busyReply);
    await requestCode(service.url);
    await planAndSend(service);
    expect(await delivery()).toMatchObject({ status: 'PLANNED', attempts: 1 });
    await service.close();
    sink.setBehaviour(() => undefined);
    await start(secrets);
    clock.advance(2000);
    await planAndSend(service);
  }

  test('is retried soon also after the clock was set back', async () => {
    await start(secret);
    sink.setBehaviour(() => busyReply);
    await requestCode(service.url);
    await planAndSend(service);
    expect(await delivery()).toMatchObject({ status: 'PLANNED', attempts: 1 });
    sink.setBehaviour(() => undefined);
    clock.advance(-3 * hourMs);
    await expediteRetries(service.services.connections, clock);
    clock.advance(minuteMs);
    await planAndSend(service);
    expect(await delivery()).toMatchObject({ status: 'SENT', attempts: 2 });
  });

  test('is encrypted, and its content is deleted once it has ended', async () => {
    await start(secret);
    const answer = sink.hangFor(email);
    await requestCode(service.url);
    await sink.untilMet('the mail', () => sink.attempts.has(email));
    const { message, ...columns } = await delivery();
    answer();
    const { subject = '' } = await sink.take(email);
    const [code = 'none'] = /\d{6}/.exec(subject) ?? [];
    const bytes = message?.toString('latin1');
    for (const secretly of [email, code, subject]) {
      expect(bytes).not.toContain(secretly);
      expect(JSON.stringify(columns)).not.toContain(secretly);
    }
    await planAndSend(service);
    expect(await delivery()).toMatchObject({ status: 'SENT', message: null });
  });

  test('is sent by a process that still has its secret in the list', async () => {
    await restart(`${secret},${formerSecret}`);
    await sink.take(email);
    expect(await delivery()).toMatchObject({ status: 'SENT', message: null });
  });

  test('waits for a process with its secret, and is FAILED when it expires without one', async () => {
    await restart(secret);
    expect(await delivery()).toMatchObject({ status: 'PLANNED', attempts: 2 });
    clock.advance(dayMs);
    await planAndSend(service);
    const reason = 'The service no longer has the key that encrypted the mail.';
    expect(await delivery()).toMatchObject({ status: 'FAILED', reason, message: null });
    expect(sink.mails).toEqual([]);
  });

  test('is sent again when its lease has ended, and the outcome of the former attempt is ignored', async () => {
    await start(secret);
    const answers: ((answer: typeof busyReply | undefined) => void)[] = [];
    sink.setBehaviour(() => new Promise((resolve) => answers.push(resolve)), 'end of DATA');
    await requestCode(service.url);
    await until('the first attempt hangs', () => answers.length === 1);
    clock.advance(minuteMs);
    service.services.mailer.wake();
    await until('the second attempt hangs', () => answers.length === 2);
    const firstEnd = nextStatement('endRows');
    answers[0]?.({ responseCode: 550, message: 'not here' });
    await firstEnd;
    answers[1]?.(undefined);
    const { messageId } = await sink.take(email);
    await planAndSend(service);
    expect([...sink.copies]).toEqual([[messageId, 2]]);
    expect(await delivery()).toMatchObject({ status: 'SENT', attempts: 2, reason: null });
  });
});
