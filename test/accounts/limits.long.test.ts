import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import bcrypt from 'bcrypt';
import sharp from 'sharp';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp } from '../kit/users.ts';
import { until } from '../kit/until.ts';

const sendOtp = '/api/v1/user/signup/send-otp';
const verify = '/api/v1/user/signup/verify';
const signin = '/api/v1/user/signin';

const codes = 3;
const signIns = 20;

let service: Service;
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
const requestCodeFrom = (address: string) => service.anonymous.post(sendOtp, { email: randomEmail() }, from(address));

function expectLimited({ status, body, headers }: { status: number; body: unknown; headers: Headers }, most: number) {
  expect({ status, body }).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(most);
}

describe('limits of one client', () => {
  beforeAll(async () => {
    service = await startService({
      RATE_LIMITS: 'on',
      RATE_LIMIT_CODES: `${codes}/3600`,
      RATE_LIMIT_UPLOADS: '2/3600',
      RATE_LIMIT_SIGN_INS: `${signIns}`,
      TRUST_PROXY: 'loopback',
    });
  });
  afterAll(() => service.close());

  test('end its requests for codes, for any e-mail address, and do not affect other clients', async () => {
    for (let count = 1; count <= codes; count += 1)
      expect(await requestCodeFrom('192.0.2.1')).toMatchObject({ status: 200 });
    expectLimited(await requestCodeFrom('192.0.2.1'), 3600);
    expect(await requestCodeFrom('192.0.2.2')).toMatchObject({ status: 200 });
  });

  test('are counted on every transport alike', async () => {
    await Promise.all(Array.from({ length: codes }, () => requestCodeFrom('192.0.2.3')));
    const { headers } = from('192.0.2.3');
    const answer = await service.anonymous.post(
      '/graphql',
      { query: 'mutation ($email: String!) { requestSignUpCode(email: $email) }', variables: { email: randomEmail() } },
      { headers },
    );
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('treat a host as one client, whichever of its addresses it uses', async () => {
    for (const host of ['::1', 'ffff::', '1:2:3:4']) {
      expect(await requestCodeFrom(`2001:db8:1:2:${host}`.replace(':::', '::'))).toMatchObject({ status: 200 });
    }
    expectLimited(await requestCodeFrom('2001:0db8:0001:0002::99'), 3600);
    expect(await requestCodeFrom('2001:db8:1:3::1')).toMatchObject({ status: 200 });

    for (let count = 1; count <= codes; count += 1) await requestCodeFrom('192.0.2.4');
    expectLimited(await requestCodeFrom('::ffff:192.0.2.4'), 3600);
  });

  test('refuse a further picture of an account before it arrives, over REST and GraphQL together', async () => {
    const anna = await signUp(service);
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const form = (fields: Record<string, string>, name: string) => {
      const data = new FormData();
      for (const [field, value] of Object.entries(fields)) data.set(field, value);
      data.set(name, new Blob([image]), 'me');
      return data;
    };
    const query = 'mutation ($image: Upload) { updateProfile(name: "Anna", image: $image) { id } }';
    const operations = JSON.stringify({ query, variables: { image: null } });
    const uploadByGraphql = () =>
      anna.post('/graphql', form({ operations, map: '{"0":["variables.image"]}' }, '0'), {
        headers: { 'x-graphql-yoga-csrf': '1' },
      });
    expect(await anna.post('/api/v1/user/profile', form({ name: 'Anna' }, 'image'))).toMatchObject({ status: 200 });
    expect(await uploadByGraphql()).toMatchObject({ status: 200, body: { data: { updateProfile: { id: anna.id } } } });
    const { result, own } = await recordStatements(uploadByGraphql);
    expect([result.status, result.body]).toMatchObject([
      429,
      { errors: [{ extensions: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) } }] },
    ]);
    expect(own).toEqual([]);

    const { hostname, port } = new URL(service.url);
    const client = connect(Number(port), hostname);
    client.write(`POST /api/v1/user/profile HTTP/1.1\r\nHost: x\r\nCookie: ${anna.cookie}\r\n`);
    client.write('Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n--x');
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 429 [^]*\r\nRateLimit: "uploads-of-account";r=0;/);
    client.destroy();
  });

  test('cost no statement once they are reached', async () => {
    const email = randomEmail();
    const body = { email, code: '000000', password: 'x' };
    const attempts = {
      codes: () => requestCodeFrom('192.0.2.20'),
      codesOfAddress: () => service.anonymous.post(sendOtp, { email }, from(`198.51.100.${(Math.random() * 250) | 0}`)),
      signUps: () => service.anonymous.post(verify, body, from('192.0.2.21')),
      signIns: () => service.anonymous.post(signin, { email, password: 'wrong' }, from('192.0.2.22')),
    };
    for (const attempt of Object.values(attempts)) {
      await until('the limit is met', async () => (await attempt()).status === 429);
      const { result, own } = await recordStatements(attempt);
      expectLimited(result, 24 * 3600);
      expect(own).toEqual([]);
    }
  });

  test('hold when requests come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => requestCodeFrom('192.0.2.5')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(codes);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(8 - codes);
  });

  test('end its attempts to sign up', async () => {
    const body = { email: randomEmail(), code: '000000', password: 'x' };
    for (let count = 1; count <= 5 * codes; count += 1) {
      expect(await service.anonymous.post(verify, body, from('192.0.2.6'))).toMatchObject({ status: 400 });
    }
    expectLimited(await service.anonymous.post(verify, body, from('192.0.2.6')), 3600);
    expect(await service.anonymous.post(verify, body, from('192.0.2.7'))).toMatchObject({ status: 400 });
  });

  describe('on failed sign-ins', () => {
    const signIn = (address: string, account: object = { email: randomEmail(), password: 'wrong' }) =>
      service.anonymous.post(signin, account, from(address));

    async function hasFailed(address: string, count: number) {
      await service.sql("DELETE FROM password_attempts WHERE subject LIKE 'sign-in-of-client:%'");
      expect(await signIn(address)).toMatchObject({ status: 400 });
      await service.sql(
        `INSERT INTO password_attempts (subject, at, failed) SELECT subject, at, true
         FROM password_attempts, generate_series(2, $1) WHERE subject LIKE 'sign-in-of-client:%'`,
        [count],
      );
    }

    test('end its sign-ins, also with the right password, and do not count successes', async () => {
      const account = await signUp(service);
      await hasFailed('192.0.2.8', signIns - 1);
      for (let count = 0; count < 2; count += 1) {
        expect(await signIn('192.0.2.8', account)).toMatchObject({ status: 200 });
      }
      expect(await signIn('192.0.2.8')).toMatchObject({ status: 400 });
      expectLimited(await signIn('192.0.2.8', account), 15 * 60);
      expect(await signIn('192.0.2.9', account)).toMatchObject({ status: 200 });
    });

    test('allow exactly as many checks as may fail, however many passwords come at once', async () => {
      await hasFailed('192.0.2.10', signIns - 5);
      const compare = jest.spyOn(bcrypt, 'compare');
      const answers = await Promise.all(Array.from({ length: 20 }, () => signIn('192.0.2.10')));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array<number>(5).fill(400), ...Array<number>(15).fill(429)]);
      expect(compare).toHaveBeenCalledTimes(5);
      compare.mockRestore();
    });
  });
});

describe('RATE_LIMITS=off', () => {
  beforeAll(async () => {
    service = await startService({ RATE_LIMITS: 'off', RATE_LIMIT_CODES: '1/3600' });
  });
  afterAll(() => service.close());

  test('lifts all limits except those of an e-mail address', async () => {
    const email = randomEmail();
    for (let count = 1; count <= 5; count += 1) {
      expect(await service.anonymous.post(sendOtp, { email })).toMatchObject({ status: 200 });
    }
    expectLimited(await service.anonymous.post(sendOtp, { email }), 24 * 3600);
    const account = { email: randomEmail(), password: 'wrong' };
    for (let count = 1; count <= 10; count += 1) {
      expect(await service.anonymous.post(signin, account)).toMatchObject({ status: 400 });
    }
    expectLimited(await service.anonymous.post(signin, account), 15 * 60);
    const anna = await signUp(service);
    const body = { currentPassword: 'wrong', newPassword: 'new', confirmNewPassword: 'new' };
    for (let count = 1; count <= 11; count += 1) {
      expect(await anna.put('/api/v1/user/password', body)).toMatchObject({ status: 400 });
    }
    expect(await service.sql("SELECT FROM rate_limits WHERE key LIKE '%-of-client:%'")).toEqual([]);
    expect(await service.sql("SELECT FROM password_attempts WHERE subject NOT LIKE 'sign-in:%'")).toEqual([]);
  });
});
