import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { RequestBodies } from '@taskgate/http';
import { routes } from '../../rest/routes.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { until } from '../kit/until.ts';

/** Small budgets in bytes, enough for the sign-ups. */
const budget = { maxBytes: 1000, maxBytesOfKey: 1000 };

/** Far longer than a test, in milliseconds: responses have not waited for a body. */
const graceMs = 3_600_000;

const bodies = new RequestBodies({ session: budget, anonymous: budget, graceMs });

let service: Service;
let anna: User;
let sockets: Socket[] = [];
beforeAll(async () => {
  service = await startService({}, { bodies });
  anna = await signUp(service);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  // The service releases the bodies of closed connections once it notices.
  await until('nothing is held of bodies', () => bodies.held === 0);
});
afterAll(() => service.close());

interface Endpoint {
  method: string;
  path: string;
  auth: 'session' | 'none';
  type: string;
}

const json = 'application/json';
const form = 'multipart/form-data; boundary=x';

/** Every endpoint with a body. GraphQL takes files in a form, with a session. */
const endpoints: Endpoint[] = [
  { method: 'POST', path: '/graphql', auth: 'none', type: json },
  { method: 'POST', path: '/graphql', auth: 'session', type: form },
  ...routes
    .filter((row) => !row.raw)
    .filter((row) => row.input.shape.body)
    .map((row) => ({
      method: row.method.toUpperCase(),
      path: row.path.replaceAll(/:\w+/g, 'nothing'),
      auth: row.auth,
      type: row.body === 'multipart' ? form : json,
    })),
];
const namedEndpoints = endpoints.map((endpoint): [string, Endpoint] => [
  `${endpoint.method} ${endpoint.path} of ${endpoint.type.split(';')[0] ?? ''}`,
  endpoint,
]);

function openUnfinished({ method, path, type }: Endpoint, cookie: string | undefined, firstPart = '') {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  const lines = ['Host: x', 'x-graphql-yoga-csrf: 1', `Content-Type: ${type}`, 'Transfer-Encoding: chunked'];
  if (cookie !== undefined) lines.push(`Cookie: ${cookie}`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  if (firstPart !== '') socket.write(`${firstPart.length.toString(16)}\r\n${firstPart}\r\n`);
  const hasReceived = (pattern: RegExp) => pattern.test(text);
  return {
    hasSaid: hasReceived,
    says: (pattern: RegExp) => until(`an answer like ${pattern}`, () => hasReceived(pattern)),
  };
}

const firstPartOf = (type: string, length: number) =>
  type === form
    ? `--x\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n${'x'.repeat(length)}`
    : `{"a":"${'x'.repeat(length)}`;

describe('a body without a session', () => {
  test.each(namedEndpoints.filter(([, { auth }]) => auth === 'session'))(
    'delays no response: %s',
    async (_name, endpoint) => {
      await openUnfinished(endpoint, undefined).says(/^HTTP\/1.1 401 [^]*UNAUTHENTICATED/);
      expect(bodies.held).toBe(0);
    },
  );
});

describe('a body beyond the memory for all bodies', () => {
  test.each(namedEndpoints)('is refused before it arrives: %s', async (_name, endpoint) => {
    const cookie = endpoint.auth === 'session' ? anna.cookie : undefined;
    const refusedRequest = openUnfinished(endpoint, cookie, firstPartOf(endpoint.type, 1000));
    await refusedRequest.says(/^HTTP\/1.1 503 [^]*^Retry-After: 5\r\n[^]*UNAVAILABLE/m);
  });

  test.each(namedEndpoints)('is refused, or the body that holds the memory: %s', async (_name, endpoint) => {
    const cookie = endpoint.auth === 'session' ? anna.cookie : undefined;
    const requests = [1, 2].map(() => openUnfinished(endpoint, cookie, firstPartOf(endpoint.type, 300)));
    await until('one of them is refused', () => requests.some((each) => each.hasSaid(/^HTTP\/1.1 503 /)));
    expect(bodies.held).toBeGreaterThan(300);
  });
});
