import { rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { EventStream } from '../changes/sse.ts';
import { Socket } from '../changes/stream.ts';
import { addMember, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { requestCode, signInAgain, signUp, type User } from '../kit/users.ts';

const sendOtp = '/api/v1/user/password/send-otp';
const reset = '/api/v1/user/password/reset';
const newPassword = 'a new one, long enough';
const tooShort = 'short';
const tooCommon = 'correct horse battery';
const differentCode = (code: string) => (code === '000000' ? '000001' : '000000');

let service: Service;
const blocklist = path.join(os.tmpdir(), `taskgate-blocklist-${crypto.randomUUID()}.txt`);
beforeAll(async () => {
  await writeFile(blocklist, `123456\r\n${tooCommon}\n`);
  service = await startService({ PASSWORD_MIN_LENGTH: '8', PASSWORD_BLOCKLIST: blocklist });
});
afterAll(async () => {
  await service.close();
  await rm(blocklist);
});

const postCodeRequest = (email: string) => service.anonymous.post(sendOtp, { email });
async function takeResetCode(email: string): Promise<string> {
  expect(await postCodeRequest(email)).toMatchObject({ status: 200, body: { msg: 'OTP sent successfully' } });
  return service.mailbox.takeCode(email);
}
const resetBy = (email: string, code: string, password = newPassword) =>
  service.anonymous.post(reset, { email, code, password });
const refusal = (field = 'code') => ({
  status: 400,
  body: { code: 'VALIDATION_FAILED', errors: [expect.objectContaining({ path: field }) as unknown] },
});
const canSignIn = async (email: string, password: string) =>
  (await service.client().post('/api/v1/user/signin', { email, password })).status === 200;
const backdate = (subject: string, interval: string) =>
  service.sql(
    `UPDATE one_time_codes SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval
     WHERE subject = $1`,
    [subject, interval],
  );

describe(`POST ${reset}`, () => {
  test('sets the password, ends all sessions and subscriptions, notifies the user, and does not sign in', async () => {
    const anna = await signUp(service);
    const socket = await Socket.ready(service.url, anna.cookie);
    socket.send({ type: 'subscribe', id: 'changes', payload: { query: 'subscription { taskChanges { taskId } }' } });
    const code = await takeResetCode(anna.email);
    const answer = await resetBy(anna.email, code);
    expect(answer).toMatchObject({ status: 200, body: { msg: 'Password updated sucessfully' } });
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await anna.get('/api/v1/user/profile')).toMatchObject({ status: 401 });
    expect(await socket.closed).toMatchObject({ code: 4401 });
    expect(await service.mailbox.take(anna.email)).toMatchObject({
      subject: 'The password of your Taskgate account was reset',
    });
    expect(await canSignIn(anna.email, anna.password)).toBe(false);
    expect(await canSignIn(anna.email, newPassword)).toBe(true);
    expect(await resetBy(anna.email, code)).toMatchObject(refusal());
  });

  test('keeps TOTP on, and revokes the access tokens', async () => {
    const anna = await signUp(service);
    const { startTotp } = await anna.data<{ startTotp: { secret: string } }>('mutation { startTotp { secret } }');
    const totp = new TOTP({ secret: Secret.fromBase32(startTotp.secret) });
    await anna.data(`mutation { confirmTotp(code: "${totp.generate()}") { recoveryCodes } }`);
    const program = await makeProgram(service, anna);
    const headers = { Authorization: `Bearer ${program.token}` };
    const events = await EventStream.open(service, program, '/api/v2/events', headers);
    const reset = `mutation ($email: String!, $code: String!) { resetPassword(email: $email, code: $code, password: "${newPassword}") }`;
    expect(await service.anonymous.data(`mutation { requestPasswordReset(email: "${anna.email}") }`)).toEqual({
      requestPasswordReset: true,
    });
    const code = await service.mailbox.takeCode(anna.email);
    expect(await service.anonymous.data(reset, { email: anna.email, code })).toEqual({ resetPassword: true });
    expect(await events.body).toContain('UNAUTHENTICATED');
    expect(await program.get('/api/v2/todo')).toMatchObject({ status: 401 });
    expect(await service.sql('SELECT FROM access_tokens WHERE user_id = $1', [anna.id])).toEqual([]);
    const signIn = { email: anna.email, password: newPassword };
    expect(await service.client().post('/api/v1/user/signin', signIn)).toMatchObject({
      status: 403,
      body: { code: 'SECOND_FACTOR_REQUIRED' },
    });
  });

  test('lifts a lock by failed sign-ins', async () => {
    const anna = await signUp(service);
    const signIn = (password: string) => service.client().post('/api/v1/user/signin', { email: anna.email, password });
    for (let failures = 0; failures < 10; failures += 1) expect((await signIn('wrong')).status).toBe(400);
    expect((await signIn(anna.password)).status).toBe(429);
    await resetBy(anna.email, await takeResetCode(anna.email));
    expect((await signIn(newPassword)).status).toBe(200);
  });

  test('gives an account of a provider its first password', async () => {
    const anna = await signUp(service);
    await service.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [anna.id]);
    expect(await resetBy(anna.email, await takeResetCode(anna.email))).toMatchObject({ status: 200 });
    const secondSession = await signInAgain(service, Object.assign(anna, { password: newPassword }));
    expect(await secondSession.get('/api/v1/user/profile')).toMatchObject({ body: { user: { isPasswordSet: true } } });
  });

  test('has the same response for an address without an account, which gets no mail', async () => {
    const email = randomEmail();
    const [unknown, known] = [await postCodeRequest(email), await postCodeRequest((await signUp(service)).email)];
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    expect(
      await service.sql(
        'SELECT status, message, user_id FROM deliveries JOIN one_time_codes ON delivery_id = deliveries.id WHERE email = $1',
        [email],
      ),
    ).toEqual([{ status: 'SKIPPED', message: null, user_id: null }]);
    expect(await resetBy(email, '123456')).toMatchObject(refusal());
    // No other mail comes before the sign-up code.
    expect(await requestCode(service, email)).toMatch(/^\d{6}$/);
  });

  test('runs the same statements for an address without an account', async () => {
    const { email } = await signUp(service);
    const statementsOf = async (work: () => Promise<unknown>) =>
      (await recordStatements(work)).own.map(({ sql }) => sql);
    const other = randomEmail();
    expect(await statementsOf(() => postCodeRequest(other))).toEqual(await statementsOf(() => postCodeRequest(email)));
    expect(await statementsOf(() => resetBy(other, 'wrong!'))).toEqual(
      await statementsOf(() => resetBy(email, 'wrong!')),
    );
  });

  test('accepts a code once, also if it comes twice at once', async () => {
    const anna = await signUp(service);
    const code = await takeResetCode(anna.email);
    const answers = await Promise.all(
      ['one, long enough', 'two, long enough'].map((each) => resetBy(anna.email, code, each)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const winner = answers[0]?.status === 200 ? 'one, long enough' : 'two, long enough';
    expect(await canSignIn(anna.email, winner)).toBe(true);
  });

  test('refuses a code after five wrong attempts, and after five minutes', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const code = await takeResetCode(anna.email);
    for (let count = 1; count <= 5; count += 1) {
      expect(await resetBy(anna.email, differentCode(code))).toMatchObject(refusal());
    }
    expect(await resetBy(anna.email, code)).toMatchObject(refusal());
    const lateCode = await takeResetCode(ben.email);
    await backdate(ben.email, '5 minutes');
    expect(await resetBy(ben.email, lateCode)).toMatchObject(refusal());
    expect(await canSignIn(ben.email, ben.password)).toBe(true);
  });

  test('allows five codes in 24 hours, separately from sign-up codes, which it refuses', async () => {
    const { email } = await signUp(service);
    for (let count = 1; count <= 5; count += 1) expect(await postCodeRequest(email)).toMatchObject({ status: 200 });
    expect(await postCodeRequest(email)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    const other = randomEmail();
    const code = await requestCode(service, other);
    expect(await resetBy(other, code)).toMatchObject(refusal());
    expect(
      await service.client().post('/api/v1/user/signup/verify', { email: other, code, password: newPassword }),
    ).toMatchObject({ status: 200 });
    const first = await takeResetCode(other);
    const second = await takeResetCode(other);
    if (first !== second) expect(await resetBy(other, first)).toMatchObject(refusal());
    expect(await resetBy(other, second)).toMatchObject({ status: 200 });
  });
});

describe('a new password that the operator refuses', () => {
  test.each([
    ['too short', tooShort],
    ['too common', tooCommon],
    ['too short in code points', '🔑🔑🔑🔑'],
  ])('is %s: at sign-up, reset and change, without using up an attempt at the code', async (_label, password) => {
    const anna = await signUp(service);
    const email = randomEmail();
    const [signUpCode, resetCode] = [await requestCode(service, email), await takeResetCode(anna.email)];
    for (let count = 1; count <= 5; count += 1) {
      const verified = await service.client().post('/api/v1/user/signup/verify', { email, code: '000000', password });
      expect(verified).toMatchObject(refusal('password'));
      expect(await resetBy(anna.email, '000000', password)).toMatchObject(refusal('password'));
    }
    const change = { currentPassword: anna.password, newPassword: password, confirmNewPassword: password };
    expect(await anna.put('/api/v1/user/password', change)).toMatchObject(refusal('newPassword'));
    expect(await resetBy(anna.email, resetCode, `${password} and more`)).toMatchObject({ status: 200 });
    const verify = { email, code: signUpCode, password: `${password} and more` };
    expect(await service.client().post('/api/v1/user/signup/verify', verify)).toMatchObject({ status: 200 });
  });
});

describe('requestEmailChange and confirmEmailChange', () => {
  const request = (user: User, email: string, password?: string) =>
    user.graphql(
      'mutation ($email: String!, $password: String) { requestEmailChange(email: $email, password: $password) }',
      {
        email,
        password,
      },
    );
  const confirm = (user: User, code: string) =>
    user.graphql('mutation ($code: String!) { confirmEmailChange(code: $code) { email } }', { code });
  const failed = (code: string, field?: string) => ({
    errors: [{ extensions: { code, ...(field !== undefined && { errors: [{ path: field }] }) } }],
  });

  test('change the address, notify the old one, and show the new one to members of its workspaces', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const { id } = await makeWorkspace(anna);
    await addMember(anna, id, ben);
    const query = '{ workspaces { members { email } } }';
    expect(JSON.stringify(await ben.data(query))).toContain(anna.email);
    const email = randomEmail();
    expect(await request(anna, ` ${email.toUpperCase()}`, anna.password)).toEqual({
      data: { requestEmailChange: true },
    });
    const code = await service.mailbox.takeCode(email);
    expect(await confirm(anna, differentCode(code))).toMatchObject(failed('VALIDATION_FAILED', 'code'));
    expect(await confirm(ben, code)).toMatchObject(failed('VALIDATION_FAILED', 'code'));
    expect(await confirm(anna, code)).toMatchObject({ data: { confirmEmailChange: { email } } });
    expect(await service.mailbox.take(anna.email)).toMatchObject({
      subject: expect.stringMatching(/invited|address of your Taskgate account was changed/),
    });
    expect(await canSignIn(email, anna.password)).toBe(true);
    expect(await canSignIn(anna.email, anna.password)).toBe(false);
    expect(await confirm(anna, code)).toMatchObject(failed('VALIDATION_FAILED', 'code'));
    expect(JSON.stringify(await ben.data(query))).toContain(email);
  });

  test('invalidate a password reset code that was mailed to the old address', async () => {
    const anna = await signUp(service);
    const resetCode = await takeResetCode(anna.email);
    const email = randomEmail();
    await request(anna, email, anna.password);
    await confirm(anna, await service.mailbox.takeCode(email));
    // The old address may belong to another account now.
    await service.sql('UPDATE users SET email = $2 WHERE id = $1', [anna.id, anna.email]);
    expect(await resetBy(anna.email, resetCode)).toMatchObject(refusal());
  });

  test('refuse a code that was mailed before a password reset', async () => {
    const anna = await signUp(service);
    const email = randomEmail();
    await request(anna, email, anna.password);
    const code = await service.mailbox.takeCode(email);
    await resetBy(anna.email, await takeResetCode(anna.email));
    await anna.post('/api/v1/user/signin', { email: anna.email, password: newPassword });
    expect(await confirm(anna, code)).toMatchObject(failed('VALIDATION_FAILED', 'code'));
  });

  test('have the same response for an address with an account, whose mail has a note instead of a code', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    expect(await request(anna, ben.email, anna.password)).toEqual({ data: { requestEmailChange: true } });
    const mail = await service.mailbox.take(ben.email);
    expect(mail.subject).toBe('You have a Taskgate account already');
    expect(mail.text + mail.html).not.toMatch(/\b\d{6}\b/);
  });

  test('give an address to only one account, also if another takes it in between', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const email = randomEmail();
    await request(anna, email, anna.password);
    const annas = await service.mailbox.takeCode(email);
    await request(ben, email, ben.password);
    const bensCode = await service.mailbox.takeCode(email);
    const answers = await Promise.all([confirm(anna, annas), confirm(anna, annas), confirm(ben, bensCode)]);
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    expect(await service.sql('SELECT FROM users WHERE email = $1', [email])).toHaveLength(1);
  });

  test('need the password, whose failures count as failed sign-ins, or without one a recent sign-in', async () => {
    const anna = await signUp(service);
    expect(await request(anna, randomEmail())).toMatchObject(failed('VALIDATION_FAILED', 'password'));
    for (let count = 2; count <= 10; count += 1) {
      expect(await request(anna, randomEmail(), 'wrong')).toMatchObject(failed('VALIDATION_FAILED', 'password'));
    }
    expect(await request(anna, randomEmail(), anna.password)).toMatchObject(failed('RATE_LIMITED'));
    expect(await canSignIn(anna.email, anna.password)).toBe(false);
    const ben = await signUp(service);
    await service.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [ben.id]);
    expect(await request(ben, randomEmail())).toEqual({ data: { requestEmailChange: true } });
    await service.sql("UPDATE sessions SET created_at = created_at - interval '10 minutes' WHERE user_id = $1", [
      ben.id,
    ]);
    expect(await request(ben, randomEmail())).toMatchObject(failed('REAUTHENTICATION_REQUIRED'));
  });

  test('allow five codes in 24 hours, of an account and to an address', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const email = randomEmail();
    for (let count = 1; count <= 5; count += 1) {
      expect(await request(anna, email, anna.password)).toEqual({ data: { requestEmailChange: true } });
    }
    expect(await request(anna, randomEmail(), anna.password)).toMatchObject(failed('RATE_LIMITED'));
    expect(await request(ben, email, ben.password)).toMatchObject(failed('RATE_LIMITED'));
    expect(await request(ben, randomEmail(), ben.password)).toEqual({ data: { requestEmailChange: true } });
  });
});
