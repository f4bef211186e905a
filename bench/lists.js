import { get } from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startTaskgate } from './lib/contenders.js';
import { startServer, withClient } from './lib/database.js';
import { benchFolder } from './lib/paths.js';
import { cookieOf, signIn } from './lib/session.js';
import { memoryOf } from './lib/usage.js';
import { large, seedAccounts, vacuumAnalyze } from './seed/data.js';

// Requests many large lists at once from a process with a small heap: are they complete, and what do they cost?

const { values } = parseArgs({
  options: {
    lists: { type: 'string', default: '20' },
    tasks: { type: 'string', default: '100000' },
    heap: { type: 'string', default: '512' },
    path: { type: 'string', default: '/api/v2/todo' },
    service: { type: 'string', default: path.resolve(benchFolder, '..') },
  },
});
const account = 1;
const headers = { cookie: cookieOf(account) };

/**
 * Reads a whole response.
 * @param {string} url
 * @returns {Promise<{ status: number, bytes: number, entries: number, ms: number }>}
 */
function timeRequest(url) {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      let [bytes, entries, rest] = [0, 0, ''];
      response.setEncoding('latin1');
      response.on('data', (/** @type {string} */ chunk) => {
        bytes += chunk.length;
        const text = rest + chunk;
        entries += text.split('"children":').length - 1;
        // Keeps the end for a name that is split between chunks.
        rest = text.slice(-10);
      });
      response.once('error', reject);
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, bytes, entries, ms: performance.now() - startedAt });
      });
    });
    request.once('error', reject);
  });
}

/** @param {number} pid */
async function watchMemory(pid) {
  let peak = 0;
  const sampleMemory = async () => {
    peak = Math.max(peak, await memoryOf(pid));
  };
  await sampleMemory();
  const timer = setInterval(() => void sampleMemory(), 100);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

const server = await startServer(values.service);
try {
  const databaseUrl = await server.create('lists');
  await withClient(databaseUrl, async (client) => {
    await seedAccounts(client, large(account, Number(values.tasks)));
    await signIn(client, account);
    await vacuumAnalyze(client);
  });
  const service = await startTaskgate(values.service, databaseUrl, {
    nodeArgs: [`--max-old-space-size=${values.heap}`],
  });
  const first = await timeRequest(`${service.url}/api/v2/tag/count`);
  const peak = await watchMemory(service.pid);
  const before = await memoryOf(service.pid);
  const urls = Array.from({ length: Number(values.lists) }, (_, n) => {
    const url = new URL(values.path, service.url);
    // Distinct URLs, which no cache answers.
    url.searchParams.set('list', String(n));
    return url.href;
  });
  let waits = 0;
  let longest = 0;
  const probing = setInterval(async () => {
    const { ms } = await timeRequest(`${service.url}/api/v2/tag/count?probe=${(waits += 1)}`);
    longest = Math.max(longest, ms);
  }, 250);
  const responses = await Promise.all(urls.map(timeRequest));
  clearInterval(probing);
  const times = responses.map(({ ms }) => ms / 1000).sort((a, b) => a - b);
  const shapes = new Set(responses.map(({ status, bytes, entries }) => `${status}, ${bytes} bytes, ${entries} tasks`));
  console.log(`${responses.length} lists at once of ${values.tasks} tasks, in a heap of ${values.heap} MB`);
  console.log(`responses: ${[...shapes].join(' | ')}`);
  console.log(`seconds: first ${times[0]?.toFixed(1)}, last ${times.at(-1)?.toFixed(1)}`);
  console.log(`resident memory: ${before.toFixed(0)} MB before, at most ${peak().toFixed(0)} MB`);
  console.log(`a small request: ${first.ms.toFixed(0)} ms alone, ${longest.toFixed(0)} ms at most meanwhile`);
  await service.stop();
} finally {
  await server.stop();
}
