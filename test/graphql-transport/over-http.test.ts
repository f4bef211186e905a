import { beforeAll, describe, expect, test } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

describe('GraphQL over HTTP', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
  });

  const audits = serverAudits({
    url: () => `${service.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set('cookie', anna.cookie ?? '');
      return fetch(url, { ...init, headers });
    },
  });

  test.each(audits.map(({ id, name, fn }) => ({ id, name, fn })))('$id $name', async ({ fn }) => {
    const result = await fn();
    expect(result).toMatchObject({ status: 'ok' });
  });

  test.each([
    ['PUT', 'application/json', 405],
    ['POST', 'text/plain', 415],
  ])('%s with %s is refused in JSON, even if only events are accepted', async (method, type, status) => {
    const headers = { Accept: 'text/event-stream', 'Content-Type': type, 'x-graphql-yoga-csrf': '1' };
    const answer = await anna.send(method, '/graphql', '{"query":"{ __typename }"}', { headers });
    expect(answer).toMatchObject({ status, body: { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] } });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, POST' : null);
  });

  test.each(['text/event-stream', 'multipart/mixed', 'application/graphql-response+json'])(
    'a mutation by GET is refused as %s',
    async (accept) => {
      const answer = await anna.get('/graphql?query=mutation{signOut}', { headers: { Accept: accept } });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      expect(answer.headers.get('content-type')).toContain(accept);
      expect(JSON.stringify(answer.body)).toContain('VALIDATION_FAILED');
    },
  );
});
