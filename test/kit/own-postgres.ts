import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/embedded-postgres/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { log } from '../../src/kernel/logger.ts';
import { postmasterOf } from './embedded.ts';
import { endWithProcess } from './postgres.ts';

/** A PostgreSQL of a test's own, to be stopped, killed and started again: that of the run is everybody's. */
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
   * @param given an empty folder that everybody may pass through, for its files; absent: a temporary one is made
   * @param options.durable whether it keeps what it has committed when it is killed, which takes longer
   */
  static async start(given?: string, { durable = false } = {}): Promise<OwnPostgres> {
    const folder = given ?? (await mkdtemp(path.join(os.tmpdir(), 'taskgate-own-')));
    await chmod(folder, 0o711);
    const database = await startEmbeddedDatabase(folder, { durable, forTools: true });
    endWithProcess(folder);
    const { level } = log;
    log.level = 'silent';
    await migrate(database.url);
    log.level = level;
    return new OwnPostgres(folder, given === undefined, durable, database);
  }

  get url(): string {
    return this.#database.url;
  }

  /** Stops every process of the server (SIGSTOP): connections are taken by the system, and nobody answers on them. */
  async pause(): Promise<void> {
    const postmaster = await this.#postmaster();
    await this.pausePostmaster();
    for (const pid of await childrenOf(postmaster)) process.kill(pid, 'SIGSTOP');
  }

  /** Stops the process alone that takes connections: those that are open are served by others. */
  async pausePostmaster(): Promise<void> {
    process.kill(await this.#postmaster(), 'SIGSTOP');
  }

  /** Has all go on (SIGCONT). */
  async resume(): Promise<void> {
    const postmaster = await this.#postmaster();
    for (const pid of [...(await childrenOf(postmaster)), postmaster]) process.kill(pid, 'SIGCONT');
  }

  /** Changes one of its settings (SIGHUP), as an operator would in its file. */
  async configure(name: string, value: string): Promise<void> {
    await appendFile(path.join(this.#folder, 'postgres', 'postgresql.conf'), `\n${name} = '${value}'\n`);
    process.kill(await this.#postmaster(), 'SIGHUP');
  }

  /** Kills the server (SIGKILL), and waits until all of its processes have ended. */
  async kill(): Promise<void> {
    process.kill(await this.#postmaster(), 'SIGKILL');
    await this.#database.ended;
  }

  /** Starts it again, after it was killed. */
  async startAgain(): Promise<void> {
    const port = Number(new URL(this.url).port);
    this.#database = await startEmbeddedDatabase(this.#folder, { durable: this.#durable, port });
  }

  /** Backs up all that it has committed, which interrupts it. @returns what restores that, which loses all that came later */
  async backUp(): Promise<() => Promise<void>> {
    const backup = `${this.#folder}-backup`;
    await this.kill();
    // With their owners, which Node's own copy does not keep.
    await promisify(execFile)('cp', ['-a', this.#folder, backup]);
    await this.startAgain();
    return async () => {
      await this.kill();
      await rm(this.#folder, { recursive: true });
      await rename(backup, this.#folder);
      await this.startAgain();
    };
  }

  /** Ends it and removes its files. */
  async close(): Promise<void> {
    await this.#database.stop();
    if (this.#ownsFolder) await rm(this.#folder, { recursive: true, force: true });
  }

  async #postmaster(): Promise<number> {
    return (await postmasterOf(this.#folder)).pid;
  }
}

/** Processes that a process has started itself. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}
