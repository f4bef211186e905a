import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { Drain } from '@taskgate/http';

const sendRequest = (port: number, agent: Agent) =>
  new Promise((resolve) => {
    get({ port, host: '127.0.0.1', agent }, (response) => {
      response.resume().once('end', () => resolve(response.headers.connection));
    }).once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
  });

test('clients are told to close, and keep their connections until the listening socket is closed', async () => {
  const server = createServer();
  const drain = new Drain(server);
  server.on('request', (_request, response) => response.end('answered'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  expect(await sendRequest(port, agent)).toBe('keep-alive');

  drain.announce();
  expect(await sendRequest(port, agent)).toBe('close');

  const stopped = drain.stopListening();
  expect(await sendRequest(port, agent)).toBe('keep-alive');
  await stopped;
  expect(await sendRequest(port, new Agent())).toBe('ECONNREFUSED');

  const ended = drain.endConnections({ idleMs: 60_000, timeoutMs: 60_000, urgent: new AbortController().signal });
  expect(await sendRequest(port, agent)).toBe('close');
  await ended;
});

test('the listening socket is closed even if the event loop is never idle', async () => {
  const server = createServer();
  const drain = new Drain(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let isBusy = true;
  const spin = () => {
    for (const since = performance.now(); performance.now() - since < 100;);
    if (isBusy) setImmediate(spin);
  };
  spin();
  await drain.stopListening();
  isBusy = false;
  expect(server.listening).toBe(false);
});
