import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { runToEnd } from '../../packages/postgres-server/cluster.ts';
import { startServer } from '../../packages/postgres-server/server.ts';
import { unprivilegedAccount } from '../../packages/postgres-server/processes.ts';

const installed = path.resolve(import.meta.dirname, '../postgres/node_modules');

/**
 * Starts another major version of PostgreSQL, with a system locale, as operators install it.
 * @param folder existing folder for its files
 */
export async function startPostgresVersion(folder: string, version: string) {
  const program = (name: string) => path.join(installed, `postgres-${version}`, 'native/bin', name);
  const cluster = path.join(folder, 'postgres');
  const account = await unprivilegedAccount(cluster, [cluster, program('postgres')]);
  await mkdir(cluster, { mode: 0o700 });
  if (account) await chown(cluster, account.ids.uid, account.ids.gid);
  const options = ['-U', 'taskgate', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  const { signal } = new AbortController();
  await runToEnd({ account, signal }, program('initdb'), ['-D', cluster, ...options]);
  const server = await startServer({
    folder: cluster,
    postgres: program('postgres'),
    account,
    durable: false,
    endpoint: { host: '127.0.0.1', port: 0 },
    signal,
  });
  return { url: `postgresql://taskgate@127.0.0.1:${server.endpoint.port}/postgres`, stop: () => server.stop() };
}
