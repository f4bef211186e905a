import { beforeAll, describe, expect, test } from '@jest/globals';
import { Socket } from '../changes/stream.ts';
import { openLockHolder, untilWaiting } from '../kit/locks.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { currentOf, endSession, sessionsOf, type ShownSession } from './sessions.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';

const profile = '/api/v1/user/profile';
const all = '/api/v1/user/sessions';
const signedOut = { status: 401, body: { code: 'UNAUTHENTICATED' } };

const firefox = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0' };

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

describe('User.sessions', () => {
  test('has the current one first, then by last use, each with an id that differs from its cookie', async () => {
    const anna = await signUp(service);
    const [first, second] = [await signInAgain(service, anna, firefox), await signInAgain(service, anna)];
    const used = (user: User, minutes: number) =>
      service.sql("UPDATE sessions SET last_used_at = last_used_at - $2 * interval '1 minute' WHERE sid = $1", [
        user.sessionId,
        minutes,
      ]);
    await used(anna, 30);
    await used(first, 10);
    await used(second, 20);
    const sessions = await sessionsOf(anna);
    expect(sessions.map(({ current, device }) => [current, device])).toEqual([
      [true, 'node'],
      [false, 'Firefox on Linux'],
      [false, 'node'],
    ]);
    expect(sessions.map(({ id }) => id)).toEqual(await Promise.all([anna, first, second].map(currentOf)));
    for (const { id, createdAt, lastUsedAt } of sessions) {
      expect(id).toMatch(/^sess_[0-9a-z]{26}$/);
      for (const moment of [createdAt, lastUsedAt]) expect(moment).toMatch(/^\d{4}-.*Z$/);
    }
    const text = JSON.stringify(sessions);
    for (const { sessionId } of [anna, first, second]) expect(text).not.toContain(sessionId);
  });

  test('is current: the same query is executed again after a sign-in, an end, and in another session', async () => {
    const anna = await signUp(service);
    expect(await sessionsOf(anna)).toHaveLength(1);
    const secondSession = await signInAgain(service, anna);
    expect(await sessionsOf(anna)).toHaveLength(2);
    const [ownSession] = await sessionsOf(anna);
    expect((await sessionsOf(secondSession)).find(({ current }) => current)?.id).not.toBe(ownSession?.id);
    await secondSession.post('/api/v1/user/logout');
    expect(await sessionsOf(anna)).toHaveLength(1);
  });

  test('omits expired sessions and sessions of other accounts', async () => {
    const [anna] = [await signUp(service), await signUp(service)];
    const secondSession = await signInAgain(service, anna);
    await service.sql('UPDATE sessions SET expire = now() WHERE sid = $1', [secondSession.sessionId]);
    expect(await sessionsOf(anna)).toEqual([expect.objectContaining({ current: true })]);
  });

  test('is right in the response to the sign-in itself', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const { email, password } = ben;
    const { signIn } = await anna.data<{ signIn: { id: string; sessions: ShownSession[] } }>(
      'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { id sessions { id device createdAt lastUsedAt current } } }',
      { email, password },
    );
    expect(signIn.id).toBe(ben.id);
    expect(signIn.sessions).toEqual(await sessionsOf(anna));
    expect(signIn.sessions.map(({ current }) => current)).toEqual([true, false]);
  });

  test('works over WebSocket, with the session of the socket as the current one', async () => {
    const anna = await signUp(service);
    await signInAgain(service, anna);
    const socket = await Socket.ready(service.url, anna.cookie);
    const { payload } = await socket.run('{ viewer { sessions { id device createdAt lastUsedAt current } } }');
    expect(payload).toEqual({ data: { viewer: { sessions: await sessionsOf(anna) } } });
    socket.close();
  });
});

describe('endSession', () => {
  test('ends one session and no other', async () => {
    const anna = await signUp(service);
    const [first, second] = [await signInAgain(service, anna), await signInAgain(service, anna)];
    const id = await currentOf(first);
    expect(await endSession(anna, id)).toEqual({ data: { endSession: id } });
    expect(await first.get(profile)).toMatchObject(signedOut);
    for (const user of [anna, second]) expect(await user.get(profile)).toMatchObject({ status: 200 });
    expect(await service.sql('SELECT FROM sessions WHERE sid = $1', [first.sessionId])).toEqual([]);
  });

  test('clears the cookie if it ends the current session', async () => {
    const anna = await signUp(service);
    const { cookie } = anna;
    expect(await endSession(anna, await currentOf(anna))).toMatchObject({ data: {} });
    expect(anna.cookie).toBeUndefined();
    expect(await service.client(cookie).get(profile)).toMatchObject(signedOut);
  });

  test('is NOT_FOUND for a session of another account, an ended or unknown one, and an invalid id', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const ended = await signInAgain(service, anna);
    const endedSessionId = await currentOf(ended);
    await ended.post('/api/v1/user/logout');
    const bensSessionId = await currentOf(ben);
    for (const id of [
      bensSessionId,
      endedSessionId,
      'sess_00000000000000000000000000',
      ben.sessionId,
      anna.sessionId,
      anna.id,
      '',
    ]) {
      const { errors } = await endSession(anna, id);
      expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    }
    for (const user of [anna, ben]) expect(await user.get(profile)).toMatchObject({ status: 200 });
    expect(await endSession(service.anonymous, bensSessionId)).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
  });

  test('waits for writes of the session in progress', async () => {
    const anna = await signUp(service);
    const other = await signInAgain(service, anna);
    const id = await currentOf(other);
    const write = await openLockHolder(service);
    await write.sql('SELECT FROM sessions WHERE sid = $1 FOR KEY SHARE', [other.sessionId]);
    const pendingEnd = endSession(anna, id);
    await untilWaiting(service, 1);
    expect(await other.get(profile)).toMatchObject(signedOut);
    await write.release();
    expect(await pendingEnd).toEqual({ data: { endSession: id } });
  });
});

describe('endOtherSessions', () => {
  test('ends all other sessions of the account, returns their number, and ends none of another account', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const others = [await signInAgain(service, anna), await signInAgain(service, anna)];
    expect(await anna.data('mutation { endOtherSessions }')).toEqual({ endOtherSessions: 2 });
    for (const user of others) expect(await user.get(profile)).toMatchObject(signedOut);
    for (const user of [anna, ben]) expect(await user.get(profile)).toMatchObject({ status: 200 });
    expect(await anna.data('mutation { endOtherSessions }')).toEqual({ endOtherSessions: 0 });
  });

  test('needs a session', async () => {
    expect(await service.anonymous.graphql('mutation { endOtherSessions }')).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
  });
});

test('ending other sessions needs a sign-in of the last ten minutes, ending the current one does not', async () => {
  const anna = await signUp(service);
  const other = await signInAgain(service, anna);
  const id = await currentOf(other);
  await service.sql("UPDATE sessions SET created_at = created_at - interval '11 minutes' WHERE sid = $1", [
    anna.sessionId,
  ]);
  const reauthentication = { errors: [{ extensions: { code: 'REAUTHENTICATION_REQUIRED' } }] };
  for (const named of [id, 'sess_00000000000000000000000000'])
    expect(await endSession(anna, named)).toMatchObject(reauthentication);
  expect(await anna.graphql('mutation { endOtherSessions }')).toMatchObject(reauthentication);
  for (const path of [`${all}/${id}`, all])
    expect(await anna.delete(path)).toMatchObject({ status: 403, body: { code: 'REAUTHENTICATION_REQUIRED' } });
  expect(await other.get(profile)).toMatchObject({ status: 200 });
  expect(await endSession(anna, await currentOf(anna))).toMatchObject({ data: {} });
  const signedIn = await signInAgain(service, anna);
  expect(await endSession(signedIn, id)).toEqual({ data: { endSession: id } });
});

test.each([
  'startTotp { secret }',
  'startPasskeyRegistration',
  'deletePasskey(id: "pkey_00000000000000000000000000")',
  'unlinkProvider(provider: "x") { id }',
  'createAccessToken(input: { name: "x", scopes: [READ] }) { token }',
  'allowApplication(query: "x", scopes: [READ])',
])('changing a way to sign in needs it too: %s', async (mutation) => {
  const anna = await signUp(service);
  const codeOf = async () => (await anna.graphql(`mutation { ${mutation} }`)).errors?.[0]?.extensions.code;
  expect(await codeOf()).not.toBe('REAUTHENTICATION_REQUIRED');
  await service.sql("UPDATE sessions SET created_at = created_at - interval '11 minutes' WHERE sid = $1", [
    anna.sessionId,
  ]);
  expect(await codeOf()).toBe('REAUTHENTICATION_REQUIRED');
});

test('setting a first password, and deleting an account without a password, need it too', async () => {
  const anna = await signUp(service);
  await service.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [anna.id]);
  const backdate = (by: string) =>
    service.sql('UPDATE sessions SET created_at = created_at + $2::interval WHERE sid = $1', [anna.sessionId, by]);
  const passwords = { newPassword: 'a new passphrase', confirmNewPassword: 'a new passphrase' };
  const reauthentication = { status: 403, body: { code: 'REAUTHENTICATION_REQUIRED' } };
  await backdate('-11 minutes');
  expect(await anna.put('/api/v1/user/password', passwords)).toMatchObject(reauthentication);
  expect(await anna.delete('/api/v1/user', {})).toMatchObject(reauthentication);
  await backdate('11 minutes');
  expect(await anna.put('/api/v1/user/password', passwords)).toMatchObject({ status: 200 });
});
