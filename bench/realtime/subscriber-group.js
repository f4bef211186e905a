import { connectInBatches, cursorOfNow, Subscriber } from '../lib/subscriber.js';
import { spaces } from './stage.js';

/** Changes of each account's task, by time. */
export const changes = /** @type {const} */ (['before', 'while disconnected', 'after reconnecting']);

/** @typedef {typeof changes[number]} ChangeName */

/** Title of the task after a change. */
export const titleOf = (/** @type {ChangeName} */ change, /** @type {number} */ account) =>
  `Changed ${change}, ${account}`;

export const accounts = Array.from({ length: spaces }, (_, index) => index + 1);

/** The subscribers and the changes that each received. */
export class SubscriberGroup {
  /** @type {{ subscriber: Subscriber, received: { title: string, at: number }[] }[]} */
  clients = [];
  /** @type {Map<string, { remaining: number, resolve: () => void }>} */
  #waiters = new Map();

  /**
   * Connects `count` subscribers per account.
   * @param {string} url
   * @param {import('../lib/subscriber.js').Subscription} subscription
   * @param {number} count
   */
  async connect(url, subscription, count) {
    const cursors = await Promise.all(accounts.map((account) => cursorOfNow(url, account, subscription)));
    for (let n = 0; n < count; n += 1) {
      /** @type {{ title: string, at: number }[]} */
      const received = [];
      const onEvent = (/** @type {import('../lib/subscriber.js').SubscriptionEvent} */ { tasks }) => {
        for (const { title } of tasks) {
          received.push({ title, at: performance.now() });
          this.#count(title);
        }
      };
      const account = accounts[n % spaces] ?? 0;
      const subscriber = new Subscriber(url, account, subscription, cursors[n % spaces] ?? '', onEvent);
      this.clients.push({ subscriber, received });
    }
    await connectInBatches(this.clients.map(({ subscriber }) => subscriber));
  }

  /**
   * @param {ChangeName} change
   * @param {number} account
   * @returns {Promise<void>} once all subscribers of the account have received the change
   */
  waitForChange(change, account) {
    const remaining = this.clients.filter(({ subscriber }) => subscriber.account === account).length;
    return new Promise((resolve) => this.#waiters.set(titleOf(change, account), { remaining, resolve }));
  }

  /** @param {string} title */
  #count(title) {
    const waiter = this.#waiters.get(title);
    if (waiter && (waiter.remaining -= 1) === 0) waiter.resolve();
  }

  /** @throws if a subscriber missed a change or received one twice */
  requireAllReceived() {
    for (const { subscriber, received } of this.clients) {
      const expected = changes.map((change) => titleOf(change, subscriber.account)).join('; ');
      const actual = received.map(({ title }) => title).join('; ');
      if (actual !== expected) throw new Error(`a subscriber received ${actual} instead of ${expected}`);
    }
  }
}
