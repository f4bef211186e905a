import { type Database, db } from '../database/database.ts';
import { afterCommit } from '../database/operation.ts';
import { retryUntil } from '../database/retry.ts';
import { logFailure } from '../database/unavailable-log.ts';
import { groupBy } from '../kernel/group.ts';
import { log } from '../kernel/logger.ts';
import { newId } from '../kernel/ids.ts';
import { within } from '../kernel/within.ts';
import type { Attempt } from './attempt.ts';
import type { Clock } from './clock.ts';
import { addressOf, compose, type Composed, type Composing, type Composition, failedDeliveries } from './compose.ts';
import * as data from './queue-data.ts';
import { endDigest } from './digest-end.ts';
import { encrypt, type Message } from './encryption.ts';
import * as metrics from './metrics.ts';
import { concurrency, Queues } from './queues.ts';
import { folderTransport, isRefusal, type OutgoingMail, reasonOf, smtpTransport, type Transport } from './transport.ts';

declare module '../kernel/services.ts' {
  interface Services {
    mailer: Mailer;
  }
}

export interface MailerOptions extends Composing {
  /** `smtp:` or `smtps:` URL; undefined: mails are written to the outbox folder. */
  smtpUrl: string | undefined;
  from: string;
  /** Where the pages of the application are, without a slash at the end. */
  appUrl: string;
  outbox: string;
  /** Milliseconds for which a stop waits for mails that are being sent: well below what the whole stop may take. */
  closeTimeoutMs?: number;
}

/** A mail whose content is known by now. */
export interface WrittenMail extends Message {
  kind: data.WrittenDelivery['kind'];
  /** Its user, who is notified of the outcome; undefined where the address may have no account. */
  userId?: string;
  /** Seconds for which it is worth sending; absent: a day. */
  validSeconds?: number;
  /** Why it is not sent: then the plan is all that is made, by the same work as that of a mail that is. */
  withheld?: string | undefined;
}

const daySeconds = 24 * 60 * 60;

/** Seconds until a mail is tried again that has failed so often: 2, 6, 18, up to half an hour. */
const pauseSeconds = (failures: number) => Math.min(2 * 3 ** (failures - 1), 30 * 60);

/** Milliseconds for which it is tried to note what has become of a mail. */
const notedWithinMs = 60_000;

/**
 * Sends mails, each of which is a row from its plan to its end: nobody waits for a mail server, and none is lost where a process ends.
 * See docs/decisions/0821.
 */
export class Mailer {
  readonly clock: Clock;
  readonly #options: MailerOptions;
  readonly #transport: Transport;
  readonly #queues: Queues;
  readonly #closeTimeoutMs: number;
  /** Whether they have been ended, as the service stops. */
  #isCut = false;

  constructor(options: MailerOptions) {
    const { clock, smtpUrl, outbox, closeTimeoutMs = 3000 } = options;
    const connections = Object.values(concurrency).reduce((sum, each) => sum + each);
    this.clock = clock;
    this.#options = options;
    this.#closeTimeoutMs = closeTimeoutMs;
    this.#transport = smtpUrl === undefined ? folderTransport(outbox) : smtpTransport(smtpUrl, connections);
    this.#queues = new Queues(
      clock,
      (delivery) => addressOf(options, delivery),
      (deliveries, attempt) => this.#send(deliveries, attempt),
    );
    metrics.mailLag.track(metrics.figureOf('mails', () => data.findLag(clock)));
  }

  /** Where mails lead users to, without a slash at the end. */
  get appUrl(): string {
    return this.#options.appUrl;
  }

  /** Whether mails only go to files: then a code may be logged, as nobody else would bring it. */
  get writesFiles(): boolean {
    return this.#transport.writesFiles;
  }

  /**
   * Plans a mail that is sent with the commit of the transaction.
   * @returns id of the delivery
   * @throws UNAVAILABLE
   */
  async plan(tx: Database, written: WrittenMail): Promise<string> {
    const { kind, userId, validSeconds = daySeconds, withheld = null, ...mail } = written;
    const id = newId('Delivery');
    const message = encrypt(this.#options.secrets[0] ?? '', id, mail);
    const delivery = { id, userId: userId ?? null, kind, message, validSeconds, withheld };
    await data.insertWritten(tx, this.clock, delivery);
    metrics.plannedMails.inc({ kind });
    return id;
  }

  /** Plans and sends a mail about what has happened already: that it cannot be planned is logged, and changes nothing of it. */
  async send(mail: WrittenMail): Promise<void> {
    await this.plan(db, mail).catch((error: unknown) => logFailure(error, 'a mail could not be planned'));
    this.wake();
  }

  /** To be called after the commit of what was planned: else it is found within a second. */
  wake(): void {
    afterCommit(this.#queues.wake);
  }

  /** Gives a mail to the account that was made by it: its user is notified of what has become of it. */
  async adopt(tx: Database, id: string, userId: string): Promise<void> {
    await data.adopt(tx, id, userId);
  }

  /** Settles when nothing is due any more but what has failed by then. */
  drain(): Promise<void> {
    return this.#queues.drain();
  }

  /** Waits for the mails that are being sent; those that take too long are cut, and sent by another process, or after the next start. */
  async close(): Promise<void> {
    const closed = this.#queues.close();
    if (!(await within(this.#closeTimeoutMs, closed))) this.#cut();
    await closed;
    this.#transport.close();
  }

  #cut(): void {
    this.#isCut = true;
    this.#queues.cut();
  }

  async #send(deliveries: readonly data.ClaimedDelivery[], attempt: Attempt): Promise<void> {
    let tried = deliveries;
    try {
      const { mail, sent, left } = await compose(this.#options, deliveries);
      tried = sent;
      await this.#leave(left);
      const [first] = sent;
      if (!first || !mail) return;
      await this.#transport.send(this.#mailOf(first, mail), attempt);
    } catch (error) {
      await this.#fail(tried, error);
      return;
    }
    await this.#end(tried, { status: 'SENT' });
  }

  /** Notes what becomes of deliveries that are no part of a mail: of all together for which it is the same. */
  async #leave(left: Composition['left']): Promise<void> {
    for (const those of groupBy(left, ({ why }) => ('later' in why ? why.later.getTime() : why.reason)).values()) {
      const [[{ why }], deliveries] = [those, those.map(({ delivery }) => delivery)];
      await ('later' in why ? data.postpone(deliveries, why.later) : this.#end(deliveries, why));
    }
  }

  #mailOf({ id }: data.ClaimedDelivery, { message, unsubscribeUrl }: Composed): OutgoingMail {
    const { from } = this.#options;
    const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
    const unsubscribing = unsubscribeUrl !== undefined && {
      headers: { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    };
    // The same whenever it is sent: where the service ends between the server's answer and the commit, mail clients show it once.
    return { ...message, from, messageId: `<${id}@${domain}>`, ...unsubscribing };
  }

  /** Notes what has become of deliveries. Once the mail server has taken them, that is not given up soon: they would be sent again. */
  async #end(deliveries: readonly data.ClaimedDelivery[], ended: data.Ended): Promise<void> {
    const deadline = performance.now() + notedWithinMs;
    const isOver = () => this.#isCut || performance.now() > deadline;
    const [first] = deliveries;
    const noteOnce = () =>
      first?.kind === 'DIGEST' ? endDigest(this.clock, first, ended) : data.end(this.clock, deliveries, ended);
    const what = 'what has become of a mail could not be noted';
    // Too many writes are no reason to give up here, as they are where a client waits.
    const note = () => noteOnce().catch((cause: unknown) => Promise.reject(new Error(what, { cause })));
    const ours = await retryUntil(what, note, isOver).catch((error: unknown) => {
      log.warn({ deliveryId: first?.id, error }, `${what}: it is sent again`);
      return new Set<string>();
    });
    const counters = { SENT: metrics.sentMails, SKIPPED: metrics.skippedMails, FAILED: metrics.failedMails };
    // Of the others, another process tells what has become of them.
    for (const { id, kind, attempts, at, now } of deliveries.filter((each) => ours.has(each.id))) {
      counters[ended.status].inc({ kind });
      const late = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1000));
      const line = { deliveryId: id, kind, status: ended.status, attempts, lateSeconds: late };
      log[ended.status === 'FAILED' ? 'error' : 'info'](line, 'a mail has ended');
    }
  }

  async #fail(deliveries: readonly data.ClaimedDelivery[], error: unknown): Promise<void> {
    const isRefused = isRefusal(error);
    // What cannot even be composed is none to be tried for ever.
    const isFinal = ({ expiresAt, now }: data.ClaimedDelivery) => isRefused || expiresAt <= now;
    const pauseOf = ({ attempts }: data.ClaimedDelivery) => (this.#isCut ? 0 : pauseSeconds(attempts));
    for (const delivery of deliveries) {
      const { id, kind, attempts } = delivery;
      metrics.mailFailures.inc({ kind });
      const pause = isFinal(delivery) ? {} : { pauseSeconds: pauseOf(delivery) };
      log.warn({ deliveryId: id, kind, attempts, ...reasonOf(error), ...pause }, 'a mail could not be sent');
    }
    const again = deliveries.filter((delivery) => !isFinal(delivery));
    for (const [pause, those] of groupBy(again, pauseOf)) {
      // What cannot be noted is tried again when the lease has ended.
      await data
        .giveBack(this.clock, those, { pauseSeconds: pause, isTried: true })
        .catch((cause: unknown) => logFailure(cause, 'what has become of a mail could not be noted'));
    }
    const ended = deliveries.filter(isFinal);
    const reason = isRefused ? failedDeliveries.refused : failedDeliveries.givenUp;
    if (ended.length > 0) await this.#end(ended, { status: 'FAILED', reason });
  }
}
