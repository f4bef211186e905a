import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import nodemailer from 'nodemailer';
import type Mail from 'nodemailer/lib/mailer/index.js';
import pRetry from 'p-retry';
import { log } from '../kernel/logger.ts';

/** A plain-text mail to one address. */
export interface Message {
  to: string;
  subject: string;
  text: string;
}

export interface MailerOptions {
  /** `smtp:` or `smtps:` URL; undefined: mails are written to the outbox folder. */
  smtpUrl: string | undefined;
  from: string;
  outbox: string;
}

type Deliver = (mail: Mail.Options) => Promise<void>;

/** Sends mails in the background: who asks for one does not wait for the SMTP server. */
export class Mailer {
  /** Whether mails only go to files: then a code may be logged, as nobody else would bring it. */
  readonly writesFiles: boolean;
  readonly #from: string;
  readonly #deliver: Deliver;
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor({ smtpUrl, from, outbox }: MailerOptions) {
    this.writesFiles = smtpUrl === undefined;
    this.#from = from;
    this.#deliver = smtpUrl === undefined ? toFolder(outbox) : toServer(smtpUrl);
  }

  /** Takes a mail for delivery. A failure is logged and tried again, up to six times within five minutes. */
  send(message: Message): void {
    const attempt = () => this.#deliver({ ...message, from: this.#from });
    const delivery = pRetry(attempt, {
      retries: 5,
      factor: 3,
      minTimeout: 1000,
      signal: this.#closing.signal,
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) =>
        log.warn({ error: error.message, attemptNumber, retriesLeft }, 'a mail could not be sent'),
    })
      .catch((error: unknown) => log.error({ error: String(error) }, 'a mail was given up'))
      .finally(() => this.#underWay.delete(delivery));
    this.#underWay.add(delivery);
  }

  /** Waits for the deliveries under way, without further attempts. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
  }
}

function toServer(smtpUrl: string): Deliver {
  const url = new URL(smtpUrl);
  for (const timeout of ['connectionTimeout', 'greetingTimeout', 'socketTimeout']) {
    if (!url.searchParams.has(timeout)) url.searchParams.set(timeout, '10000');
  }
  const transport = nodemailer.createTransport(url.href);
  return async (mail) => void (await transport.sendMail(mail));
}

/** Each mail is a file of the outbox that sorts by time. */
function toFolder(outbox: string): Deliver {
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return async (mail) => {
    const { message, messageId } = await transport.sendMail(mail);
    const file = `${new Date().toISOString().replaceAll(':', '-')}-${messageId.replaceAll(/[^\w]/g, '').slice(0, 12)}.eml`;
    await mkdir(outbox, { recursive: true, mode: 0o700 });
    await writeFile(path.join(outbox, file), message as Buffer, { mode: 0o600 });
  };
}
