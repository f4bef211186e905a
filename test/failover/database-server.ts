import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sqlAt } from '../kit/postgres.ts';
import { configFile, etcdVariables, secret } from './files.ts';
import { Machine } from './machine.ts';

export interface Member {
  name: string;
  role: 'leader' | 'replica' | 'sync_standby';
  state: string;
  timeline?: number;
  lag?: number | string;
}

/** Timeout of Patroni's API in milliseconds. */
const requestTimeoutMs = 3_000;

export class DatabaseServer {
  readonly machine: Machine;
  readonly #folder: string;
  #patroni: ChildProcess | undefined;

  private constructor(machine: Machine, folder: string) {
    this.machine = machine;
    this.#folder = folder;
  }

  static async boot(name: string, address: string, folder: string): Promise<DatabaseServer> {
    const server = new DatabaseServer(await Machine.boot(name, address, folder), folder);
    // A copy, because the account may not read the project's folder. Both machines share one file system, so the socket folders differ.
    const config = await readFile(configFile('patroni.yaml'), 'utf8');
    await writeFile(path.join(folder, 'patroni.yaml'), config.replace('/var/run/postgresql', folder));
    server.machine.start('etcd', [], await etcdVariables(name, address, folder));
    server.startPatroni();
    return server;
  }

  get name(): string {
    return this.machine.name;
  }

  /** Also restarts Patroni after its end. */
  startPatroni(): void {
    const { name, address } = this.machine;
    this.#patroni = this.machine.start('patroni', [path.join(this.#folder, 'patroni.yaml')], {
      PATRONI_NAME: name,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
      PATRONI_POSTGRESQL_DATA_DIR: path.join(this.#folder, 'data'),
      PATRONI_RESTAPI_USERNAME: 'patroni',
      PATRONI_RESTAPI_PASSWORD: secret,
      PATRONI_SUPERUSER_USERNAME: 'postgres',
      PATRONI_SUPERUSER_PASSWORD: secret,
      PATRONI_REPLICATION_USERNAME: 'replicator',
      PATRONI_REPLICATION_PASSWORD: secret,
    });
  }

  async kill(): Promise<void> {
    await this.machine.signal('SIGKILL', ['patroni', 'postgres']);
    const patroni = this.#patroni;
    if (patroni && patroni.exitCode === null && patroni.signalCode === null) await once(patroni, 'exit');
  }

  /** Undefined if Patroni does not respond. */
  async members(): Promise<Member[] | undefined> {
    const answer = await this.#ask('GET', '/cluster').catch(() => undefined);
    return answer?.ok ? ((await answer.json()) as { members: Member[] }).members : undefined;
  }

  readonly isPrimary = () =>
    this.#ask('GET', '/primary').then(
      ({ status }) => status === 200,
      () => false,
    );

  /** @throws if Patroni refuses */
  async command(method: 'POST' | 'PATCH', path: string, body: object): Promise<void> {
    const answer = await this.#ask(method, path, body);
    if (!answer.ok) throw new Error(`Patroni answers ${path} with ${answer.status}: ${await answer.text()}`);
  }

  /** Runs without HAProxy. */
  readonly sql = <Row extends object>(text: string, database = 'taskgate'): Promise<Row[]> =>
    sqlAt<Row>(`postgresql://postgres:${secret}@${this.machine.address}:5432/${database}`, text);

  #ask(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`http://${this.machine.address}:8008${path}`, {
      method,
      headers: { Authorization: `Basic ${btoa(`patroni:${secret}`)}` },
      // Patroni responds to a switch-over once it is complete.
      signal: AbortSignal.timeout(method === 'POST' ? 10 * requestTimeoutMs : requestTimeoutMs),
      ...(body && { body: JSON.stringify(body) }),
    });
  }
}
