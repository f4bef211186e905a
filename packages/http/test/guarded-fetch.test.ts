import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, BlockList } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { guardedFetch, mayRequest } from '../guarded-fetch.ts';
import { answerNames, resolveNamesTo } from '../../../test/kit/names.ts';
import { until } from '../../../test/kit/until.ts';
import { isPublicAddress } from '../public-address.ts';

let server: Server;
let port: number;
let requests: IncomingMessage[];
let respond: (response: ServerResponse, request: IncomingMessage) => void;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    respond(response, request);
  }).listen(0);
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
beforeEach(() => {
  requests = [];
  respond = (response) => response.end('inside');
});
afterEach(() => void jest.restoreAllMocks());
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

const limits = { allowHttp: true, maxBytes: 100_000, timeoutMs: 30_000 };
const guarded = guardedFetch(limits);
/** Reaches the server, whose host an operator has named. */
const trusted = guardedFetch({ ...limits, allow: ['localhost'] });
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
const url = (path = '/', host = 'localhost') => `http://${host}:${port}${path}`;

const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket' };
const local: LookupAddress = { address: '127.0.0.1', family: 4 };
/** In no network: IANA has not given it to anybody. */
const unused: LookupAddress = { address: '2e00::1', family: 6 };

describe('an address', () => {
  test.each(
    `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.0.1
    168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1
    192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
    255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:7f00:1 64:ff9b::a00:1
    64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:1ff::1 2001:db8::1 2002:7f00:1:: 2002:808:808::
    3fff::1 4000::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 2606:4700::1111%eth0 localhost
    8.8.8.8.`.split(/\s+/),
  )('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each(
    `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.0.0.1 172.15.0.1 172.32.0.1
    192.0.1.1 192.167.0.1 198.17.0.1 198.20.0.1 223.255.255.255 2606:4700::1111 2001:200::1
    2001:4860:4860::8888 2003::1 2a00:1450::1`.split(/\s+/),
  )('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('a host that is not public', () => {
  test.each([
    ...['localhost', 'localhost.', '127.0.0.1', '127.1', '2130706433', '0x7f.0.0.1', '0177.0.0.1', '0.0.0.0'],
    ...['[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ])('is not reached as %s', async (host) => {
    await expect(guarded(url('/', host))).rejects.toThrow('the address did not respond');
    expect(requests).toEqual([]);
  });

  test('is not reached by a public name', async () => {
    resolveNamesTo([local]);
    await expect(guarded(url('/', 'public.example'))).rejects.toThrow('the address did not respond');
    expect(requests).toEqual([]);
  });

  test.each([
    ['that also has a public address', [[local, unused]]],
    ['whose address changes after the check', [[unused], [local]]],
  ])('is not reached by a name %s', async (_name, answers) => {
    const names = resolveNamesTo(...answers);
    const controller = new AbortController();
    const refused = expect(guarded(url('/', 'public.example'), { signal: controller.signal })).rejects.toThrow();
    await fetch(url('/later', '127.0.0.1'));
    controller.abort();
    await refused;
    expect(names).toEqual(['public.example']);
    expect(requests.map((request) => request.url)).toEqual(['/later']);
  });

  test('cannot be told from one that does not exist', async () => {
    const errorOf = (host: string) =>
      guarded(url('/', host)).then(String, (error: Error) => [error.name, error.message]);
    expect(await errorOf('localhost')).toEqual(await errorOf('nobody.invalid'));
  });

  test('is reached if an operator has named it', async () => {
    resolveNamesTo([local]);
    const named = guardedFetch({ ...limits, allow: ['idp.internal', '127.0.0.1'] });
    for (const host of ['idp.internal', '127.0.0.1']) expect(await (await named(url('/', host))).text()).toBe('inside');
    await expect(named(url('/', 'other.internal'))).rejects.toThrow('the address did not respond');
    expect(requests).toHaveLength(2);
  });

  test('is not reached by a name with an address that is allowed, too', async () => {
    const near = guardedFetch({ ...limits, networks: loopback });
    resolveNamesTo([local, { address: '10.0.0.1', family: 4 }]);
    await expect(near(url('/', 'public.example'))).rejects.toThrow('the address did not respond');
    expect(requests).toEqual([]);
  });

  test('is reached if an operator has named its network', async () => {
    resolveNamesTo([{ address: '::ffff:127.0.0.1', family: 6 }]);
    const near = guardedFetch({ ...limits, allowHttp: false, networks: loopback });
    for (const host of ['127.0.0.1', '2130706433', '[::ffff:7f00:1]', 'inside.example'])
      expect((await near(url('/', host))).status).toBe(200);
    expect(requests).toHaveLength(4);
  });

  test('is not reached by a redirect', async () => {
    respond = (response) => response.writeHead(302, { Location: url('/inside', '127.0.0.1') }).end();
    const response = await trusted(url('/start'));
    expect([response.status, response.headers.get('location')]).toEqual([302, url('/inside', '127.0.0.1')]);
    expect(requests.map((request) => request.url)).toEqual(['/start']);
  });
});

test.each([
  ['https://example.com', true],
  ['https://8.8.8.8', true],
  ['https://[::ffff:8.8.8.8]', true],
  ['https://[64:ff9b::808:808]', true],
  ['https://127.0.0.1', true],
  ['http://127.0.0.1', true],
  ['http://[::ffff:127.0.0.1]', true],
  ['http://inside.example', true],
  ['http://8.8.8.8', false],
  ['https://10.0.0.1', false],
  ['https://[64:ff9b::a00:1]', false],
  ['https://[64:ff9b:1::808:808]', false],
  ['ftp://127.0.0.1', false],
])('whether a URL is allowed before a request: %s', (address, isAllowed) =>
  expect(mayRequest(new URL(address), { networks: loopback })).toBe(isAllowed),
);

test('names whose DNS servers never answer delay no other name', async () => {
  const near = guardedFetch({ ...limits, networks: loopback });
  answerNames((name) => (name.startsWith('silent') ? new Promise(() => undefined) : [local]));
  // As libuv, which has two threads for names.
  let threads = 2;
  const holdThread = () => {
    if (threads > 0) threads -= 1;
  };
  jest.spyOn(dns, 'lookup').mockImplementation(((
    name: string,
    _options: object,
    callback: (...all: unknown[]) => void,
  ) => {
    if (threads === 0) return;
    if (name.startsWith('silent')) holdThread();
    else callback(null, [local]);
  }) as typeof dns.lookup);
  const controller = new AbortController();
  const waiting = Array.from({ length: 3 }, (_, at) =>
    near(url('/', `silent${at}.example`), { signal: controller.signal }),
  );
  expect((await near(url('/', 'prompt.example'))).status).toBe(200);
  controller.abort();
  await expect(Promise.allSettled(waiting)).resolves.toMatchObject(waiting.map(() => ({ status: 'rejected' })));
});

test('a name of the own network is asked of the operating system, one after the other', async () => {
  const refuse = () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
  const { prototype } = dns.promises.Resolver;
  jest.spyOn(prototype, 'resolve4').mockImplementation(refuse);
  jest.spyOn(prototype, 'resolve6').mockImplementation(refuse);
  const near = guardedFetch({ ...limits, networks: loopback });
  const asked: string[] = [];
  let release: () => void = () => undefined;
  jest.spyOn(dns.promises, 'lookup').mockImplementation((async (name: string) => {
    asked.push(name);
    if (asked.length === 1) await new Promise<void>((resolved) => (release = resolved));
    return [local];
  }) as unknown as typeof dns.promises.lookup);
  const both = ['first', 'second'].map(async (name) => (await near(url('/', name))).status);
  await until('the first lookup', () => asked.length === 1);
  release();
  expect(await Promise.all(both)).toEqual([200, 200]);
  expect(asked).toEqual(['first', 'second']);
  await expect(guarded(url('/', 'third'))).rejects.toThrow('the address did not respond');
  expect(asked).toHaveLength(2);
});

describe('a response', () => {
  test('is over after its status, if its body is ignored', async () => {
    const heedless = guardedFetch({ ...limits, maxBytes: 10, ignoresBody: true, networks: loopback });
    respond = (response) =>
      void response.writeHead(202, { 'X-One': '1', 'Content-Encoding': 'odd' }).end('x'.repeat(1000));
    const response = await heedless(url('/', '127.0.0.1'));
    expect([response.status, response.headers.get('x-one'), response.body]).toEqual([202, '1', null]);
    let closed: Promise<unknown> | undefined;
    respond = (response) => {
      closed = once(response, 'close');
      const writeMore = () => void response.write('x'.repeat(10_000), (error) => error ?? setImmediate(writeMore));
      writeMore();
    };
    expect((await heedless(url('/', '127.0.0.1'))).status).toBe(200);
    await closed;
  });

  test('that never ends is cut off', async () => {
    let closed: Promise<unknown> | undefined;
    respond = (response) => {
      closed = once(response, 'close');
      const writeMore = () => void response.write('x'.repeat(10_000), (error) => error ?? setImmediate(writeMore));
      writeMore();
    };
    await expect(trusted(url())).rejects.toThrow('the response is too large');
    await closed;
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('is limited after %s, too', async (coding, compress) => {
    const send = (bytes: number) => {
      const body = compress(Buffer.alloc(bytes));
      expect(body.length).toBeLessThan(limits.maxBytes);
      respond = (response) => response.writeHead(200, { 'Content-Encoding': coding }).end(body);
      return trusted(url());
    };
    expect((await (await send(limits.maxBytes)).arrayBuffer()).byteLength).toBe(limits.maxBytes);
    await expect(send(30_000_000)).rejects.toThrow('the response is too large');
  });

  test('of an unknown coding is refused', async () => {
    respond = (response) => response.writeHead(200, { 'Content-Encoding': 'gzip, gzip' }).end('x');
    await expect(trusted(url())).rejects.toThrow('the address did not respond');
  });

  test('with long headers is refused', async () => {
    respond = (response) => response.writeHead(200, { 'X-Long': 'x'.repeat(20_000) }).end();
    await expect(trusted(url())).rejects.toThrow('the address did not respond');
  });

  test('that ends early is refused', async () => {
    respond = (response) => response.writeHead(200, { 'Content-Length': 10 }).write('x', () => response.destroy());
    await expect(trusted(url())).rejects.toThrow('the address did not respond');
  });

  test.each([
    ['never begins', () => undefined],
    ['does not continue', (response: ServerResponse) => void response.write('x')],
    ['switches to another protocol', (response: ServerResponse) => void response.writeHead(101, upgrade).end()],
  ])('that %s is given up', async (_name, hang) => {
    respond = hang;
    const impatient = guardedFetch({ ...limits, allow: ['localhost'], timeoutMs: 100 });
    await expect(impatient(url())).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('may be empty', async () => {
    respond = (response) => response.writeHead(204, { 'Content-Encoding': 'gzip' }).end();
    expect(await trusted(url())).toMatchObject({ status: 204, body: null });
  });
});

test('a request has a method, headers and a body', async () => {
  let body = '';
  respond = (response, request) =>
    request
      .on('data', (piece) => (body += String(piece)))
      .on('end', () => response.writeHead(201, { 'X-Two': ['a', 'b'] }).end('done'));
  const response = await trusted(url('/path?query'), { method: 'POST', headers: { 'x-one': '1' }, body: 'sent' });
  expect([response.status, response.headers.get('x-two'), await response.text(), body]).toEqual([
    201,
    'a, b',
    'done',
    'sent',
  ]);
  expect(requests[0]).toMatchObject({ method: 'POST', url: '/path?query', headers: { 'x-one': '1' } });
});

test.each([
  ['ftp://example.com', 'the address must begin with https: or http:'],
  ['file:///etc/passwd', 'the address must begin with https: or http:'],
  ['http://anna:secret@localhost', 'the address must have no credentials'],
  ['http://anna@localhost', 'the address must have no credentials'],
  ['localhost', 'Invalid URL'],
])('%s is refused', (address, message) => expect(trusted(address)).rejects.toThrow(message));

test('without a choice, only https is used', () =>
  expect(guardedFetch({ maxBytes: 1, timeoutMs: 1 })('http://example.com')).rejects.toThrow('must begin with https:'));
