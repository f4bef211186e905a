import { setTimeout as delay } from 'node:timers/promises';
import { Client, Pool } from 'undici';

/**
 * @typedef {object} Call
 * @property {string} path
 * @property {'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} [method] default: GET
 * @property {Record<string, string>} [headers]
 * @property {string} [body]
 * @property {number} [status] expected, by default 200
 */

export class UnexpectedStatus extends Error {
  /**
   * @param {Call} call
   * @param {number} status
   * @param {string} body
   */
  constructor({ method = 'GET', path, status: expected = 200 }, status, body) {
    super(`${method} ${path.slice(0, 80)} has the status ${status}, not ${expected}: ${body.slice(0, 300)}`);
    this.status = status;
  }
}

/** Parses only if a text in the response, or the response itself, has errors. @param {string} body */
const hasErrors = (body) => body.includes('"errors":') && JSON.parse(body).errors !== undefined;

/**
 * Sends a request and reads the whole response.
 * @param {import('undici').Dispatcher} client
 * @param {Call} call
 * @param {boolean} withBody whether to return the body
 * @returns {Promise<{ body: string, headers: Record<string, string> }>}
 * @throws {UnexpectedStatus}
 * @throws if the response has GraphQL errors
 */
function exchange(client, call, withBody) {
  const { path, method = 'GET', headers = {}, body, status = 200 } = call;
  const isGraphql = path === '/graphql';
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = [];
    let actualStatus = 0;
    /** @type {Record<string, string>} */
    const responseHeaders = {};
    client.dispatch(
      {
        path,
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        body,
      },
      {
        onConnect() {},
        onHeaders(code, raw) {
          actualStatus = code;
          for (let index = 0; withBody && index < raw.length; index += 2)
            responseHeaders[String(raw[index]).toLowerCase()] = String(raw[index + 1]);
          return true;
        },
        onData(chunk) {
          if (withBody || isGraphql || actualStatus !== status) chunks.push(chunk);
          return true;
        },
        onComplete() {
          const text = Buffer.concat(chunks).toString();
          if (actualStatus !== status) reject(new UnexpectedStatus(call, actualStatus, text));
          else if (isGraphql && hasErrors(text)) reject(new Error(`GraphQL errors: ${text.slice(0, 300)}`));
          else resolve({ body: text, headers: responseHeaders });
        },
        onError: reject,
      },
    );
  });
}

/**
 * Sends a request on a new connection.
 * @param {string} url
 * @param {Call} call
 */
export async function sendRequest(url, call) {
  const client = new Client(url);
  try {
    return await exchange(client, call, true);
  } finally {
    await client.close();
  }
}

/**
 * @typedef {object} Sample
 * @property {number} rate requests a second
 * @property {number[]} times of each request, in ms
 */

/**
 * Closed loop: each connection waits for its response before the next request.
 * @param {string} url
 * @param {(count: number) => Call} nextCall receives the number of earlier calls
 * @param {{ seconds: number, connections?: number }} options
 * @returns {Promise<Sample>}
 */
export async function hammer(url, nextCall, { seconds, connections = 8 }) {
  /** @type {number[]} */
  const times = [];
  let count = 0;
  const clients = Array.from({ length: connections }, () => new Client(url, { keepAliveTimeout: 60_000 }));
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  await Promise.all(
    clients.map(async (client) => {
      for (let before = performance.now(); before < end;) {
        await exchange(client, nextCall(count++), false);
        const after = performance.now();
        times.push(after - before);
        before = after;
      }
    }),
  );
  const elapsedMs = performance.now() - startedAt;
  await Promise.all(clients.map((client) => client.close()));
  return { rate: (times.length * 1000) / elapsedMs, times };
}

/**
 * Sends requests over connections, on each one after another and after some preparation, and times the requests alone.
 * @param {string} url
 * @param {(count: number, connection: number) => Call} nextCall
 * @param {(count: number, connection: number) => Promise<unknown>} prepare
 * @param {{ seconds: number, connections?: number }} options
 * @returns {Promise<Sample>} with the rate of the timed requests alone
 */
export async function measurePrepared(url, nextCall, prepare, { seconds, connections = 1 }) {
  /** @type {number[]} */
  const times = [];
  let sent = 0;
  const end = performance.now() + seconds * 1000;
  const run = async (/** @type {number} */ connection) => {
    const client = new Client(url, { keepAliveTimeout: 60_000 });
    while (performance.now() < end) {
      const count = sent++;
      await prepare(count, connection);
      const before = performance.now();
      await exchange(client, nextCall(count, connection), false);
      times.push(performance.now() - before);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => run(connection)));
  return { rate: (connections * times.length * 1000) / times.reduce((sum, time) => sum + time, 0), times };
}

/** Milliseconds between two bursts of an open loop. */
const tickMs = 5;

/**
 * Open loop: sends requests at a rate without waiting for responses.
 * @param {string} url
 * @param {(count: number) => Call} nextCall receives the number of earlier calls
 * @param {{ rate: number, seconds: number, connections?: number }} options requests a second; if all connections are in use, requests wait
 * @returns {Promise<{ sent: number, failed: number }>} once all have ended
 */
export async function sendAtRate(url, nextCall, { rate, seconds, connections = 16 }) {
  const pool = new Pool(url, { connections, keepAliveTimeout: 60_000 });
  const total = Math.round(rate * seconds);
  let failed = 0;
  /** @type {Promise<unknown>[]} */
  const exchanges = [];
  const startedAt = performance.now();
  while (exchanges.length < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedAt) / 1000) * rate));
    while (exchanges.length < due) {
      exchanges.push(exchange(pool, nextCall(exchanges.length), false).catch(() => (failed += 1)));
    }
    await delay(tickMs);
  }
  await Promise.all(exchanges);
  await pool.close();
  return { sent: total, failed };
}
