import http from 'node:http';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import { makeProgram, type Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Agent } from './agent.ts';

let service: Service;
afterEach(() => service.close());

const start = async (variables?: Record<string, string>) => {
  service = await startService(variables);
  return signUp(service);
};

const accept = { Accept: 'application/json, text/event-stream' };
const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

const list = (program: Pick<Program, 'post'>, headers: Record<string, string> = {}) =>
  program.post<{ result: { tools: { name: string }[] } }>('/mcp', listing, { headers: { ...accept, ...headers } });

/** `fetch` sets `Host` itself. */
const statusOf = (headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    const url = new URL(`${service.url}/mcp`);
    const all = { 'Content-Type': 'application/json', ...accept, ...headers };
    http
      .request(url, { method: 'POST', headers: all }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on('error', reject)
      .end(JSON.stringify(listing));
  });

const reading = ['overview', 'search', 'fetch', 'list_tasks', 'history'];
const writing = [
  ...['create_tasks', 'update_tasks', 'comment', 'delete', 'organize', 'claim_task', 'release_claim', 'undo'],
];

describe('the caller', () => {
  test('is the access token alone: others learn where they get one', async () => {
    const anna = await start();
    const challenge = `Bearer resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp", scope="read write"`;
    const unknown = { Authorization: 'Bearer tg_unknown' };
    for (const answer of [await list(service.anonymous), await list(anna), await list(service.anonymous, unknown)]) {
      expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
      expect(answer.headers.get('WWW-Authenticate')).toBe(challenge);
    }
    const other = await service.anonymous.get('/api/v2/changes', { headers: unknown });
    expect(other.headers.get('WWW-Authenticate')).toBe('Bearer');
    const program = await makeProgram(service, anna);
    expect(await list(program)).toMatchObject({ status: 200 });
    const withCookie = { Cookie: (await signUp(service)).cookie ?? '' };
    const overview = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'overview', arguments: {} } };
    const { body } = await program.post('/mcp', overview, { headers: { ...accept, ...withCookie } });
    expect(body).toMatchObject({ result: { structuredContent: { user: { id: anna.id } } } });
  });

  test('is no page of another origin, whatever Host says', async () => {
    const anna = await start({ CORS_ORIGINS: 'https://inspector.example' });
    const { token } = await makeProgram(service, anna);
    const authorized = { Authorization: `Bearer ${token}` };
    const rebound = { Host: 'evil.example', Origin: 'http://evil.example' };
    for (const headers of [rebound, { Origin: 'https://evil.example' }, { Origin: 'null' }]) {
      expect(await statusOf({ ...headers, ...authorized })).toBe(403);
      expect(await statusOf(headers)).toBe(403);
    }
    const allowed: Record<string, string>[] = [{}, { Origin: service.url }, { Host: 'evil.example' }];
    for (const headers of [...allowed, { Origin: 'https://inspector.example' }])
      expect(await statusOf({ ...headers, ...authorized })).toBe(200);
  });

  test('sees the tools of the token’s scope', async () => {
    const anna = await start();
    const [reader, writer] = [await Agent.of(service, anna, { scopes: ['READ'] }), await Agent.of(service, anna)];
    expect((await reader.tools()).map(({ name }) => name)).toEqual(reading);
    expect((await writer.tools()).map(({ name }) => name)).toEqual([...reading, ...writing]);
    const { id } = await makeTask(anna, { title: 'milk' });
    const fault = await reader.fault('update_tasks', { tasks: [{ id, title: 'bread' }] });
    expect(fault).toMatch(/^FORBIDDEN: .*; ask the user/);
    expect(await reader.call('list_tasks')).toMatchObject({ tasks: [{ title: 'milk' }] });
  });
});

describe('the protocol', () => {
  test('is served to clients of both generations', async () => {
    const anna = await start();
    const { token } = await makeProgram(service, anna);
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    const older = new OlderClient({ name: 'older', version: '1' });
    await older.connect(new OlderTransport(new URL(`${service.url}/mcp`), { requestInit }));
    expect(older.getServerCapabilities()).toEqual({ tools: {} });
    const newer = await Agent.of(service, anna);
    expect(newer.client.getServerCapabilities()).toEqual({ tools: {} });
    const [ofOlder, ofNewer] = [(await older.listTools()).tools, await newer.tools()];
    expect(ofOlder.map(({ name }) => name)).toEqual(ofNewer.map(({ name }) => name));
    const made = await older.callTool({ name: 'create_tasks', arguments: { tasks: [{ title: 'milk' }] } });
    expect(made).toMatchObject({ structuredContent: { tasks: [{ title: 'milk' }] } });
    expect(await older.callTool({ name: 'search', arguments: { query: 'milk' } })).toMatchObject({
      structuredContent: { results: [{ title: 'milk' }] },
    });
    await expect(older.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/the tools are overview, /);
    await older.close();
  });

  test('has no streams, sessions or arrays of calls', async () => {
    const anna = await start();
    const program = await makeProgram(service, anna);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await program.send(method, '/mcp', undefined, { headers: accept });
      expect([method, answer.status, answer.headers.get('Allow')]).toEqual([method, 405, 'POST']);
    }
    const call = {
      ...listing,
      method: 'tools/call',
      params: { name: 'create_tasks', arguments: { tasks: [{ title: 'x' }] } },
    };
    const array = await program.post('/mcp', [call, { ...call, id: 2 }], { headers: accept });
    expect(array).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    const notification = { ...call, id: undefined };
    expect(await program.post('/mcp', notification, { headers: accept })).toMatchObject({ status: 202 });
    expect(await (await Agent.of(service, anna)).call('list_tasks')).toMatchObject({ total: 0 });
    expect(await program.post('/mcp', '{', { headers: accept })).toMatchObject({ status: 400 });
    expect(await program.post('/mcp/more', listing, { headers: accept })).toMatchObject({ status: 404 });
    const text = await program.post('/mcp', 'hello', { headers: { ...accept, 'Content-Type': 'text/plain' } });
    expect(text.status).toBe(415);
    const listen = {
      ...listing,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
    const modern = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' };
    const refused = await program.post('/mcp', listen, { headers: { ...accept, ...modern } });
    expect(refused.body).toMatchObject({ error: { code: expect.any(Number) } });
  });

  test('has a list of tools that every client takes', async () => {
    const anna = await start();
    const agent = await Agent.of(service, anna);
    const list = await agent.client.listTools();
    expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThanOrEqual(24 * 1024);
    expect(list).toMatchObject({ cacheScope: 'private' });
    for (const { name, description, inputSchema, outputSchema, annotations } of list.tools) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/s)]);
      expect(JSON.stringify([inputSchema, outputSchema])).not.toMatch(/"(\$ref|\$defs|oneOf|anyOf|allOf)"/);
      expect([inputSchema, outputSchema]).toMatchObject([
        { type: 'object', additionalProperties: false },
        { type: 'object' },
      ]);
      expect(annotations).toEqual({
        readOnlyHint: reading.includes(name),
        destructiveHint: name === 'delete',
        idempotentHint: expect.any(Boolean),
        openWorldHint: false,
      });
    }
  });
});

describe('limits', () => {
  test('are those of other requests', async () => {
    const anna = await start({ RATE_LIMITS: 'on', RATE_LIMIT_WRITES: '8/60' });
    const agent = await Agent.of(service, anna);
    const tasks = Array.from({ length: 4 }, () => ({ title: 'milk' }));
    await agent.call('create_tasks', { tasks });
    expect(await agent.fault('create_tasks', { tasks })).toMatch(/^RATE_LIMITED: .*; try again after \d+ seconds$/);
    const other = await Agent.of(service, anna);
    await other.call('claim_task');
    for (let n = 0; n < 8; n += 1) await other.result('claim_task');
    expect(await other.fault('claim_task')).toMatch(/^RATE_LIMITED: /);
    expect(await agent.call('list_tasks')).toMatchObject({ total: 4 });
    const large = { ...listing, params: { cursor: 'x'.repeat(2 * 1024 * 1024) } };
    expect(await agent.program.post('/mcp', large, { headers: accept })).toMatchObject({ status: 400 });
  });

  test('refuse a call with too many changes before its first one', async () => {
    const anna = await start({ RATE_LIMITS: 'on', RATE_LIMIT_WRITES: '20/60' });
    const [agent, other] = [await Agent.of(service, anna), await Agent.of(service, anna)];
    const tasks = Array.from({ length: 9 }, () => ({ title: 'milk' }));
    const large = [{ title: 'shopping', subtasks: ['milk', 'bread'] }, ...tasks];
    expect(await agent.fault('create_tasks', { tasks: large })).toMatch(/^RATE_LIMITED: /);
    expect(await other.call('create_tasks', { tasks })).toMatchObject({ tasks: { length: 9 } });
  });

  test('include the cost of operations', async () => {
    const anna = await start({ RATE_LIMITS: 'on', RATE_LIMIT_GRAPHQL_COST: '20000/60' });
    const agent = await Agent.of(service, anna);
    let fault: string | undefined;
    for (let n = 0; n < 100 && fault === undefined; n += 1) {
      const { isError, content } = await agent.result('list_tasks').catch((error: unknown) => {
        return { isError: true, content: [{ type: 'text', text: String(error) }] };
      });
      if (isError) fault = content[0]?.text;
    }
    expect(fault).toMatch(/RATE_LIMITED/);
    expect(await list(agent.program)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
  });
});

test('a revoked token ends', async () => {
  const anna: User = await start();
  const agent = await Agent.of(service, anna);
  await anna.data('mutation ($id: ID!) { revokeAccessToken(id: $id) }', { id: agent.program.tokenId });
  expect(await list(agent.program)).toMatchObject({ status: 401 });
});
