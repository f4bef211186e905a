import { afterEach, describe, expect, test } from '@jest/globals';
import { captureLog } from '../kit/log-lines.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';

const profile = '/api/v1/user/profile';

let service: Service;
afterEach(() => service.close());

const addSessions = ({ id }: User, count: number) =>
  service.sql(
    `INSERT INTO sessions (sid, id, user_id, device, created_at, last_used_at, expire)
     SELECT 'sid-' || n || $1, 'sess-' || n || $1, $1, (SELECT device FROM sessions WHERE user_id = $1), now() - interval '9 days', now() - make_interval(hours => n), now() + interval '1 day'
     FROM generate_series(1, $2) AS n`,
    [id, count],
  );

const liveSessions = async ({ id }: User) =>
  (
    await service.sql<{ sid: string }>(
      'SELECT sid FROM sessions WHERE user_id = $1 AND expire > now() ORDER BY last_used_at DESC',
      [id],
    )
  ).map(({ sid }) => sid);

describe('the sessions of an account', () => {
  test('are at most 100: a further sign-in ends the least recently used one', async () => {
    const log = captureLog();
    service = await startService({ RATE_LIMITS: 'on', LOG_LEVEL: 'info' });
    const [anna, ben] = [await signUp(service), await signUp(service)];
    await addSessions(anna, 98);
    await addSessions(ben, 100);
    await signInAgain(service, anna);
    expect(await liveSessions(anna)).toHaveLength(100);
    const newest = await signInAgain(service, anna);
    const remaining = await liveSessions(anna);
    expect(remaining).toHaveLength(100);
    expect(remaining[0]).toBe(newest.sessionId);
    expect(remaining).toContain(`sid-97${anna.id}`);
    expect(remaining).not.toContain(`sid-98${anna.id}`);
    expect(await log.line({ event: 'session_expired' })).toMatchObject({
      userId: anna.id,
      reason: 'too_many_sessions',
    });
    expect(await anna.get(profile)).toMatchObject({ status: 200 });
    expect(await liveSessions(ben)).toHaveLength(101);
    log.release();
  });

  test('of the same device end first', async () => {
    service = await startService({ RATE_LIMITS: 'on' });
    const anna = await signUp(service);
    await addSessions(anna, 99);
    await service.sql(`UPDATE sessions SET device = 'Firefox on Windows' WHERE sid = $1`, [`sid-99${anna.id}`]);
    await signInAgain(service, anna);
    const remaining = await liveSessions(anna);
    expect(remaining).toHaveLength(100);
    expect(remaining).toContain(`sid-99${anna.id}`);
    expect(remaining).not.toContain(`sid-98${anna.id}`);
  });

  test('are never more, however many sign-ins come at once', async () => {
    service = await startService({ RATE_LIMITS: 'on' });
    const anna = await signUp(service);
    await addSessions(anna, 99);
    const users = await Promise.all(Array.from({ length: 8 }, () => signInAgain(service, anna)));
    const remaining = await liveSessions(anna);
    expect(remaining).toHaveLength(100);
    for (const { sessionId } of users) expect(remaining).toContain(sessionId);
  });

  test('have no limit if RATE_LIMITS is off', async () => {
    service = await startService();
    const anna = await signUp(service);
    await addSessions(anna, 120);
    await signInAgain(service, anna);
    expect(await liveSessions(anna)).toHaveLength(122);
  });
});
