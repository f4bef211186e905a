import { counter, gauge, log } from '@taskgate/base';
import { guardedFetch, type Networks } from '@taskgate/http';
import { Outbox } from '@taskgate/outbox';
import type { Clock } from '@taskgate/postgres';
import type { Mailer } from '../notifications/mailer.ts';
import { figureOf } from '../platform/figures.ts';
import { webhookDisabledMail, webhookFailingMail } from '../notifications/mails/webhook-mails.ts';
import type { Viewer } from '../platform/context.ts';
import type { Connections } from '../platform/database.ts';
import { version } from '../platform/package.ts';
import { PacedWork } from '../platform/paced-work.ts';
import { transaction } from '../platform/transaction.ts';
import { insertAttempt, type WebhookAttempt } from './data.ts';
import * as data from './delivery-data.ts';
import { type ChangeShape, MessageReads, newMessageId, signatureOf } from './messages.ts';
import { unsealSecrets } from './secrets.ts';
import { type FailedTurn, type OutgoingMessage, type Tried, Turn, type TurnOptions } from './turn.ts';

export interface SenderOptions {
  connections: Connections;
  clock: Clock;
  secrets: readonly string[];
  mailer: Mailer;
  networks: Networks | undefined;
  retentionDays: number;
  viewerOf: (webhookId: string) => Promise<Viewer | null>;
}

/** Of a process. An account has four of them, and all failing webhooks half. */
const attemptsAtOnce = 32;

const attemptMs = 15_000;

const changesAtOnce = 1_000;

const [minute, hour, day] = [60, 60 * 60, 24 * 60 * 60];
/** Seconds after each failure in a row, then hourly. */
const pauses = [5, 30, 2 * minute, 10 * minute, 30 * minute];
const [longestPause, reportedAfter, disabledAfter] = [hour, day, 5 * day];

const disabled = counter('taskgate_webhooks_disabled_total', 'Webhooks that were disabled because they failed.');
const lag = gauge(
  'taskgate_webhook_lag_seconds',
  'Delay of the oldest due message, without webhooks whose last attempt failed.',
);
const failing = gauge('taskgate_webhooks_failing', 'Webhooks whose last attempt failed.');

/** Sends the changes after each webhook's position, by all processes together. See docs/decisions/1000. */
export class WebhookSender {
  readonly networks: Networks | undefined;
  readonly #options: SenderOptions;
  readonly #fetch: ReturnType<typeof guardedFetch>;
  readonly #reader;
  #sending: { outbox: Outbox<data.ClaimedWebhook>; waking: PacedWork } | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.networks = options.networks;
    this.#reader = data.wakingReader(options.clock);
    this.#fetch = guardedFetch({
      networks: options.networks,
      maxBytes: 64 * 1024,
      ignoresBody: true,
      timeoutMs: attemptMs,
    });
  }

  /** Sends from now on. */
  begin(shape: ChangeShape, overload: TurnOptions['overload']): void {
    const { connections, clock } = this.#options;
    const reads = new MessageReads();
    const [post, fail, wake] = [this.#post.bind(this), this.#recordFailure.bind(this), this.wake];
    const options = { ...this.#options, reads, shape, overload, post, fail, wake };
    const outbox = new Outbox<data.ClaimedWebhook>({
      connections,
      clock,
      name: 'webhook',
      table: data.webhooksTable,
      lanes: { [data.lane]: attemptsAtOnce },
      recipientOf: ({ id, userId, isFailing }) => (isFailing ? [id, userId, 'failing'] : [id, userId]),
      send: ([claimed], attempt) => new Turn(options, attempt).run(claimed),
    });
    const waking = new PacedWork('webhooks', 'webhooks could not be woken', () => this.#makeDue(outbox));
    lag.track(figureOf('webhooks', () => data.findLag(connections, clock)));
    failing.track(figureOf('failing webhooks', () => data.countFailing(connections)));
    this.#sending = { outbox, waking };
  }

  /** After a change of this process. */
  readonly changed = (): void => this.#sending?.waking.wake();

  /** After a commit that made a webhook due. */
  readonly wake = (): void => this.#sending?.outbox.wake();

  /** Waits for attempts in progress, then aborts them. */
  async close(): Promise<void> {
    await this.#sending?.waking.stop();
    await this.#sending?.outbox.close(closeMs);
  }

  /** Sends a test message at once. @throws UNAVAILABLE */
  async ping(hook: data.HeldWebhook, userId: string): Promise<WebhookAttempt> {
    const { connections } = this.#options;
    const timestamp = hook.now.toISOString();
    const body = JSON.stringify({ type: 'ping', timestamp, data: { webhookId: hook.id } });
    const send = () => this.#post(hook, { id: newMessageId(), type: 'ping', body, changes: 0 });
    const recipient = [`test of ${hook.id}`, userId] as const;
    const tried = await (this.#sending?.outbox.runBeside(data.lane, recipient, send) ?? send());
    await insertAttempt(connections, hook.id, tried);
    return tried;
  }

  async #makeDue(outbox: Outbox<data.ClaimedWebhook>): Promise<boolean> {
    const { connections } = this.#options;
    if (!(await data.hasPage(connections, this.#reader))) return false;
    await this.#reader.locked(connections, (tx) => this.#reader.readPage(tx, changesAtOnce));
    outbox.wake();
    return true;
  }

  async #post(
    { url, secrets, id: webhookId, signsTwice, now }: data.HeldWebhook,
    { id, type, body, changes }: OutgoingMessage,
    ended?: AbortSignal,
  ): Promise<Tried> {
    const begun = performance.now();
    const timestamp = Math.floor(now.getTime() / 1000);
    const keys = unsealSecrets(this.#options.secrets, webhookId, secrets).slice(0, signsTwice ? 2 : 1);
    const deadline = AbortSignal.timeout(attemptMs);
    const answer = await this.#fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Taskgate-Webhooks/${version}`,
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf(keys, id, timestamp, body),
      },
      body,
      signal: ended ? AbortSignal.any([deadline, ended]) : deadline,
    }).catch(() => undefined);
    const late = 'The endpoint did not answer within 15 seconds.';
    const unanswered = deadline.aborted ? late : 'The endpoint could not be reached.';
    return {
      messageId: id,
      type,
      at: now,
      ms: Math.round(performance.now() - begun),
      changes,
      status: answer?.status ?? null,
      error: answer ? errorOf(answer.status) : unanswered,
      retryAfter: secondsOf(answer?.headers.get('retry-after'), now),
    };
  }

  /** Plans the mail about it in the same transaction. */
  async #recordFailure(hook: data.MessageSource, { error, isFinal, tried }: FailedTurn): Promise<void> {
    const { connections, clock, mailer } = this.#options;
    const { id: webhookId } = hook;
    const recorded = await transaction(connections, [`webhook ${webhookId}`], async (tx) => {
      if (tried) await insertAttempt(tx, webhookId, tried);
      const failing = await data.lockFailing(tx, clock, hook);
      if (!failing) return undefined;
      const { userId, email, url, failures, failingSeconds } = failing;
      const isDisabled = isFinal || failingSeconds >= disabledAfter;
      const isReported = failing.isReported || failingSeconds >= reportedAfter;
      const reason = isDisabled && !isFinal ? `It has failed for five days. ${error}` : error;
      const spread = 0.8 + 0.4 * Math.random();
      const pauseSeconds = Math.max((pauses[failures] ?? longestPause) * spread, tried?.retryAfter ?? 0);
      await data.recordFailure(tx, clock, hook, { reason, pauseSeconds, isDisabled, isReported });
      const report = isDisabled
        ? webhookDisabledMail
        : isReported && !failing.isReported
          ? webhookFailingMail
          : undefined;
      const [{ host }, { appUrl }] = [new URL(url), mailer];
      if (report) await mailer.plan(tx, { kind: 'NOTICE', userId, to: email, ...report({ host, reason, appUrl }) });
      return { isDisabled, pauseSeconds: Math.round(pauseSeconds) };
    });
    if (!recorded) return;
    mailer.wake();
    if (recorded.isDisabled) disabled.inc();
    const line = { webhookId, messageId: tried?.messageId, status: tried?.status, error, ...recorded };
    log.warn(line, recorded.isDisabled ? 'a webhook was disabled' : 'a webhook message failed');
  }
}

const closeMs = 3000;

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'The endpoint redirects.' : `The endpoint answered ${status}.`;
}

/** RFC 9110, 10.2.3, up to an hour. */
function secondsOf(retryAfter: string | null | undefined, now: Date): number {
  if (!retryAfter) return 0;
  const moment = new Date(retryAfter).getTime();
  const wanted = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (moment - now.getTime()) / 1000;
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 0), longestPause) : 0;
}
