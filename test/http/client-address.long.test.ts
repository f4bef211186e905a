import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { captureLog } from '../kit/log-lines.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';

let service: Service;
afterEach(() => service.close());

async function clientsBy(header: string): Promise<unknown[]> {
  const log = captureLog();
  for (const address of ['192.0.2.1', '192.0.2.2']) {
    const body = { email: randomEmail(), password: 'wrong' };
    const headers = { [header]: address, 'X-Request-Id': `${header}-${address}` };
    await service.anonymous.post('/api/v1/user/signin', body, { headers });
  }
  const lines = await Promise.all(
    ['192.0.2.1', '192.0.2.2'].map((address) =>
      log.line({ event: 'authn_login_fail', requestId: `${header}-${address}` }),
    ),
  );
  log.release();
  return lines.map(({ client }) => client);
}

const headers = ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'X-Client-IP', 'CF-Connecting-IP'];

test('a client is the address of its connection, whatever its headers claim', async () => {
  service = await startService({ LOG_LEVEL: 'warn' });
  for (const header of headers) expect(new Set(await clientsBy(header)).size).toBe(1);
});

test('a proxy that is not trusted is reported once', async () => {
  service = await startService({ LOG_LEVEL: 'warn' });
  const log = captureLog();
  for (let count = 0; count < 3; count += 1) {
    await service.anonymous.get('/healthz', { headers: { 'X-Forwarded-For': '192.0.2.1' } });
  }
  log.release();
  expect(log.lines.filter(({ msg }) => msg.includes('TRUST_PROXY'))).toHaveLength(1);
});

test('a client is the address that a trusted proxy names, only by X-Forwarded-For', async () => {
  service = await startService({ LOG_LEVEL: 'warn', TRUST_PROXY: 'loopback' });
  for (const header of headers) {
    expect([header, new Set(await clientsBy(header)).size]).toEqual([header, header === 'X-Forwarded-For' ? 2 : 1]);
  }
});

test('the port that some proxies add to an address makes no other client', async () => {
  service = await startService({ LOG_LEVEL: 'warn', TRUST_PROXY: 'loopback' });
  const log = captureLog();
  const clientOf = async (address: string) => {
    const headers = { 'X-Forwarded-For': address, 'X-Request-Id': randomUUID() };
    await service.anonymous.post('/api/v1/user/signin', { email: randomEmail(), password: 'wrong' }, { headers });
    return (await log.line({ event: 'authn_login_fail', requestId: headers['X-Request-Id'] }))['client'];
  };
  const [ipv4, ipv6] = [await clientOf('192.0.2.1'), await clientOf('2001:db8::1')];
  expect([await clientOf('192.0.2.1:4711'), await clientOf('[2001:db8::1]:443')]).toEqual([ipv4, ipv6]);
  expect(await clientOf('192.0.2.2:4711')).not.toBe(ipv4);
  log.release();
});
