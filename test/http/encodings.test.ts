import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Socket } from '../changes/stream.ts';
import type { Answer } from '../kit/client.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const title = 'Grüße';
const query = `mutation { createTask(input: { title: "${title}" }) { title } }`;
const bodies = { '/graphql': JSON.stringify({ query }), '/api/v2/todo': JSON.stringify({ title }) };
const paths = Object.keys(bodies) as (keyof typeof bodies)[];
const csrf = { 'x-graphql-yoga-csrf': '1' };

function problemOf({ status, body }: Answer<unknown>): unknown {
  const { errors = [] } = body as { errors?: { extensions?: { errors: unknown[] } }[] };
  return { status, problem: errors[0]?.extensions?.errors[0] ?? errors[0] };
}

describe.each(paths)('JSON to %s', (path) => {
  test.each(['utf-8', 'utf8', 'UTF8', '"utf-8"', 'unicode-1-1-utf-8', 'iso-8859-1', 'us-ascii', 'none', ''])(
    'is UTF-8 even if its charset is %s',
    async (charset) => {
      const headers = { 'Content-Type': `application/json; charset=${charset}` };
      const { status, body } = await anna.post(path, bodies[path], { headers });
      expect([status, JSON.stringify(body)]).toEqual([path === '/graphql' ? 200 : 201, expect.stringContaining(title)]);
    },
  );

  test.each<BufferEncoding>(['latin1', 'utf16le'])('is refused in %s', async (encoding) => {
    const answer = await anna.post(path, Buffer.from(bodies[path], encoding));
    const problem = { path: 'body', message: 'must be well-formed JSON in UTF-8' };
    expect(problemOf(answer)).toEqual({ status: 400, problem });
  });

  test.each(['gzip', 'br', 'nonsense'])('is refused with Content-Encoding: %s', async (encoding) => {
    const headers = { 'Content-Encoding': encoding };
    const answer = await anna.post(path, gzipSync(bodies[path]), { headers });
    const problem = { path: 'body', message: 'must not be compressed: send it without Content-Encoding' };
    expect(problemOf(answer)).toEqual({ status: 400, problem });
  });

  test('is accepted with Content-Encoding: identity', async () => {
    const { status } = await anna.post(path, bodies[path], { headers: { 'Content-Encoding': 'identity' } });
    expect(status).toBe(path === '/graphql' ? 200 : 201);
  });
});

test.each(['/graphql', '/api/v1/user/profile'])('a compressed form to %s is refused for its encoding', async (path) => {
  const headers = { ...csrf, 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Encoding': 'gzip' };
  const form = gzipSync('--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nAnna\r\n--x--\r\n');
  const answer = await anna.post(path, form, { headers });
  const problem = { path: 'body', message: 'must not be compressed: send it without Content-Encoding' };
  expect(problemOf(answer)).toEqual({ status: 400, problem });
});

test('a message over WebSocket that is not in UTF-8 closes the socket', async () => {
  const socket = await Socket.ready(service.url, anna.cookie);
  const message = JSON.stringify({ type: 'subscribe', id: '1', payload: { query } });
  socket.socket.send(Buffer.from(message, 'latin1'));
  expect(await socket.closed).toMatchObject({ code: 4400 });
});
