import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pruneSessions } from '../../src/accounts/sessions/end.ts';
import { Socket } from '../changes/stream.ts';
import type { Client } from '../kit/client.ts';
import { type CapturedLog, captureLog, levels } from '../kit/log-lines.ts';
import { addMember, makeWorkspace } from '../kit/make.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { requestCode, signInAgain, signUp, type User } from '../kit/users.ts';

const secret = 'a secret of sixteen characters';
const signin = '/api/v1/user/signin';
const verify = '/api/v1/user/signup/verify';
const password = '/api/v1/user/password';

let service: Service;
let anna: User;
let captured: CapturedLog;
beforeAll(async () => {
  const log = captureLog();
  service = await startService({
    ...withMetrics,
    LOG_LEVEL: 'info',
    RATE_LIMITS: 'on',
    SESSION_SECRET: secret,
    TRUST_PROXY: 'loopback',
  });
  anna = await signUp(service);
  log.release();
});
afterAll(() => service.close());
beforeEach(() => {
  captured = captureLog();
});
afterEach(() => captured.release());

const events = () => captured.lines.filter(({ msg }) => msg === 'security');
const event = (name: string) => captured.line({ msg: 'security', event: name });
const as = (requestId: string, address = '192.0.2.1') => ({
  headers: { 'X-Request-Id': requestId, 'X-Forwarded-For': address },
});
const common = (requestId: string) => ({ requestId, client: expect.stringMatching(/^[\w-]{16}$/) });

const changePassword = (client: Client, currentPassword: string, newPassword: string, requestId: string) =>
  client.put(password, { currentPassword, newPassword, confirmNewPassword: newPassword }, as(requestId));

describe('the security log', () => {
  test('has requested codes, wrong codes and created accounts', async () => {
    const email = randomEmail();
    const code = await requestCode(service, email);
    expect(await event('authn_code_requested')).toMatchObject({
      level: levels.info,
      requestId: expect.any(String),
      purpose: 'SIGN_UP',
    });
    const wrongCode = code === '123456' ? '654321' : '123456';
    await service.anonymous.post(verify, { email, code: wrongCode, password: 'secret words' }, as('wrong-code'));
    expect(await event('authn_code_fail')).toMatchObject({ level: levels.warn, ...common('wrong-code') });
    const client = service.client();
    expect(await client.post(verify, { email, code, password: 'secret words' }, as('verify'))).toMatchObject({
      status: 200,
    });
    const { body } = await client.get<{ user: { id: string } }>('/api/v1/user/profile');
    expect(await event('user_created')).toMatchObject({
      ...common('verify'),
      level: levels.info,
      userId: body.user.id,
    });
    for (const hidden of [email, code, wrongCode, 'secret words'])
      expect(JSON.stringify(events())).not.toContain(hidden);
  });

  test('has failed sign-ins, with the user if there is one, and a pseudonym of the client', async () => {
    const unknownEmail = randomEmail();
    await service.anonymous.post(signin, { email: anna.email, password: 'wrong words' }, as('known', '192.0.2.7'));
    await service.anonymous.post(signin, { email: unknownEmail, password: 'wrong words' }, as('unknown', '192.0.2.7'));
    await service.anonymous.post(
      signin,
      { email: unknownEmail, password: 'wrong words' },
      as('elsewhere', '192.0.2.8'),
    );
    const line = (requestId: string) => captured.line({ requestId, msg: 'security' });
    const [knownTries, unknown, otherAccount] = [await line('known'), await line('unknown'), await line('elsewhere')];
    expect(knownTries).toMatchObject({
      level: levels.warn,
      event: 'authn_login_fail',
      userId: anna.id,
      ...common('known'),
    });
    expect(unknown['userId']).toBeUndefined();
    expect(unknown['client']).toBe(knownTries['client']);
    expect(otherAccount['client']).not.toBe(knownTries['client']);
    for (const hidden of [anna.email, unknownEmail, 'wrong words', '192.0.2']) {
      expect(JSON.stringify(captured.lines)).not.toContain(hidden);
    }
  });

  test('has successful sign-ins, and the session that each replaced', async () => {
    const { email, password: knownPassword } = anna;
    const other = await signInAgain(service, anna);
    captured.lines.length = 0;
    await other.post(signin, { email, password: knownPassword }, as('again'));
    expect(await event('authn_login_success')).toMatchObject({
      ...common('again'),
      level: levels.info,
      userId: anna.id,
    });
    expect(await event('session_expired')).toMatchObject({ ...common('again'), userId: anna.id, reason: 'replaced' });
    const cookie = other.cookie ?? '';
    expect(JSON.stringify(captured.lines)).not.toContain(other.sessionId);
    expect(JSON.stringify(captured.lines)).not.toContain(cookie);
  });

  test('has each sign-out once, over REST and GraphQL', async () => {
    const [one, two] = [await signInAgain(service, anna), await signInAgain(service, anna)];
    captured.lines.length = 0;
    await one.post('/api/v1/user/logout', undefined, as('rest'));
    await two.post('/graphql', { query: 'mutation { signOut }' }, as('graphql'));
    for (const requestId of ['rest', 'graphql']) {
      const line = await captured.line({ requestId, msg: 'security' });
      expect(line).toMatchObject({ event: 'session_expired', userId: anna.id, reason: 'sign_out' });
    }
    expect(events()).toHaveLength(2);
  });

  test('has successful and failed changes of a password, and the sessions that ended', async () => {
    const bob = await signUp(service);
    const other = await signInAgain(service, bob);
    captured.lines.length = 0;
    expect(await changePassword(bob, 'wrong words', 'new words', 'failed')).toMatchObject({ status: 400 });
    expect(await event('authn_password_change_fail')).toMatchObject({
      level: levels.warn,
      userId: bob.id,
      ...common('failed'),
    });
    expect(await changePassword(bob, bob.password, 'new words', 'changed')).toMatchObject({ status: 200 });
    expect(await event('authn_password_change')).toMatchObject({
      level: levels.info,
      userId: bob.id,
      ...common('changed'),
    });
    expect(await event('session_expired')).toMatchObject({
      userId: bob.id,
      reason: 'password_changed',
      ...common('changed'),
    });
    expect(events()).toHaveLength(3);
    expect(await other.get('/api/v2/todo')).toMatchObject({ status: 401 });
    for (const hidden of [bob.password, 'new words', 'wrong words'])
      expect(JSON.stringify(captured.lines)).not.toContain(hidden);
  });

  test('has sessions that their user ends, and a deleted account with its sessions', async () => {
    const bob = await signUp(service);
    await signInAgain(service, bob);
    captured.lines.length = 0;
    await bob.data('mutation { endOtherSessions }');
    expect(await event('session_expired')).toMatchObject({ userId: bob.id, reason: 'ended_by_user' });
    captured.lines.length = 0;
    const deletion = 'mutation ($password: String) { deleteAccount(password: $password) }';
    await bob.graphql(deletion, { password: 'wrong words' });
    expect(await event('user_delete_fail')).toMatchObject({ level: levels.warn, userId: bob.id });
    await bob.data(deletion, { password: bob.password });
    expect(await event('user_deleted')).toMatchObject({ level: levels.info, userId: bob.id });
    expect(await event('session_expired')).toMatchObject({ userId: bob.id, reason: 'account_deleted' });
    expect(events()).toHaveLength(3);
  });

  test('has the end of a session after too many wrong passwords', async () => {
    const bob = await signUp(service);
    for (let count = 1; count <= 10; count += 1) await changePassword(bob, 'wrong', 'new', `try-${count}`);
    const line = await event('session_expired');
    expect(line).toMatchObject({ userId: bob.id, reason: 'failed_attempts', ...common('try-10') });
  });

  test('has exceeded limits by name: of an address, of an account, and of open connections', async () => {
    const email = randomEmail();
    for (let count = 1; count <= 11; count += 1) {
      await service.anonymous.post(signin, { email, password: 'wrong' }, as(`sign-in-${count}`));
    }
    expect(await captured.line({ requestId: 'sign-in-11', msg: 'security' })).toMatchObject({
      level: levels.warn,
      event: 'excess_rate_limit_exceeded',
      limit: 'sign-in',
      ...common('sign-in-11'),
    });
    for (let count = 1; count <= 6; count += 1) {
      await service.anonymous.post('/api/v1/user/signup/send-otp', { email }, as(`code-${count}`));
    }
    const codeLine = await captured.line({ requestId: 'code-6', msg: 'security' });
    expect(codeLine).toMatchObject({ event: 'excess_rate_limit_exceeded', limit: 'codes-of-address' });
    const { bounds } = service.services.subscriptions;
    const { connections } = bounds;
    bounds.connections = 0;
    try {
      const socket = await Socket.open(service.url, anna.cookie);
      expect((await socket.closed).code).toBe(1013);
      expect(await captured.line({ limit: 'subscriptions', userId: anna.id })).toMatchObject({
        event: 'excess_rate_limit_exceeded',
      });
      // Further refusals are only counted.
      const countRefusals = async () =>
        (await scrape(service.url)).value('taskgate_rate_limit_refusals_total', { limit: 'subscriptions' });
      const before = (await countRefusals()) ?? 0;
      for (let count = 0; count < 5; count += 1) expect((await anna.get('/api/v2/events')).status).toBe(429);
      expect(await countRefusals()).toBe(before + 5);
      expect(events().filter(({ limit }) => limit === 'subscriptions')).toHaveLength(1);
    } finally {
      bounds.connections = connections;
    }
  });

  test('has forbidden actions, and members who join and leave', async () => {
    const bob = await signUp(service);
    const { id } = await makeWorkspace(anna);
    await addMember(anna, id, bob);
    const membership = { event: 'privilege_permissions_changed', workspaceId: id, memberId: bob.id };
    expect(await captured.line({ change: 'joined', workspaceId: id })).toMatchObject({ ...membership, userId: bob.id });
    const projects = await anna.get<{ projects: { id: string; isDefault: boolean }[] }>('/api/v2/projects');
    const inbox = projects.body.projects.find(({ isDefault }) => isDefault);
    await anna.delete(`/api/v2/projects/${inbox?.id ?? ''}`, undefined, as('inbox'));
    expect(await event('authz_fail')).toMatchObject({ level: levels.warn, userId: anna.id, ...common('inbox') });
    await anna.data('mutation ($in: ID!, $who: ID!) { removeWorkspaceMember(workspaceId: $in, userId: $who) { id } }', {
      in: id,
      who: bob.id,
    });
    expect(await captured.line({ change: 'removed', workspaceId: id })).toMatchObject({
      ...membership,
      userId: anna.id,
    });
  });

  test('has requests of pages of other origins, over HTTP and WebSocket, and requests that their forms or links could send', async () => {
    const foreign = (requestId: string) => ({
      headers: { ...as(requestId).headers, Origin: 'https://evil.example', 'x-graphql-yoga-csrf': '1' },
    });
    const refusal = { event: 'malicious_cors', level: levels.warn };
    await anna.post('/api/v1/user/logout', undefined, foreign('rest'));
    await anna.post('/graphql', { query: 'mutation { signOut }' }, foreign('graphql'));
    for (const requestId of ['rest', 'graphql']) {
      const line = await captured.line({ requestId, msg: 'security' });
      expect(line).toMatchObject({ ...refusal, ...common(requestId), reason: 'origin' });
    }
    const link = { headers: { ...as('link').headers, 'Sec-Fetch-Site': 'cross-site' } };
    await anna.get('/graphql?query={__typename}', link);
    expect(await captured.line({ requestId: 'link', msg: 'security' })).toMatchObject({
      ...refusal,
      ...common('link'),
      reason: 'no_preflight',
    });
    captured.lines.length = 0;
    await expect(Socket.open(service.url, anna.cookie, foreign('handshake'))).rejects.toThrow('403');
    expect(await event('malicious_cors')).toMatchObject({ ...refusal, reason: 'origin', client: expect.any(String) });
    expect(JSON.stringify(captured.lines)).not.toContain('evil.example');
    expect(await anna.get('/api/v2/todo')).toMatchObject({ status: 200 });
  });

  test('has each expired session once, when its row is deleted', async () => {
    const [idle, old] = [await signUp(service), await signUp(service)];
    const backdate = (user: User, interval: string, columns: string[]) =>
      service.sql(
        `UPDATE sessions SET ${columns.map((column) => `${column} = ${column} - $2::interval`).join(', ')} WHERE user_id = $1`,
        [user.id, interval],
      );
    await backdate(idle, '15 days', ['created_at', 'last_used_at', 'expire']);
    await backdate(old, '91 days', ['created_at']);
    await service.sql("UPDATE sessions SET expire = created_at + interval '90 days' WHERE user_id = $1", [old.id]);
    const signedOut = await signInAgain(service, anna);
    await signedOut.post('/api/v1/user/logout');
    captured.lines.length = 0;
    await pruneSessions(service.services.connections, service.services.securityLog);
    await pruneSessions(service.services.connections, service.services.securityLog);
    const expired = events().map((line) => ({ ...line, time: undefined }));
    expect(expired).toHaveLength(2);
    for (const [user, reason] of [
      [idle, 'idle'],
      [old, 'max_age'],
    ] as const) {
      expect(expired).toContainEqual(
        expect.objectContaining({ event: 'session_expired', level: levels.info, userId: user.id, reason }),
      );
    }
  });

  test('is counted by event', async () => {
    const labels = { event: 'authn_login_fail' };
    const before = (await scrape(service.url)).value('taskgate_security_events_total', labels) ?? 0;
    await service.anonymous.post(signin, { email: randomEmail(), password: 'wrong' });
    expect((await scrape(service.url)).value('taskgate_security_events_total', labels)).toBe(before + 1);
  });
});
