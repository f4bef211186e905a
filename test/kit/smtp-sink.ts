import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { Mailbox } from './mailbox.ts';
import { withTimeout } from './until.ts';

export interface SinkMail extends Omit<ParsedMail, 'messageId'> {
  /** Address in `RCPT TO`. */
  recipient: string;
  messageId: string;
}

export interface SmtpReply {
  responseCode: number;
  message: string;
}

/** Undefined accepts the mail, an answer refuses it. The server is silent until the promise settles. Attempts count from 1. */
export type SmtpBehaviour = (
  recipient: string,
  attempt: number,
) => SmtpReply | undefined | Promise<SmtpReply | undefined>;

/** At `AUTH`, the recipient is the user name. */
export type SmtpStep = 'AUTH' | 'RCPT TO' | 'end of DATA';

/** Accepts all mails, unless a test changes that. */
export interface SmtpSink {
  /** Without credentials: any are accepted. */
  url: string;
  mails: SinkMail[];
  /** Deliveries per `Message-ID`, refused ones included. */
  copies: Map<string, number>;
  /** Attempts per address. */
  attempts: Map<string, number>;
  setBehaviour(behaviour: SmtpBehaviour, step?: SmtpStep): void;
  /** Stops replying to clients that name the address. @returns a function that ends this */
  hangFor(address: string): () => void;
  /** Returns the next mail that was not taken yet, or waits for one. */
  take(address: string): Promise<SinkMail>;
  /** Evaluates `isSo` at each attempt and each accepted mail. */
  untilMet(description: string, condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

/** Conditions to wait for. `evaluateAll` evaluates them again. */
function createConditions() {
  const checks = new Set<() => void>();
  const untilMet = (description: string, condition: () => boolean) =>
    withTimeout(
      description,
      new Promise<void>((resolve) => {
        const check = () => {
          if (!condition()) return;
          checks.delete(check);
          resolve();
        };
        checks.add(check);
        check();
      }),
    );
  return { untilMet, evaluateAll: () => checks.forEach((each) => each()) };
}

export async function openSmtpSink(): Promise<SmtpSink> {
  const mails: SinkMail[] = [];
  const copies = new Map<string, number>();
  const attempts = new Map<string, number>();
  const takenMails = new Set<SinkMail>();
  const behaviours = new Map<SmtpStep, SmtpBehaviour>();
  const { untilMet, evaluateAll } = createConditions();
  const applyBehaviour = async (step: SmtpStep, address: string) => {
    const reply = await behaviours.get(step)?.(address, attempts.get(address) ?? 0);
    if (reply) throw Object.assign(new Error(reply.message), { responseCode: reply.responseCode });
  };
  const receive = async (stream: Readable, recipient: string) => {
    const mail = await simpleParser(stream);
    const { messageId = '' } = mail;
    count(copies, messageId);
    await applyBehaviour('end of DATA', recipient);
    mails.push({ ...mail, messageId, recipient });
    evaluateAll();
  };
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    // A client that has given up on a mail may keep its connection open.
    closeTimeout: 100,
    onAuth({ username = '' }, _session, callback) {
      applyBehaviour('AUTH', username).then(() => callback(null, { user: username }), callback);
    },
    onRcptTo({ address }, _session, callback) {
      count(attempts, address);
      evaluateAll();
      applyBehaviour('RCPT TO', address).then(() => callback(), callback);
    },
    onData(stream, { envelope }, callback) {
      receive(stream, envelope.rcptTo[0]?.address ?? '').then(() => callback(), callback);
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
    setBehaviour: (behaviour, step = 'RCPT TO') => void behaviours.set(step, behaviour),
    hangFor(address) {
      let resume = () => {};
      const resumed = new Promise<undefined>((resolve) => (resume = () => resolve(undefined)));
      behaviours.set('RCPT TO', (recipient) => (recipient === address ? resumed : undefined));
      return resume;
    },
    async take(address) {
      const find = () => mails.find((mail) => mail.recipient === address && !takenMails.has(mail));
      await untilMet(`a mail to ${address}`, () => find() !== undefined);
      const mail = find() as SinkMail;
      takenMails.add(mail);
      return mail;
    },
    untilMet,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Accepts all mails and reads only the `Message-ID`, for large volumes. */
export async function openCountingSink(): Promise<Pick<SmtpSink, 'url' | 'copies' | 'untilMet' | 'close'>> {
  const copies = new Map<string, number>();
  const { untilMet, evaluateAll } = createConditions();
  const receiveMail = (mail: string) => {
    count(copies, /^Message-ID: (.+)$/im.exec(mail)?.[1] ?? '');
    evaluateAll();
  };
  const server = createServer((socket) => {
    let [buffer, isMail] = ['', false];
    const reply = (text: string): string => {
      if (isMail) receiveMail(text);
      isMail = text === 'DATA';
      return isMail ? '354 go on' : '250 ok';
    };
    socket
      .on('error', () => undefined)
      .setEncoding('latin1')
      .write('220 sink\r\n');
    socket.on('data', (chunk: string) => {
      buffer += chunk;
      for (;;) {
        const resume = isMail ? '\r\n.\r\n' : '\r\n';
        const index = buffer.indexOf(resume);
        if (index < 0) return;
        socket.write(`${reply(buffer.slice(0, index))}\r\n`);
        buffer = buffer.slice(index + resume.length);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    copies,
    untilMet,
    // Its clients must have ended.
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export function mailboxOf(sink: SmtpSink): Mailbox {
  const mailbox = new Mailbox('');
  mailbox.take = async (address) => {
    const { from, subject = '', text: plainText = '', html } = await sink.take(address);
    return { to: address, from: from?.text ?? '', subject, text: plainText, html: html || '' };
  };
  return mailbox;
}
