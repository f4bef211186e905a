import { counter, gauge, log, TaskgateError } from '@taskgate/base';
import { guardedFetch, type Networks } from '@taskgate/http';
import { type Attempt, Outbox } from '@taskgate/outbox';
import { type Clock, logFailure } from '@taskgate/postgres';
import type { Mailer } from '../notifications/mailer.ts';
import { figureOf } from '../platform/figures.ts';
import { webhookDisabledMail, webhookFailingMail } from '../notifications/mails/webhook-mails.ts';
import type { Viewer } from '../platform/context.ts';
import type { Connections } from '../platform/database.ts';
import { version } from '../platform/package.ts';
import { PacedWork } from '../platform/paced-work.ts';
import { transaction } from '../platform/transaction.ts';
import { insertAttempt, type TriedMessage } from './data.ts';
import * as data from './delivery-data.ts';
import {
  bodyOf,
  type ChangeShape,
  newMessageId,
  type NextMessage,
  readNext,
  showAgain,
  signatureOf,
} from './messages.ts';
import { unsealSecrets } from './secrets.ts';

export interface SenderOptions {
  connections: Connections;
  clock: Clock;
  secrets: readonly string[];
  mailer: Mailer;
  networks: Networks | undefined;
  retentionDays: number;
  appUrl: string;
  viewerOf: (webhookId: string) => Promise<Viewer | null>;
}

/** Of a process. An account has four of them, and all failing webhooks half. */
const attemptsAtOnce = 32;

const attemptMs = 15_000;

/** A process sends messages of a webhook one after another for so long, then others have a turn. */
const turnMs = 2_000;

const changesAtOnce = 1_000;

const [minute, hour, day] = [60, 60 * 60, 24 * 60 * 60];
/** Seconds after each failure in a row, then hourly. */
const pauses = [5, 30, 2 * minute, 10 * minute, 30 * minute];
const [longestPause, reportedAfter, disabledAfter] = [hour, day, 5 * day];

const messages = counter('taskgate_webhook_messages_total', 'Attempts to send a message, by result.', 'result');
const disabled = counter('taskgate_webhooks_disabled_total', 'Webhooks that were disabled because they failed.');
const lag = gauge('taskgate_webhook_lag_seconds', 'Delay of the oldest due message of a webhook.');

interface Tried extends TriedMessage {
  /** As the endpoint asked. */
  retryAfter: number;
}

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
  begin(shape: ChangeShape): void {
    const { connections, clock } = this.#options;
    const outbox = new Outbox<data.ClaimedWebhook>({
      connections,
      clock,
      name: 'webhook',
      table: data.webhooksTable,
      lanes: { [data.lane]: attemptsAtOnce },
      recipientOf: ({ id, userId, isFailing }) => (isFailing ? [id, userId, 'failing'] : [id, userId]),
      send: ([claimed], attempt) => this.#deliver(claimed, attempt, shape),
    });
    const waking = new PacedWork('webhooks', 'webhooks could not be woken', () => this.#wakeDue(outbox));
    lag.track(figureOf('webhooks', () => outbox.findLag([data.lane])));
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
  async ping(hook: data.HeldWebhook, userId: string): Promise<TriedMessage> {
    const { connections } = this.#options;
    const timestamp = hook.now.toISOString();
    const body = JSON.stringify({ type: 'ping', timestamp, data: { webhookId: hook.id } });
    const send = () => this.#post(hook, { id: newMessageId(), type: 'ping', body, changes: 0 });
    const recipient = [`test of ${hook.id}`, userId] as const;
    const tried = await (this.#sending?.outbox.runBeside(data.lane, recipient, send) ?? send());
    await insertAttempt(connections, hook.id, tried);
    return tried;
  }

  async #wakeDue(outbox: Outbox<data.ClaimedWebhook>): Promise<boolean> {
    const { connections } = this.#options;
    if (!(await data.hasPage(connections, this.#reader))) return false;
    await this.#reader.locked(connections, (tx) => this.#reader.readPage(tx, changesAtOnce));
    outbox.wake();
    return true;
  }

  async #deliver(claimed: data.ClaimedWebhook, attempt: Attempt, shape: ChangeShape): Promise<void> {
    const { connections, clock } = this.#options;
    const until = performance.now() + turnMs;
    try {
      while (await this.#deliverNext(claimed, attempt, shape)) {
        if (performance.now() < until && !attempt.signal.aborted) continue;
        await data.releaseWebhook(connections, clock, claimed);
        // After the end of this turn.
        setImmediate(this.wake);
        return;
      }
    } catch (error) {
      logFailure(error, 'a webhook will be tried again', { webhookId: claimed.id });
    }
  }

  /** @returns whether the webhook is still held, and may have more */
  async #deliverNext({ id, lease }: data.ClaimedWebhook, attempt: Attempt, shape: ChangeShape): Promise<boolean> {
    const { connections, clock, viewerOf } = this.#options;
    const hook = await data.findHeld(connections, clock, id, lease);
    if (!hook) return false;
    const viewer = await viewerOf(id);
    const next = viewer ? await this.#nextOf(hook, viewer, shape) : undefined;
    if (next === 'lost') return false;
    // Without a viewer, the token has ended, and the webhook is about to end, too.
    const {
      message: { changes, cursor } = { changes: [], cursor: hook.position },
      texts = [],
      hasMore = false,
    } = next ?? {};
    if (!next || changes.length === 0) {
      await data.passChanges(connections, clock, hook, { position: cursor, hasMore });
      if (hasMore) setImmediate(this.wake);
      return false;
    }
    const messageId = hook.messageId ?? newMessageId();
    const isFixed = hook.messageId !== null || (await data.fixMessage(connections, hook, messageId, next.message));
    if (!isFixed) return true;
    attempt.beginContent();
    const body = bodyOf(id, next, texts);
    const tried = await this.#post(
      hook,
      { id: messageId, type: 'tasks.changed', body, changes: changes.length },
      attempt.signal,
    );
    // The lease has ended, or the process stops: the message is repeated.
    if (tried.error !== null && attempt.signal.aborted) return true;
    messages.inc({ result: tried.error === null ? 'taken' : 'failed' });
    if (tried.error !== null) return this.#fail(hook, tried);
    await data.recordTaken(connections, clock, hook, { position: cursor, hasMore }, tried);
    return hasMore;
  }

  /** @returns `lost` if the log does not go back to the position */
  async #nextOf(hook: data.HeldWebhook, viewer: Viewer, shape: ChangeShape): Promise<NextMessage | 'lost'> {
    try {
      if (hook.message) return await showAgain(viewer, hook.message, shape);
      return await readNext(viewer, hook, shape, this.#options.retentionDays);
    } catch (error) {
      if (!(error instanceof TaskgateError && error.code === 'CURSOR_EXPIRED')) throw error;
      await this.#recordFailure(hook, 'The change log does not go back to the position of the webhook any more.', {
        isFinal: true,
      });
      return 'lost';
    }
  }

  async #post(
    { url, secrets, id: webhookId, signsTwice, now }: data.HeldWebhook,
    { id, type, body, changes }: { id: string; type: string; body: string; changes: number },
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

  async #fail(hook: data.HeldWebhook, tried: Tried): Promise<false> {
    const isFinal = tried.status === 410;
    await this.#recordFailure(hook, tried.error ?? '', { isFinal, tried });
    return false;
  }

  /** Plans the mail about it in the same transaction. */
  async #recordFailure(hook: data.HeldWebhook, error: string, { isFinal, tried }: { isFinal: boolean; tried?: Tried }) {
    const { connections, clock, mailer, appUrl } = this.#options;
    const { id: webhookId, url } = hook;
    const recorded = await transaction(connections, [`webhook ${webhookId}`], async (tx) => {
      if (tried) await insertAttempt(tx, webhookId, tried);
      const failing = await data.lockFailing(tx, clock, hook);
      if (!failing) return undefined;
      const { userId, email, failures, failingSeconds } = failing;
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
      const { host } = new URL(url);
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
