import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

describe('GraphQL over HTTP', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
  });
  afterAll(() => service.close());

  const audits = serverAudits({
    url: () => `${service.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set('cookie', anna.cookie ?? '');
      headers.set('x-graphql-yoga-csrf', '1');
      return fetch(url, { ...init, headers });
    },
  });

  test.each(audits.map(({ id, name, fn }) => ({ id, name, fn })))('$id $name', async ({ fn }) => {
    const result = await fn();
    expect(result).toMatchObject({ status: 'ok' });
  });
});
