import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../kit/free-port.ts';
import { until } from '../kit/until.ts';
import { configFile } from './files.ts';

export interface Haproxy {
  url: string;
  gateways: readonly Gateway[];
  statistic(server: string, field: string): Promise<string | undefined>;
  stop(): Promise<void>;
}

export interface Gateway {
  name: string;
  port: string;
  probePort: string;
}

export const haproxyProgram = '/usr/sbin/haproxy';

const portPattern = /(?<=:|\bport )\d+\b/g;

/** Starts HAProxy with the deployed file, at free ports. */
export async function startHaproxy(folder: string): Promise<Haproxy> {
  const original = await readFile(configFile('haproxy.cfg'), 'utf8');
  const ports = new Map<string, string>();
  for (const [port] of original.matchAll(portPattern)) ports.set(port, String(await freePort()));
  const portOf = (port: string) => {
    const own = ports.get(port);
    if (own === undefined) throw new Error(`haproxy.cfg does not name port ${port}`);
    return own;
  };
  const file = path.join(folder, 'haproxy.cfg');
  await writeFile(file, original.replaceAll(portPattern, portOf).replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, '127.0.0.1'));
  const server = spawn(haproxyProgram, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  server.stderr.on('data', (text: Buffer) => (output += text.toString()));
  server.once('error', ({ message }) => (output += message));
  process.once('exit', () => server.kill('SIGKILL'));
  const statisticsUrl = `http://127.0.0.1:${portOf('8404')}`;
  await until('HAProxy answers', () => {
    if (!isRunning(server)) throw new Error(`HAProxy does not start: ${output}`);
    return fetch(statisticsUrl).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    url: `http://127.0.0.1:${portOf('8080')}`,
    gateways: [
      { name: 'gateway-1', port: portOf('3001'), probePort: portOf('9465') },
      { name: 'gateway-2', port: portOf('3002'), probePort: portOf('9466') },
    ],
    statistic: (name, field) => statistic(statisticsUrl, name, field),
    async stop() {
      if (isRunning(server) && server.kill('SIGKILL')) await once(server, 'exit');
    },
  };
}

const isRunning = ({ pid, exitCode, signalCode }: ChildProcess) =>
  pid !== undefined && exitCode === null && signalCode === null;

export async function statistic(url: string, server: string, field: string): Promise<string | undefined> {
  const text = await (await fetch(`${url}/;csv`)).text();
  const [head = [], ...rows] = text
    .replace(/^# /, '')
    .split('\n')
    .map((line) => line.split(','));
  const cellOf = (row: string[], name: string) => row[head.indexOf(name)];
  const row = rows.find((each) => cellOf(each, 'svname') === server);
  return row && cellOf(row, field);
}
