import { beforeAll, describe, expect, test } from '@jest/globals';
import { advanceClock } from '../kit/clock.ts';
import { randomEmail, randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { requestCode, signUp } from '../kit/users.ts';

const sendOtp = '/api/v1/user/signup/send-otp';
const verify = '/api/v1/user/signup/verify';
const password = 'correct horse battery staple';
const minute = 60_000;
const hour = 60 * minute;
const differentCode = (code: string) => (code === '000000' ? '000001' : '000000');

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

const postCodeRequest = (email: string) => service.anonymous.post(sendOtp, { email });
const tryCode = (email: string, code: string) => service.client().post(verify, { email, code, password });
const usersOf = (email: string) => service.sql('SELECT id FROM users WHERE email = $1', [email]);
const backdate = (email: string, interval: string) =>
  service.sql(
    `UPDATE one_time_codes SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval
     WHERE email = $1`,
    [email, interval],
  );
const refusal = { status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path: 'code' }] } };

describe(`POST ${sendOtp}`, () => {
  test('mails a six-digit code and stores only its hash', async () => {
    const email = randomEmail();
    expect(await postCodeRequest(email)).toMatchObject({ status: 200, body: { msg: 'OTP sent successfully' } });
    const mail = await service.mailbox.take(email);
    const [code = ''] = /\b\d{6}\b/.exec(mail.text) ?? [];
    expect(mail).toMatchObject({ to: email, subject: `${code} is your Taskgate code` });
    const [row] = await service.sql('SELECT * FROM one_time_codes WHERE email = $1', [email]);
    expect(JSON.stringify(row)).not.toContain(code);
    expect(row).toMatchObject({ attempts: 0, consumed_at: null });
    const { created_at: from, expires_at: to } = row as { created_at: Date; expires_at: Date };
    expect(to.getTime() - from.getTime()).toBe(5 * 60_000);
  });

  test('trims the address and ignores its case', async () => {
    const email = randomEmail();
    expect(await postCodeRequest(`  ${email.toUpperCase()} `)).toMatchObject({ status: 200 });
    expect(await service.mailbox.take(email)).toMatchObject({ to: email });
  });

  test('counts the requests of a mailbox, however its domain is spelt', async () => {
    const [name = ''] = randomEmail().split('@');
    const codes = ['ｅxample.com', 'eｘample.com', 'exⓐmple.com', 'example。com', 'EXAMPLE.com', 'example.com'];
    const responses = [];
    for (const domain of codes) responses.push((await postCodeRequest(`${name}@${domain}`)).status);
    expect(responses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test.each([
    [undefined],
    [null],
    [7],
    [''],
    ['nobody'],
    ['a b@example.com'],
    [`${'a'.repeat(243)}@example.com`],
    [`${'🦊'.repeat(243)}@example.com`],
    [['a@b.cd']],
  ])('refuses %j as an address', async (email) => {
    expect(await service.anonymous.post(sendOtp, { email })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: expect.arrayContaining([expect.objectContaining({ path: 'email' })]) },
    });
  });

  test.each(['a', '🦊'])('accepts an address of 254 characters %s', async (character) => {
    const email = `${randomName('x')}.${character.repeat(231)}@example.com`;
    expect([...email]).toHaveLength(254);
    expect(await postCodeRequest(email)).toMatchObject({ status: 200 });
  });

  test('responds with 429 to the sixth request in any 24 hours, until the first is older', async () => {
    const email = randomEmail();
    for (let count = 1; count <= 5; count += 1) expect(await postCodeRequest(email)).toMatchObject({ status: 200 });
    const sixth = await postCodeRequest(email);
    expect(sixth).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    const wait = Number(sixth.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(24 * 3600 - 60);
    expect(wait).toBeLessThanOrEqual(24 * 3600);
    expect(await postCodeRequest(email.toUpperCase())).toMatchObject({ status: 429 });
    expect(await postCodeRequest(randomEmail())).toMatchObject({ status: 200 });

    // The window rolls: after 23 hours all five codes count. After another hour only four do.
    await backdate(email, '23 hours');
    advanceClock(23 * hour);
    expect(await postCodeRequest(email)).toMatchObject({ status: 429 });
    await service.sql(
      `UPDATE one_time_codes SET created_at = created_at - interval '61 minutes'
       WHERE id = (SELECT id FROM one_time_codes WHERE email = $1 ORDER BY created_at LIMIT 1)`,
      [email],
    );
    advanceClock(61 * minute);
    expect(await postCodeRequest(email)).toMatchObject({ status: 200 });
    expect(await postCodeRequest(email)).toMatchObject({ status: 429 });
  });

  test('keeps the quota when requests race', async () => {
    const email = randomEmail();
    const answers = await Promise.all(Array.from({ length: 8 }, () => postCodeRequest(email)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  });

  test('leaves the newest code valid when it refuses a sixth request, from any client', async () => {
    const email = randomEmail();
    let code = '';
    for (let count = 1; count <= 5; count += 1) code = await requestCode(service, email);
    expect(await postCodeRequest(email)).toMatchObject({ status: 429 });
    expect(await tryCode(email, code)).toMatchObject({ status: 200 });
  });

  test('has the same response for an address with an account, whose mail says so', async () => {
    const { email } = await signUp(service);
    const [known, unknown] = [await postCodeRequest(email), await postCodeRequest(randomEmail())];
    expect(known).toMatchObject({ status: 200 });
    expect(known.body).toEqual(unknown.body);
    const mail = await service.mailbox.take(email);
    expect(mail.subject).toBe('You have a Taskgate account already');
    expect(mail.text).not.toMatch(/\d{6}/);
  });
});

describe(`POST ${verify}`, () => {
  test('creates the account with its inbox and preferences, and signs in', async () => {
    const email = randomEmail();
    const code = await requestCode(service, email);
    const client = service.client();
    const answer = await client.post(verify, { email, code, password });
    expect(answer).toMatchObject({ status: 200, body: { msg: 'Account created successfully' } });
    expect((await client.get('/api/v1/auth-check')).body).toEqual({ isAuthenticated: true, email });
    const [user] = (await usersOf(email)) as { id: string }[];
    expect(await service.sql('SELECT name, is_default FROM projects WHERE space_id = $1', [user?.id])).toEqual([
      { name: 'Inbox', is_default: true },
    ]);
    expect((await client.get('/api/v1/user/user-preferences')).body).toEqual({
      emailEnabled: true,
      reminderBefore: 30,
      taskRemainders: true,
      automaticRemainder: false,
      dailyDigest: false,
      digestTime: null,
    });
  });

  test('returns a new session, and ends the session of the request', async () => {
    const anna = await signUp(service);
    const { cookie } = anna;
    const email = randomEmail();
    const code = await requestCode(service, email);
    expect(await anna.post(verify, { email, code, password })).toMatchObject({ status: 200 });
    expect((await anna.get('/api/v1/auth-check')).body).toEqual({ isAuthenticated: true, email });
    expect((await service.client(cookie).get('/api/v1/auth-check')).body).toEqual({ isAuthenticated: false });
  });

  test('refuses a wrong code, and the right one after five wrong attempts', async () => {
    const email = randomEmail();
    const code = await requestCode(service, email);
    for (let count = 1; count <= 5; count += 1) {
      expect(await tryCode(email, differentCode(code))).toMatchObject(refusal);
    }
    expect(await tryCode(email, code)).toMatchObject(refusal);
    expect(await usersOf(email)).toEqual([]);
    expect(await tryCode(email, await requestCode(service, email))).toMatchObject({ status: 200 });
  });

  test('accepts the right code at the fifth attempt', async () => {
    const email = randomEmail();
    const code = await requestCode(service, email);
    for (let count = 1; count <= 4; count += 1) await tryCode(email, differentCode(code));
    expect(await tryCode(email, code)).toMatchObject({ status: 200 });
  });

  test('refuses a code after five minutes', async () => {
    const [late, intime] = [randomEmail(), randomEmail()];
    const [lateCode, code] = [await requestCode(service, late), await requestCode(service, intime)];
    await backdate(late, '5 minutes');
    await backdate(intime, '4 minutes 30 seconds');
    expect(await tryCode(late, lateCode)).toMatchObject(refusal);
    expect(await tryCode(intime, code)).toMatchObject({ status: 200 });
  });

  test('refuses a code that a newer one has replaced, even after that is used up', async () => {
    const email = randomEmail();
    const first = await requestCode(service, email);
    let second = await requestCode(service, email);
    if (second === first) second = await requestCode(service, email);
    expect(await tryCode(email, first)).toMatchObject(refusal);
    expect(await tryCode(email, second)).toMatchObject({ status: 200 });
    expect(await tryCode(email, first)).toMatchObject(refusal);
  });

  test('refuses a used code, a code of another address, and any code without a request', async () => {
    const [email, other] = [randomEmail(), randomEmail()];
    const code = await requestCode(service, email);
    await requestCode(service, other);
    expect(await tryCode(randomEmail(), code)).toMatchObject(refusal);
    expect(await tryCode(email, code)).toMatchObject({ status: 200 });
    expect(await tryCode(email, code)).toMatchObject(refusal);
  });

  test('creates one account and responds with one 200 when verifications race', async () => {
    const email = randomEmail();
    const code = await requestCode(service, email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => tryCode(email, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    expect(await usersOf(email)).toHaveLength(1);
  });

  test('refuses the right code of an address with an account, with the same message as a wrong one', async () => {
    const email = randomEmail();
    const code = await requestCode(service, email);
    expect(await tryCode(email, code)).toMatchObject({ status: 200 });
    const before = await service.sql('SELECT * FROM users WHERE email = $1', [email]);
    // Mails never show the code that made the account. The test makes it unused.
    await service.sql('UPDATE one_time_codes SET consumed_at = NULL WHERE email = $1', [email]);
    const failedTry = await tryCode(randomEmail(), '123456');
    const client = service.client();
    const answer = await client.post(verify, { email, code, password: 'another password' });
    expect(answer).toMatchObject({ status: 400, body: failedTry.body });
    expect(client.cookie).toBeUndefined();
    expect(await service.sql('SELECT * FROM users WHERE email = $1', [email])).toEqual(before);
  });

  test.each([
    [{ email: 'nobody' }, 'email'],
    [{ code: undefined }, 'code'],
    [{ code: 123456 }, 'code'],
    [{ code: '12345' }, 'code'],
    [{ code: '١٢٣٤٥٦' }, 'code'],
    [{ password: undefined }, 'password'],
    [{ password: '' }, 'password'],
    [{ password: 12345678 }, 'password'],
    [{ password: 'a'.repeat(1025) }, 'password'],
  ])('refuses %j', async (part: object, path: string) => {
    const body = { email: randomEmail(), code: '123456', password, ...part };
    expect(await service.anonymous.post(verify, body)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });
});
