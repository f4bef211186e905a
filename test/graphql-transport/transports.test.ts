import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Socket } from '../changes/stream.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';
import { hostile } from '../graphql/hostile.ts';

describe('hostile operations are refused over every transport', () => {
  let service: Service;
  let anna: User;
  let socket: Socket;
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
    socket = await Socket.ready(service.url, anna.cookie);
  });
  afterAll(() => socket.close());

  // JSON.stringify cannot nest this deeply, so it is sent over HTTP only.
  const cases = hostile.filter(({ name }) => name !== 'a variable nested 100,000 levels deep');

  test.each(cases)('$name: over WebSocket', async ({ query, variables, says }) => {
    const { result, own } = await recordStatements(() => socket.run(query, variables));
    expect(result).toMatchObject({
      type: 'error',
      payload: [{ message: expect.stringMatching(says), extensions: { code: 'VALIDATION_FAILED' } }],
    });
    expect(own).toEqual([]);
  });

  test.each(cases)('$name: over SSE', async ({ query, variables, says }) => {
    const headers = { Accept: 'text/event-stream' };
    const { result, own } = await recordStatements(() => anna.post('/graphql', { query, variables }, { headers }));
    expect(result.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const [, next = ''] = /^event: next\ndata: (.*)$/m.exec(String(result.body)) ?? [];
    expect(JSON.parse(next)).toMatchObject({
      errors: [{ message: expect.stringMatching(says), extensions: { code: 'VALIDATION_FAILED' } }],
    });
    expect(own).toEqual([]);
  });
});

describe('an empty operationName counts as absent', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
  });

  const operations = ['{ tagCount }', 'query Count { tagCount }'].map((query) => ({ query, operationName: '' }));
  const answer = { data: { tagCount: 0 } };

  test.each(operations)('over HTTP: $query', async (operation) => {
    const headers = { 'x-graphql-yoga-csrf': '1' };
    const form = new FormData();
    form.set('operations', JSON.stringify(operation));
    form.set('map', '{}');
    const search = new URLSearchParams({ ...operation });
    expect(await anna.post('/graphql', operation)).toMatchObject({ status: 200, body: answer });
    expect(await anna.post('/graphql', [operation])).toMatchObject({ status: 200, body: [answer] });
    expect(await anna.post('/graphql', form, { headers })).toMatchObject({ status: 200, body: answer });
    expect(await anna.get(`/graphql?${search}`, { headers })).toMatchObject({ status: 200, body: answer });
  });

  test.each(operations)('over WebSocket: $query', async (payload) => {
    const socket = await Socket.ready(service.url, anna.cookie);
    socket.send({ type: 'subscribe', id: '1', payload });
    expect(await socket.messages.take()).toMatchObject({ type: 'next', payload: answer });
    socket.close();
  });

  test('but does not choose from several operations', async () => {
    const query = 'query A { tagCount } query B { tagCount }';
    expect(await anna.post('/graphql', { query, operationName: '' })).toMatchObject({
      body: { errors: [{ extensions: { errors: [{ path: 'operationName', message: 'must be one of A, B' }] } }] },
    });
  });
});
