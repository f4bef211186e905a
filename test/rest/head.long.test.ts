import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../rest/routes.ts';
import { makeProject } from '../kit/make.ts';
import { withMetrics } from '../kit/metrics.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

const query: Record<string, string> = { '/api/v2/projects/personal': '?search=', '/api/v2/todo/search': '?q=x' };

const reads = routes
  .filter(({ method, raw }) => method === 'get' && !raw)
  .map(({ path }) => `${path}${query[path] ?? ''}`);
const others = [
  '/healthz',
  '/readyz',
  '/docs/',
  '/docs/page.js',
  '/api/openapi.json',
  '/docs/assets/swagger-ui.css',
  '/avatars/none.png',
  '/nothing',
];

describe('HEAD', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await startService(withMetrics);
    anna = await signUp(service);
  });
  afterAll(() => service.close());

  const compared = ['content-type', 'content-length', 'cache-control', 'etag'];

  test.each([...reads, ...others])('%s responds like GET, without content', async (path) => {
    const { id } = await makeProject(anna);
    for (const caller of [anna, service.anonymous]) {
      const options = { headers: { 'x-graphql-yoga-csrf': '1' } };
      const get = await caller.send('GET', path.replace(':id', id), undefined, options);
      const head = await caller.send('HEAD', path.replace(':id', id), undefined, options);
      const shown = ({ status, headers }: typeof get) => [status, ...compared.map((name) => headers.get(name))];
      expect(shown(head)).toEqual(shown(get));
      expect(head.body).toBe('');
    }
  });

  test('/metrics has a response', async () => {
    expect(await anna.send('HEAD', '/metrics')).toMatchObject({ status: 200, body: '' });
  });

  test('/api/v2/events sends the headers of the stream and ends', async () => {
    const { status, headers, body } = await anna.send('HEAD', '/api/v2/events');
    expect([status, headers.get('content-type'), body]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
    expect(await service.anonymous.send('HEAD', '/api/v2/events')).toMatchObject({ status: 401, body: '' });
  });

  test.each(['{ __typename }', 'mutation { signOut }', 'subscription { taskChanges { cursor } }'])(
    '/graphql is for GET and POST: %s is not executed',
    async (text) => {
      for (const accept of ['application/json', 'text/event-stream', 'text/html']) {
        const headers = { Accept: accept, 'x-graphql-yoga-csrf': '1' };
        const answer = await anna.send('HEAD', `/graphql?query=${encodeURIComponent(text)}`, undefined, { headers });
        expect(answer).toMatchObject(accept === 'text/html' ? { body: '' } : { status: 405, body: '' });
      }
      expect(await anna.get('/api/v1/auth-check')).toMatchObject({ body: { isAuthenticated: true } });
    },
  );
});
