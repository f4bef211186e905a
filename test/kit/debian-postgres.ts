import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { log } from '@taskgate/base';
import { unprivilegedAccount } from '../../packages/postgres-server/processes.ts';
import { migrate } from '../../src/platform/migrations.ts';
import { freePort } from './free-port.ts';
import { endWithProcess } from './postgres.ts';
import { until } from './until.ts';

const programs = '/usr/lib/postgresql/15/bin';

/** Debian's PostgreSQL with pgBackRest and `pg_dump`, run by the commands of docs/operations.md. */
export class DebianPostgres {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #run: (program: string, ...args: string[]) => Promise<string>;
  #moment = '';

  private constructor(folder: string, port: number, ids: { uid: number; gid: number } | undefined) {
    this.#folder = folder;
    this.#port = port;
    this.url = `postgresql://taskgate@127.0.0.1:${port}/taskgate`;
    this.#run = async (program, ...args) =>
      (await promisify(execFile)(program, args, { ...ids, cwd: folder, env: { PATH: process.env['PATH'] } })).stdout;
  }

  static async start(): Promise<DebianPostgres> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-debian-'));
    const account = await unprivilegedAccount(folder, []);
    if (account) await chown(folder, account.ids.uid, account.ids.gid);
    await chmod(folder, 0o711);
    const postgres = new DebianPostgres(folder, await freePort(), account?.ids);
    await postgres.#make();
    endWithProcess(folder);
    return postgres;
  }

  /** @returns a function that restores the moment of {@link mark} */
  async backUp(): Promise<() => Promise<void>> {
    await this.#pgBackRest('backup');
    const second = await this.#second();
    // pgBackRest cannot restore to a moment within the second in which the backup ended.
    await until('the next second', async () => (await this.#second()) !== second);
    return async () => {
      await this.#control('stop', '-m', 'fast');
      await this.#pgBackRest(
        '--delta',
        '--type=time',
        `--target=${this.#moment}`,
        '--target-action=promote',
        'restore',
      );
      await this.#control('start');
      await until('it is restored', async () => (await this.#sql('SELECT pg_is_in_recovery()')).trim() === 'f');
    };
  }

  /** Records the moment to restore. */
  async mark(): Promise<void> {
    this.#moment = (await this.#sql('SELECT clock_timestamp()')).trim();
  }

  /** Dumps the database. @returns a function that restores the dump */
  async dump(): Promise<() => Promise<void>> {
    const file = path.join(this.#folder, 'taskgate.dump');
    await this.#run(`${programs}/pg_dump`, '--format=custom', `--file=${file}`, this.url);
    return async () => {
      await this.#sql('DROP DATABASE taskgate WITH (FORCE)');
      await this.#sql('CREATE DATABASE taskgate OWNER taskgate');
      await this.#run(`${programs}/pg_restore`, '--no-owner', '--exit-on-error', `--dbname=${this.url}`, file);
    };
  }

  async close(): Promise<void> {
    await this.#control('stop', '-m', 'immediate');
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #make(): Promise<void> {
    const data = path.join(this.#folder, 'postgres');
    const config = path.join(this.#folder, 'pgbackrest.conf');
    await this.#run(`${programs}/initdb`, '-D', data, '-U', 'postgres', '--auth=trust', '--locale=C.UTF-8');
    const place = [`pg1-path=${data}`, `pg1-port=${this.#port}`, `pg1-socket-path=${this.#folder}`];
    const repository = [`repo1-path=${this.#folder}/repository`, 'repo1-retention-full=2', 'start-fast=y'];
    const own = [`lock-path=${this.#folder}/lock`, 'log-level-file=off'];
    await writeFile(config, ['[global]', ...repository, ...own, '[taskgate]', ...place, ''].join('\n'), {
      mode: 0o644,
    });
    const settings = {
      port: String(this.#port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.#folder,
      archive_mode: 'on',
      archive_command: `pgbackrest --config=${config} --stanza=taskgate archive-push %p`,
    };
    const file = path.join(this.#folder, 'own.conf');
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    await writeFile(file, lines.join(''), { mode: 0o644 });
    await this.#run('sh', '-c', `echo "include '${file}'" >> ${data}/postgresql.conf`);
    await this.#control('start');
    await this.#sql('CREATE ROLE taskgate LOGIN');
    await this.#sql('CREATE DATABASE taskgate OWNER taskgate');
    await this.#pgBackRest('stanza-create');
    const { level } = log;
    log.level = 'silent';
    await migrate(this.url);
    log.level = level;
  }

  readonly #pgBackRest = (...args: string[]) =>
    this.#run('pgbackrest', `--config=${this.#folder}/pgbackrest.conf`, '--stanza=taskgate', ...args);

  readonly #control = (...args: string[]) =>
    this.#run(`${programs}/pg_ctl`, '-w', '-D', `${this.#folder}/postgres`, '-l', `${this.#folder}/log`, ...args);

  readonly #second = () => this.#sql("SELECT date_trunc('second', clock_timestamp())");

  /** As superuser. */
  readonly #sql = (text: string) =>
    this.#run('psql', '-h', this.#folder, '-p', String(this.#port), '-U', 'postgres', '-Atc', text);
}
