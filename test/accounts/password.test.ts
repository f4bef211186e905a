import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../kit/client.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp } from '../kit/users.ts';

const path = '/api/v1/user/password';
const repeated = (newPassword: unknown) => ({ newPassword, confirmNewPassword: newPassword });

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'on' });
});
afterAll(() => service.close());

const canSignIn = async (email: string, password: string) =>
  (await service.anonymous.post('/api/v1/user/signin', { email, password })).status === 200;

describe(`PUT ${path}`, () => {
  test('changes the password and ends only the other sessions of the account', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const otherSession = await signInAgain(service, anna);
    const answer = await anna.put(path, { currentPassword: anna.password, ...repeated('the new one') });
    expect(answer).toMatchObject({ status: 200, body: { msg: 'Password updated sucessfully' } });
    expect(await canSignIn(anna.email, anna.password)).toBe(false);
    expect(await canSignIn(anna.email, 'the new one')).toBe(true);
    expect(await anna.get('/api/v1/user/profile')).toMatchObject({ status: 200 });
    expect(await otherSession.get('/api/v1/user/profile')).toMatchObject({ status: 401 });
    expect(await ben.get('/api/v1/user/profile')).toMatchObject({ status: 200 });
  });

  test('compares passwords over their full length', async () => {
    const anna = await signUp(service);
    const start = 'x'.repeat(72);
    await anna.put(path, { currentPassword: anna.password, ...repeated(`${start}1`) });
    expect(await canSignIn(anna.email, `${start}2`)).toBe(false);
    expect(await canSignIn(anna.email, start)).toBe(false);
    expect(await canSignIn(anna.email, `${start}1`)).toBe(true);
  });

  test('accepts 1 to 1,024 characters unchanged', async () => {
    const anna = await signUp(service);
    let currentPassword = anna.password;
    for (const next of ['x', ' spaces around ', '🔑'.repeat(1024)]) {
      expect(await anna.put(path, { currentPassword, ...repeated(next) })).toMatchObject({ status: 200 });
      expect(await canSignIn(anna.email, next)).toBe(true);
      currentPassword = next;
    }
    expect(await canSignIn(anna.email, ' spaces around')).toBe(false);
  });

  test.each([
    ['a wrong present password', { currentPassword: 'wrong', ...repeated('new') }, 'currentPassword'],
    ['no present password', repeated('new'), 'currentPassword'],
    ['another repetition', { newPassword: 'new', confirmNewPassword: 'New' }, 'confirmNewPassword'],
    ['no repetition', { newPassword: 'new' }, 'confirmNewPassword'],
    ['no new password', { confirmNewPassword: 'new' }, 'newPassword'],
    ['an empty new password', repeated(''), 'newPassword'],
    ['a number', repeated(12345678), 'newPassword'],
    ['one of 1,025 characters', repeated('x'.repeat(1025)), 'newPassword'],
  ])('refuses %s', async (_label, body: object, problem) => {
    const anna = await signUp(service);
    const present = problem === 'currentPassword' ? {} : { currentPassword: anna.password };
    const answer = await anna.put<{ errors: { path: string }[] }>(path, { ...present, ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((error) => error.path)).toContain(problem);
    expect(await canSignIn(anna.email, anna.password)).toBe(true);
  });

  test('needs no current password if none is set', async () => {
    const anna = await signUp(service);
    await service.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [anna.id]);
    expect(await anna.get('/api/v1/user/profile')).toMatchObject({ body: { user: { isPasswordSet: false } } });
    expect(await canSignIn(anna.email, '')).toBe(false);
    expect(await anna.put(path, repeated('the first one'))).toMatchObject({ status: 200 });
    expect(await canSignIn(anna.email, 'the first one')).toBe(true);
    expect(await anna.put(path, repeated('again'))).toMatchObject({ status: 400 });
  });
});

describe('wrong current passwords', () => {
  const profile = '/api/v1/user/profile';
  const change = (user: Client, currentPassword: string) => user.put(path, { currentPassword, ...repeated('new') });
  const failuresOf = async (user: Client, count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => change(user, 'wrong')));
    return answers.map(({ status }) => status).sort();
  };

  test('end their session at the tenth, and no other session', async () => {
    const anna = await signUp(service);
    const attacker = await signInAgain(service, anna);
    expect(await failuresOf(attacker, 9)).toEqual(Array(9).fill(400));
    expect(await attacker.get(profile)).toMatchObject({ status: 200 });
    expect(await change(attacker, 'wrong')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'currentPassword' }] },
    });
    expect(await attacker.get(profile)).toMatchObject({ status: 401 });
    expect(await change(attacker, anna.password)).toMatchObject({ status: 401 });
    expect(await change(anna, anna.password)).toMatchObject({ status: 200 });
  });

  test('are checked at most ten times, however many come at once, and then a right one is refused', async () => {
    const anna = await signUp(service);
    const attacker = await signInAgain(service, anna);
    expect(await failuresOf(attacker, 14)).toEqual([...Array<number>(10).fill(400), ...Array<number>(4).fill(401)]);
    expect(await change(attacker, anna.password)).toMatchObject({ status: 401 });
    expect(await canSignIn(anna.email, anna.password)).toBe(true);
  });

  test('do not end a session that changes the password in between, nor count for longer than 15 minutes', async () => {
    const anna = await signUp(service);
    expect(await failuresOf(anna, 9)).toEqual(Array(9).fill(400));
    expect(await change(anna, anna.password)).toMatchObject({ status: 200 });
    await service.sql("UPDATE password_attempts SET at = at - interval '15 minutes'");
    expect(await failuresOf(anna, 9)).toEqual(Array(9).fill(400));
    expect(await anna.get(profile)).toMatchObject({ status: 200 });
  });

  test('end a session at the next request if the process ended at the tenth', async () => {
    const anna = await signUp(service);
    await service.sql('DELETE FROM password_attempts');
    expect(await failuresOf(anna, 9)).toEqual(Array(9).fill(400));
    await service.sql(
      'INSERT INTO password_attempts (subject, failed) SELECT subject, true FROM password_attempts LIMIT 1',
    );
    expect(await change(anna, anna.password)).toMatchObject({ status: 401 });
    expect(await anna.get(profile)).toMatchObject({ status: 401 });
  });
});
