import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { prune } from '@taskgate/postgres';
import { writePolicy } from '../../packages/postgres/queues.ts';
import { accounts } from '../../src/accounts/module.ts';
import { inTurn } from '../../src/platform/transaction.ts';
import { Client } from '../kit/client.ts';
import { usedBytes } from '../kit/heap.ts';
import { advanceClock } from '../kit/clock.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

const signin = '/api/v1/user/signin';

let service: Service;
let second: ServiceProcess;
beforeAll(async () => {
  service = await startService();
  second = await spawnService({
    ...service.variables,
    LOG_LEVEL: 'silent',
    RATE_LIMITS: 'off',
  });
});
afterAll(async () => {
  second.signal('SIGTERM');
  await second.ended;
  await service.close();
});

const signInAtOnce = (email: string, passwords: readonly string[]) =>
  Promise.all(
    passwords.map(async (password, index) => {
      const client = new Client(index % 2 === 0 ? service.url : (second.url ?? ''));
      return (await client.post(signin, { email, password })).status;
    }),
  );

const count = (statuses: readonly number[], status: number) => statuses.filter((each) => each === status).length;

describe('simultaneous attempts at a password', () => {
  test('all succeed if all are right, however many, even after nine failures', async () => {
    const { email, password } = await signUp(service);
    const right = Array<string>(12).fill(password);
    expect(await signInAtOnce(email, right)).toEqual(right.map(() => 200));
    expect(await signInAtOnce(email, Array<string>(9).fill('wrong'))).toEqual(Array(9).fill(400));
    expect(await signInAtOnce(email, right)).toEqual(right.map(() => 200));
    expect(await signInAtOnce(email, ['wrong'])).toEqual([400]);
    expect(await signInAtOnce(email, right.slice(0, 4))).toEqual([429, 429, 429, 429]);
  });

  test('are checked at most ten times if all are wrong, also for an address without an account', async () => {
    for (const email of [(await signUp(service)).email, randomEmail()]) {
      const statuses = await signInAtOnce(email, Array<string>(30).fill('wrong'));
      expect([count(statuses, 400), count(statuses, 429)]).toEqual([10, 20]);
    }
  });

  test('are refused only because of failures', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 2, maxLength: 20 }), async (rights) => {
        const { email, password } = await signUp(service);
        const statuses = await signInAtOnce(
          email,
          rights.map((right) => (right ? password : 'wrong')),
        );
        const wrong = rights.filter((right) => !right).length;
        expect(count(statuses, 400)).toBe(Math.min(wrong, 10));
        if (wrong < 10) expect(count(statuses, 200)).toBe(rights.length - wrong);
        expect(statuses.filter((status) => ![200, 400, 429].includes(status))).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });

  test('count as failures after a while if their process ended before the check', async () => {
    const { email, password } = await signUp(service);
    await service.sql('DELETE FROM password_attempts');
    await signInAtOnce(email, Array<string>(10).fill('wrong'));
    await service.sql('UPDATE password_attempts SET failed = false');
    await service.sql("UPDATE password_attempts SET at = at - interval '2 minutes'");
    expect(await signInAtOnce(email, [password])).toEqual([429]);
  });
});

test('an attempt does not wait for writes in progress, however many', async () => {
  const { email, password } = await signUp(service);
  let free = () => {};
  const freed = new Promise<void>((resolve) => (free = resolve));
  const { connections } = service.services;
  const hold = (_: unknown, index: number) => inTurn(connections, [`key ${index}`], () => freed);
  const writes = Array.from({ length: writePolicy.slots }, hold);
  let waiting = true;
  const waits = inTurn(connections, ['another key'], () => Promise.resolve()).then(() => (waiting = false));
  expect(await service.anonymous.post(signin, { email, password })).toMatchObject({ status: 200 });
  expect(waiting).toBe(true);
  free();
  await Promise.all([...writes, waits]);
});

const mib = 1024 * 1024;

describe('failures', () => {
  test('of addresses of almost a megabyte are counted for each, and leave no memory behind', async () => {
    const fail = (email: string) => service.anonymous.post(signin, { email, password: 'wrong' });
    await fail(randomEmail());
    const before = usedBytes();
    for (const letter of ['a', 'b']) {
      const email = letter.repeat(0.9 * mib);
      for (let failures = 0; failures < 10; failures += 1) expect(await fail(email)).toMatchObject({ status: 400 });
      expect(await fail(email)).toMatchObject({ status: 429 });
    }
    expect((usedBytes() - before) / mib).toBeLessThan(5);
  });

  test('count for 15 minutes each, and Retry-After gives the expiry of the first one', async () => {
    const { email, password } = await signUp(service);
    await service.sql('DELETE FROM password_attempts');
    await signInAtOnce(email, Array<string>(10).fill('wrong'));
    const ageFirst = (interval: string) =>
      service.sql(
        `UPDATE password_attempts SET at = at - $1::interval WHERE id = (SELECT min(id) FROM password_attempts)`,
        [interval],
      );
    await ageFirst('10 minutes');
    const refusal = await service.anonymous.post(signin, { email, password });
    expect(refusal).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    const wait = Number(refusal.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(4 * 60);
    expect(wait).toBeLessThanOrEqual(5 * 60);
    await ageFirst('5 minutes');
    expect(await signInAtOnce(email, ['wrong', 'wrong'])).toEqual(expect.arrayContaining([400, 429]));
  });

  test('do not count while they are ahead of a clock that was set back', async () => {
    const { email, password } = await signUp(service);
    expect(await signInAtOnce(email, Array<string>(10).fill('wrong'))).toEqual(Array(10).fill(400));
    await service.sql("UPDATE password_attempts SET at = at + interval '1 day'");
    expect(await signInAtOnce(email, [password])).toEqual([200]);
  });

  test('are deleted once they no longer count, and no sooner', async () => {
    await service.sql('DELETE FROM password_attempts');
    await service.sql(
      `INSERT INTO password_attempts (subject, at, failed)
       SELECT 'old', now() - interval '15 minutes', true FROM generate_series(1, 2500)`,
    );
    await signInAtOnce(randomEmail(), ['wrong']);
    expect(await prune(service.services.connections, accounts.expiring.attempts)).toBe(2500);
    expect(await service.sql('SELECT FROM password_attempts')).toHaveLength(1);
  });

  test('do not include faults of the service, whatever the password', async () => {
    const { email, password } = await signUp(service);
    await service.sql('DELETE FROM password_attempts');
    await service.sql(
      `CREATE FUNCTION refuse_session() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE 'the row of the account is locked' USING ERRCODE = 'lock_not_available'; END $$`,
    );
    await service.sql(
      'CREATE TRIGGER refuse_session BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION refuse_session()',
    );
    expect(await signInAtOnce(email, Array<string>(10).fill(password))).toEqual(Array(10).fill(503));
    await service.sql('DROP TRIGGER refuse_session ON sessions');
    expect(await service.sql('SELECT FROM password_attempts')).toEqual([]);
    expect(await signInAtOnce(email, [password])).toEqual([200]);
  });
});

describe('an address that strangers locked', () => {
  test('stays locked while their ten failures count, and refused attempts do not prolong that', async () => {
    const { email, password } = await signUp(service);
    await service.sql('DELETE FROM password_attempts');
    await signInAtOnce(email, Array<string>(10).fill('wrong'));
    expect(await signInAtOnce(email, Array<string>(12).fill('wrong'))).toEqual(Array(12).fill(429));
    expect(await service.sql('SELECT FROM password_attempts')).toHaveLength(10);
    await service.sql("UPDATE password_attempts SET at = at - interval '15 minutes'");
    advanceClock(15 * 60_000);
    expect(await signInAtOnce(email, [password])).toEqual([200]);
  });

  test("keeps its owner's sessions, which can change the password", async () => {
    const anna = await signUp(service);
    await signInAtOnce(anna.email, Array<string>(10).fill('wrong'));
    expect(await signInAtOnce(anna.email, [anna.password])).toEqual([429]);
    expect(await anna.get('/api/v1/user/profile')).toMatchObject({ status: 200 });
    const body = { currentPassword: anna.password, newPassword: 'new', confirmNewPassword: 'new' };
    expect(await anna.put('/api/v1/user/password', body)).toMatchObject({ status: 200 });
  });
});
