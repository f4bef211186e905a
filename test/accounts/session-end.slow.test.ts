import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pruneSessions } from '../../src/accounts/sessions/end.ts';
import { EventStream } from '../changes/sse.ts';
import { HeldRequest } from '../kit/held-request.ts';
import { openLockHolder, lockSpaces, untilWaiting } from '../kit/locks.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';

const profile = '/api/v1/user/profile';
const signedOut = { status: 401, body: { code: 'UNAUTHENTICATED' } };

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'on' });
});
afterAll(() => service.close());

const makeRenewalDue = ({ sessionId }: User) =>
  service.sql(
    `UPDATE sessions SET created_at = created_at - interval '2 hours', last_used_at = last_used_at - interval '2 hours',
       expire = expire - interval '2 hours' WHERE sid = $1`,
    [sessionId],
  );

async function expectEnded({ sessionId, cookie }: { sessionId: string; cookie: string | undefined }) {
  expect(await service.sql('SELECT sid FROM sessions WHERE sid = $1', [sessionId])).toEqual([]);
  expect(await service.client(cookie).get(profile)).toMatchObject(signedOut);
}

const sessionOf = ({ sessionId, cookie }: User) => ({ sessionId, cookie });

const password = '/api/v1/user/password';
const toNew = (currentPassword: string) => ({ currentPassword, newPassword: 'new', confirmNewPassword: 'new' });

async function expectStatus(status: number, answer: Promise<{ status: number }>) {
  expect((await answer).status).toBe(status);
}

const endings: [string, (user: User) => Promise<void>][] = [
  ['sign-out', (user) => expectStatus(200, user.post('/api/v1/user/logout'))],
  [
    'a change of the password elsewhere',
    async (user) => {
      const elsewhere = await signInAgain(service, user);
      await expectStatus(200, elsewhere.put(password, toNew(user.password)));
    },
  ],
  [
    'ten wrong present passwords at a change of it',
    async (user) => {
      for (let count = 1; count <= 10; count += 1) await expectStatus(400, user.put(password, toNew('wrong')));
    },
  ],
  [
    'signing in anew',
    (user) => expectStatus(200, user.post('/api/v1/user/signin', { email: user.email, password: user.password })),
  ],
];

describe.each(endings)('a session that ended by %s', (_what, end) => {
  test('has ended even while its write is in progress', async () => {
    const anna = await signUp(service);
    const session = sessionOf(anna);
    const thief = service.client(session.cookie);
    const stream = await EventStream.open(service, anna, '/api/v2/events');
    // The lock that a write holds on its session until it commits.
    const write = await openLockHolder(service);
    await write.sql('SELECT FROM sessions WHERE sid = $1 FOR KEY SHARE', [session.sessionId]);
    let answered = false;
    const ending = end(anna).then(() => (answered = true));
    expect(await stream.body).toContain('UNAUTHENTICATED');
    expect(await thief.get(profile)).toMatchObject(signedOut);
    expect(await thief.post('/api/v2/todo', { title: 'late' })).toMatchObject(signedOut);
    await untilWaiting(service, 1);
    expect(answered).toBe(false);
    await write.release();
    await ending;
    await expectEnded(session);
  });

  test('stays ended when a request that renews it ends later', async () => {
    const anna = await signUp(service);
    await makeRenewalDue(anna);
    const session = sessionOf(anna);
    const held = await HeldRequest.open(service, anna, 'POST', '/api/v2/todo', { firstPart: '{"title":' });
    await end(anna);
    expect(await held.finish('"late"}')).toMatchObject(signedOut);
    expect(await service.sql('SELECT id FROM tasks WHERE space_id = $1', [anna.id])).toEqual([]);
    await expectEnded(session);
  });

  test('stays ended when a stream that renewed it closes later', async () => {
    const anna = await signUp(service);
    await makeRenewalDue(anna);
    const session = sessionOf(anna);
    const stream = await EventStream.open(service, anna, '/api/v2/events');
    await end(anna);
    expect(await stream.body).toContain('UNAUTHENTICATED');
    await expectEnded(session);
  });
});

describe('a session at its end', () => {
  test('stays ended even if other requests renew it at the same time', async () => {
    const anna = await signUp(service);
    let renewed = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.nat({ max: 6 }), async (count, position) => {
        const again = await signInAgain(service, anna);
        await makeRenewalDue(again);
        const session = sessionOf(again);
        const read = async () => {
          const { status, headers } = await service.client(again.cookie).get(profile);
          if (status === 200 && headers.getSetCookie().length > 0) renewed += 1;
        };
        const requests: (() => Promise<unknown>)[] = Array.from({ length: count }, () => read);
        requests.splice(position, 0, async () => {
          expect(await again.post('/api/v1/user/logout')).toMatchObject({ status: 200 });
        });
        await Promise.all(requests.map((send) => send()));
        await expectEnded(session);
      }),
      { numRuns: 8, examples: [[6, 6]] },
    );
    expect(renewed).toBeGreaterThan(0);
  });
});

test('a password change ends a session even if a write of it takes longer than the wait', async () => {
  const anna = await signUp(service);
  const thief = sessionOf(await signInAgain(service, anna));
  const write = await openLockHolder(service);
  await write.sql('SELECT FROM sessions WHERE sid = $1 FOR KEY SHARE', [thief.sessionId]);
  const body = { currentPassword: anna.password, newPassword: 'the new one', confirmNewPassword: 'the new one' };
  expect(await anna.put('/api/v1/user/password', body)).toMatchObject({ status: 200 });
  expect(await service.client(thief.cookie).get(profile)).toMatchObject(signedOut);
  const { email, password } = anna;
  expect(await service.anonymous.post('/api/v1/user/signin', { email, password })).toMatchObject({ status: 400 });
  await write.release();
  await pruneSessions(service.services.connections, service.services.securityLog);
  await expectEnded(thief);
});

test('no write of a session begins after its end is committed, even if the write was already waiting for its space', async () => {
  const anna = await signUp(service);
  const space = await lockSpaces(service, anna.id);
  const late = anna.post('/api/v2/todo', { title: 'late' });
  await untilWaiting(service, 1);
  await service.client(anna.cookie).post('/api/v1/user/logout');
  await space.release();
  expect(await late).toMatchObject(signedOut);
  expect(await service.sql('SELECT FROM tasks WHERE space_id = $1', [anna.id])).toEqual([]);
});
