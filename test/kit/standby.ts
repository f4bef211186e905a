import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/embedded-postgres/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { endWithProcess } from './postgres.ts';

/** A primary and its standby, which streams from it. */
export interface Replicated {
  primaryUrl: string;
  standbyUrl: string;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  close(): Promise<void>;
}

/** @param delay by which the standby applies what it has been sent later, such as `200ms` */
export async function startReplicated(delay: string): Promise<Replicated> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-replicated-'));
  const [first, second] = ['primary', 'standby'].map((name) => path.join(folder, name)) as [string, string];
  await promisify(execFile)('mkdir', ['-m', '711', first]);
  await promisify(execFile)('chmod', ['711', folder]);
  const made = await startEmbeddedDatabase(first, { durable: false, forTools: true });
  await migrate(made.url);
  await made.stop();
  // With their owners, which Node's own copy does not keep.
  await promisify(execFile)('cp', ['-a', first, second]);
  const { username, password, port } = new URL(made.url);
  const options = { durable: false, forTools: true };
  const primary = await startEmbeddedDatabase(first, { ...options, port: Number(port) });
  const settings = [
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${password}'`,
    `recovery_min_apply_delay = '${delay}'`,
    'hot_standby_feedback = on',
  ];
  await appendFile(path.join(second, 'postgres/postgresql.conf'), `\n${settings.join('\n')}\n`);
  await writeFile(path.join(second, 'postgres/standby.signal'), '');
  let standby: EmbeddedDatabase = await startEmbeddedDatabase(second, options);
  for (const each of [first, second]) endWithProcess(each);
  const { url } = standby;
  return {
    primaryUrl: made.url,
    standbyUrl: url,
    stopStandby: () => standby.stop(),
    async startStandby() {
      standby = await startEmbeddedDatabase(second, { ...options, port: Number(new URL(url).port) });
    },
    async close() {
      await standby.stop();
      await primary.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
