import { Client } from 'undici';

/**
 * A request to send.
 * @typedef {object} Call
 * @property {string} path
 * @property {'GET' | 'POST' | 'PATCH'} [method] GET where nothing is said
 * @property {Record<string, string>} [headers]
 * @property {string} [body]
 * @property {number} [status] of a right answer; 200 where nothing is said
 */

/**
 * Sends a request and reads the whole answer.
 * @param {Client} client
 * @param {Call} call
 * @param {boolean} keep whether the body is wanted
 * @returns {Promise<{ body: string, headers: Record<string, string> }>}
 * @throws where the status is another than the call expects
 */
function exchange(client, { path, method = 'GET', headers = {}, body, status = 200 }, keep) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = [];
    let answered = 0;
    /** @type {Record<string, string>} */
    const got = {};
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
          answered = code;
          for (let at = 0; keep && at < raw.length; at += 2) got[String(raw[at]).toLowerCase()] = String(raw[at + 1]);
          return true;
        },
        onData(chunk) {
          if (keep || answered !== status) chunks.push(chunk);
          return true;
        },
        onComplete() {
          const text = Buffer.concat(chunks).toString();
          if (answered === status) resolve({ body: text, headers: got });
          else
            reject(
              new Error(`${method} ${path.slice(0, 80)} answered ${answered}, not ${status}: ${text.slice(0, 300)}`),
            );
        },
        onError: reject,
      },
    );
  });
}

/**
 * One request on a connection of its own.
 * @param {string} url
 * @param {Call} call
 */
export async function ask(url, call) {
  const client = new Client(url);
  try {
    return await exchange(client, call, true);
  } finally {
    await client.close();
  }
}

/**
 * What a measurement saw.
 * @typedef {object} Sample
 * @property {number} rate requests a second
 * @property {number[]} times of each request, in ms
 */

/**
 * Sends requests for a time over some connections, each waiting for its answer before its next request.
 * @param {string} url
 * @param {(count: number) => Call} nextCall given how many were sent before
 * @param {{ seconds: number, connections?: number }} options
 * @returns {Promise<Sample>}
 */
export async function hammer(url, nextCall, { seconds, connections = 8 }) {
  /** @type {number[]} */
  const times = [];
  let count = 0;
  const clients = Array.from({ length: connections }, () => new Client(url, { keepAliveTimeout: 60_000 }));
  const began = performance.now();
  const end = began + seconds * 1000;
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
  const took = performance.now() - began;
  await Promise.all(clients.map((client) => client.close()));
  return { rate: (times.length * 1000) / took, times };
}

/**
 * Sends requests one after another, each after some preparation, and times the requests alone.
 * @param {string} url
 * @param {(count: number) => Call} nextCall
 * @param {(count: number) => Promise<unknown>} prepare
 * @param {{ seconds: number }} options
 * @returns {Promise<Sample>} its rate is that of the timed requests alone
 */
export async function inTurn(url, nextCall, prepare, { seconds }) {
  /** @type {number[]} */
  const times = [];
  const client = new Client(url, { keepAliveTimeout: 60_000 });
  const end = performance.now() + seconds * 1000;
  for (let count = 0; performance.now() < end; count += 1) {
    await prepare(count);
    const before = performance.now();
    await exchange(client, nextCall(count), false);
    times.push(performance.now() - before);
  }
  await client.close();
  return { rate: (times.length * 1000) / times.reduce((sum, time) => sum + time, 0), times };
}
