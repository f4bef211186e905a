import path from 'node:path';
import { Readable } from 'node:stream';
import nodemailer from 'nodemailer';
import type Nodemailer from 'nodemailer/lib/mailer/index.js';
import { makeFolder, writeWhole } from '@taskgate/base';
import type { Attempt } from '@taskgate/outbox';

export type OutgoingMail = Pick<
  Nodemailer.Options,
  'from' | 'to' | 'subject' | 'text' | 'html' | 'messageId' | 'references'
> & {
  headers?: Record<string, string>;
};

export interface Transport {
  /** Whether mails become files. Codes may then be logged, because nothing else delivers them. */
  writesFiles: boolean;
  /**
   * @param attempt its signal aborts the connection; after its lease no content is sent
   * @throws the server's error, or the signal's reason; see {@link isRefusal}
   */
  send(mail: OutgoingMail, attempt: Attempt): Promise<void>;
  close(): void;
}

const idleMs = 5_000;

/** Defaults in milliseconds. `SMTP_URL` may set others. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 };

async function* contentOf(read: () => Readable, begin: () => void) {
  begin();
  yield* read() as AsyncIterable<Buffer>;
}

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
    // The queues retry.
    maxRequeues: 0,
  });
  transport.use('stream', ({ message, data }, done) => {
    const { beginContent } = data as { beginContent?: () => void };
    const read = message.createReadStream.bind(message);
    // Called when the server is ready for the content.
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

/** Writes mails as files, whose names sort by time. */
export function folderTransport(outbox: string): Transport {
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    writesFiles: true,
    async send(mail) {
      const { message, messageId } = await transport.sendMail(mail);
      // eslint-disable-next-line taskgate/database-clock -- only part of a name
      const file = `${new Date().toISOString().replaceAll(':', '-')}-${messageId.replaceAll(/[^\w]/g, '').slice(0, 32)}.eml`;
      await makeFolder(outbox, 0o700);
      await writeWhole(path.join(outbox, file), message as Buffer, { mode: 0o600 });
    },
    close: () => transport.close(),
  };
}

/** `EENVELOPE` concerns an address, `EMESSAGE` the content. */
interface MailError extends Error {
  code?: string;
  responseCode?: number;
  command?: string;
}

/** The server requires other authentication (RFC 4954, 6): it refuses the service, not the mail. */
const authenticationCodes = [530, 534, 535, 538];

/** Whether the server refuses the mail for good (RFC 5321, 4.2.1). */
export function isRefusal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as MailError;
  const isOfMail = ['EENVELOPE', 'EMESSAGE'].includes(code ?? '') && !authenticationCodes.includes(responseCode);
  return isOfMail && responseCode >= 500;
}

/** Omits the server's text, which names the address. */
export function reasonOf(error: unknown) {
  const { code, responseCode, command, name } = error as MailError;
  return { reason: code ?? name, responseCode, command };
}
