import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pruneSessions } from '../../src/accounts/sessions/end.ts';
import { advanceClock, withWrongClock } from '../kit/clock.ts';
import { openLockHolder } from '../kit/locks.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { isRead, recordStatements } from '../kit/statements.ts';
import { signInAgain, signUp } from '../kit/users.ts';

const signin = '/api/v1/user/signin';
const profile = '/api/v1/user/profile';
const day = 24 * 3_600_000;
const signedOut = { status: 401, body: { code: 'UNAUTHENTICATED' } };

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const sessionsOf = (id: string) =>
  service.sql<{ sid: string; last_used_at: Date; expire: Date }>(
    'SELECT * FROM sessions WHERE user_id = $1 ORDER BY sid',
    [id],
  );

const age = (id: string, interval: string) =>
  service.sql(
    `UPDATE sessions SET created_at = created_at - $2::interval, last_used_at = last_used_at - $2::interval,
       expire = expire - $2::interval WHERE user_id = $1`,
    [id, interval],
  );

describe(`POST ${signin}`, () => {
  test('starts a session, whatever the case of the address', async () => {
    const { email, password } = await signUp(service);
    const client = service.client();
    const answer = await client.post(signin, { email: ` ${email.toUpperCase()}`, password });
    expect(answer).toMatchObject({ status: 200, body: { msg: 'Signed in successfully' } });
    expect(await client.get(profile)).toMatchObject({ status: 200, body: { user: { email } } });
  });

  test('sets a cookie that scripts and foreign sites cannot use, for 14 days', async () => {
    const { email, password } = await signUp(service);
    const { headers } = await service.client().post(signin, { email, password });
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^sid=[^;]+; /);
    expect(cookie).toMatch(/; HttpOnly(;|$)/);
    expect(cookie).toMatch(/; SameSite=Lax(;|$)/);
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).not.toMatch(/Secure|Domain/);
    const expires = Date.parse(/Expires=([^;]+)/.exec(cookie)?.[1] ?? '');
    expect(Math.abs(expires - Date.now() - 14 * day)).toBeLessThan(60_000);
  });

  test('has the same response for an unknown address and a wrong password', async () => {
    const { email } = await signUp(service);
    const wrong = await service.anonymous.post(signin, { email, password: 'wrong' });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    const unknown = await service.anonymous.post(signin, { email: randomEmail(), password: 'wrong' });
    expect(unknown).toMatchObject({ status: 400, body: wrong.body });
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  test('responds with 429 after ten failures for an address, also to the right password', async () => {
    const { email, password } = await signUp(service);
    const fail = () => service.anonymous.post(signin, { email, password: 'wrong' });
    const failures = await Promise.all(Array.from({ length: 10 }, fail));
    expect(failures.map(({ status }) => status)).toEqual(Array(10).fill(400));
    const refusal = await service.anonymous.post(signin, { email: email.toUpperCase(), password });
    expect(refusal).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    const wait = Number(refusal.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(14 * 60);
    expect(wait).toBeLessThanOrEqual(15 * 60);
    await service.sql("UPDATE password_attempts SET at = at - interval '15 minutes'");
    advanceClock(15 * 60_000);
    expect(await service.anonymous.post(signin, { email, password })).toMatchObject({ status: 200 });
  });

  test('counts only failures', async () => {
    const { email, password } = await signUp(service);
    for (let count = 0; count < 9; count += 1) await service.anonymous.post(signin, { email, password: 'wrong' });
    for (let count = 0; count < 3; count += 1) {
      expect(await service.anonymous.post(signin, { email, password })).toMatchObject({ status: 200 });
    }
  });

  test('returns a new session id and ends the session of the request', async () => {
    const anna = await signUp(service);
    const before = anna.cookie;
    await anna.post(signin, { email: anna.email, password: anna.password });
    expect(anna.cookie).not.toBe(before);
    expect(await service.client(before).get(profile)).toMatchObject(signedOut);
    expect(await sessionsOf(anna.id)).toHaveLength(1);
  });

  test('does not accept an id that the caller chose', async () => {
    const { email, password } = await signUp(service);
    const client = service.client('sid=s%3Achosen-by-somebody.c2lnbmF0dXJl');
    await client.post(signin, { email, password });
    expect(client.cookie).not.toContain('chosen-by-somebody');
  });

  test.each([[{}], [{ email: 'a@example.com' }], [{ password: 'x' }], [{ email: 1, password: 'x' }]])(
    'refuses %j',
    async (body) => {
      expect(await service.anonymous.post(signin, body)).toMatchObject({ status: 400 });
    },
  );
});

describe('a session', () => {
  test('is not created for callers without one', async () => {
    const [{ count: before } = { count: '' }] = await service.sql<{ count: string }>('SELECT count(*) FROM sessions');
    for (const path of ['/api/v1/auth-check', profile, '/healthz']) {
      expect((await service.anonymous.get(path)).headers.getSetCookie()).toEqual([]);
    }
    expect(await service.sql('SELECT count(*) FROM sessions')).toEqual([{ count: before }]);
  });

  test('is written by reads only once an hour, to renew it', async () => {
    const anna = await signUp(service);
    const [fresh] = await sessionsOf(anna.id);
    const { statements } = await recordStatements(async () => {
      await anna.get(profile);
      await anna.get('/api/v1/user/user-preferences');
    });
    expect(statements.filter((statement) => !isRead(statement))).toEqual([]);
    expect(await sessionsOf(anna.id)).toEqual([fresh]);

    await age(anna.id, '61 minutes');
    const renewed = await anna.get(profile);
    expect(renewed.headers.getSetCookie()).toHaveLength(1);
    const [row] = await sessionsOf(anna.id);
    expect(row?.expire.getTime()).toBeGreaterThanOrEqual(fresh?.expire.getTime() ?? Infinity);
    expect((await anna.get(profile)).headers.getSetCookie()).toEqual([]);
    expect(await sessionsOf(anna.id)).toEqual([row]);
  });

  test('ends after 14 days without use, and not before', async () => {
    const anna = await signUp(service);
    await age(anna.id, '13 days 23 hours 59 minutes');
    expect(await anna.get(profile)).toMatchObject({ status: 200 });
    await age(anna.id, '14 days');
    expect(await anna.get(profile)).toMatchObject(signedOut);
    expect((await anna.get('/api/v1/auth-check')).body).toEqual({ isAuthenticated: false });
  });

  test('ends 90 days after the sign-in, however often it is used, and its cookie with it', async () => {
    const anna = await signUp(service);
    for (let days = 0; days < 80; days += 10) {
      await age(anna.id, '10 days');
      expect(await anna.get(profile)).toMatchObject({ status: 200 });
    }
    await age(anna.id, '9 days 23 hours');
    const { status, headers } = await anna.get(profile);
    expect(status).toBe(200);
    const expires = Date.parse(/Expires=([^;]+)/.exec(headers.getSetCookie()[0] ?? '')?.[1] ?? '');
    expect(Math.abs(expires - Date.now() - 3_600_000)).toBeLessThan(60_000);
    await age(anna.id, '61 minutes');
    expect(await anna.get(profile)).toMatchObject(signedOut);
  });

  test.each([-15 * day, 0, 15 * day])(
    "is deleted once it has ended by the database's clock, even if the clock of the process is off by %i ms",
    async (off) => {
      const [anna, ben] = [await signUp(service), await signUp(service)];
      await age(anna.id, '14 days');
      await withWrongClock(off, () => pruneSessions(service.services.connections, service.services.securityLog));
      expect(await sessionsOf(anna.id)).toEqual([]);
      expect(await ben.get(profile)).toMatchObject({ status: 200 });
    },
  );

  test('is renewed without waiting for a transaction that holds it', async () => {
    const anna = await signUp(service);
    await age(anna.id, '2 hours');
    const [before] = await sessionsOf(anna.id);
    const held = await openLockHolder(service);
    await held.sql('SELECT FROM sessions WHERE user_id = $1 FOR SHARE', [anna.id]);
    expect(await anna.get(profile)).toMatchObject({ status: 200 });
    expect(await sessionsOf(anna.id)).toEqual([before]);
    await held.release();
    await anna.get(profile);
    expect((await sessionsOf(anna.id))[0]?.last_used_at).not.toEqual(before?.last_used_at);
  });

  test('has an id of 192 random bits, different each time', async () => {
    const ids = new Set<string>();
    const anna = await signUp(service);
    for (let count = 0; count < 5; count += 1) ids.add((await signInAgain(service, anna)).sessionId);
    expect(ids.size).toBe(5);
    for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(24);
  });

  test('needs the signature of its id', async () => {
    const anna = await signUp(service);
    expect(await service.client(anna.cookie?.slice(0, -4)).get(profile)).toMatchObject(signedOut);
  });

  test('ends with its account', async () => {
    const anna = await signUp(service);
    await service.sql('DELETE FROM spaces WHERE id = $1', [anna.id]);
    expect(await anna.get(profile)).toMatchObject(signedOut);
    expect(await anna.get('/api/v1/auth-check')).toMatchObject({ status: 200, body: { isAuthenticated: false } });
  });
});

describe('POST /api/v1/user/logout', () => {
  test('ends only this session on the server, and clears the cookie', async () => {
    const anna = await signUp(service);
    const elsewhere = await signInAgain(service, anna);
    const { cookie } = anna;
    const answer = await anna.post('/api/v1/user/logout');
    expect(answer).toMatchObject({ status: 200, body: { msg: 'Signed out successfully' } });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^sid=; Path=\/; Expires=Thu, 01 Jan 1970/)]);
    expect(await service.client(cookie).get(profile)).toMatchObject(signedOut);
    expect(await elsewhere.get(profile)).toMatchObject({ status: 200 });
  });

  test('accepts a JSON content type without a body', async () => {
    const anna = await signUp(service);
    const headers = { 'Content-Type': 'application/json' };
    expect(await anna.post('/api/v1/user/logout', undefined, { headers })).toMatchObject({ status: 200 });
  });

  test('may be selected twice in one operation', async () => {
    const anna = await signUp(service);
    expect(await anna.data('mutation { signOut again: signOut }')).toEqual({ signOut: true, again: true });
    expect(anna.cookie).toBeUndefined();
  });

  test('responds with 401 without a session', async () => {
    expect(await service.anonymous.post('/api/v1/user/logout')).toMatchObject(signedOut);
  });
});
