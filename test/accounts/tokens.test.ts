import { beforeAll, describe, expect, test } from '@jest/globals';
import { newToken } from '../../src/accounts/tokens/token.ts';
import { EventStream } from '../changes/sse.ts';
import { cursorOfNow, Socket } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { makeTask } from '../kit/make.ts';
import { makeProgram, Program } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const unauthenticated = { status: 401, body: { code: 'UNAUTHENTICATED' } };
const codeOf = ({ errors: [error] = [] }: { errors?: { extensions: { code: string } }[] }) => error?.extensions.code;

interface ShownToken {
  id: string;
  name: string;
  scopes: string[];
  spaceIds: string[] | null;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

const tokenFields = 'id name scopes spaceIds createdAt expiresAt lastUsedAt';
const tokensOf = async (user: Client) =>
  (await user.data<{ viewer: { accessTokens: ShownToken[] } }>(`{ viewer { accessTokens { ${tokenFields} } } }`)).viewer
    .accessTokens;

const create = (user: Client, input: object) =>
  user.graphql<{ createAccessToken: { token: string; accessToken: ShownToken } }>(
    `mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { token accessToken { ${tokenFields} } } }`,
    { input: { name: 'script', scopes: ['READ'], ...input } },
  );

const revoke = (user: Client, id: string) => user.graphql('mutation ($id: ID!) { revokeAccessToken(id: $id) }', { id });

describe('createAccessToken', () => {
  test('returns the token once, and stores only its hash', async () => {
    const ben = await signUp(service);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { data } = await create(ben, { name: ' backup ', scopes: ['WRITE', 'WRITE'], spaceIds: [ben.id], expiresAt });
    const { token, accessToken } = data?.createAccessToken ?? {};
    expect(token).toMatch(/^tg_[0-9A-Za-z]{40,}$/);
    expect(accessToken).toMatchObject({ name: 'backup', scopes: ['WRITE'], spaceIds: [ben.id], expiresAt });
    expect(accessToken?.id).toMatch(/^tokn_/);
    expect(await tokensOf(ben)).toEqual([accessToken]);
    const [row] = await service.sql<object>(
      'SELECT access_tokens::text AS text FROM access_tokens WHERE user_id = $1',
      [ben.id],
    );
    expect(JSON.stringify(row)).not.toContain(token?.slice(3, 43));
  });

  test.each([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['scopes', { scopes: [] }],
    ['spaceIds', { spaceIds: [] }],
    ['spaceIds.0', { spaceIds: ['wksp_01jcq7y3zveb8r3n5m2k4t6w8x'] }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
  ])('refuses invalid input at %s', async (path, input) => {
    const { errors } = await create(anna, input);
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: `input.${path}` }] } }]);
  });

  test('creates at most a hundred tokens for an account', async () => {
    const ben = await signUp(service);
    await service.sql(
      `INSERT INTO access_tokens (hash, id, user_id, name, scopes)
       SELECT 'hash ' || $1 || n, 'tokn ' || $1 || n, $1, 'many', '{READ}' FROM generate_series(1, 99) AS n`,
      [ben.id],
    );
    expect(codeOf(await create(ben, {}))).toBeUndefined();
    expect(codeOf(await create(ben, {}))).toBe('VALIDATION_FAILED');
  });
});

describe('a token', () => {
  test('is accepted over REST, GraphQL, Server-Sent Events and WebSocket, and records its use', async () => {
    const ben = await signUp(service);
    const program = await makeProgram(service, ben);
    expect((await tokensOf(ben))[0]?.lastUsedAt).toBeNull();
    const { id } = await makeTask(program, { title: 'By a program' });
    expect((await tokensOf(ben))[0]?.lastUsedAt).not.toBeNull();
    expect(await program.patch(`/api/v2/todo/${id}`, { title: 'Renamed' })).toMatchObject({ status: 200 });
    expect(await program.data('{ viewer { id } }')).toEqual({ viewer: { id: ben.id } });
    const bearer = { Authorization: `Bearer ${program.token}` };
    const events = await EventStream.open(service, new Client(service.url), '/api/v2/events', bearer);
    expect(events.status).toBe(200);
    events.close();
    const headerSocket = await Socket.ready(service.url, undefined, { headers: bearer });
    expect(await headerSocket.run('{ viewer { id } }')).toMatchObject({
      payload: { data: { viewer: { id: ben.id } } },
    });
    headerSocket.close();
  });

  test('on the handshake of a WebSocket takes precedence over the cookie', async () => {
    const [ben, cleo] = [await signUp(service), await signUp(service)];
    const program = await makeProgram(service, ben);
    for (const cookie of [undefined, cleo.cookie]) {
      const socket = await Socket.open(service.url, cookie);
      socket.send({ type: 'connection_init', payload: { authorization: `Bearer ${program.token}` } });
      expect(await socket.messages.take()).toMatchObject({ type: 'connection_ack' });
      expect(await socket.run('{ viewer { id } }')).toMatchObject({ payload: { data: { viewer: { id: ben.id } } } });
      await revokeAndExpectClosed(socket, cookie === undefined ? undefined : { ben, program });
    }
    async function revokeAndExpectClosed(socket: Socket, last: { ben: User; program: Program } | undefined) {
      if (!last) return socket.close();
      await revoke(last.ben, last.program.tokenId);
      expect(await socket.closed).toMatchObject({ code: 4401 });
    }
  });

  test('is refused if it is invalid, with any cookie, even if the endpoint needs no authentication', async () => {
    const expired = await makeProgram(service, anna);
    await service.sql("UPDATE access_tokens SET expires_at = now() - interval '1 second' WHERE id = $1", [
      expired.tokenId,
    ]);
    const revoked = await makeProgram(service, anna);
    await revoke(anna, revoked.tokenId);
    const bad = ['', 'tg_', newToken(), `${newToken()}x`, anna.sessionId, expired.token, revoked.token];
    for (const token of bad) {
      const program = new Program(service, token);
      program.cookie = anna.cookie;
      for (const path of ['/api/v2/todo', '/api/v1/auth-check', '/api/v2/nowhere', '/api/v2/events']) {
        const answer = await program.get(path);
        expect(answer).toMatchObject(unauthenticated);
        expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
      }
      const graphql = await program.post('/graphql', { query: '{ __typename }' });
      expect(graphql).toMatchObject({ status: 401, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } });
      expect(graphql.headers.get('WWW-Authenticate')).toBe('Bearer');
      const headers = { Authorization: `Bearer ${token}` };
      await expect(Socket.open(service.url, anna.cookie, { headers })).rejects.toThrow('401');
    }
    const socket = await Socket.open(service.url, anna.cookie);
    socket.send({ type: 'connection_init', payload: { authorization: 'Bearer tg_bad' } });
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });

  test('needs no protection against forged requests, overrides a cookie, and gets none', async () => {
    const [ben, cleo] = [await signUp(service), await signUp(service)];
    const program = await makeProgram(service, ben);
    program.cookie = cleo.cookie;
    const headers = {
      Origin: 'https://elsewhere.example',
      'Content-Type': 'application/json',
      'Sec-Fetch-Site': 'cross-site',
    };
    const made = await program.post('/api/v2/todo', { title: 'From elsewhere' }, { headers });
    expect(made).toMatchObject({ status: 201 });
    const read = await program.get('/graphql?query={viewer{id}}', { headers });
    expect(read).toMatchObject({ status: 200, body: { data: { viewer: { id: ben.id } } } });
    for (const { headers: sent } of [made, read]) expect(sent.get('Set-Cookie')).toBeNull();
    expect(program.cookie).toBe(cleo.cookie);
  });

  test('ends at once when it is revoked, with its open connections, and no other token ends', async () => {
    const ben = await signUp(service);
    const [program, other] = [await makeProgram(service, ben), await makeProgram(service, ben)];
    const open = async ({ token }: Program) => {
      const headers = { Authorization: `Bearer ${token}` };
      return {
        socket: await Socket.ready(service.url, undefined, { headers }),
        changes: await EventStream.open(service, new Client(service.url), '/api/v2/events', headers),
        sync: await EventStream.open(service, new Client(service.url), '/api/v2/sync', headers),
      };
    };
    const [own, others] = [await open(program), await open(other)];
    expect(await revoke(ben, program.tokenId)).toEqual({ data: { revokeAccessToken: program.tokenId } });
    expect(await own.socket.closed).toMatchObject({ code: 4401 });
    expect(await own.changes.body).toContain('UNAUTHENTICATED');
    expect(await own.sync.body).toContain('UNAUTHENTICATED');
    expect(await program.get('/api/v2/todo')).toMatchObject(unauthenticated);
    expect(codeOf(await revoke(ben, program.tokenId))).toBe('NOT_FOUND');
    expect(codeOf(await revoke(anna, other.tokenId))).toBe('NOT_FOUND');
    expect((await tokensOf(ben)).map(({ id }) => id)).toEqual([other.tokenId]);
    expect(await others.socket.run('{ viewer { id } }')).toMatchObject({
      payload: { data: { viewer: { id: ben.id } } },
    });
    others.socket.close();
    others.changes.close();
    others.sync.close();
    expect(await service.sql('SELECT FROM access_tokens WHERE id = $1', [program.tokenId])).toEqual([]);
  });

  test('ends its open connections when it expires', async () => {
    const ben = await signUp(service);
    const program = await makeProgram(service, ben);
    const headers = { Authorization: `Bearer ${program.token}` };
    const events = await EventStream.open(service, new Client(service.url), '/api/v2/events', headers);
    const socket = await Socket.ready(service.url, undefined, { headers });
    await service.sql('UPDATE access_tokens SET expires_at = now() WHERE id = $1', [program.tokenId]);
    expect(await events.body).toContain('UNAUTHENTICATED');
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });

  test('stays valid after a change of the password', async () => {
    const ben = await signUp(service);
    const program = await makeProgram(service, ben);
    const passwords = { currentPassword: ben.password, newPassword: 'another', confirmNewPassword: 'another' };
    expect(await ben.put('/api/v1/user/password', passwords)).toMatchObject({ status: 200 });
    expect(await program.get('/api/v2/todo')).toMatchObject({ status: 200 });
  });
});

test('subscriptions with a read-only token receive changes', async () => {
  const ben = await signUp(service);
  const reader = await makeProgram(service, ben, { scopes: ['READ'] });
  const headers = { Authorization: `Bearer ${reader.token}` };
  const after = await cursorOfNow(reader);
  const events = await EventStream.open(service, new Client(service.url), `/api/v2/events?after=${after}`, headers);
  const { id } = await makeTask(ben);
  for (let event = await events.events.take(); ; event = await events.events.take()) {
    if (event.data === undefined) continue;
    expect(JSON.parse(event.data)).toMatchObject({ taskId: id });
    break;
  }
  events.close();
});
