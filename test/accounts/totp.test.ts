import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import bcrypt from 'bcrypt';
import { stepOf } from '../../src/accounts/totp/codes.ts';
import { resealSecrets } from '../../src/accounts/totp/rules.ts';
import { keyName } from '../../src/platform/sealing.ts';
import { openLockHolder, untilWaiting } from '../kit/locks.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';

const [former, present] = ['the former secret of the service', 'the present secret of the service'];

let service: Service;
beforeAll(async () => {
  service = await startService({ SESSION_SECRET: former, RATE_LIMITS: 'on' });
});
afterAll(() => service.close());

/** The code of a secret, some steps of 30 seconds from now. PostgreSQL has the same clock. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
const start = async (user: User) =>
  (await user.data<{ startTotp: { secret: string; uri: string } }>('mutation { startTotp { secret uri } }')).startTotp;
const confirm = (user: User, code: string) =>
  user.graphql<{ confirmTotp: { recoveryCodes: string[] } }>(
    'mutation ($code: String!) { confirmTotp(code: $code) { recoveryCodes } }',
    { code },
  );
const disable = (user: User, code: string) =>
  user.graphql('mutation ($code: String!) { disableTotp(code: $code) { totp } }', { code });
const isOn = async (user: User) => (await user.data<{ viewer: { totp: boolean } }>('{ viewer { totp } }')).viewer.totp;
const signIn = ({ email, password }: User, totp?: string) =>
  service.client().post('/api/v1/user/signin', { email, password, ...(totp !== undefined && { totp }) });
const failed = (path: string) => ({ errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } }] });
const refused = { status: 400, body: { errors: [{ path: 'totp' }] } };
const forgetUse = (user: User) => service.sql('UPDATE totp_factors SET used_step = 0 WHERE user_id = $1', [user.id]);

async function enrol(user: User) {
  const { secret } = await start(user);
  const { data } = await confirm(user, codeOf(secret));
  await forgetUse(user);
  return { secret, recoveryCodes: data?.confirmTotp.recoveryCodes ?? [] };
}

describe('TOTP', () => {
  test('is turned on by a code of its secret, which is stored encrypted, and then required with the password', async () => {
    const anna = await signUp(service);
    const { secret, uri } = await start(anna);
    expect(uri).toMatch(/^otpauth:\/\/totp\/Taskgate:/);
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect(await isOn(anna)).toBe(false);
    expect(await signIn(anna)).toMatchObject({ status: 200 });
    expect(await confirm(anna, '000000')).toMatchObject(failed('code'));
    const used = codeOf(secret);
    const { data } = await confirm(anna, used);
    expect(new Set(data?.confirmTotp.recoveryCodes).size).toBe(10);
    expect(await isOn(anna)).toBe(true);
    expect(await service.mailbox.take(anna.email)).toMatchObject({ subject: expect.stringContaining('sign-in') });
    const rows = await service.sql('SELECT * FROM totp_factors');
    const stored = JSON.stringify(rows);
    for (const hidden of [secret, ...(data?.confirmTotp.recoveryCodes ?? [])]) expect(stored).not.toContain(hidden);
    expect(await signIn(anna)).toMatchObject({ status: 403, body: { code: 'SECOND_FACTOR_REQUIRED' } });
    const wrong = await service.client().post('/api/v1/user/signin', { email: anna.email, password: 'x', totp: 'x' });
    expect(wrong).toMatchObject({ status: 400, body: { message: 'Wrong e-mail address or password' } });
    expect(await signIn(anna, '000000')).toMatchObject(refused);
    // Confirming the factor has used this code.
    expect(await signIn(anna, used)).toMatchObject(refused);
    expect(await signIn(anna, codeOf(secret, 1))).toMatchObject({ status: 200 });
    const query = 'mutation ($e: String!, $p: String!) { signIn(email: $e, password: $p) { id } }';
    const answer = await service.client().graphql(query, { e: anna.email, p: anna.password });
    expect(answer).toMatchObject({ errors: [{ extensions: { code: 'SECOND_FACTOR_REQUIRED' } }] });
  });

  test('accepts codes of one step of drift, each once, also if two come at once', async () => {
    const anna = await signUp(service);
    const { secret } = await enrol(anna);
    const [bytes, now] = [Secret.fromBase32(secret).bytes, 1_000_000 * 30_000];
    const at = (steps: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now + steps * 30_000 });
    expect([-2, -1, 0, 1, 2].map((steps) => stepOf(bytes, at(steps), now))).toEqual([
      undefined,
      999_999,
      1_000_000,
      1_000_001,
      undefined,
    ]);
    const code = codeOf(secret);
    const both = await Promise.all([signIn(anna, code), signIn(anna, code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test('is confirmed once if two confirmations come at once, with one set of recovery codes', async () => {
    const anna = await signUp(service);
    const { secret } = await start(anna);
    const answers = await Promise.all([confirm(anna, codeOf(secret)), confirm(anna, codeOf(secret))]);
    const [confirmed, ...more] = answers.flatMap(({ data }) => data?.confirmTotp ?? []);
    expect(more).toEqual([]);
    expect(answers.filter(({ errors }) => errors)).toMatchObject([failed('code')]);
    expect(
      await service.sql('SELECT cardinality(recovery_hashes) FROM totp_factors WHERE user_id = $1', [anna.id]),
    ).toEqual([{ cardinality: 10 }]);
    expect(await signIn(anna, confirmed?.recoveryCodes[0])).toMatchObject({ status: 200 });
  });

  test('accepts each recovery code once, however it is written', async () => {
    const anna = await signUp(service);
    const { recoveryCodes } = await enrol(anna);
    const [first = '', second = ''] = recoveryCodes;
    const both = await Promise.all([signIn(anna, first), signIn(anna, first.toLowerCase().replace('-', ' '))]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await disable(anna, second)).toMatchObject({ data: { disableTotp: { totp: false } } });
    expect(await signIn(anna)).toMatchObject({ status: 200 });
    expect(await service.sql('SELECT FROM totp_factors WHERE user_id = $1', [anna.id])).toEqual([]);
  });

  test('keeps its first secret until another one is confirmed', async () => {
    const anna = await signUp(service);
    const { secret, recoveryCodes } = await enrol(anna);
    const other = await start(anna);
    expect(await signIn(anna, codeOf(secret))).toMatchObject({ status: 200 });
    expect(await confirm(anna, codeOf(secret, 1))).toMatchObject(failed('code'));
    expect(await confirm(anna, codeOf(other.secret))).toMatchObject({ data: {} });
    await forgetUse(anna);
    expect(await signIn(anna, codeOf(secret))).toMatchObject(refused);
    expect(await signIn(anna, recoveryCodes[0] ?? '')).toMatchObject(refused);
    expect(await signIn(anna, codeOf(other.secret))).toMatchObject({ status: 200 });
    expect(await confirm(anna, codeOf(other.secret))).toMatchObject(failed('code'));
  });

  test('ends a session after ten wrong codes, and counts wrong codes at sign-in as failures', async () => {
    const anna = await signUp(service);
    const { secret } = await enrol(anna);
    const thief = await signUp(service);
    await start(thief);
    for (let count = 1; count <= 5; count += 1) await confirm(thief, '000000');
    for (let count = 1; count <= 5; count += 1) await disable(thief, '000000');
    expect(await thief.get('/api/v1/user/profile')).toMatchObject({ status: 200 });
    for (let count = 1; count <= 5; count += 1) await confirm(thief, '000000');
    expect(await thief.get('/api/v1/user/profile')).toMatchObject({ status: 401 });
    for (let count = 1; count <= 10; count += 1) expect(await signIn(anna, '000000')).toMatchObject(refused);
    expect(await signIn(anna, codeOf(secret))).toMatchObject({ status: 429 });
  });

  test('continues under a new SESSION_SECRET, and is re-encrypted before the former one is removed', async () => {
    const anna = await signUp(service);
    const { secret } = await enrol(anna);
    expect(await resealSecrets(service.services.connections, [present, former])).toBeGreaterThan(0);
    expect(await resealSecrets(service.services.connections, [present, former])).toBe(0);
    expect(await service.sql('SELECT DISTINCT key_name FROM totp_factors')).toEqual([
      { key_name: keyName(present, 'secrets of second factors') },
    ]);
    service.services.accounts.secrets = [present];
    expect(await signIn(anna, codeOf(secret))).toMatchObject({ status: 200 });
    service.services.accounts.secrets = [former];
    expect(await signIn(anna, codeOf(secret, 1))).toMatchObject({ status: 500 });
    await resealSecrets(service.services.connections, [former, present]);
  });

  test('continues if a process with the former SESSION_SECRET begins it after the others were re-encrypted', async () => {
    const anna = await signUp(service);
    await enrol(anna);
    await resealSecrets(service.services.connections, [present, former]);
    const { secret } = await start(anna);
    service.services.accounts.secrets = [present, former];
    expect(await confirm(anna, codeOf(secret))).toMatchObject({ data: {} });
    await resealSecrets(service.services.connections, [present, former]);
    service.services.accounts.secrets = [present];
    expect(await signIn(anna, codeOf(secret, 1))).toMatchObject({ status: 200 });
    service.services.accounts.secrets = [former];
    await resealSecrets(service.services.connections, [former, present]);
  });
});

test('a password hash with a lower cost is renewed at sign-in, also with concurrent sign-ins', async () => {
  const anna = await signUp(service);
  const { createHash } = await import('node:crypto');
  const digest = createHash('sha256').update(anna.password, 'utf8').digest('base64');
  await service.sql('UPDATE users SET password_hash = $2 WHERE id = $1', [anna.id, await bcrypt.hash(digest, 4)]);
  await Promise.all([signInAgain(service, anna), signInAgain(service, anna), signInAgain(service, anna)]);
  const [row] = await service.sql<{ password_hash: string }>('SELECT password_hash FROM users WHERE id = $1', [
    anna.id,
  ]);
  expect(bcrypt.getRounds(row?.password_hash ?? '')).toBe(10);
  await signInAgain(service, anna);
});

test('a code stays usable if another process renews the hash after the password was checked', async () => {
  const anna = await signUp(service);
  const { recoveryCodes } = await enrol(anna);
  const [row] = await service.sql<{ hash: string }>('SELECT password_hash AS hash FROM users WHERE id = $1', [anna.id]);
  const { createHash } = await import('node:crypto');
  const digest = createHash('sha256').update(anna.password, 'utf8').digest('base64');
  await service.sql('UPDATE users SET password_hash = $2 WHERE id = $1', [anna.id, await bcrypt.hash(digest, 4)]);
  const other = await openLockHolder(service);
  await other.sql('UPDATE users SET password_hash = $2 WHERE id = $1', [anna.id, row?.hash]);
  const answer = signIn(anna, recoveryCodes[0]);
  await untilWaiting(service, 1);
  await other.release();
  expect(await answer).toMatchObject({ status: 200 });
});
