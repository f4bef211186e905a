import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { prune } from '@taskgate/postgres';
import { accounts } from '../../src/accounts/module.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ TRUST_PROXY: 'loopback', RATE_LIMITS: 'on' });
});
afterAll(() => service.close());

const from = (address: string) => ({ 'X-Forwarded-For': address });
const by = (name: string) => ({ 'User-Agent': `${name}/1.0` });

async function nextMail({ email }: User) {
  const { subject, text } = await service.mailbox.take(email);
  return { subject, text };
}

const aboutDevice = (device: string) => ({
  subject: 'New sign-in to your Taskgate account',
  text: expect.stringContaining(`Device:  ${device}\n`),
});

describe('a sign-in from a new device', () => {
  test('is reported by a mail with device, network, time and advice', async () => {
    const anna = await signUp(service);
    const again = await signInAgain(service, anna, {
      ...from('192.0.2.7'),
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
    });
    const [session] = await service.sql<{ created_at: Date }>('SELECT created_at FROM sessions WHERE sid = $1', [
      again.sessionId,
    ]);
    const { subject, text } = await nextMail(anna);
    expect(subject).toBe('New sign-in to your Taskgate account');
    expect(text).toContain('Device:  Firefox on Linux\n');
    expect(text).toContain('Network: 192.0.2.7\n');
    expect(text).toContain(`Time:    ${session?.created_at.toISOString().slice(0, 16).replace('T', ' ')} UTC\n`);
    expect(text).toContain(`change your password at ${service.url}`);
  });

  test('is reported once, but not at sign-up, for a known device, for another version or a wrong password', async () => {
    const anna = await signUp(service);
    await signInAgain(service, anna);
    const { email } = anna;
    await service.anonymous.post('/api/v1/user/signin', { email, password: 'wrong' }, { headers: by('Thief') });
    await signInAgain(service, anna, by('First'));
    await signInAgain(service, anna, { 'User-Agent': 'First/2.0' });
    await signInAgain(service, anna, by('Second'));
    expect(await nextMail(anna)).toEqual(aboutDevice('First'));
    expect(await nextMail(anna)).toEqual(aboutDevice('Second'));
  });

  test('includes a known device on another network, of IPv4 or IPv6', async () => {
    const anna = await signUp(service);
    for (const address of ['198.51.100.1', '198.51.100.200', '2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:2::1']) {
      await signInAgain(service, anna, from(address));
    }
    const networks = [];
    for (let count = 0; count < 3; count += 1) networks.push(/Network: (\S+)/.exec((await nextMail(anna)).text)?.[1]);
    expect(networks).toEqual(['198.51.100.1', '2001:db8:1:1::/64', '2001:db8:2:0::/64']);
  });

  test('does not include a device whose session has ended, until 180 days later', async () => {
    const anna = await signUp(service);
    const again = await signInAgain(service, anna, by('Phone'));
    expect(await nextMail(anna)).toEqual(aboutDevice('Phone'));
    await again.post('/api/v1/user/logout');
    const age = (days: number) =>
      service.sql('UPDATE known_devices SET last_seen_at = now() - make_interval(days => $2) WHERE user_id = $1', [
        anna.id,
        days,
      ]);
    await age(179);
    await prune(service.services.connections, accounts.expiring.knownDevices);
    await signInAgain(service, anna, by('Phone'));
    await age(180);
    await prune(service.services.connections, accounts.expiring.knownDevices);
    await signInAgain(service, anna, by('Tablet'));
    await signInAgain(service, anna, by('Phone'));
    expect(await nextMail(anna)).toEqual(aboutDevice('Tablet'));
    expect(await nextMail(anna)).toEqual(aboutDevice('Phone'));
  });

  test('is not reported after ten new devices within 24 hours', async () => {
    const anna = await signUp(service);
    for (let count = 2; count <= 12; count += 1) await signInAgain(service, anna, by(`Device-${count}`));
    await service.sql("UPDATE known_devices SET first_seen_at = now() - interval '1 day' WHERE user_id = $1", [
      anna.id,
    ]);
    await signInAgain(service, anna, by('Another'));
    // The first device is the one that signed up.
    for (let count = 2; count <= 10; count += 1) expect(await nextMail(anna)).toEqual(aboutDevice(`Device-${count}`));
    expect(await nextMail(anna)).toEqual(aboutDevice('Another'));
    // Of a clock that was set back.
    await service.sql("UPDATE known_devices SET first_seen_at = now() + interval '1 day' WHERE user_id = $1", [
      anna.id,
    ]);
    await signInAgain(service, anna, by('Further'));
    expect(await nextMail(anna)).toEqual(aboutDevice('Further'));
  });

  test('stores neither device nor address, and not the same hash for two accounts', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    for (const user of [anna, ben]) await signInAgain(service, user, { ...by('Watch'), ...from('203.0.113.9') });
    const rows = await service.sql<{ fingerprint: string }>(
      'SELECT fingerprint FROM known_devices WHERE user_id = ANY ($1)',
      [[anna.id, ben.id]],
    );
    expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(4);
    expect(JSON.stringify(rows)).not.toMatch(/Watch|203/);
  });

  test('puts no misleading text of a client in the mail', async () => {
    const anna = await signUp(service);
    await signInAgain(service, anna, { 'User-Agent': 'Go to http://evil.example/login (now)' });
    expect((await nextMail(anna)).text).not.toMatch(/evil|http:\/\/(?!127)/);
    expect(await readdir(path.join(service.dataDir, 'outbox'))).not.toHaveLength(0);
  });
});
