import { once } from 'node:events';
import { createServer } from 'node:http';
import { withClient } from '../lib/database.js';
import { hammer, sendRequest } from '../lib/load.js';
import { measureRounds, ratioOf, tripleRounds } from '../lib/measure.js';
import { cookieOf, signIn } from '../lib/session.js';
import { memoryOf } from '../lib/usage.js';
import { large, seedAccounts, taskId, userId, vacuumAnalyze } from '../seed/data.js';
import { byConnections } from './writers.js';

/** @typedef {import('./index.js').Stage} Stage */
/** @typedef {import('../lib/contenders.js').Contender} Contender */

/** Accounts: one whose log is read, one that writes with webhooks, and one that writes without. */
const [logged, watched, plain] = [501, 502, 503];
const [changes, perTransaction, perPage, hooks] = [5000, 10, 100, 20];
/** Accounts with ten webhooks each. */
const crowd = Array.from({ length: 100 }, (_, index) => 601 + index);
const crowdHooks = 10;

/** Takes every message, or refuses all. */
async function openEndpoint() {
  /** @type {(changes: number) => void} */
  let taken = () => {};
  let status = 204;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => (body += piece));
    request.on('end', () => {
      response.writeHead(status).end();
      taken(body.split('"operationId"').length - 1);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Resolves after so many changes, with the milliseconds from message to message. @param {number} count */
    takes: (count) =>
      new Promise((resolve) => {
        let [seen, last] = [0, performance.now()];
        /** @type {number[]} */
        const times = [];
        taken = (more) => {
          const now = performance.now();
          times.push(now - last);
          [seen, last] = [seen + more, now];
          if (seen >= count) resolve(times);
        };
      }),
    refuse: () => void (status = 500),
    close: () => server.close(),
  };
}

/** @param {string} url @param {import('../lib/load.js').Call['method']} method @param {string} path @param {object} [body] */
const send = async (url, method, path, body, account = logged) =>
  JSON.parse(
    (
      await sendRequest(url, {
        ...{ method, path, headers: { cookie: cookieOf(account) } },
        ...(body && { body: JSON.stringify(body) }),
        ...(method === 'POST' && { status: 201 }),
      })
    ).body,
  );

/** Fills a log, with a few changes in each transaction. @param {import('pg').Client} client */
async function seed(client) {
  await seedAccounts(client, large(logged, changes));
  await seedAccounts(client, large(watched, 100), 2);
  await seedAccounts(client, large(crowd[0] ?? 0, 10), crowd.length);
  for (const account of [logged, watched, plain, ...crowd]) await signIn(client, account);
  await vacuumAnalyze(client);
}

/** @param {import('pg').Client} client */
async function change(client) {
  const { rows } = await client.query('SELECT id FROM tasks WHERE space_id = $1 ORDER BY id', [userId(logged)]);
  for (let from = 0; from < rows.length; from += perTransaction)
    await client.query(`UPDATE tasks SET title = title || '!' WHERE id = ANY ($1)`, [
      rows.slice(from, from + perTransaction).map(({ id }) => id),
    ]);
}

/** @param {Contender} taskgate */
const untilIdle = ({ databaseUrl }) =>
  withClient(databaseUrl, async (client) => {
    for (;;) {
      const { rows } = await client.query('SELECT FROM webhooks WHERE next_at IS NOT NULL LIMIT 1');
      if (rows.length === 0) return;
      await client.query('SELECT pg_sleep(0.2)');
    }
  });

/** One pass over the log. Its first page has another length each time, so that no response comes from the cache. @param {string} url @param {string} cursor */
async function read(url, cursor, first = 1) {
  /** @type {number[]} */
  const times = [];
  for (let [after, limit, hasMore] = [cursor, first, true]; hasMore; limit = perPage) {
    const before = performance.now();
    const page = await send(url, 'GET', `/api/v2/changes?limit=${limit}&after=${encodeURIComponent(after)}`);
    times.push(performance.now() - before);
    [after, hasMore] = [page.cursor, page.hasMore];
  }
  return times;
}

/** @param {number[]} times */
const rateOf = (times) => ({ times, rate: (changes * 1000) / times.reduce((sum, time) => sum + time, 0) });

/** Messages of a log to one endpoint, against the same pages by a reader. @param {Stage} stage */
async function catchingUp({ taskgate, rounds }, /** @type {Awaited<ReturnType<typeof openEndpoint>>} */ endpoint) {
  const { url } = taskgate;
  const { cursor } = await send(url, 'GET', '/api/v2/changes');
  const since = new Date().toISOString();
  const { webhook } = await send(url, 'POST', '/api/v2/webhooks', { url: endpoint.url, maxChanges: perPage });
  await withClient(taskgate.databaseUrl, change);
  await untilIdle(taskgate);
  let passes = 0;
  const figures = await measureRounds(
    ['reader', 'webhook'].map((name) => ({ ...taskgate, name })),
    async ({ name }) => {
      if (name === 'reader') return rateOf(await read(url, cursor, (passes += 1)));
      const taken = endpoint.takes(changes);
      await send(url, 'PATCH', `/api/v2/webhooks/${webhook.id}`, { since });
      const times = await taken;
      await untilIdle(taskgate);
      return rateOf(times);
    },
    rounds,
  );
  await send(url, 'DELETE', `/api/v2/webhooks/${webhook.id}`);
  const [reader, sender] = /** @type {[any, any]} */ (figures);
  const text = 'changes a second of a webhook ≥ 0.5 × reading the same pages';
  return { figures, targets: [{ text, ratio: ratioOf(sender, reader), atLeast: 0.5 }] };
}

/** Writes to a space of 20 webhooks, against writes to one without. @param {Stage} stage */
async function writing({ taskgate, rounds }, /** @type {Awaited<ReturnType<typeof openEndpoint>>} */ endpoint) {
  const { url } = taskgate;
  for (let hook = 0; hook < hooks; hook += 1)
    await send(url, 'POST', '/api/v2/webhooks', { url: `${endpoint.url}${hook}` }, watched);
  /** @type {(account: number) => (count: number) => import('../lib/load.js').Call} */
  const write = (account) => (count) => ({
    ...{ path: '/api/v2/todo', method: 'POST', status: 201 },
    ...{ headers: { cookie: cookieOf(account) }, body: JSON.stringify({ title: `New task ${count}` }) },
  });
  return byConnections(
    (connections) =>
      measureRounds(
        ['write without webhooks', 'write with 20 webhooks'].map((name) => ({ ...taskgate, name })),
        async ({ name }, seconds) => {
          await untilIdle(taskgate);
          return hammer(url, write(name.includes('20') ? watched : plain), { seconds, connections });
        },
        tripleRounds(rounds),
      ),
    ([without, withHooks]) => ({
      text: 'write with 20 webhooks ≥ 0.9 × without',
      ratio: ratioOf(withHooks, without),
      atLeast: 0.9,
    }),
  );
}

/** A change in each of 100 accounts, with ten webhooks each; at last their endpoints fail. @param {Stage} stage */
async function fanningOut({ taskgate, rounds }, /** @type {Awaited<ReturnType<typeof openEndpoint>>} */ endpoint) {
  const { url, databaseUrl, pid } = taskgate;
  for (const account of crowd)
    for (let hook = 0; hook < crowdHooks; hook += 1)
      await send(url, 'POST', '/api/v2/webhooks', { url: `${endpoint.url}${account}/${hook}` }, account);
  await untilIdle(taskgate);
  const messages = crowd.length * crowdHooks;
  const changeEach = async () => {
    const taken = endpoint.takes(messages);
    await withClient(databaseUrl, async (client) => {
      for (const account of crowd)
        await client.query(`UPDATE tasks SET title = title || '!' WHERE id = $1`, [taskId(account, 0)]);
    });
    const times = await taken;
    return { times, rate: (messages * 1000) / times.reduce((sum, time) => sum + time, 0) };
  };
  const figures = await measureRounds([{ ...taskgate, name: '1,000 webhooks' }], changeEach, rounds);
  await untilIdle(taskgate);
  const before = await memoryOf(pid);
  endpoint.refuse();
  await changeEach();
  const after = await memoryOf(pid);
  const notes = [`Memory with 1,000 failing webhooks: ${after.toFixed(0)} MB, ${before.toFixed(0)} MB before.`];
  return { figures, targets: [], notes };
}

/** @param {Stage} stage */
export async function webhooks(stage) {
  await withClient(stage.taskgate.databaseUrl, seed);
  const endpoint = await openEndpoint();
  try {
    const outcomes = [await catchingUp(stage, endpoint), await writing(stage, endpoint)];
    const { notes, ...fannedOut } = await fanningOut(stage, endpoint);
    outcomes.push(fannedOut);
    return {
      figures: outcomes.flatMap(({ figures }) => figures),
      targets: outcomes.flatMap(({ targets }) => targets),
      notes,
    };
  } finally {
    endpoint.close();
    // The lock waits for the sender, which updates the same rows in another order.
    const statements = 'LOCK TABLE webhooks IN EXCLUSIVE MODE; DELETE FROM webhooks';
    await withClient(stage.taskgate.databaseUrl, (client) => client.query(statements));
  }
}
