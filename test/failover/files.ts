import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';

const folder = path.resolve(import.meta.dirname, '../../deploy/failover');

/** Path of a file in deploy/failover, which the test uses unchanged. */
export const configFile = (name: string) => path.join(folder, name);

export const secret = 'a-secret-of-the-test';

/** The variables of an etcd member: the settings of the file, and its own. */
export async function etcdVariables(
  name: string,
  address: string,
  dataFolder: string,
): Promise<Record<string, string>> {
  const [peers, clients] = [`http://${address}:2380`, `http://${address}:2379`];
  return {
    ...(parseEnv(await readFile(configFile('etcd.env'), 'utf8')) as Record<string, string>),
    ETCD_NAME: name,
    ETCD_DATA_DIR: path.join(dataFolder, 'etcd'),
    ETCD_LISTEN_PEER_URLS: peers,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: peers,
    ETCD_LISTEN_CLIENT_URLS: clients,
    ETCD_ADVERTISE_CLIENT_URLS: clients,
  };
}

const requiredPrograms = {
  patroni: 'patroni',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  '/usr/lib/postgresql/15/bin/pg_rewind': 'postgresql-15',
  ip: 'iproute2',
  unshare: 'util-linux',
};

/** @throws if a program is missing */
export function requirePrograms(): void {
  const isInstalled = (program: string) =>
    program.startsWith('/') ? existsSync(program) : spawnSync(program, ['--version']).error === undefined;
  const missing = Object.entries(requiredPrograms).filter(([program]) => !isInstalled(program));
  if (missing.length === 0) return;
  throw new Error(`missing: ${missing.map(([program, name]) => `${program} (apt-get install ${name})`).join(', ')}`);
}
