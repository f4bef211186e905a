import { groupBy, log, within } from '@taskgate/base';
import { afterCommit, logFailure, type Queryable, retryUntil } from '@taskgate/postgres';
import type { Database } from '../platform/database.ts';
import { newId } from '../platform/ids.ts';
import type { Attempt } from './attempt.ts';
import type { Clock } from './clock.ts';
import { addressOf, compose, type Composed, type Composing, type Composition, failedDeliveries } from './compose.ts';
import * as data from './queue-data.ts';
import { endDigest } from './digest-end.ts';
import { encrypt, type Message } from './encryption.ts';
import * as metrics from './metrics.ts';
import { concurrency, Queues } from './queues.ts';
import { folderTransport, isRefusal, type OutgoingMail, reasonOf, smtpTransport, type Transport } from './transport.ts';

declare module '../platform/services.ts' {
  interface Services {
    mailer: Mailer;
  }
}

export interface MailerOptions extends Composing {
  /** Undefined: mails are written to the outbox folder. */
  smtpUrl: string | undefined;
  from: string;
  /** URL of the application's pages, without a trailing slash. */
  appUrl: string;
  outbox: string;
  /** How long a stop waits for mails in progress. */
  closeTimeoutMs?: number;
}

export interface WrittenMail extends Message {
  kind: data.WrittenDelivery['kind'];
  /** Undefined if the mail goes to an address that may have no account. */
  userId?: string;
  /** A day by default. */
  validSeconds?: number;
  /** Reason to skip the mail. A skipped mail takes as much work, so the requester cannot tell. */
  withheld?: string | undefined;
}

const daySeconds = 24 * 60 * 60;

/** Pause before a retry: 2, 6, 18 seconds and so on, up to half an hour. */
const pauseSeconds = (failures: number) => Math.min(2 * 3 ** (failures - 1), 30 * 60);

/** How long to retry recording the outcome of a mail. */
const recordTimeoutMs = 60_000;

/**
 * Sends planned mails: no request waits for a mail server, and none is lost if a process ends. See docs/decisions/0821.
 */
export class Mailer {
  readonly clock: Clock;
  readonly #options: MailerOptions;
  readonly #transport: Transport;
  readonly #queues: Queues;
  readonly #closeTimeoutMs: number;
  #isAborted = false;

  constructor(options: MailerOptions) {
    const { connections, clock, smtpUrl, outbox, closeTimeoutMs = 3000 } = options;
    const sentAtOnce = Object.values(concurrency).reduce((sum, each) => sum + each);
    this.clock = clock;
    this.#options = options;
    this.#closeTimeoutMs = closeTimeoutMs;
    this.#transport = smtpUrl === undefined ? folderTransport(outbox) : smtpTransport(smtpUrl, sentAtOnce);
    this.#queues = new Queues(
      connections,
      clock,
      (delivery) => addressOf(options, delivery),
      (deliveries, attempt) => this.#send(deliveries, attempt),
    );
    metrics.mailLag.track(metrics.figureOf('mails', () => data.findLag(connections, clock)));
  }

  get appUrl(): string {
    return this.#options.appUrl;
  }

  get writesFiles(): boolean {
    return this.#transport.writesFiles;
  }

  /** Plans a mail that is sent after the commit. @returns id of the delivery @throws UNAVAILABLE */
  async plan(database: Queryable, written: WrittenMail): Promise<string> {
    const { kind, userId, validSeconds = daySeconds, withheld = null, ...mail } = written;
    const id = newId('Delivery');
    const message = encrypt(this.#options.secrets[0] ?? '', id, mail);
    const delivery = { id, userId: userId ?? null, kind, message, validSeconds, withheld };
    await data.insertWritten(database, this.clock, delivery);
    metrics.plannedMails.inc({ kind });
    return id;
  }

  /** Sends a mail about a committed event. A failure is only logged. */
  async send(mail: WrittenMail): Promise<void> {
    await this.plan(this.#options.connections, mail).catch((error: unknown) =>
      logFailure(error, 'a mail could not be planned'),
    );
    this.wake();
  }

  /** Sends planned mails right after the commit, without waiting for the next poll. */
  wake(): void {
    afterCommit(this.#queues.wake);
  }

  async adopt(tx: Database, id: string, userId: string): Promise<void> {
    await data.adopt(tx, id, userId);
  }

  /** Resolves when nothing is due, except retries. */
  drain(): Promise<void> {
    return this.#queues.drain();
  }

  /** Waits for mails in progress, then aborts them. Another process, or the next start, sends those. */
  async close(): Promise<void> {
    const closed = this.#queues.close();
    if (!(await within(this.#closeTimeoutMs, closed))) this.#abort();
    await closed;
    this.#transport.close();
  }

  #abort(): void {
    this.#isAborted = true;
    this.#queues.abort();
  }

  async #send(deliveries: readonly data.ClaimedDelivery[], attempt: Attempt): Promise<void> {
    let tried = deliveries;
    try {
      const { mail, sent, omitted } = await compose(this.#options, deliveries);
      tried = sent;
      await this.#recordOmitted(omitted);
      const [first] = sent;
      if (!first || !mail) return;
      await this.#transport.send(this.#mailOf(first, mail), attempt);
    } catch (error) {
      await this.#fail(tried, error);
      return;
    }
    await this.#end(tried, { status: 'SENT' });
  }

  async #recordOmitted(omitted: Composition['omitted']): Promise<void> {
    for (const group of groupBy(omitted, ({ why }) => ('later' in why ? why.later.getTime() : why.reason)).values()) {
      const [[{ why }], deliveries] = [group, group.map(({ delivery }) => delivery)];
      await ('later' in why
        ? data.postpone(this.#options.connections, deliveries, why.later)
        : this.#end(deliveries, why));
    }
  }

  #mailOf({ id }: data.ClaimedDelivery, { message, unsubscribeUrl }: Composed): OutgoingMail {
    const { from } = this.#options;
    const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
    const unsubscribing = unsubscribeUrl !== undefined && {
      headers: { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    };
    // If the process ends before the commit, the mail is sent again. Mail clients then show it once.
    return { ...message, from, messageId: `<${id}@${domain}>`, ...unsubscribing };
  }

  /** Retries for a minute, because an unrecorded mail is sent again. */
  async #end(deliveries: readonly data.ClaimedDelivery[], ended: data.Ended): Promise<void> {
    const deadline = performance.now() + recordTimeoutMs;
    const isOver = () => this.#isAborted || performance.now() > deadline;
    const [first] = deliveries;
    const { connections } = this.#options;
    const recordOnce = () =>
      first?.kind === 'DIGEST'
        ? endDigest(connections, this.clock, first, ended)
        : data.end(connections, this.clock, deliveries, ended);
    const what = 'the outcome of a mail could not be recorded';
    // Unlike in a client's request, overload must not end the retries.
    const record = () => recordOnce().catch((cause: unknown) => Promise.reject(new Error(what, { cause })));
    const ours = await retryUntil(what, record, isOver).catch((error: unknown) => {
      log.warn({ deliveryId: first?.id, error }, `${what}: the mail will be sent again`);
      return new Set<string>();
    });
    const counters = { SENT: metrics.sentMails, SKIPPED: metrics.skippedMails, FAILED: metrics.failedMails };
    // Another process holds the other deliveries, and reports them.
    for (const { id, kind, attempts, at, now } of deliveries.filter((each) => ours.has(each.id))) {
      counters[ended.status].inc({ kind });
      const late = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1000));
      const line = { deliveryId: id, kind, status: ended.status, attempts, lateSeconds: late };
      log[ended.status === 'FAILED' ? 'error' : 'info'](line, 'a mail has ended');
    }
  }

  async #fail(deliveries: readonly data.ClaimedDelivery[], error: unknown): Promise<void> {
    const isRefused = isRefusal(error);
    // A mail that cannot be composed must not be retried forever.
    const isFinal = ({ expiresAt, now }: data.ClaimedDelivery) => isRefused || expiresAt <= now;
    const pauseOf = ({ attempts }: data.ClaimedDelivery) => (this.#isAborted ? 0 : pauseSeconds(attempts));
    for (const delivery of deliveries) {
      const { id, kind, attempts } = delivery;
      metrics.mailFailures.inc({ kind });
      const pause = isFinal(delivery) ? {} : { pauseSeconds: pauseOf(delivery) };
      log.warn({ deliveryId: id, kind, attempts, ...reasonOf(error), ...pause }, 'a mail could not be sent');
    }
    const again = deliveries.filter((delivery) => !isFinal(delivery));
    for (const [pause, group] of groupBy(again, pauseOf)) {
      // If this fails, the delivery is retried after its lease.
      await data
        .release(this.#options.connections, this.clock, group, { pauseSeconds: pause, isTried: true })
        .catch((cause: unknown) => logFailure(cause, 'the outcome of a mail could not be recorded'));
    }
    const ended = deliveries.filter(isFinal);
    const reason = isRefused ? failedDeliveries.refused : failedDeliveries.givenUp;
    if (ended.length > 0) await this.#end(ended, { status: 'FAILED', reason });
  }
}
