import { setTimeout as delay } from 'node:timers/promises';
import { counter, TaskgateError } from '@taskgate/base';
import type { Attempt } from '@taskgate/outbox';
import { type Clock, logFailure } from '@taskgate/postgres';
import type { Overload } from '@taskgate/work';
import type { Viewer } from '../platform/context.ts';
import type { Connections } from '../platform/database.ts';
import type { WebhookAttempt } from './data.ts';
import * as data from './delivery-data.ts';
import { bodyOf, type ChangeShape, type MessageReads, newMessageId, type NextMessage, showAgain } from './messages.ts';

export interface TurnOptions {
  connections: Connections;
  clock: Clock;
  retentionDays: number;
  reads: MessageReads;
  shape: ChangeShape;
  overload: Pick<Overload, 'inFlight'>;
  viewerOf: (webhookId: string) => Promise<Viewer | null>;
  post: (hook: data.HeldWebhook, message: OutgoingMessage, ended: AbortSignal) => Promise<Tried>;
  /** Records a failure, and releases the webhook. */
  fail: (hook: data.MessageSource, failure: FailedTurn) => Promise<void>;
  /** Makes due webhooks begin. */
  wake: () => void;
}

export interface OutgoingMessage {
  id: string;
  type: string;
  body: string;
  changes: number;
}

export interface Tried extends WebhookAttempt {
  /** As the endpoint asked. */
  retryAfter: number;
}

export interface FailedTurn {
  error: string;
  /** Whether the webhook is disabled at once. */
  isFinal: boolean;
  /** Absent if there was no attempt. */
  tried?: Tried;
}

interface ReadMessage {
  next: NextMessage;
  /** Present if the message is a repetition. */
  fixed?: data.HeldWebhook;
}

/** Then others have a turn. */
const turnMs = 2_000;

/** While requests are in flight, the rest after a message is a multiple of the time to read and fix it. */
const [restFactor, maxRestMs] = [20, 1_000];

const messages = counter('taskgate_webhook_messages_total', 'Attempts to send a message, by result.', 'result');

/** A turn of a webhook: sends one message after another. Each is recorded together with the next one. */
export class Turn {
  readonly #options: TurnOptions;
  readonly #attempt: Attempt;
  readonly #until = performance.now() + turnMs;
  /** Undefined at the end of the turn. */
  #hook: data.MessageSource | data.HeldWebhook | undefined;
  /** The last message, until it is recorded. */
  #taken: data.TakenMessage | undefined;
  #restMs = 0;

  constructor(options: TurnOptions, attempt: Attempt) {
    this.#options = options;
    this.#attempt = attempt;
  }

  async run(claimed: data.ClaimedWebhook): Promise<void> {
    try {
      this.#hook = claimed.messageId === null ? claimed : await this.#find(claimed);
      while (this.#hook) {
        await this.#sendNext(this.#hook);
        await this.#rest();
      }
    } catch (error) {
      const hook = this.#hook;
      if (hook) await this.#recordTaken(hook);
      if (!hook || !(error instanceof TaskgateError && error.code === 'CURSOR_EXPIRED'))
        return logFailure(error, 'a webhook will be tried again', { webhookId: claimed.id });
      const lost = 'The change log does not go back to the position of the webhook any more.';
      await this.#options.fail(hook, { error: lost, isFinal: true });
    }
  }

  /** Leaves time for requests. */
  async #rest(): Promise<void> {
    const { signal } = this.#attempt;
    if (this.#options.overload.inFlight > 0) await delay(this.#restMs, undefined, { signal }).catch(() => undefined);
  }

  /** Sends the fixed message again, or the next one. */
  async #sendNext(hook: data.MessageSource | data.HeldWebhook): Promise<void> {
    const begun = performance.now();
    this.#restMs = 0;
    const { connections, clock, viewerOf } = this.#options;
    const viewer = await viewerOf(hook.id);
    // Without a viewer, the token has ended, and the webhook is about to end, too.
    const { next, fixed }: Partial<ReadMessage> = viewer ? await this.#read(viewer, hook) : {};
    if (!next?.message.changes.length) return this.#release(hook, next);
    const held = fixed ?? (await data.fixMessage(connections, clock, hook, this.#taken, newMessageId(), next));
    if (!held) {
      await this.#recordTaken(hook);
      this.#hook = await this.#find(hook);
      return;
    }
    [this.#hook, this.#taken] = [held, undefined];
    this.#restMs = Math.min((performance.now() - begun) * restFactor, maxRestMs);
    return this.#send(held, next, hook.wakes);
  }

  async #read(viewer: Viewer, hook: data.MessageSource | data.HeldWebhook): Promise<ReadMessage> {
    const { reads, shape, retentionDays } = this.#options;
    if (isFixed(hook)) {
      const next = await showAgain(viewer, hook.message, shape);
      if (next) return { next, fixed: hook };
    }
    return { next: await reads.next(viewer, { ...hook, position: this.#cursorOf(hook) }, shape, retentionDays) };
  }

  /** @param wakes of the webhook before the message was read */
  async #send(held: data.HeldWebhook, next: NextMessage, wakes: string): Promise<void> {
    const { connections, clock, post, fail } = this.#options;
    const { message, hasMore } = next;
    this.#attempt.beginContent();
    const { signal } = this.#attempt;
    const [id, changes] = [held.messageId ?? '', message.changes.length];
    const tried = await post(held, { id, type: 'tasks.changed', body: bodyOf(held.id, next), changes }, signal);
    if (tried.error !== null) {
      this.#hook = undefined;
      // The lease has ended, or the process stops: the message is repeated.
      if (signal.aborted) return void (await data.releaseWebhook(connections, clock, held));
      messages.inc({ result: 'failed' });
      return fail(held, { error: tried.error, isFinal: tried.status === 410, tried });
    }
    messages.inc({ result: 'taken' });
    this.#taken = { cursor: message.cursor, tried };
    this.#hook = { ...held, message: null };
    const isOver = !hasMore || performance.now() > this.#until || signal.aborted;
    if (isOver) await this.#release({ ...held, wakes }, next, hasMore ? 0 : data.pauseSeconds);
  }

  #cursorOf({ position }: data.MessageSource): string {
    return this.#taken?.cursor ?? position;
  }

  readonly #find = ({ id, lease }: data.MessageSource) =>
    data.findHeld(this.#options.connections, this.#options.clock, id, lease);

  async #recordTaken(hook: data.MessageSource): Promise<void> {
    const { connections, clock } = this.#options;
    if (this.#taken) await data.moveOn(connections, clock, hook, { cursor: this.#taken.cursor, taken: this.#taken });
    this.#taken = undefined;
  }

  /** Ends the turn. */
  async #release(hook: data.MessageSource, next: NextMessage | undefined, pause = 0): Promise<void> {
    const { connections, clock, wake } = this.#options;
    const { message: { cursor } = { cursor: this.#cursorOf(hook) }, hasMore = false, isBehind = false } = next ?? {};
    const release = { isDue: hasMore || isBehind, pauseSeconds: pause };
    await data.moveOn(connections, clock, hook, { cursor, taken: this.#taken }, release);
    [this.#hook, this.#taken] = [undefined, undefined];
    if (hasMore) setImmediate(wake);
  }
}

const isFixed = (
  hook: data.MessageSource | data.HeldWebhook,
): hook is data.HeldWebhook & { message: data.FixedMessage } => 'message' in hook && hook.message !== null;
