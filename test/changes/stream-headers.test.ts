import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

describe('every stream of events', () => {
  const query = 'subscription { taskChanges { taskId } }';
  const [read, sent] = ['{ tagCount }', query].map((each) => ({
    method: 'POST',
    body: JSON.stringify({ query: each }),
    headers: { 'Content-Type': 'application/json' },
  }));
  test.each<[string, string, RequestInit?]>([
    ['POST /graphql', '/graphql', sent],
    ['POST /graphql of a query', '/graphql', read],
    [
      'POST /graphql as multipart/mixed',
      '/graphql',
      { ...read, headers: { ...read?.headers, Accept: 'multipart/mixed' } },
    ],
    ['GET /graphql', `/graphql?query=${encodeURIComponent(query)}`, { headers: { 'x-graphql-yoga-csrf': '1' } }],
    ['GET /api/v2/events', '/api/v2/events'],
    ['HEAD /api/v2/events', '/api/v2/events', { method: 'HEAD' }],
    ['GET /api/v2/sync', '/api/v2/sync'],
  ])('is neither buffered nor stored by proxies: %s', async (_name, path, options = {}) => {
    const own = { Accept: 'text/event-stream', Cookie: anna.cookie ?? '' };
    const stop = new AbortController();
    const response = await fetch(`${service.url}${path}`, {
      ...options,
      headers: { ...own, ...(options.headers as Record<string, string>) },
      signal: stop.signal,
    });
    stop.abort();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': expect.stringMatching(/^(text\/event-stream|multipart\/mixed)/),
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
  });
});
