import WebSocket from 'ws';
import { sendRequest } from './load.js';
import { cookieOf } from './session.js';

/** First and longest pause before a retry. Pauses double and are jittered. */
const [firstPauseMs, maxPauseMs] = [500, 4000];

const task = '{ id title completed updatedAt }';

/**
 * A task in an event.
 * @typedef {{ id: string, title: string, updatedAt: string }} Task
 */

/**
 * @typedef {object} SubscriptionEvent
 * @property {string} cursor
 * @property {Task[]} tasks changed tasks
 * @property {string} [at] when the change was logged, just before its commit; absent in batches of several changes
 */

/**
 * @typedef {object} Subscription
 * @property {string} name
 * @property {string} now query for the current cursor
 * @property {(data: any) => string} cursorOf
 * @property {string} document
 * @property {(data: any) => SubscriptionEvent} read
 */

/** @type {Record<'taskChanges' | 'sync', Subscription>} */
export const subscriptions = {
  taskChanges: {
    name: 'taskChanges',
    now: '{ changes { cursor } }',
    cursorOf: ({ changes }) => changes.cursor,
    document: `subscription ($after: String) {
      taskChanges(after: $after) { cursor kind taskId changedFields at task ${task} }
    }`,
    read: ({ taskChanges: { cursor, at, task } }) => ({ cursor, at, tasks: [task] }),
  },
  sync: {
    name: 'sync',
    now: '{ sync(first: 5000) { cursor hasMore } }',
    cursorOf: ({ sync }) => {
      if (sync.hasMore) throw new Error('there is more than one batch');
      return sync.cursor;
    },
    document: `subscription ($after: String) {
      sync(after: $after) {
        cursor full hasMore mutations
        user { id name } workspaces { id name } projects { id name } sections { id name } tags { id name }
        tasks ${task} deleted { type id }
      }
    }`,
    read: ({ sync: { cursor, tasks } }) => ({ cursor, tasks }),
  },
};

/**
 * Returns the current cursor, after which a subscriber misses nothing.
 * @param {string} url
 * @param {number} account
 * @param {Subscription} subscription
 */
export async function cursorOfNow(url, account, { now, cursorOf }) {
  const headers = { cookie: cookieOf(account) };
  const { body } = await sendRequest(url, {
    method: 'POST',
    path: '/graphql',
    headers,
    body: JSON.stringify({ query: now }),
  });
  return cursorOf(JSON.parse(body).data);
}

/**
 * A client with one subscription on its own WebSocket. It resumes with its last cursor after each interruption. Refusals are retried with jittered
 * exponential backoff.
 */
export class Subscriber {
  /** @readonly */ account;
  /** Number of failed attempts since {@link connect}. */
  failures = 0;
  #url;
  #subscription;
  #cursor;
  #onEvent;
  /** Undefined while disconnected. @type {WebSocket | undefined} */
  #socket;
  /** @type {NodeJS.Timeout | undefined} */
  #pause;
  #onSubscribed = () => {};

  /**
   * @param {string} url
   * @param {number} account
   * @param {Subscription} subscription
   * @param {string} cursor to start from
   * @param {(event: SubscriptionEvent) => void} onEvent
   */
  constructor(url, account, subscription, cursor, onEvent) {
    this.account = account;
    this.#url = `${url.replace('http', 'ws')}/graphql`;
    this.#subscription = subscription;
    this.#cursor = cursor;
    this.#onEvent = onEvent;
  }

  /**
   * Connects, and reconnects until {@link disconnect}.
   * @returns {Promise<void>} once the subscription has been sent on an accepted connection
   */
  connect() {
    this.failures = 0;
    this.#open();
    return new Promise((resolve) => {
      this.#onSubscribed = resolve;
    });
  }

  /** Disconnects for good. */
  disconnect() {
    const socket = this.#socket;
    this.#socket = undefined;
    clearTimeout(this.#pause);
    socket?.terminate();
  }

  #open() {
    const headers = { cookie: cookieOf(this.account) };
    const socket = new WebSocket(this.#url, 'graphql-transport-ws', { headers, perMessageDeflate: false });
    this.#socket = socket;
    socket.once('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('message', (data) => this.#receive(socket, JSON.parse(String(data))));
    // A close follows each error.
    socket.on('error', () => {});
    socket.once('close', () => this.#tryAgain(socket, () => this.#open()));
  }

  /**
   * @param {WebSocket} socket
   * @param {{ type: string, payload?: any }} message
   * @throws an error that ends the run, because a retry would not help
   */
  #receive(socket, { type, payload }) {
    if (socket !== this.#socket) return;
    if (type === 'ping') socket.send('{"type":"pong"}');
    else if (type === 'connection_ack') this.#subscribe(socket);
    else if (type === 'next' && !payload.errors) {
      const event = this.#subscription.read(payload.data);
      this.#cursor = event.cursor;
      this.#onEvent(event);
    } else if (type === 'error' && payload[0].extensions?.code === 'UNAVAILABLE') {
      this.#tryAgain(socket, () => this.#subscribe(socket));
    } else throw new Error(`a subscriber received ${type}: ${JSON.stringify(payload)}`);
  }

  /** @param {WebSocket} socket */
  #subscribe(socket) {
    if (socket.readyState !== socket.OPEN) return;
    const payload = { query: this.#subscription.document, variables: { after: this.#cursor } };
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
    this.#onSubscribed();
  }

  /**
   * @param {WebSocket} socket the refused one
   * @param {() => void} attempt
   */
  #tryAgain(socket, attempt) {
    if (socket !== this.#socket) return;
    const longest = Math.min(maxPauseMs, firstPauseMs * 2 ** this.failures);
    this.failures += 1;
    this.#pause = setTimeout(attempt, Math.random() * longest);
  }
}

/** Concurrent connection attempts outside of measurements. */
const batchSize = 50;

/** @param {readonly Subscriber[]} subscribers */
export async function connectInBatches(subscribers) {
  for (let from = 0; from < subscribers.length; from += batchSize) {
    await Promise.all(subscribers.slice(from, from + batchSize).map((each) => each.connect()));
  }
}
