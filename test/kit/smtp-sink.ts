import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { Mailbox } from './mailbox.ts';
import { inTime } from './until.ts';

export interface SunkMail extends Omit<ParsedMail, 'messageId'> {
  /** Address in `RCPT TO`. */
  recipient: string;
  messageId: string;
}

export interface SmtpAnswer {
  responseCode: number;
  message: string;
}

/** Undefined accepts the mail, an answer refuses it. The server is silent until the promise settles. Attempts count from 1. */
export type SmtpBehaviour = (
  recipient: string,
  attempt: number,
) => SmtpAnswer | undefined | Promise<SmtpAnswer | undefined>;

/** At `AUTH`, the recipient is the user name. */
export type SmtpStep = 'AUTH' | 'RCPT TO' | 'end of DATA';

/** Accepts all mails, unless a test changes that. */
export interface SmtpSink {
  /** Without credentials: any are accepted. */
  url: string;
  mails: SunkMail[];
  /** Deliveries per `Message-ID`, refused ones included. */
  copies: Map<string, number>;
  /** Attempts per address. */
  attempts: Map<string, number>;
  behave(behaviour: SmtpBehaviour, step?: SmtpStep): void;
  /** Stops replying to clients that name the address. @returns a function that ends this */
  hang(address: string): () => void;
  /** Returns the next mail that was not taken yet, or waits for one. */
  take(address: string): Promise<SunkMail>;
  /** Evaluates `isSo` at each attempt and each accepted mail. */
  sees(what: string, isSo: () => boolean): Promise<void>;
  close(): Promise<void>;
}

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

/** Conditions to wait for. `look` evaluates them again. */
function watched() {
  const waiting = new Set<() => void>();
  const sees = (what: string, isSo: () => boolean) =>
    inTime(
      what,
      new Promise<void>((resolve) => {
        const lookAgain = () => {
          if (!isSo()) return;
          waiting.delete(lookAgain);
          resolve();
        };
        waiting.add(lookAgain);
        lookAgain();
      }),
    );
  return { sees, look: () => waiting.forEach((each) => each()) };
}

export async function openSmtpSink(): Promise<SmtpSink> {
  const mails: SunkMail[] = [];
  const copies = new Map<string, number>();
  const attempts = new Map<string, number>();
  const taken = new Set<SunkMail>();
  const behaviours = new Map<SmtpStep, SmtpBehaviour>();
  const { sees, look } = watched();
  const decide = async (step: SmtpStep, address: string) => {
    const answer = await behaviours.get(step)?.(address, attempts.get(address) ?? 0);
    if (answer) throw Object.assign(new Error(answer.message), { responseCode: answer.responseCode });
  };
  const receive = async (stream: Readable, recipient: string) => {
    const mail = await simpleParser(stream);
    const { messageId = '' } = mail;
    count(copies, messageId);
    await decide('end of DATA', recipient);
    mails.push({ ...mail, messageId, recipient });
    look();
  };
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    // A client that has given up on a mail may keep its connection open.
    closeTimeout: 100,
    onAuth({ username = '' }, _session, done) {
      decide('AUTH', username).then(() => done(null, { user: username }), done);
    },
    onRcptTo({ address }, _session, done) {
      count(attempts, address);
      look();
      decide('RCPT TO', address).then(() => done(), done);
    },
    onData(stream, { envelope }, done) {
      receive(stream, envelope.rcptTo[0]?.address ?? '').then(() => done(), done);
    },
  });
  // Clients may cut connections.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    copies,
    attempts,
    behave: (behaviour, step = 'RCPT TO') => void behaviours.set(step, behaviour),
    hang(address) {
      let end = () => {};
      const ended = new Promise<undefined>((resolve) => (end = () => resolve(undefined)));
      behaviours.set('RCPT TO', (recipient) => (recipient === address ? ended : undefined));
      return end;
    },
    async take(address) {
      const find = () => mails.find((mail) => mail.recipient === address && !taken.has(mail));
      await sees(`a mail to ${address}`, () => find() !== undefined);
      const mail = find() as SunkMail;
      taken.add(mail);
      return mail;
    },
    sees,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Accepts all mails and reads only the `Message-ID`, for large volumes. */
export async function openCountingSink(): Promise<Pick<SmtpSink, 'url' | 'copies' | 'sees' | 'close'>> {
  const copies = new Map<string, number>();
  const { sees, look } = watched();
  const take = (mail: string) => {
    count(copies, /^Message-ID: (.+)$/im.exec(mail)?.[1] ?? '');
    look();
  };
  const server = createServer((socket) => {
    let [unread, isMail] = ['', false];
    const answer = (text: string): string => {
      if (isMail) take(text);
      isMail = text === 'DATA';
      return isMail ? '354 go on' : '250 ok';
    };
    socket
      .on('error', () => undefined)
      .setEncoding('latin1')
      .write('220 sink\r\n');
    socket.on('data', (chunk: string) => {
      unread += chunk;
      for (;;) {
        const end = isMail ? '\r\n.\r\n' : '\r\n';
        const at = unread.indexOf(end);
        if (at < 0) return;
        socket.write(`${answer(unread.slice(0, at))}\r\n`);
        unread = unread.slice(at + end.length);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    copies,
    sees,
    // Its clients must have ended.
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export function mailboxOf(sink: SmtpSink): Mailbox {
  const mailbox = new Mailbox('');
  mailbox.take = async (address) => {
    const { from, subject = '', text: plain = '', html } = await sink.take(address);
    return { to: address, from: from?.text ?? '', subject, text: plain, html: html || '' };
  };
  return mailbox;
}
