import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { urlOf } from '../../src/embedded-postgres/cluster.ts';
import { type Endpoint, endpointIn } from '../../src/embedded-postgres/server.ts';

/** The embedded PostgreSQL of a service's data folder, as it says itself where it is. */
export interface Postmaster extends Endpoint {
  pid: number;
  /** Connects as the service does. */
  url: string;
}

/** Lines of the file that PostgreSQL keeps while it runs. @throws where there is none */
export async function postmasterLines(dataDir: string): Promise<string[]> {
  return (await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
}

/** @throws where no server has begun on the folder */
export async function postmasterOf(dataDir: string): Promise<Postmaster> {
  const lines = await postmasterLines(dataDir);
  const endpoint = endpointIn(lines.join('\n'));
  const password = (await readFile(path.join(dataDir, 'postgres-password'), 'utf8')).trim();
  return { pid: Number(lines[0]), ...endpoint, url: urlOf(endpoint, password) };
}
