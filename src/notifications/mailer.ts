import path from 'node:path';
import nodemailer from 'nodemailer';
import type Nodemailer from 'nodemailer/lib/mailer/index.js';
import pRetry from 'p-retry';
import { afterCommit } from '../database/operation.ts';
import { makeFolder, writeWhole } from '../kernel/files.ts';
import { log } from '../kernel/logger.ts';
import type { Mail } from './mails/layout.ts';

declare module '../kernel/services.ts' {
  interface Services {
    mailer: Mailer;
  }
}

/** A mail to one address. */
export interface Message extends Mail {
  to: string;
}

export interface MailerOptions {
  /** `smtp:` or `smtps:` URL; undefined: mails are written to the outbox folder. */
  smtpUrl: string | undefined;
  from: string;
  outbox: string;
  /** Milliseconds for which a stop waits for deliveries in flight: well below what the whole stop may take. */
  closeTimeoutMs?: number;
}

/** @param signal ends the delivery and cuts its connection */
type Deliver = (mail: Nodemailer.Options, signal: AbortSignal) => Promise<void>;

/** Sends mails in the background: who asks for one does not wait for the SMTP server. */
export class Mailer {
  /** Whether mails only go to files: then a code may be logged, as nobody else would bring it. */
  readonly writesFiles: boolean;
  readonly #from: string;
  readonly #deliver: Deliver;
  readonly #closeTimeoutMs: number;
  readonly #inFlight = new Set<Promise<void>>();
  /** Ends waiting for further attempts. */
  readonly #closing = new AbortController();
  /** Ends the attempts themselves. */
  readonly #cutting = new AbortController();
  #undelivered = 0;

  constructor({ smtpUrl, from, outbox, closeTimeoutMs = 3000 }: MailerOptions) {
    this.writesFiles = smtpUrl === undefined;
    this.#from = from;
    this.#deliver = smtpUrl === undefined ? toFolder(outbox) : toServer(smtpUrl);
    this.#closeTimeoutMs = closeTimeoutMs;
  }

  /**
   * Takes a mail for delivery, once what it tells of is committed. A failure is logged and tried again, up to six times within five
   * minutes.
   */
  send(message: Message): void {
    afterCommit(() => this.#begin(message));
  }

  #begin(message: Message): void {
    const attempt = () => this.#deliver({ ...message, from: this.#from }, this.#cutting.signal);
    const delivery = pRetry(attempt, {
      retries: 5,
      factor: 3,
      minTimeout: 1000,
      signal: this.#closing.signal,
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) =>
        log.warn({ ...reasonOf(error), attemptNumber, retriesLeft }, 'a mail could not be sent'),
    })
      .catch((error: unknown) => {
        if (this.#closing.signal.aborted) this.#undelivered += 1;
        else log.error(reasonOf(error), 'a mail was given up');
      })
      .finally(() => this.#inFlight.delete(delivery));
    this.#inFlight.add(delivery);
  }

  /** Waits for the deliveries in flight, without further attempts; those that take too long are cut. */
  async close(): Promise<void> {
    this.#closing.abort();
    const deadline = setTimeout(() => this.#cutting.abort(), this.#closeTimeoutMs);
    await Promise.allSettled(this.#inFlight);
    clearTimeout(deadline);
    if (this.#undelivered > 0) {
      log.error({ mails: this.#undelivered }, 'mails were not delivered before the service stopped');
    }
  }
}

/** Why a mail failed, without what the server said: that names the address. */
function reasonOf(error: unknown) {
  const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string };
  return { reason: code ?? (error as Error).name, responseCode, command };
}

function toServer(smtpUrl: string): Deliver {
  const url = new URL(smtpUrl);
  for (const timeout of ['connectionTimeout', 'greetingTimeout', 'socketTimeout']) {
    if (!url.searchParams.has(timeout)) url.searchParams.set(timeout, '10000');
  }
  const transport = nodemailer.createTransport(url.href);
  return async (mail, signal) => {
    const abortable = { ...mail, signal };
    await transport.sendMail(abortable);
  };
}

/** Each mail is a file of the outbox that sorts by time. */
function toFolder(outbox: string): Deliver {
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return async (mail) => {
    const { message, messageId } = await transport.sendMail(mail);
    // eslint-disable-next-line taskgate/database-clock -- a name to sort by: nothing is decided by it
    const file = `${new Date().toISOString().replaceAll(':', '-')}-${messageId.replaceAll(/[^\w]/g, '').slice(0, 12)}.eml`;
    await makeFolder(outbox, 0o700);
    await writeWhole(path.join(outbox, file), message as Buffer, { mode: 0o600 });
  };
}
