import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTracing } from '../tracing.ts';
import { Socket } from '../../../test/changes/stream.ts';
import { captureLog } from '../../../test/kit/log-lines.ts';
import { type Service, startService } from '../../../test/kit/service.ts';
import { signUp, type User } from '../../../test/kit/users.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

const spans: Span[] = [];
let collector: Server;
let service: Service;
let user: User;
let endTracing: () => Promise<void>;

beforeAll(async () => {
  collector = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(pieces).toString()) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  service = await startService({ LOG_LEVEL: 'info' });
  user = await signUp(service);
  endTracing = await startTracing(`http://127.0.0.1:${(collector.address() as AddressInfo).port}`, {});
});
afterAll(async () => {
  await service.close();
  collector.close();
  collector.closeAllConnections();
});

const traceId = 'af7651916cd43dd8448eb211c80319ca';
const traceOf = (last: string) => `${traceId.slice(0, -1)}${last}`;
const traceparent = (last: string) => `00-${traceOf(last)}-b7ad6b7169203331-01`;

/** Names from a span up to the first span of its trace in this process. */
const pathOf = (span: Span | undefined): string[] =>
  span ? [span.name, ...pathOf(spans.find(({ spanId }) => spanId === span.parentSpanId))] : [];

test("one trace covers a request, or an operation of a socket, with its statements, and continues the caller's trace", async () => {
  const captured = captureLog();
  await user.get('/api/v2/todo', { headers: { traceparent: traceparent('1') } });
  await user.post('/api/v2/todo', { title: 'geheim' }, { headers: { traceparent: traceparent('2') } });
  const socket = await Socket.ready(service.url, user.cookie);
  await socket.run('query Mine { tasks { nodes { id } } }', {}, { traceparent: traceparent('3') });
  socket.close();
  await endTracing();
  captured.release();
  for (const [last, root] of [
    ['1', 'GET /api/v2/todo'],
    ['2', 'POST /api/v2/todo'],
    ['3', 'websocket'],
  ] as const) {
    const spansOfTrace = spans.filter((span) => span.traceId === traceOf(last));
    const statements = spansOfTrace.filter(({ attributes }) => attributes.some(({ key }) => key === 'db.query.text'));
    const paths = statements.map(pathOf);
    expect(paths.every((path) => path.at(-1) === root)).toBe(true);
    expect(
      paths.some((path) => path.includes('execute') && path.includes(`graphql ${last === '2' ? 'mutation' : 'query'}`)),
    ).toBe(true);
    expect(captured.lines.filter((line) => line['traceId'] === traceOf(last)).map(({ msg }) => msg)).toEqual([
      last === '3' ? 'operation' : 'request',
    ]);
  }
  expect(JSON.stringify(spans)).not.toContain('geheim');
});
