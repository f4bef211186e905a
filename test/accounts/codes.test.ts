import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import { prune } from '@taskgate/postgres';
import { accounts } from '../../src/accounts/module.ts';
import { advanceClock, withWrongClock } from '../kit/clock.ts';
import { until } from '../kit/until.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { requestCode } from '../kit/users.ts';

const hour = 3_600_000;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => void jest.restoreAllMocks());

const ask = (email: string) => service.anonymous.post('/api/v1/user/signup/send-otp', { email });
const tryCode = (email: string, code: string) =>
  service.client().post('/api/v1/user/signup/verify', { email, code, password: 'correct horse' });
const otherThan = (code: string) => (code === '000000' ? '000001' : '000000');
const usersOf = (email: string) => service.sql('SELECT FROM users WHERE email = $1', [email]);
const rewind = (email: string, interval: string) =>
  service.sql(
    `UPDATE one_time_codes SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval
     WHERE email = $1`,
    [email, interval],
  );
const refused = { status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path: 'code' }] } };

describe.each([
  ['a day behind', -24 * hour],
  ['a day ahead', 24 * hour],
])('a code, to a process whose clock is %s', (_what, off) => {
  test('is issued for five minutes from now', async () => {
    const email = randomEmail();
    await withWrongClock(off, () => ask(email));
    expect(
      await service.sql(
        `SELECT expires_at - created_at = interval '5 minutes' AS valid, created_at BETWEEN
           now() - interval '1 minute' AND now() AS recent FROM one_time_codes WHERE email = $1`,
        [email],
      ),
    ).toEqual([{ valid: true, recent: true }]);
  });

  test('is accepted before it expires, not after', async () => {
    const [early, late] = [randomEmail(), randomEmail()];
    const [code, lateCode] = [await requestCode(service, early), await requestCode(service, late)];
    await rewind(late, '5 minutes');
    expect(await withWrongClock(off, () => tryCode(late, lateCode))).toMatchObject(refused);
    expect(await withWrongClock(off, () => tryCode(early, code))).toMatchObject({ status: 200 });
  });

  test('is replaced by a code that another process issues later', async () => {
    const email = randomEmail();
    const first = await requestCode(service, email);
    const second = await withWrongClock(off, () => requestCode(service, email));
    if (first !== second) expect(await tryCode(email, first)).toMatchObject(refused);
    expect(await tryCode(email, second)).toMatchObject({ status: 200 });
  });

  test('counts towards the quota for 24 hours', async () => {
    const email = randomEmail();
    for (let count = 1; count <= 5; count += 1) await ask(email);
    const sixth = await withWrongClock(off, () => ask(email));
    expect(sixth.status).toBe(429);
    expect(Number(sixth.headers.get('retry-after'))).toBeLessThanOrEqual(24 * 3600);
    await rewind(email, '24 hours');
    advanceClock(24 * 3_600_000);
    expect(await withWrongClock(off, () => ask(email))).toMatchObject({ status: 200 });
  });

  test('is deleted when it no longer counts', async () => {
    const [old, recent] = [randomEmail(), randomEmail()];
    await Promise.all([ask(old), ask(recent)]);
    await rewind(old, '24 hours');
    await withWrongClock(off, () => prune(service.services.connections, accounts.expiring.codes));
    expect(await service.sql('SELECT email FROM one_time_codes WHERE email IN ($1, $2)', [old, recent])).toEqual([
      { email: recent },
    ]);
  });
});

test('codes from before the clock was set back do not count, and are not accepted', async () => {
  const email = randomEmail();
  for (let count = 1; count <= 4; count += 1) await ask(email);
  const code = await requestCode(service, email);
  await rewind(email, '-24 hours');
  expect(await tryCode(email, code)).toMatchObject(refused);
  expect(await ask(email)).toMatchObject({ status: 200 });
});

describe('the password of a sign-up', () => {
  test('is hashed only for a right code', async () => {
    const hash = jest.spyOn(bcrypt, 'hash');
    const email = randomEmail();
    expect(await tryCode(email, '000000')).toMatchObject(refused);
    const code = await requestCode(service, email);
    expect(await tryCode(email, otherThan(code))).toMatchObject(refused);
    expect(hash).not.toHaveBeenCalled();
    expect(await tryCode(email, code)).toMatchObject({ status: 200 });
    expect(await tryCode(email, code)).toMatchObject(refused);
    expect(hash).toHaveBeenCalledTimes(1);
  });

  test('is hashed without a transaction, and a code that is used up or replaced in the meantime is refused', async () => {
    const [burnt, replaced] = [randomEmail(), randomEmail()];
    for (const email of [burnt, replaced]) {
      const code = await requestCode(service, email);
      let finish = (_hash: string) => {};
      const hash = jest.spyOn(bcrypt, 'hash');
      const begun = new Promise<void>((resolve) => {
        // `spyOn` takes the type of the callback overload.
        hash.mockImplementation((() => {
          resolve();
          return new Promise<string>((done) => (finish = done));
        }) as never);
      });
      const answer = tryCode(email, code);
      await begun;
      await until('no transaction waits', async () => {
        const waiting = await service.sql(
          `SELECT FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'taskgate' AND state LIKE 'idle in transaction%'`,
        );
        return waiting.length === 0;
      });
      if (email === burnt) for (let count = 1; count <= 5; count += 1) await tryCode(email, otherThan(code));
      else await ask(email);
      finish('$2b$10$');
      expect(await answer).toMatchObject(refused);
      expect(await usersOf(email)).toEqual([]);
    }
  });
});
