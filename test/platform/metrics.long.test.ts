import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, Server } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { acceptQueueLength } from '../../packages/http/accept-queue.ts';
import { routes } from '../../rest/routes.ts';
import { version } from '../../src/platform/package.ts';
import { levelOf } from '../../src/platform/security-log.ts';
import { EventStream } from '../changes/sse.ts';
import { Socket } from '../changes/stream.ts';
import { HeldRequest } from '../kit/held-request.ts';
import { openLockHolder, lockSpaces, untilWaiting } from '../kit/locks.ts';
import { makeTask, makeWorkspace } from '../kit/make.ts';
import { type Samples, scrape, withMetrics } from '../kit/metrics.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { until } from '../kit/until.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService(withMetrics);
  anna = await signUp(service);
});
afterAll(() => service.close());

const read = () => scrape(service.url);

async function riseOf(
  work: () => Promise<unknown>,
  name: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const before = (await read()).value(name, labels) ?? 0;
  await work();
  return ((await read()).value(name, labels) ?? 0) - before;
}

const untilFigures = (condition: (samples: Samples) => boolean) =>
  until('figures are as they should be', async () => condition(await read()));

const requests = 'http_request_duration_seconds_count';
const operations = 'taskgate_graphql_operation_duration_seconds_count';

describe('requests', () => {
  test('are counted by route, method and class of status, and by exact status', async () => {
    const { id } = await makeTask(anna);
    const one = { transport: 'http', method: 'PATCH', route: '/api/v2/todo/:id' };
    expect(await riseOf(() => anna.patch(`/api/v2/todo/${id}`, {}), requests, { ...one, status: '2xx' })).toBe(1);
    const missing = () => anna.patch('/api/v2/todo/task_00000000000000000000000000', {});
    expect(await riseOf(missing, requests, { ...one, status: '4xx' })).toBe(1);
    expect(await riseOf(missing, 'taskgate_http_responses_total', { status: '404' })).toBe(1);
  });

  test('are distinguished if they are streams', async () => {
    const untilNoStream = () => untilFigures((now) => !now.value('taskgate_subscriptions', { transport: 'sse' }));
    const ended = async () => {
      const stream = await EventStream.open(service, anna, '/api/v2/events');
      stream.close();
      await stream.body;
      await untilNoStream();
    };
    // Of another test.
    await untilNoStream();
    expect(await riseOf(ended, requests, { transport: 'sse', route: '/api/v2/events' })).toBe(1);
  });

  test('have no label that a client can choose', async () => {
    const methods = ['GET', 'POST', 'PROPFIND', 'MKCOL', 'LOCK', 'REPORT', 'DELETE'];
    const segment = fc
      .constantFrom('api', 'v2', 'v1', 'todo', 'graphql', 'docs', 'avatars', 'user')
      .chain((knownMethod) =>
        fc.oneof(
          fc.constant(knownMethod),
          fc.stringMatching(/^[a-z0-9_-]{1,8}$/),
          fc.constant(knownMethod.toUpperCase()),
        ),
      );
    const send = async (method: string, segments: string[]) => {
      const operation = `query ${segments.join('_').replace(/\W/g, '')}x { viewer { id } }`;
      await anna.send(method, `/${segments.join('/')}?${segments[0] ?? ''}`);
      await anna.graphql(operation);
    };
    const labels = async () => {
      const { text } = await read();
      return (label: string) =>
        new Set([...text.matchAll(new RegExp(`[{,]${label}="([^"]*)"`, 'g'))].map(([, value = '']) => value));
    };
    // Other test files of this process have had their own routes.
    const before = await labels();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...methods),
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        async (method, segments) => send(method, segments),
      ),
      { numRuns: 40 },
    );
    const after = await labels();
    const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'];
    const routeNames = declaredRoutes();
    expect([...after('method')].filter((method) => !knownMethods.includes(method))).toEqual([]);
    expect([...after('route')].filter((route) => !before('route').has(route) && !routeNames.has(route))).toEqual([]);
  });
});

function declaredRoutes(): Set<string> {
  const others = ['unknown', '/graphql', '/graphql/', '/docs', '/docs/', '/docs/page.js', '/api/openapi.json'];
  const own = ['/avatars', '/api/v1', '/api/v2', '/healthz', '/readyz', '/metrics', '/unsubscribe/{:token}'];
  return new Set([...routes.map((route) => route.path), ...others, ...own]);
}

describe('operations', () => {
  const operationLabels = (transport: string, type: string, outcome: string, api = 'graphql') => ({
    api,
    transport,
    type,
    outcome,
  });

  test('are counted by API, transport, type and outcome', async () => {
    const query = () => anna.graphql('query Mine { viewer { name } }');
    expect(await riseOf(query, operations, operationLabels('http', 'query', 'ok'))).toBe(1);
    const create = () => anna.graphql('mutation { createTask(input: { title: "x" }) { id } }');
    expect(await riseOf(create, operations, operationLabels('http', 'mutation', 'ok'))).toBe(1);
    const createBlankTask = () => anna.graphql('mutation { createTask(input: { title: " " }) { id } }');
    expect(await riseOf(createBlankTask, operations, operationLabels('http', 'mutation', 'VALIDATION_FAILED'))).toBe(1);
    const signedOut = () => service.anonymous.graphql('{ tasks { nodes { id } } }');
    expect(await riseOf(signedOut, operations, operationLabels('http', 'query', 'UNAUTHENTICATED'))).toBe(1);
    expect(await riseOf(() => makeTask(anna), operations, operationLabels('http', 'mutation', 'ok', 'rest'))).toBe(1);
    const socket = await Socket.ready(service.url, anna.cookie);
    const runNamedQuery = () => socket.run('query Again { viewer { name } }');
    expect(await riseOf(runNamedQuery, operations, operationLabels('websocket', 'query', 'ok'))).toBe(1);
    socket.close();
  });

  test('are counted by code if they cannot be executed', async () => {
    const runInvalidQuery = () => anna.graphql('{ nothing }');
    expect(
      await riseOf(runInvalidQuery, 'taskgate_graphql_requests_refused_total', { code: 'VALIDATION_FAILED' }),
    ).toBe(1);
  });

  test('are distinguished by faults of the service and mistakes of clients', async () => {
    await service.sql('ALTER TABLE preferences RENAME COLUMN time_zone TO other');
    const runFailingQuery = () => anna.graphql('{ viewer { preferences { timeZone } } }');
    expect(await riseOf(runFailingQuery, operations, operationLabels('http', 'query', 'INTERNAL'))).toBe(1);
    await service.sql('ALTER TABLE preferences RENAME COLUMN other TO time_zone');
  });
});

describe('gauges', () => {
  test('count open connections, WebSockets and subscriptions, and how subscriptions ended', async () => {
    const socket = await Socket.ready(service.url, anna.cookie);
    socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { taskChanges { taskId } }' } });
    await socket.run('{ viewer { id } }');
    const labels = { api: 'graphql', transport: 'websocket' };
    const open = await read();
    expect(open.value('taskgate_websockets')).toBe(1);
    expect(open.value('taskgate_subscriptions', labels)).toBe(1);
    expect(open.value('taskgate_connections')).toBeGreaterThanOrEqual(2);
    const end = async () => {
      socket.close();
      await untilFigures((now) => now.value('taskgate_websockets') === 0);
      await untilFigures((now) => now.value('taskgate_subscriptions', labels) === 0);
    };
    expect(await riseOf(end, 'taskgate_subscriptions_ended_total', { ...labels, outcome: 'ok' })).toBe(1);
  });

  test('count connections in pools and jobs in queues', async () => {
    const before = await read();
    const lockHolder = await lockSpaces(service, anna.id);
    const writes = Array.from({ length: 5 }, () => makeTask(anna));
    await untilWaiting(service, 2);
    const countWrites = (now: Samples, state: 'running' | 'waiting') =>
      now.value(`taskgate_queue_${state}`, { queue: 'writes' });
    // The planner of mails writes in between.
    await untilFigures((now) => countWrites(now, 'running') === 2 && countWrites(now, 'waiting') === 3);
    const now = await read();
    const countRefused = (at: Samples) => at.value('taskgate_queue_refused_total', { queue: 'writes' });
    expect(countRefused(now)).toBe(countRefused(before));
    const open = now.value('taskgate_database_pool_connections', { pool: 'main' }) ?? 0;
    const idle = now.value('taskgate_database_pool_idle_connections', { pool: 'main' }) ?? 0;
    expect(open - idle).toBeGreaterThanOrEqual(2);
    expect(now.value('taskgate_database_pool_max_connections', { pool: 'main' })).toBe(26);
    expect(now.value('taskgate_database_pool_waiting', { pool: 'session' })).toBe(0);
    await lockHolder.release();
    await Promise.all(writes);
    await untilFigures((later) => later.value('taskgate_queue_running', { queue: 'writes' }) === 0);
  });

  test('name the version of the service and of Node', async () => {
    expect((await read()).value('taskgate_build_info', { version, node: process.version })).toBe(1);
  });

  test('measure the duration of statements by kind', async () => {
    const reading = () => makeTask(anna);
    const name = 'taskgate_database_statement_duration_seconds_count';
    expect(await riseOf(reading, name, { kind: 'read' })).toBeGreaterThanOrEqual(1);
  });

  test('count connections that the process has not accepted yet', async () => {
    const listen = `const server = net.createServer().listen(0, () => {
      fs.writeSync(1, String(server.address().port));
      process.kill(process.pid, 'SIGSTOP');
    })`;
    const stopped = spawn(process.execPath, ['-e', listen]);
    const [port] = ((await once(stopped.stdout, 'data')) as Buffer[]).map(Number);
    const server = new Server();
    server.address = () => ({ port: port ?? 0, family: 'IPv6', address: '::' });
    const sockets = [1, 2].map(() => connect({ port: port ?? 0, host: '127.0.0.1' }));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    if (process.platform === 'linux') expect(await acceptQueueLength(server)).toBe(2);
    for (const socket of sockets) socket.destroy();
    stopped.kill('SIGKILL');
    await once(stopped, 'close');
  });

  test('measure the size of the response cache, and count its hits', async () => {
    await makeTask(anna);
    const list = () => anna.get('/api/v2/todo');
    expect(await riseOf(list, 'taskgate_response_cache_misses_total')).toBe(1);
    expect(await riseOf(list, 'taskgate_response_cache_hits_total')).toBe(1);
    const now = await read();
    expect(now.value('taskgate_response_cache_entries')).toBeGreaterThan(0);
    expect(now.value('taskgate_response_cache_bytes')).toBeGreaterThan(100);
  });

  test('measure the memory of request bodies', async () => {
    const title = 'x'.repeat(400);
    const body = JSON.stringify({ title, description: 'y'.repeat(10_000) });
    const firstPart = body.slice(0, -10);
    const request = await HeldRequest.open(service, anna, 'POST', '/api/v2/todo', { firstPart });
    await untilFigures((now) => (now.value('taskgate_request_body_bytes', { budget: 'session' }) ?? 0) > 10_000);
    await request.finish(body.slice(-10));
    await untilFigures((now) => now.value('taskgate_request_body_bytes', { budget: 'session' }) === 0);
  });

  test('measure how long subscribers have waited for unread changes', async () => {
    const { id } = await makeWorkspace(anna);
    const stream = await EventStream.open(service, anna, '/api/v2/events');
    await untilFigures((now) => now.value('taskgate_log_lag_seconds') === 0);
    const lockHolder = await openLockHolder(service);
    await lockHolder.sql('LOCK TABLE changes IN ACCESS EXCLUSIVE MODE');
    // The process gets no notification of an operator's write.
    await service.sql('UPDATE spaces SET revision = revision + 1 WHERE id = $1', [id]);
    await untilFigures((now) => (now.value('taskgate_log_lag_seconds') ?? 0) > 0.05);
    await lockHolder.release();
    await untilFigures((now) => now.value('taskgate_log_lag_seconds') === 0);
    stream.close();
    await stream.body;
  });

  test('measure the delay of the event loop', async () => {
    expect((await read()).value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });
});

test('docs/operations.md lists every metric, queue and security event, and no other', async () => {
  const page = await readFile(path.resolve(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const namesMatching = (pattern: RegExp) =>
    [...new Set([...page.matchAll(pattern)].map(([, name = '']) => name))].sort();
  const { names, text } = await read();
  expect(namesMatching(/`((?:taskgate|http)_\w+)`/g)).toEqual(
    [...names].filter((name) => /^(taskgate|http)_/.test(name)).sort(),
  );
  const source = await readFile(path.resolve(import.meta.dirname, '../../src/platform/security-log.ts'), 'utf8');
  const [, declaredName = ''] = /interface SecurityEvents \{(.*?)\n\}/s.exec(source) ?? [];
  const events = [...declaredName.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => `${name}: ${levelOf(name)}`);
  const describedMetrics = [...page.matchAll(/^\| `([a-z]+_[a-z_]+)` +\| (info|warn)/gm)];
  expect([...new Set(describedMetrics.map(([, name = '', level = '']) => `${name}: ${level}`))].sort()).toEqual(
    events.sort(),
  );
  const found = new Set([...text.matchAll(/^taskgate_queue_running\{queue="(\w+)"/gm)].map(([, name = '']) => name));
  // Other test files in this process use queues whose names begin with `test`.
  const queues = [...found].filter((name) => !name.startsWith('test'));
  expect(queues.length).toBeGreaterThan(5);
  for (const queue of queues) expect(page).toContain(`\`${queue}\``);
});

test('deploy/ uses metrics that exist', async () => {
  const folder = path.resolve(import.meta.dirname, '../../deploy');
  const { names } = await read();
  for (const file of ['grafana/taskgate.json', 'prometheus/alerts.yaml']) {
    const text = await readFile(path.join(folder, file), 'utf8');
    const usedNames = [...text.matchAll(/\b((?:taskgate|http|nodejs|process)_\w+)(?=\{|\[| [>=<]|\))/g)].map(
      ([, name = '']) => name,
    );
    expect(usedNames.length).toBeGreaterThan(10);
    expect(usedNames.filter((name) => !names.has(name.replace(/_(bucket|count|sum)$/, '')))).toEqual([]);
  }
});
