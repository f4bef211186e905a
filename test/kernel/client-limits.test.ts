import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { csrf, expectLimited, query, untilRefused } from './standings.ts';

let service: Service;

const from = (address: string) => ({ 'X-Forwarded-For': address });
const ask = (address: string) => service.anonymous.get('/api/v1/auth-check', { headers: from(address) });

describe('the limits of a client', () => {
  describe('behind a proxy that is trusted', () => {
    beforeAll(async () => {
      service = await startService({
        RATE_LIMITS: 'on',
        RATE_LIMIT_REQUESTS: '30/60',
        RATE_LIMIT_GRAPHQL_COST: '50/60',
        TRUST_PROXY: 'loopback',
      });
    });
    afterAll(() => service.close());

    test('bound all its requests, with a session or without, before anything else is done', async () => {
      const count = await untilRefused(() => ask('192.0.2.1'));
      expect(count).toBe(30);
      expectLimited(await ask('192.0.2.1'), 'requests-of-client');
      for (const [method, path] of [
        ['GET', '/docs/'],
        ['GET', '/avatars/none.png'],
        ['POST', '/api/v1/user/signin'],
        ['GET', '/nothing'],
        ['POST', '/graphql'],
        ['GET', '/graphql'],
      ] as const) {
        const forged = service.client('sid=s%3Aforged.signature');
        const send = () => forged.send(method, path, undefined, { headers: from('192.0.2.1') });
        const { result, statements } = await recordStatements(send);
        expectLimited(result, 'requests-of-client');
        expect(statements).toEqual([]);
      }
      expect((await ask('192.0.2.2')).status).toBe(200);
    });

    test('take a host for one client by whichever of its addresses it comes', async () => {
      for (let host = 0; host < 30; host += 1) expect((await ask(`2001:db8:1:2::${host}`)).status).toBe(200);
      expectLimited(await ask('2001:db8:1:2:ffff::1'), 'requests-of-client');
      expect((await ask('2001:db8:1:3::1')).status).toBe(200);
    });

    test('bound what it asks for by GraphQL, without a session too, and what is no operation', async () => {
      const headers = { ...csrf, ...from('192.0.2.3') };
      expect((await service.anonymous.post('/graphql', query('{ viewer { id } }'), { headers })).status).toBe(200);
      expect((await service.anonymous.post('/graphql', query('{ nothing }'), { headers })).status).toBe(429);
      expectLimited(
        await service.anonymous.post('/graphql', query('{ viewer { id } }'), { headers }),
        'graphql-cost-of-client',
      );
      expect((await ask('192.0.2.3')).status).toBe(200);
    });
  });

  test('are not escaped by a forged X-Forwarded-For', async () => {
    service = await startService({ RATE_LIMITS: 'on', RATE_LIMIT_REQUESTS: '10/60' });
    for (let client = 1; client <= 10; client += 1) expect((await ask(`192.0.2.${client}`)).status).toBe(200);
    expectLimited(await ask('192.0.2.11'), 'requests-of-client');
    await service.close();
  });
});
