import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { Socket } from '../changes/stream.ts';
import { Application, connect, postForm, refresh } from '../kit/application.ts';
import { Client } from '../kit/client.ts';
import { endServices, type ServiceProcess, spawnService } from '../kit/process.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let other: ServiceProcess;
beforeAll(async () => {
  service = await startService();
  other = await spawnService({ ...service.variables, RATE_LIMITS: 'off', LOG_LEVEL: 'info' });
});
afterAll(async () => {
  await endServices('SIGKILL');
  await service.close();
});

async function openAll({ token }: Program) {
  const { url = '' } = other;
  const headers = { Authorization: `Bearer ${token}` };
  const stream = (path: string) => EventStream.open({ url }, new Client(url), path, headers);
  const subscription = encodeURIComponent('subscription { taskChanges { taskId } }');
  return {
    socket: await Socket.ready(url, undefined, { headers }),
    events: await stream('/api/v2/events'),
    replica: await stream('/api/v2/sync'),
    subscription: await stream(`/graphql?query=${subscription}`),
  };
}

const revoke = (user: User, { tokenId }: Program) => user.data(`mutation { revokeAccessToken(id: "${tokenId}") }`);
const expire = (_user: User, { tokenId }: Program) =>
  service.sql('UPDATE access_tokens SET expires_at = now() WHERE id = $1', [tokenId]);
async function resetPassword({ email }: User) {
  await service.anonymous.post('/api/v1/user/password/send-otp', { email });
  const code = await service.mailbox.takeCode(email);
  const reset = { email, code, password: 'another one' };
  expect(await service.anonymous.post('/api/v1/user/password/reset', reset)).toMatchObject({ status: 200 });
}

test.each([
  ['is revoked', revoke],
  ['expires', expire],
  ['ends by a password reset', resetPassword],
])('connections of a token that %s end on another process too', async (_label, end) => {
  const anna = await signUp(service);
  const program = await makeProgram(service, anna);
  const { socket, ...streams } = await openAll(program);
  for (const { status } of Object.values(streams)) expect(status).toBe(200);
  await end(anna, program);
  expect(await socket.closed).toMatchObject({ code: 4401 });
  for (const { body } of Object.values(streams)) expect(await body).toContain('UNAUTHENTICATED');
  const { url = '' } = other;
  const headers = { Authorization: `Bearer ${program.token}` };
  expect(await new Client(url).get('/api/v2/todo', { headers })).toMatchObject({ status: 401 });
});

const disconnect = (user: User, { tokenId }: Program) => user.data(`mutation { revokeApplication(id: "${tokenId}") }`);
const revokeByClient = (_user: User, { token }: Program) => postForm(service, '/oauth/revoke', { token });
async function useTwice(_user: User, program: Program) {
  if (!(program instanceof Application)) throw new Error('it has no refresh token');
  await refresh(service, program);
  await service.sql(`UPDATE access_tokens SET created_at = created_at - interval '2 minutes' WHERE grant_id = $1`, [
    program.tokenId,
  ]);
  expect(await refresh(service, program)).toMatchObject({ status: 400 });
}

test.each([
  ['is disconnected', disconnect],
  ['is revoked by its client', revokeByClient],
  ['has used a refresh token twice', useTwice],
  ['ends by a password reset', resetPassword],
])('connections of an application that %s end on another process too', async (_label, end) => {
  const anna = await signUp(service);
  const application = await connect(service, anna);
  const { socket, ...streams } = await openAll(application);
  for (const { status } of Object.values(streams)) expect(status).toBe(200);
  await end(anna, application);
  expect(await socket.closed).toMatchObject({ code: 4401 });
  for (const { body } of Object.values(streams)) expect(await body).toContain('UNAUTHENTICATED');
});

test('two processes give the same answers to one refresh token', async () => {
  const anna = await signUp(service);
  const application = await connect(service, anna);
  const { url = '' } = other;
  const answers = await Promise.all([{ url: service.url }, { url }].map((each) => refresh(each, application)));
  const tokens = answers.map(({ body: { access_token: access, refresh_token: next } }) => ({ access, next }));
  expect(tokens[0]).toMatchObject({ access: expect.stringMatching(/^tg_/) });
  expect(tokens[1]).toEqual(tokens[0]);
});

test('log lines have the id of a token, and never the token', async () => {
  const { url = '' } = other;
  const program = await makeProgram(service, await signUp(service));
  const headers = { Authorization: `Bearer ${program.token}` };
  expect(await new Client(url).post('/api/v2/todo', { title: 'By a program' }, { headers })).toMatchObject({
    status: 201,
  });
  await other.untilLogged(new RegExp(`"credentialId":"${program.tokenId}"`));
  expect(other.errors()).not.toContain(program.token);
});
