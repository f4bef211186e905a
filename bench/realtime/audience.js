import { connectInTurn, cursorOfNow, Subscriber } from '../lib/subscriber.js';
import { spaces } from './stage.js';

/** Changes of each account's task, by time. */
export const changes = /** @type {const} */ (['before', 'while away', 'after the return']);

/** @typedef {typeof changes[number]} ChangeName */

/** Title of the task after a change. */
export const titleOf = (/** @type {ChangeName} */ change, /** @type {number} */ account) =>
  `Changed ${change}, ${account}`;

export const accounts = Array.from({ length: spaces }, (_, index) => index + 1);

/** The subscribers and the changes that each received. */
export class Audience {
  /** @type {{ subscriber: Subscriber, heard: { title: string, at: number }[] }[]} */
  clients = [];
  /** @type {Map<string, { left: number, resolve: () => void }>} */
  #awaited = new Map();

  /**
   * Connects `count` subscribers per account.
   * @param {string} url
   * @param {import('../lib/subscriber.js').Subscription} subscription
   * @param {number} count
   */
  async gather(url, subscription, count) {
    const cursors = await Promise.all(accounts.map((account) => cursorOfNow(url, account, subscription)));
    for (let n = 0; n < count; n += 1) {
      /** @type {{ title: string, at: number }[]} */
      const heard = [];
      const onEvent = (/** @type {import('../lib/subscriber.js').Heard} */ { tasks }) => {
        for (const { title } of tasks) {
          heard.push({ title, at: performance.now() });
          this.#count(title);
        }
      };
      const account = accounts[n % spaces] ?? 0;
      const subscriber = new Subscriber(url, account, subscription, cursors[n % spaces] ?? '', onEvent);
      this.clients.push({ subscriber, heard });
    }
    await connectInTurn(this.clients.map(({ subscriber }) => subscriber));
  }

  /**
   * @param {ChangeName} change
   * @param {number} account
   * @returns {Promise<void>} once all subscribers of the account have received the change
   */
  hear(change, account) {
    const left = this.clients.filter(({ subscriber }) => subscriber.account === account).length;
    return new Promise((resolve) => this.#awaited.set(titleOf(change, account), { left, resolve }));
  }

  /** @param {string} title */
  #count(title) {
    const awaited = this.#awaited.get(title);
    if (awaited && (awaited.left -= 1) === 0) awaited.resolve();
  }

  /** @throws if a subscriber missed a change or received one twice */
  requireEach() {
    for (const { subscriber, heard } of this.clients) {
      const expected = changes.map((change) => titleOf(change, subscriber.account)).join('; ');
      const actual = heard.map(({ title }) => title).join('; ');
      if (actual !== expected) throw new Error(`a subscriber has heard: ${actual}; not: ${expected}`);
    }
  }
}
