import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import { loadOf } from '../../packages/work/load.ts';
import { hashingPolicy } from '../../src/accounts/sign-in/passwords.ts';
import { advanceClock } from '../kit/clock.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { until } from '../kit/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ TRUST_PROXY: 'loopback' });
});
afterAll(() => service.close());

function holdComparisons() {
  const { compare } = bcrypt;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let startedCount = 0;
  const spy = jest.spyOn(bcrypt, 'compare');
  // `spyOn` takes the type of the callback overload.
  spy.mockImplementation((async (password: string, hash: string) => {
    startedCount += 1;
    await released;
    return compare(password, hash);
  }) as never);
  return {
    begun: () => startedCount,
    release() {
      release();
      spy.mockRestore();
    },
  };
}

describe('passwords', () => {
  test('are compared for unknown addresses as for known ones', async () => {
    const { email } = await signUp(service);
    const compare = jest.spyOn(bcrypt, 'compare');
    for (const address of [email, randomEmail()]) {
      compare.mockClear();
      const body = { email: address, password: 'wrong' };
      expect(await service.anonymous.post('/api/v1/user/signin', body)).toMatchObject({ status: 400 });
      expect(compare.mock.calls).toEqual([[expect.any(String), expect.stringMatching(/^\$2b\$10\$/)]]);
    }
    compare.mockRestore();
  });

  const signIn = (address: string, account: object = { email: randomEmail(), password: 'wrong' }) =>
    service.anonymous.post('/api/v1/user/signin', account, { headers: { 'X-Forwarded-For': address } });

  test('of one client are checked two at a time, and others do not wait behind them', async () => {
    const account = await signUp(service);
    const comparisons = holdComparisons();
    const signIns = Array.from({ length: 40 }, () => signIn('192.0.2.1'));
    await until(
      'passwords are compared in their turn',
      () => loadOf('hashing').waiting === 40 - hashingPolicy.slotsPerKey,
    );
    await until('passwords are compared in their turn', () => comparisons.begun() === hashingPolicy.slotsPerKey);
    const other = signIn('192.0.2.2', account);
    await until('passwords are compared in their turn', () => comparisons.begun() === hashingPolicy.slotsPerKey + 1);
    expect(loadOf('hashing').waiting).toBe(40 - hashingPolicy.slotsPerKey);
    comparisons.release();
    expect(await other).toMatchObject({ status: 200 });
    expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual(Array(40).fill(400));
  });

  test('of twenty accounts of one client are all checked, however long that takes on busy processors', async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => signUp(service)));
    const comparisons = holdComparisons();
    const signIns = accounts.map((account) => signIn('192.0.2.3', account));
    await until('others wait', () => loadOf('hashing').waiting === 20 - hashingPolicy.slotsPerKey);
    // Longer than the patience of a queue. The rest of the tolerated wait is for the comparisons.
    advanceClock(11_000);
    comparisons.release();
    expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  test('of a network take turns with other clients, however many addresses it uses', async () => {
    const comparisons = holdComparisons();
    let answered = 0;
    const signIns = Array.from({ length: 24 }, (_, index) =>
      signIn(`2001:db8:1:${index}::1`).then(() => (answered += 1)),
    );
    await until('others wait', () => loadOf('hashing').waiting === 24 - (hashingPolicy.slots - 1));
    const other = signIn('192.0.2.9');
    // One slot is reserved for networks without a running comparison.
    await until('the other one is compared', () => loadOf('hashing').running === hashingPolicy.slots);
    comparisons.release();
    await other;
    expect(answered).toBeLessThanOrEqual(3 * hashingPolicy.slots);
    await Promise.all(signIns);
  });

  test('of all clients leave a thread of the pool for other work', async () => {
    const comparisons = holdComparisons();
    const clients = Array.from({ length: 8 }, (_, index) => signIn(`192.0.2.${index + 1}`));
    const { slots } = hashingPolicy;
    await until('passwords are compared in their turn', () => loadOf('hashing').waiting === 8 - slots);
    expect(loadOf('hashing').running).toBe(slots);
    await until('as many are compared', () => comparisons.begun() === slots);
    comparisons.release();
    expect((await Promise.all(clients)).map(({ status }) => status)).toEqual(Array(8).fill(400));
  });
});
