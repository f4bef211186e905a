import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Endpoint, endpointIn } from '../../packages/postgres-server/server.ts';
import { urlOf } from '../../packages/postgres-server/cluster.ts';

export interface Postmaster extends Endpoint {
  pid: number;
  /** URL with the service's role and password. */
  url: string;
}

/** @throws if PostgreSQL does not run */
export async function postmasterLines(dataDir: string): Promise<string[]> {
  return (await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
}

/** @throws if no server has started in the folder */
export async function postmasterOf(dataDir: string): Promise<Postmaster> {
  const lines = await postmasterLines(dataDir);
  const endpoint = endpointIn(lines.join('\n'));
  const password = (await readFile(path.join(dataDir, 'postgres-password'), 'utf8')).trim();
  return { pid: Number(lines[0]), ...endpoint, url: urlOf(endpoint, password) };
}
