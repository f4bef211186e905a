import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedDatabase } from '@taskgate/postgres-server';
import type { Client } from '../kit/client.ts';
import { endWithProcess } from '../kit/postgres.ts';
import { spawnService } from '../kit/process.ts';
import { accessService, type ServiceAccess } from '../kit/service.ts';
import { signUpByMail, type User } from '../kit/users.ts';

/** Memory after a garbage collection, in bytes. */
export interface Memory {
  rss: number;
  heapUsed: number;
  external: number;
  arrayBuffers: number;
}

const preload = path.join(import.meta.dirname, 'report-memory.js');

/** A service process with users who share a workspace. */
export class Target {
  readonly users: User[];
  readonly anonymous: Client;
  readonly access: ServiceAccess;
  readonly #service: Awaited<ReturnType<typeof spawnService>>;
  readonly #database: Awaited<ReturnType<typeof startEmbeddedDatabase>>;
  readonly #sql: pg.Pool;
  readonly #folder: string;
  #reports = 0;

  private constructor(
    folder: string,
    database: Awaited<ReturnType<typeof startEmbeddedDatabase>>,
    service: Awaited<ReturnType<typeof spawnService>>,
    access: ServiceAccess,
    users: User[],
  ) {
    this.#folder = folder;
    this.#database = database;
    this.#service = service;
    this.#sql = new pg.Pool({ connectionString: database.url, application_name: 'taskgate-test', max: 2 });
    this.access = access;
    this.users = users;
    this.anonymous = access.anonymous;
  }

  static async start(userCount: number): Promise<Target> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-fuzz-'));
    await chmod(folder, 0o711);
    const database = await startEmbeddedDatabase(folder, { durable: false });
    endWithProcess(folder);
    const dataDir = path.join(folder, 'service');
    const service = await spawnService(
      { DATABASE_URL: database.url, DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'error' },
      [process.execPath, '--expose-gc', '--import', preload, 'dist/src/process/main.js'],
    );
    const { url } = service;
    if (url === undefined) throw new Error(`the service did not start: ${service.errors()}`);
    const access = accessService(url, dataDir);
    const users: User[] = [];
    for (let index = 0; index < userCount; index += 1) users.push(await signUpByMail(access));
    return new Target(folder, database, service, access, users);
  }

  sql = async <Row extends object>(text: string, values?: unknown[]): Promise<Row[]> =>
    (await this.#sql.query(text, values)).rows as Row[];

  /** Standard error, which at this log level has only faults. */
  errors = (): string =>
    this.#service
      .errors()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('memory '))
      .join('\n');

  get url(): string {
    return this.access.url;
  }

  async residentMegabytes(): Promise<{ now: number; most: number }> {
    const status = await readFile(`/proc/${this.#service.pid}/status`, 'utf8');
    const read = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024);
    return { now: read('VmRSS'), most: read('VmHWM') };
  }

  /** Collects garbage. @returns the remaining memory */
  async memory(): Promise<Memory> {
    const line = new RegExp(`^memory ${(this.#reports += 1)} (.*)$`, 'm');
    this.#service.signal('SIGWINCH');
    await this.#service.untilLogged(line);
    return JSON.parse(line.exec(this.#service.errors())?.[1] ?? '') as Memory;
  }

  async stop(): Promise<void> {
    await this.#sql.end();
    this.#service.signal('SIGTERM');
    await this.#service.ended;
    await this.#database.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
