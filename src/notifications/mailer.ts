import { groupBy, log } from '@taskgate/base';
import { type Attempt, type Ended, Outbox } from '@taskgate/outbox';
import { afterCommit, type Clock, logFailure, type Queryable } from '@taskgate/postgres';
import type { Database } from '../platform/database.ts';
import { figureOf } from '../platform/figures.ts';
import { newId } from '../platform/ids.ts';
import { decrypt, encrypt, type Message } from './encryption.ts';
import { type Composing, type Composition, type Deliveries, failedDeliveries } from './kind.ts';
import { batchesOf, delayOf, firstLanes, kindOf, lanes, type WrittenKind } from './kinds.ts';
import * as metrics from './metrics.ts';
import * as data from './outbox-data.ts';
import { folderTransport, isRefusal, type OutgoingMail, reasonOf, smtpTransport, type Transport } from './transport.ts';
import { unsubscribeUrl } from './unsubscribe.ts';

declare module '../platform/services.ts' {
  interface Services {
    mailer: Mailer;
  }
}

interface MailerOptions extends Composing {
  /** Origin without a trailing slash. */
  publicUrl: string;
  /** Undefined: mails are written to the outbox folder. */
  smtpUrl: string | undefined;
  from: string;
  outbox: string;
  /** How long a stop waits for mails in progress: 3 seconds by default. */
  closeTimeoutMs?: number;
}

interface WrittenMail extends Message {
  kind: WrittenKind;
  /** Undefined if the mail goes to an address that may have no account. */
  userId?: string;
  /** A day by default. */
  validSeconds?: number;
  /** Reason to skip the mail. A skipped mail takes as much work, so the requester cannot tell. */
  withheld?: string | undefined;
}

const daySeconds = 24 * 60 * 60;

const defaultCloseMs = 3000;

/**
 * Sends planned mails: no request waits for a mail server, and none is lost if a process ends. See docs/decisions/0821.
 */
export class Mailer {
  readonly clock: Clock;
  readonly #options: MailerOptions;
  readonly #transport: Transport;
  readonly #outbox: Outbox<data.ClaimedDelivery>;

  constructor(options: MailerOptions) {
    const { connections, clock, smtpUrl, outbox } = options;
    const sentAtOnce = Object.values(lanes).reduce((sum, each) => sum + each);
    this.clock = clock;
    this.#options = options;
    this.#transport = smtpUrl === undefined ? folderTransport(outbox) : smtpTransport(smtpUrl, sentAtOnce);
    this.#outbox = new Outbox({
      connections,
      clock,
      name: 'mail',
      table: data.deliveriesTable,
      lanes,
      recipientOf: (delivery) => this.#recipientOf(delivery),
      batchesOf,
      delayOf,
      send: (deliveries, attempt) => this.#send(deliveries, attempt),
      end: (deliveries, ended, endIn) =>
        kindOf(deliveries[0]).end?.(options, deliveries, ended, endIn) ?? endIn(connections),
    });
    metrics.mailLag.track(figureOf('mails', () => this.#outbox.findLag(firstLanes)));
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
    afterCommit(this.#outbox.wake);
  }

  async adopt(tx: Database, id: string, userId: string): Promise<void> {
    await data.adopt(tx, id, userId);
  }

  /** Resolves when nothing is due, except retries. */
  drain(): Promise<void> {
    return this.#outbox.drain();
  }

  /** Waits for mails in progress, then aborts them. Another process, or the next start, sends those. */
  async close(): Promise<void> {
    await this.#outbox.close(this.#options.closeTimeoutMs ?? defaultCloseMs);
    this.#transport.close();
  }

  /** The address, or the id if decryption fails, and the domain. */
  #recipientOf({ id, email, message }: data.ClaimedDelivery): [string, string] {
    const address = email ?? (message ? decrypt(this.#options.secrets, id, message)?.to : undefined) ?? id;
    return [address, address.slice(address.lastIndexOf('@') + 1)];
  }

  async #send(deliveries: Deliveries, attempt: Attempt): Promise<void> {
    let tried: readonly data.ClaimedDelivery[] = deliveries;
    try {
      const { message, sent, omitted, link } = await this.#compose(deliveries);
      tried = sent;
      await this.#recordOmitted(omitted);
      const [first] = sent;
      if (!first || !message) return;
      await this.#transport.send(this.#mailOf(first, message, link), attempt);
    } catch (error) {
      await this.#fail(tried, error);
      return;
    }
    await this.#end(tried, { status: 'SENT' });
  }

  async #recordOmitted(omitted: Composition['omitted']): Promise<void> {
    for (const group of groupBy(omitted, ({ why }) => ('later' in why ? why.later.getTime() : why.reason)).values()) {
      const [[{ why }], deliveries] = [group, group.map(({ delivery }) => delivery)];
      await ('later' in why ? this.#outbox.postpone(deliveries, why.later) : this.#end(deliveries, why));
    }
  }

  /** @returns `link`: turns off the kind of mail */
  async #compose(deliveries: Deliveries): Promise<Composition & { link?: string }> {
    const { secrets, publicUrl } = this.#options;
    const [first] = deliveries;
    const kind = kindOf(first);
    if (!kind.unsubscribing) return kind.compose(this.#options, deliveries);
    const link = unsubscribeUrl(secrets[0] ?? '', publicUrl, first.userId ?? '', kind.unsubscribing);
    return { ...(await kind.compose(this.#options, deliveries, link)), link };
  }

  #mailOf({ id }: data.ClaimedDelivery, { thread, ...message }: Message, link: string | undefined): OutgoingMail {
    const { from } = this.#options;
    const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
    const unsubscribing = link !== undefined && {
      headers: { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    };
    // If the process ends before the commit, the mail is sent again. Mail clients then show it once.
    const own = {
      from,
      messageId: `<${id}@${domain}>`,
      ...(thread !== undefined && { references: `<${thread}@${domain}>` }),
    };
    return { ...message, ...own, ...unsubscribing };
  }

  async #end(deliveries: readonly data.ClaimedDelivery[], ended: Ended): Promise<void> {
    const counters = { SENT: metrics.sentMails, SKIPPED: metrics.skippedMails, FAILED: metrics.failedMails };
    for (const { id, kind, attempts, at, now } of await this.#outbox.end(deliveries, ended)) {
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
    for (const delivery of deliveries) {
      const { id, kind, attempts } = delivery;
      metrics.mailFailures.inc({ kind });
      const pause = isFinal(delivery) ? {} : { pauseSeconds: this.#outbox.pauseOf(delivery) };
      log.warn({ deliveryId: id, kind, attempts, ...reasonOf(error), ...pause }, 'a mail could not be sent');
    }
    await this.#outbox.retry(deliveries.filter((delivery) => !isFinal(delivery)));
    const ended = deliveries.filter(isFinal);
    const reason = isRefused ? failedDeliveries.refused : failedDeliveries.givenUp;
    await this.#end(ended, { status: 'FAILED', reason });
  }
}
