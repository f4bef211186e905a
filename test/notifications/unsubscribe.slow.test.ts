import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { kinds as kindsOfMails } from '../../src/notifications/kinds.ts';
import { readUnsubscribeToken, unsubscribeUrl } from '../../src/notifications/unsubscribe.ts';
import { newId } from '../../src/platform/ids.ts';
import { openPage } from '../kit/browser.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

const [secret, formerSecret] = ['the secret of now', 'the former secret'];
const links = { taskRemainders: kindsOfMails.REMINDER.unsubscribing, dailyDigest: kindsOfMails.DIGEST.unsubscribing };
type MailPreference = keyof typeof links;
const kinds: MailPreference[] = ['taskRemainders', 'dailyDigest'];
const oneClick = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
const allEnabled = { taskRemainders: true, dailyDigest: true };

describe('an unsubscribe token', () => {
  const userId = newId('User');
  const urlOf = (kind: MailPreference) => unsubscribeUrl(secret, 'https://tasks.example.com', userId, links[kind]);
  const tokenOf = (kind: MailPreference) => urlOf(kind).replace(/^.*\//, '');
  const read = (token: string) => readUnsubscribeToken([secret], token);

  test.each(kinds)('of %s is read back, and is short and safe in a URL', (kind) => {
    expect(urlOf(kind)).toMatch(/^https:\/\/tasks\.example\.com\/unsubscribe\/[\w.-]{1,60}[a-z0-9]$/);
    expect(read(tokenOf(kind))).toEqual({ userId, unsubscribing: links[kind] });
  });

  test('is accepted under each of the secrets, and under no other', () => {
    const token = tokenOf('dailyDigest');
    expect(readUnsubscribeToken([formerSecret, secret], token)).toEqual({ userId, unsubscribing: links.dailyDigest });
    expect(readUnsubscribeToken([formerSecret], token)).toBeUndefined();
    expect(readUnsubscribeToken([], token)).toBeUndefined();
  });

  test('is refused with a changed, missing or additional character', () => {
    const token = tokenOf('taskRemainders');
    for (let index = 0; index < token.length; index += 1) {
      const [before, after] = [token.slice(0, index), token.slice(index + 1)];
      const other = token[index] === 'd' ? 'r' : 'd';
      for (const broken of [before + other + after, before + after, before, `${before}x${token.slice(index)}`]) {
        expect([broken, read(broken)]).toEqual([broken, undefined]);
      }
    }
    for (const broken of [`${token}x`, `${token}.x`, `${token} `, token.toUpperCase(), token.repeat(100), '..', '']) {
      expect([broken, read(broken)]).toEqual([broken, undefined]);
    }
  });

  test('is refused for another kind or user, and with another signature by the same secret', () => {
    const [letter = '', signature = ''] = tokenOf('taskRemainders').split('.');
    const signed = (text: string) => createHmac('sha256', secret).update(text).digest('base64url').slice(0, 22);
    const others = [
      ['d', signature, userId],
      [letter, signature, newId('User')],
      ...[userId, `sign-up code\n${userId}\n`, `known device\n${userId}\n\n`].map((text) => [
        letter,
        signed(text),
        userId,
      ]),
    ];
    for (const parts of others) expect(read(parts.join('.'))).toBeUndefined();
    expect(signed(`unsubscribe\ntaskRemainders\n${userId}`)).toBe(signature);
  });
});

describe('/unsubscribe/:token', () => {
  let service: Service;
  let anna: User;
  beforeEach(async () => {
    service = await startService({ SESSION_SECRET: `${secret},${formerSecret}` });
    anna = await signUp(service);
    await enableMails(anna);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await service.close();
  });

  const enableMails = (user: User) =>
    user.data('mutation { updatePreferences(input: { taskRemainders: true, dailyDigest: true }) { dailyDigest } }');
  const pathOf = (kind: MailPreference, signedBy = secret, userId = anna.id) =>
    unsubscribeUrl(signedBy, '', userId, links[kind]);
  const preferences = async (user = anna) => {
    const query = '{ viewer { preferences { taskRemainders dailyDigest } } }';
    return (await user.data<{ viewer: { preferences: object } }>(query)).viewer.preferences;
  };
  const post = (path: string, body?: string | FormData, headers: Record<string, string> = {}) =>
    service.anonymous.post<string>(path, body, { headers });

  test.each(kinds)('turns off only %s of that user by the one click of a mail provider', async (kind) => {
    const ben = await signUp(service);
    await enableMails(ben);
    const { status, headers, body } = await service.anonymous.post(
      pathOf(kind),
      'List-Unsubscribe=One-Click',
      oneClick,
    );
    expect([status, body]).toEqual([200, expect.stringMatching(/<h1>[^<]* (are|is) off<\/h1>/)]);
    expect(headers.getSetCookie()).toEqual([]);
    expect(await preferences()).toEqual({ ...allEnabled, [kind]: false });
    expect(await preferences(ben)).toEqual(allEnabled);
  });

  test('accepts a multipart form, no body and any other body, from any origin', async () => {
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    const path = pathOf('dailyDigest');
    for (const [body, headers] of [
      [form, {}],
      [undefined, {}],
      ['List-Unsubscribe=One-Click', { ...oneClick.headers, Origin: 'https://mail.example' }],
      ['List-Unsubscribe=One-Click', { ...oneClick.headers, Origin: 'null', Cookie: 'sid=s:none.none' }],
      ['{', { 'Content-Type': 'application/json' }],
    ] as const) {
      await enableMails(anna);
      expect(await post(path, body, headers)).toMatchObject({ status: 200 });
      expect(await preferences()).toEqual({ ...allEnabled, dailyDigest: false });
    }
  });

  test.each(['GET', 'HEAD'])('shows a page with a form at %s, and changes nothing', async (method) => {
    for (const kind of kinds) {
      const { status, body } = await service.anonymous.send(method, pathOf(kind));
      expect([status, body]).toEqual([
        200,
        method === 'HEAD' ? '' : expect.stringMatching(/<form method="post"><button>[^<]+<\/button><\/form>/),
      ]);
    }
    expect(await preferences()).toEqual(allEnabled);
  });

  test('is not cached, sends no referrer and loads nothing', async () => {
    const path = pathOf('taskRemainders');
    for (const [method, to] of [
      ['GET', path],
      ['POST', path],
      ['GET', `${path}x`],
      ['POST', `${path}x`],
    ] as const) {
      const { headers } = await service.anonymous.send(method, to);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; style-src 'unsafe-inline'; img-src data:$/,
        ),
      });
      expect(headers.getSetCookie()).toEqual([]);
      expect(headers.get('etag')).toBeNull();
    }
  });

  test('notifies subscribers and replicas, once', async () => {
    const notify = jest.spyOn(service.services, 'notifyChanged');
    const loggedChanges = () => service.sql('SELECT FROM changes WHERE space_id = $1', [anna.id]);
    const before = await loggedChanges();
    const path = pathOf('taskRemainders');
    for (let count = 0; count < 3; count += 1) expect(await post(path)).toMatchObject({ status: 200 });
    expect(notify.mock.calls).toEqual([[{ users: [anna.id], spaces: [anna.id] }]]);
    expect(await loggedChanges()).toHaveLength(before.length + 1);
    expect(await preferences()).toEqual({ ...allEnabled, taskRemainders: false });
  });

  test('responds with 404, also as a page, to an invalid token', async () => {
    const path = pathOf('dailyDigest');
    const broken = [
      path.slice(0, -1),
      path.replace('/d.', '/r.'),
      pathOf('dailyDigest', 'another secret'),
      pathOf('dailyDigest', secret, newId('Workspace')),
      '/unsubscribe/%00',
      '/unsubscribe/%ff',
      '/unsubscribe/',
      '/unsubscribe',
    ];
    for (const each of broken) {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await service.anonymous.send(method, each);
        expect([method, each, status, body]).toEqual([method, each, 404, expect.stringContaining('does not work')]);
        expect(body).not.toContain('<form');
      }
    }
    expect(await preferences()).toEqual(allEnabled);
  });

  test('accepts links of mails from before a rotation of the secret', async () => {
    expect(await post(pathOf('dailyDigest', formerSecret))).toMatchObject({ status: 200 });
    expect(await preferences()).toEqual({ ...allEnabled, dailyDigest: false });
  });

  test('gives the same response for a deleted account', async () => {
    const path = pathOf('taskRemainders');
    const annasResponse = await post(path);
    await anna.data('mutation ($password: String!) { deleteAccount(password: $password) }', {
      password: anna.password,
    });
    expect(await post(path)).toMatchObject({ status: 200, body: annasResponse.body });
  });

  test('succeeds for many requests at once, and during changes of the preferences', async () => {
    const paths = kinds.map((kind) => pathOf(kind));
    const changes = Array.from({ length: 10 }, (_, index) => [
      anna.data(`mutation { updatePreferences(input: { reminderBefore: ${index} }) { reminderBefore } }`),
      ...paths.map(async (path) => expect(await post(path)).toMatchObject({ status: 200 })),
    ]);
    await Promise.all(changes.flat());
    expect(await preferences()).toEqual({ taskRemainders: false, dailyDigest: false });
  });
});

test('counts for the client, like other writes without a session', async () => {
  const service = await startService({ RATE_LIMITS: 'on', RATE_LIMIT_WRITES: '1/60' });
  try {
    const path = unsubscribeUrl('any', '', newId('User'), links.dailyDigest);
    const statuses = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await service.anonymous.post(path)).status);
    expect(statuses).toEqual([404, 404, 404, 404, 429]);
    expect(await service.anonymous.get(path)).toMatchObject({ status: 404 });
  } finally {
    await service.close();
  }
});

describeWithBrowser('in a browser', () => {
  test('the link leads to a page with one button, which ends the mails', async () => {
    const service = await startService({ SESSION_SECRET: secret });
    try {
      const anna = await signUp(service);
      const url = unsubscribeUrl(secret, service.url, anna.id, links.taskRemainders);
      const { browser, page, addresses, problems } = await openPage(service.url);
      try {
        await page.goto(url);
        await page.getByRole('button').click();
        await page.getByRole('heading', { name: 'Reminders are off' }).waitFor();
        expect(addresses).toEqual([url, url]);
        expect(problems).toEqual([]);
      } finally {
        await browser.close();
      }
      expect(await anna.get('/api/v1/user/user-preferences')).toMatchObject({ body: { taskRemainders: false } });
    } finally {
      await service.close();
    }
  });
});
