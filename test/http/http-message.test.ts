import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ListedTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

async function exchange(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

const headOf = (method: string, path: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', `Cookie: ${anna.cookie}`, ...lines, '', ''].join('\r\n');

/** A request that a lenient parser would find within another one. */
const smuggledRequest = (title: string) => {
  const body = JSON.stringify({ title });
  return `${headOf('POST', '/api/v2/todo', 'Content-Type: application/json', `Content-Length: ${body.length}`)}${body}`;
};

describe('a request with two framings', () => {
  test.each([
    ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4']],
    ['two lengths', ['Content-Length: 4', 'Content-Length: 400']],
    ['a length that is none', ['Content-Length: +4']],
    ['an unknown coding last', ['Transfer-Encoding: chunked, identity']],
    ['a coding with a space before the colon', ['Transfer-Encoding : chunked', 'Content-Length: 4']],
  ])('is refused, and the bytes after it are not read as a request: %s', async (name, lines) => {
    const head = headOf('POST', '/api/v2/todo', 'Content-Type: application/json', ...lines);
    const answer = await exchange(`${head}0\r\n\r\n${smuggledRequest(name)}`);
    expect(statuses(answer)).toEqual([400]);
    const { body } = await anna.get<{ todos: ListedTask[] }>('/api/v2/todo');
    expect(body.todos.map(({ title }) => title)).not.toContain(name);
  });

  test('is served with one of them', async () => {
    const answer = await exchange(smuggledRequest('told in one way') + headOf('GET', '/healthz', 'Connection: close'));
    expect(statuses(answer)).toEqual([201, 200]);
  });
});

test('an unknown expectation is ignored', async () => {
  for (const expectation of ['100-continue', 'x']) {
    const lines = ['Connection: close', `Expect: ${expectation}`];
    expect(await exchange(headOf('GET', '/api/v2/tag/count', ...lines))).toMatch(/^HTTP\/1\.1 200 [^]*"count":0/m);
    expect(await exchange(headOf('GET', '/api/v2/nothing', ...lines))).toMatch(/^HTTP\/1\.1 404 [^]*NOT_FOUND/m);
  }
});

test.each(['TRACE', 'PROPFIND', 'OPTIONS'])('%s reveals nothing of a request', async (method) => {
  const answer = await exchange(headOf(method, '/api/v2/todo', 'X-Secret: kept', 'Connection: close'));
  expect(statuses(answer)).toEqual([method === 'OPTIONS' ? 200 : 404]);
  expect(answer).not.toContain('kept');
  expect(answer).not.toContain(anna.sessionId);
});

describe('a request that cannot be parsed gets an error of the contract', () => {
  test.each([
    ['an address in raw UTF-8', 'GET /api/v2/tag?search=Höme HTTP/1.1\r\nHost: x\r\n\r\n', 'path'],
    [
      'ids beyond the limit of headers',
      `DELETE /api/v2/todo/bulk?todoIds=${'x'.repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      'request',
    ],
    ['no HTTP', 'nothing\r\n\r\n', 'request'],
  ])('%s', async (_name, bytes, field) => {
    const answer = await exchange(bytes);
    expect(statuses(answer)).toEqual([400]);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^X-Request-Id: [\w-]{36}$/m);
    expect(head).toMatch(/^Content-Type: application\/json; charset=utf-8$/m);
    expect(JSON.parse(body)).toEqual({
      message: expect.stringMatching(`^${field} must `),
      code: 'VALIDATION_FAILED',
      errors: [{ path: field, message: expect.stringMatching(/^must /) }],
    });
  });
});
