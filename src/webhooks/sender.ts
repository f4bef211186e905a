import { setTimeout as delay } from 'node:timers/promises';
import { counter, gauge, log, TaskgateError } from '@taskgate/base';
import { guardedFetch, type Networks } from '@taskgate/http';
import { type Attempt, Outbox } from '@taskgate/outbox';
import { logFailure } from '@taskgate/postgres';
import type { Overload } from '@taskgate/work';
import { webhookDisabledMail, webhookFailingMail } from '../notifications/mails/webhook-mails.ts';
import { figureOf } from '../platform/figures.ts';
import { PacedWork } from '../platform/paced-work.ts';
import type { Services } from '../platform/services.ts';
import { transaction } from '../platform/transaction.ts';
import type { WebhookAttempt } from './data.ts';
import * as data from './delivery-data.ts';
import { type ChangeShape, newMessageId, nothingAt, readMessage, toMessage } from './messages.ts';
import { attemptMs, type OutgoingMessage, post } from './request.ts';

/** Of a process. An account has four of them, and all failing webhooks half. */
const attemptsAtOnce = 32;

const changesAtOnce = 1_000;

/** Time of a turn. Then others have one. */
const turnMs = 2_000;

/** While requests are in flight, the rest after a message is a multiple of the time to read and fix it. */
const [restFactor, maxRestMs] = [20, 1_000];

const closeMs = 3_000;

const messages = counter('taskgate_webhook_messages_total', 'Attempts to send a message, by result.', 'result');
const disabled = counter('taskgate_webhooks_disabled_total', 'Webhooks that were disabled because they failed.');
const lag = gauge(
  'taskgate_webhook_lag_seconds',
  'Delay of the oldest due message, without webhooks whose last attempt failed.',
);
const failing = gauge('taskgate_webhooks_failing', 'Webhooks whose last attempt failed.');

export type SenderServices = Pick<Services, 'accounts' | 'changes' | 'connections' | 'mailer' | 'secrets'>;

interface Sending {
  outbox: Outbox<data.ClaimedWebhook>;
  waking: PacedWork;
  shape: ChangeShape;
  overload: Pick<Overload, 'inFlight'>;
}

/** Sends the changes after each webhook's position, by all processes together. See docs/decisions/1000. */
export class WebhookSender {
  readonly networks: Networks | undefined;
  readonly #services: SenderServices;
  readonly #fetch: ReturnType<typeof guardedFetch>;
  #sending: Sending | undefined;

  constructor(services: SenderServices, networks: Networks | undefined) {
    this.#services = services;
    this.networks = networks;
    this.#fetch = guardedFetch({ networks, maxBytes: 64 * 1024, ignoresBody: true, timeoutMs: attemptMs });
  }

  /** Sends from now on. */
  begin(shape: ChangeShape, overload: Sending['overload']): void {
    const { connections, mailer } = this.#services;
    const reader = data.wakingReader(mailer.clock);
    const outbox = new Outbox<data.ClaimedWebhook>({
      connections,
      clock: mailer.clock,
      name: 'webhook',
      table: data.webhooksTable(mailer.clock),
      lanes: { [data.lane]: attemptsAtOnce },
      recipientOf: ({ id, userId, isFailing }) => (isFailing ? [id, userId, 'failing'] : [id, userId]),
      send: ([claimed], attempt) => this.#send(sending, claimed, attempt),
    });
    const waking = new PacedWork('webhooks', 'webhooks could not be woken', async () => {
      if (!(await data.hasPage(connections, reader))) return false;
      await reader.locked(connections, (tx) => reader.readPage(tx, changesAtOnce));
      outbox.wake();
      return false;
    });
    const sending: Sending = { outbox, waking, shape, overload };
    lag.track(figureOf('webhooks', () => outbox.findLag([data.lane], data.isWorking)));
    failing.track(figureOf('failing webhooks', () => data.countFailing(connections)));
    this.#sending = sending;
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

  /** Sends a test message at once. @returns undefined if the webhook is gone @throws UNAVAILABLE */
  async ping(id: string): Promise<WebhookAttempt | undefined> {
    const { connections, mailer } = this.#services;
    const hook = await data.findHeld(connections, mailer.clock, id);
    if (!hook) return undefined;
    const timestamp = hook.now.toISOString();
    const body = JSON.stringify({ type: 'ping', timestamp, data: { webhookId: id } });
    const send = () => this.#post(hook, { id: newMessageId(), type: 'ping', body, changes: 0 });
    const recipient = [`test of ${id}`, hook.userId] as const;
    const { attempt } = await (this.#sending?.outbox.runBeside(data.lane, recipient, send) ?? send());
    await data.addAttempt(connections, id, attempt);
    return attempt;
  }

  /** A turn of a webhook: sends one message after another. */
  async #send(sending: Sending, claimed: data.ClaimedWebhook, turn: Attempt): Promise<void> {
    const until = performance.now() + turnMs;
    let hook: data.HeldWebhook | undefined = claimed;
    try {
      // A claim is without its fixed message.
      if (claimed.messageId !== null) hook = await this.#find(claimed);
      while (hook) hook = await this.#sendNext(sending, hook, turn, until);
    } catch (error) {
      if (!hook || !(error instanceof TaskgateError && error.code === 'CURSOR_EXPIRED'))
        return logFailure(error, 'a webhook will be tried again', { webhookId: claimed.id });
      const lost = 'The change log does not go back to the position of the webhook any more.';
      await this.#fail(hook, { error: lost, isFinal: true });
    }
  }

  /** Sends a message, or moves past changes that do not pass. @returns undefined at the end of the turn */
  async #sendNext(
    { shape, outbox, overload }: Sending,
    hook: data.HeldWebhook,
    turn: Attempt,
    until: number,
  ): Promise<data.HeldWebhook | undefined> {
    const { accounts, changes, connections, mailer } = this.#services;
    const begun = performance.now();
    const { signal } = turn;
    const viewer = await accounts.credentials.ofWebhook(hook.id);
    // Without a viewer, the token has ended, and the webhook is about to end, too.
    const next = viewer ? await readMessage(viewer, hook, shape, changes.retentionDays) : nothingAt(hook.position);
    let [taken, restMs]: [WebhookAttempt | undefined, number] = [undefined, 0];
    if (next.changes.length > 0) {
      const fixed = hook.message ? hook : await data.fixMessage(connections, mailer.clock, hook, newMessageId(), next);
      if (!fixed) return this.#find(hook);
      restMs = Math.min((performance.now() - begun) * restFactor, maxRestMs);
      turn.beginContent();
      const { attempt, retryAfter } = await this.#post(fixed, toMessage(fixed, next), signal);
      // The lease has ended, or the process stops: the message is repeated.
      if (signal.aborted) return undefined;
      messages.inc({ result: attempt.error === null ? 'taken' : 'failed' });
      if (attempt.error !== null) {
        await this.#fail(fixed, { error: attempt.error, isFinal: attempt.status === 410, attempt, retryAfter });
        return undefined;
      }
      taken = attempt;
    }
    const { cursor, hasMore } = next;
    const isOver = !hasMore || performance.now() > until || signal.aborted;
    const pauseSeconds = hasMore || !taken ? 0 : data.pauseSeconds;
    const release = isOver ? { isDue: hasMore, pauseSeconds } : undefined;
    const following = await data.recordProgress(connections, mailer.clock, hook, { cursor, taken, release });
    if (!following && taken) await data.addAttempt(connections, hook.id, taken);
    // Leaves time for requests.
    if (overload.inFlight > 0) await delay(restMs, undefined, { signal }).catch(() => undefined);
    if (isOver && hasMore) setImmediate(outbox.wake);
    return isOver ? undefined : following;
  }

  #find({ id, lease }: data.HeldWebhook): Promise<data.HeldWebhook | undefined> {
    return data.findHeld(this.#services.connections, this.#services.mailer.clock, id, lease);
  }

  #post(hook: data.HeldWebhook, message: OutgoingMessage, ended?: AbortSignal) {
    return post(this.#fetch, this.#services.secrets, hook, message, ended);
  }

  /** Plans the mail about it in the same transaction. */
  async #fail(hook: data.HeldWebhook, failure: data.Failure): Promise<void> {
    const { connections, mailer } = this.#services;
    const { id: webhookId, userId, url } = hook;
    const failed = await transaction(connections, [`webhook ${webhookId}`], async (tx) => {
      const recorded = await data.recordFailure(tx, mailer.clock, hook, failure);
      if (!recorded) return undefined;
      const { email, reason, isDisabled, isReported } = recorded;
      const isNew = isReported && !hook.isReported;
      const report = isDisabled ? webhookDisabledMail : isNew ? webhookFailingMail : undefined;
      const content = report?.({ host: new URL(url).host, reason, appUrl: mailer.appUrl });
      if (content) await mailer.plan(tx, { kind: 'NOTICE', userId, to: email, ...content });
      return { isDisabled, pauseSeconds: Math.round(recorded.pauseSeconds) };
    });
    const { error, attempt } = failure;
    if (!failed) return void (attempt && (await data.addAttempt(connections, webhookId, attempt)));
    mailer.wake();
    if (failed.isDisabled) disabled.inc();
    const line = { webhookId, messageId: attempt?.messageId, status: attempt?.status, error, ...failed };
    log.warn(line, failed.isDisabled ? 'a webhook was disabled' : 'a webhook message failed');
  }
}
