import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { log } from '@taskgate/base';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '@taskgate/postgres-server';
import { migrate } from '../../src/platform/migrations.ts';
import { postmasterOf } from './embedded.ts';
import { endWithProcess } from './postgres.ts';

/** A PostgreSQL that one test may stop, kill and restart. The PostgreSQL of the run is shared. */
export class OwnPostgres {
  readonly #folder: string;
  readonly #ownsFolder: boolean;
  readonly #durable: boolean;
  #database: EmbeddedDatabase;

  private constructor(folder: string, ownsFolder: boolean, durable: boolean, database: EmbeddedDatabase) {
    this.#folder = folder;
    this.#ownsFolder = ownsFolder;
    this.#durable = durable;
    this.#database = database;
  }

  /**
   * @param existingFolder empty folder that all users may pass through. Default: a temporary one.
   * @param options.durable whether commits survive a kill, which is slower
   */
  static async start(existingFolder?: string, { durable = false } = {}): Promise<OwnPostgres> {
    const folder = existingFolder ?? (await mkdtemp(path.join(os.tmpdir(), 'taskgate-own-')));
    await chmod(folder, 0o711);
    const database = await startEmbeddedDatabase(folder, { durable, forTools: true });
    endWithProcess(folder);
    const { level } = log;
    log.level = 'silent';
    await migrate(database.url);
    log.level = level;
    return new OwnPostgres(folder, existingFolder === undefined, durable, database);
  }

  get url(): string {
    return this.#database.url;
  }

  /** Stops all processes of the server (SIGSTOP). The system still accepts connections, but they get no response. */
  async pause(): Promise<void> {
    const postmaster = await this.#postmaster();
    await this.pausePostmaster();
    for (const pid of await childrenOf(postmaster)) process.kill(pid, 'SIGSTOP');
  }

  /** Stops the postmaster only. Open connections are still served. */
  async pausePostmaster(): Promise<void> {
    process.kill(await this.#postmaster(), 'SIGSTOP');
  }

  async resume(): Promise<void> {
    const postmaster = await this.#postmaster();
    for (const pid of [...(await childrenOf(postmaster)), postmaster]) process.kill(pid, 'SIGCONT');
  }

  /** Changes a setting (SIGHUP). */
  async configure(name: string, value: string): Promise<void> {
    await appendFile(path.join(this.#folder, 'postgres', 'postgresql.conf'), `\n${name} = '${value}'\n`);
    process.kill(await this.#postmaster(), 'SIGHUP');
  }

  /** Kills the server (SIGKILL) and waits for all its processes. */
  async kill(): Promise<void> {
    process.kill(await this.#postmaster(), 'SIGKILL');
    await this.#database.ended;
  }

  async startAgain(): Promise<void> {
    const port = Number(new URL(this.url).port);
    this.#database = await startEmbeddedDatabase(this.#folder, { durable: this.#durable, port });
  }

  /** Backs up all commits, with an interruption. @returns a function that restores them */
  async backUp(): Promise<() => Promise<void>> {
    const backup = `${this.#folder}-backup`;
    await this.kill();
    // Keeps the owners, unlike Node's copy.
    await promisify(execFile)('cp', ['-a', this.#folder, backup]);
    await this.startAgain();
    return async () => {
      await this.kill();
      await rm(this.#folder, { recursive: true });
      await rename(backup, this.#folder);
      await this.startAgain();
    };
  }

  async close(): Promise<void> {
    await this.#database.stop();
    if (this.#ownsFolder) await rm(this.#folder, { recursive: true, force: true });
  }

  async #postmaster(): Promise<number> {
    return (await postmasterOf(this.#folder)).pid;
  }
}

export async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}
