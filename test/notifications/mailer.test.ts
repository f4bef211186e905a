import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { log } from '../../src/kernel/logger.ts';
import { Mailer } from '../../src/notifications/mailer.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { silentServer as makeSilentServer } from '../kit/smtp.ts';

log.level = 'silent';
const from = 'Taskgate <tasks@example.com>';
const mail = {
  to: 'anna@example.com',
  subject: 'Grüße',
  text: 'Eine Zeile\nund noch eine 🦊\n',
  html: '<p>Eine Zeile<br>und noch eine 🦊</p>\n',
};
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** An SMTP server that turns the first mails down. */
async function smtpServer({ refusals = 0, refusal = 'not now' } = {}) {
  const received: ParsedMail[] = [];
  let arrived = () => {};
  let refused = 0;
  const first = new Promise<void>((resolve) => (arrived = resolve));
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: (_address, _session, done) => done(refused++ < refusals ? new Error(refusal) : null),
    onData(stream, _session, done) {
      void simpleParser(stream).then((parsed) => {
        received.push(parsed);
        done();
        arrived();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  cleanUp.push(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, received, first };
}

async function silentServer() {
  const server = await makeSilentServer();
  cleanUp.push(() => server.close());
  return server;
}

function mailer(smtpUrl: string | undefined, outbox = '/nowhere') {
  // However slow the machine, what is delivered is not cut.
  const made = new Mailer({ smtpUrl, from, outbox, closeTimeoutMs: 100_000 });
  cleanUp.push(() => made.close());
  return made;
}

describe('a mailer with an SMTP server', () => {
  test('delivers a mail as it is, and says that it writes no files', async () => {
    const server = await smtpServer();
    const own = mailer(server.url);
    expect(own.writesFiles).toBe(false);
    own.send(mail);
    await own.close();
    expect(server.received).toEqual([
      expect.objectContaining({
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        from: expect.objectContaining({ text: '"Taskgate" <tasks@example.com>' }),
        to: expect.objectContaining({ text: mail.to }),
      }),
    ]);
  });

  test('tries again what was turned down', async () => {
    const server = await smtpServer({ refusals: 1 });
    mailer(server.url).send(mail);
    await server.first;
    expect(server.received).toHaveLength(1);
  });

  test('cannot be made to write another header', async () => {
    const server = await smtpServer();
    const own = mailer(server.url);
    own.send({ ...mail, subject: 'one\r\nBcc: ben@example.com' });
    await own.close();
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.bcc).toBeUndefined();
    expect(server.received[0]?.headers.has('bcc')).toBe(false);
  });

  test('is closed in spite of a server that says nothing: the connection is cut', async () => {
    const { url, accepted } = await silentServer();
    const logged = jest.spyOn(log, 'error');
    const own = new Mailer({ smtpUrl: url, from, outbox: '/nowhere', closeTimeoutMs: 10 });
    own.send(mail);
    const socket = await accepted;
    const cut = once(socket, 'close');
    await own.close();
    await cut;
    expect(logged.mock.calls).toEqual([[{ mails: 1 }, 'mails were not delivered before the service stopped']]);
  });

  test('logs neither the address nor what the server says of it', async () => {
    const { url } = await smtpServer({ refusals: 1, refusal: `${mail.to} is unknown here` });
    const logged = jest.spyOn(log, 'warn');
    const failed = new Promise((resolve) => logged.mockImplementation(resolve));
    mailer(url).send(mail);
    await failed;
    expect(logged.mock.calls).toEqual([
      [expect.objectContaining({ reason: 'EENVELOPE', command: 'MAIL FROM', attemptNumber: 1 }), expect.any(String)],
    ]);
    expect(JSON.stringify(logged.mock.calls)).not.toMatch(/anna|unknown here/);
  });

  test('is closed without waiting for further attempts', async () => {
    const own = mailer('smtp://127.0.0.1:1');
    own.send(mail);
    await expect(own.close()).resolves.toBeUndefined();
  });
});

describe('a mailer without one', () => {
  test('writes each mail to a file that nobody else may read', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-mailer-'));
    cleanUp.push(() => rm(folder, { recursive: true, force: true }));
    const own = mailer(undefined, path.join(folder, 'outbox'));
    expect(own.writesFiles).toBe(true);
    own.send(mail);
    own.send(mail);
    const mailbox = new Mailbox(folder);
    for (const each of [await mailbox.take(mail.to), await mailbox.take(mail.to)]) {
      expect(each).toMatchObject({ subject: mail.subject, text: mail.text, html: mail.html });
    }
    await own.close();
    expect(await readdir(path.join(folder, 'outbox'))).toHaveLength(2);
  });
});
