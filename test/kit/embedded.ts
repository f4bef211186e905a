import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The embedded PostgreSQL of a service's data folder, as it says itself where it is. */
export interface Postmaster {
  pid: number;
  /** Folder of its Unix socket. */
  host: string;
  port: number;
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
  const [pid, port, host = ''] = [Number(lines[0]), Number(lines[3]), lines[4]];
  const password = (await readFile(path.join(dataDir, 'postgres-password'), 'utf8')).trim();
  return { pid, host, port, url: `postgresql://taskgate:${password}@${encodeURIComponent(host)}:${port}/taskgate` };
}
