import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type LockHolder, openLockHolder, untilWaiting } from '../kit/locks.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';

const signin = '/api/v1/user/signin';
const profile = '/api/v1/user/profile';

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'on' });
});
afterAll(() => service.close());

const changePassword = (user: User, next: string) =>
  user.put('/api/v1/user/password', {
    currentPassword: user.password,
    newPassword: next,
    confirmNewPassword: next,
  });

let lockHolder: LockHolder | undefined;
afterEach(() => lockHolder?.release());

/** Locks the account's row in a transaction outside the service. */
async function holdAccount({ id }: User): Promise<LockHolder> {
  lockHolder = await openLockHolder(service);
  await lockHolder.sql('SELECT FROM users WHERE id = $1 FOR UPDATE', [id]);
  return lockHolder;
}

describe('a sign-in during a change of the password', () => {
  test('creates no session if the password was changed after its check', async () => {
    const anna = await signUp(service);
    const transaction = await holdAccount(anna);
    const client = service.client();
    const answer = client.post(signin, { email: anna.email, password: anna.password });
    await untilWaiting(service, 1);
    await transaction.sql('UPDATE users SET password_hash = $2 WHERE id = $1', [anna.id, 'another hash']);
    await transaction.release();
    expect(await answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(client.cookie).toBeUndefined();
  });

  test('leaves no session of the old password', async () => {
    const anna = await signUp(service);
    let password = anna.password;
    let changes = 0;
    let sessions = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.nat({ max: 5 }), async (count, position) => {
        const next = `password ${(changes += 1)}`;
        const others = Array.from({ length: count }, () => service.client());
        const requests: (() => Promise<unknown>)[] = others.map((client) => async () => {
          if ((await client.post(signin, { email: anna.email, password })).status === 200) sessions += 1;
        });
        let changed = 0;
        requests.splice(position, 0, async () => {
          const body = { currentPassword: password, newPassword: next, confirmNewPassword: next };
          changed = (await anna.put('/api/v1/user/password', body)).status;
        });
        await Promise.all(requests.map((send) => send()));
        expect(changed).toBe(200);
        password = next;
        expect((await anna.get(profile)).status).toBe(200);
        expect(await Promise.all(others.map(async (client) => (await client.get(profile)).status))).toEqual(
          others.map(() => 401),
        );
        // Sign-ins that lost the race have failed, and count towards the limit.
        await service.sql('DELETE FROM password_attempts');
      }),
      { numRuns: 6, examples: [[5, 5]] },
    );
    expect(sessions).toBeGreaterThan(0);
  });
});

describe('two simultaneous changes of the password', () => {
  test('from two sessions: one succeeds and ends the other session', async () => {
    const anna = await signUp(service);
    const sessions = [anna, await signInAgain(service, anna)];
    const answers = await Promise.all(sessions.map((user, index) => changePassword(user, `new ${index}`)));
    const winner = answers.findIndex(({ status }) => status === 200);
    const [succeeded = 0, lost = 0] = answers.map(({ status }) => status).sort();
    expect(succeeded).toBe(200);
    expect([400, 401]).toContain(lost);
    const after = await Promise.all(sessions.map(async (user) => (await user.get(profile)).status));
    expect(after).toEqual(sessions.map((_user, index) => (index === winner ? 200 : 401)));
    const signIns = ['new 0', 'new 1', anna.password].map(
      async (password) => (await service.anonymous.post(signin, { email: anna.email, password })).status === 200,
    );
    expect(await Promise.all(signIns)).toEqual([winner === 0, winner === 1, false]);
  });

  test('refuse the second, even if its current password was right', async () => {
    const anna = await signUp(service);
    const transaction = await holdAccount(anna);
    const answer = changePassword(anna, 'too late');
    await untilWaiting(service, 1);
    await transaction.sql('UPDATE users SET password_hash = $2 WHERE id = $1', [anna.id, 'another hash']);
    await transaction.release();
    expect(await answer).toMatchObject({ status: 400, body: { errors: [{ path: 'currentPassword' }] } });
    expect(await service.sql('SELECT password_hash FROM users WHERE id = $1', [anna.id])).toEqual([
      { password_hash: 'another hash' },
    ]);
  });

  test('change nothing if their session ended in the meantime', async () => {
    const anna = await signUp(service);
    const [before] = await service.sql('SELECT password_hash FROM users WHERE id = $1', [anna.id]);
    await service.sql(
      `CREATE FUNCTION end_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN DELETE FROM sessions WHERE user_id = TG_ARGV[0]; RETURN NEW; END $$`,
    );
    await service.sql(
      `CREATE TRIGGER end_sessions AFTER INSERT ON password_attempts FOR EACH ROW
         EXECUTE FUNCTION end_sessions('${anna.id}')`,
    );
    expect(await changePassword(anna, 'the new one')).toMatchObject({ status: 401 });
    expect(await service.sql('SELECT password_hash FROM users WHERE id = $1', [anna.id])).toEqual([before]);
    await service.sql('DROP TRIGGER end_sessions ON password_attempts');
  });
});
