import path from 'node:path';
import { Readable } from 'node:stream';
import nodemailer from 'nodemailer';
import type Nodemailer from 'nodemailer/lib/mailer/index.js';
import { makeFolder, writeWhole } from '../kernel/files.ts';
import type { Attempt } from './attempt.ts';

export type OutgoingMail = Pick<Nodemailer.Options, 'from' | 'to' | 'subject' | 'text' | 'html' | 'messageId'> & {
  headers?: Record<string, string>;
};

export interface Transport {
  /** Whether mails only go to files: then a code may be logged, as nobody else would bring it. */
  writesFiles: boolean;
  /**
   * @param attempt whose end cuts the connection; nothing of the content is sent where its lease has ended
   * @throws what the mail server says, or the reason of the attempt's signal; see {@link isRefusal}
   */
  send(mail: OutgoingMail, attempt: Attempt): Promise<void>;
  close(): void;
}

/** Milliseconds for which an idle connection stays open, so that the next mails reuse it. */
const idleMs = 5_000;

/** Milliseconds, where the URL says nothing else. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 };

/** What a mail is sent by: begins with a call, at the moment at which somebody reads. */
async function* contentOf(read: () => Readable, begin: () => void) {
  begin();
  yield* read() as AsyncIterable<Buffer>;
}

/** @param connections that are open at once, at most */
export function smtpTransport(smtpUrl: string, connections: number): Transport {
  const url = new URL(smtpUrl);
  for (const [name, milliseconds] of Object.entries(timeouts)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(milliseconds));
  }
  const transport = nodemailer.createTransport({
    url: url.href,
    pool: true,
    maxConnections: connections,
    idleTimeout: idleMs,
    // What failed is tried again by the queues, after a pause.
    maxRequeues: 0,
  });
  transport.use('stream', ({ message, data }, done) => {
    const { beginContent } = data as { beginContent?: () => void };
    const read = message.createReadStream.bind(message);
    // The server has agreed to take the content when it is read first.
    if (beginContent)
      message.createReadStream = () => Readable.from(contentOf(read, beginContent), { objectMode: false });
    done();
  });
  return {
    writesFiles: false,
    async send(mail, attempt) {
      const abortable = { ...mail, signal: attempt.signal, beginContent: () => attempt.beginContent() };
      await transport.sendMail(abortable);
    },
    close: () => transport.close(),
  };
}

/** Each mail is a file of the folder, which sorts by time. */
export function folderTransport(outbox: string): Transport {
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    writesFiles: true,
    async send(mail) {
      const { message, messageId } = await transport.sendMail(mail);
      // eslint-disable-next-line taskgate/database-clock -- a name to sort by: nothing is decided by it
      const file = `${new Date().toISOString().replaceAll(':', '-')}-${messageId.replaceAll(/[^\w]/g, '').slice(0, 32)}.eml`;
      await makeFolder(outbox, 0o700);
      await writeWhole(path.join(outbox, file), message as Buffer, { mode: 0o600 });
    },
    close: () => transport.close(),
  };
}

/** An error of Nodemailer's: `EENVELOPE` is that of an address, `EMESSAGE` of the content. */
interface MailError extends Error {
  code?: string;
  responseCode?: number;
  command?: string;
}

/** Reply codes by which the server requires other authentication (RFC 4954, 6): it refuses the service, not the mail. */
const authenticationCodes = [530, 534, 535, 538];

/** Whether the mail server has turned the mail down for good (RFC 5321, 4.2.1). */
export function isRefusal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as MailError;
  const isOfMail = ['EENVELOPE', 'EMESSAGE'].includes(code ?? '') && !authenticationCodes.includes(responseCode);
  return isOfMail && responseCode >= 500;
}

/** Why a mail failed, without what the server said: that names the address. */
export function reasonOf(error: unknown) {
  const { code, responseCode, command, name } = error as MailError;
  return { reason: code ?? name, responseCode, command };
}
