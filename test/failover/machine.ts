import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { signalAll } from '../faults/installation.ts';
import { until } from '../kit/until.ts';

const run = promisify(execFile);
const ip = (...args: string[]) => run('ip', args);

/** PostgreSQL and Patroni refuse to run as root. */
const account = ['--reuid=postgres', '--regid=postgres', '--init-groups'];

const bridge = 'lan';
/** Address of this program's machine, which runs the gateways. */
export const gateAddress = '10.77.0.1';

/** `main.ts` runs the program in a network namespace of its own. */
export async function makeNetwork(): Promise<void> {
  await ip('link', 'set', 'lo', 'up');
  await ip('link', 'add', 'name', bridge, 'type', 'bridge');
  await ip('address', 'add', `${gateAddress}/24`, 'dev', bridge);
  await ip('link', 'set', bridge, 'up');
}

export function startProgram(
  command: readonly string[],
  { env, log }: { env: Record<string, string>; log: string },
): ChildProcess {
  const [program = '', ...args] = command;
  const output = openSync(log, 'a');
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    cwd: path.dirname(log),
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  return child;
}

/** A machine: a network namespace with a virtual cable. */
export class Machine {
  readonly name: string;
  readonly address: string;
  readonly #holder: number;
  readonly #folder: string;

  private constructor(name: string, address: string, namespaceHolder: number, folder: string) {
    this.name = name;
    this.address = address;
    this.#holder = namespaceHolder;
    this.#folder = folder;
  }

  static async boot(name: string, address: string, folder: string): Promise<Machine> {
    const namespaceHolder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
    await once(namespaceHolder, 'spawn');
    const machine = new Machine(name, address, namespaceHolder.pid ?? 0, folder);
    const own = await readlink('/proc/self/ns/net');
    await until('the namespace is there', async () => (await machine.#namespace()) !== own);
    const pid = String(namespaceHolder.pid);
    await ip('link', 'add', 'name', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid);
    await ip('link', 'set', name, 'master', bridge, 'up');
    await machine.#ip('link', 'set', 'lo', 'up');
    await machine.#ip('address', 'add', `${address}/24`, 'dev', 'eth0');
    await machine.#ip('link', 'set', 'eth0', 'up');
    return machine;
  }

  start(program: string, args: readonly string[], env: Record<string, string>): ChildProcess {
    const command = [...this.#enter, 'setpriv', ...account, program, ...args];
    return startProgram(command, { env: { HOME: this.#folder, ...env }, log: this.logOf(program) });
  }

  readonly logOf = (program: string) => path.join(this.#folder, `${program}.log`);

  readonly unplug = () => ip('link', 'set', this.name, 'down');
  readonly plug = () => ip('link', 'set', this.name, 'up');

  /** Drops packets from here to the port of another machine. */
  readonly block = (address: string, port: number) => this.#rule('add', address, port);
  readonly unblock = (address: string, port: number) => this.#rule('delete', address, port);

  async end(): Promise<void> {
    await this.signal('SIGKILL');
    signalAll([this.#holder], 'SIGKILL');
  }

  async signal(signal: NodeJS.Signals, names?: readonly string[]): Promise<void> {
    const pids = await this.#processes();
    const matches = await Promise.all(
      pids.map(async (pid) => names === undefined || names.includes(await nameOf(pid))),
    );
    signalAll(
      pids.filter((_pid, index) => matches[index]),
      signal,
    );
  }

  get #enter() {
    return ['nsenter', '--target', String(this.#holder), '--net'];
  }

  async #ip(...args: string[]): Promise<void> {
    const [program = '', ...nsenter] = this.#enter;
    await run(program, [...nsenter, 'ip', ...args]);
  }

  #rule(verb: 'add' | 'delete', address: string, port: number): Promise<void> {
    return this.#ip('rule', verb, 'to', address, 'ipproto', 'tcp', 'dport', String(port), 'blackhole');
  }

  readonly #namespace = (pid: string | number = this.#holder) => readlink(`/proc/${pid}/ns/net`).catch(() => '');

  async #processes(): Promise<number[]> {
    const own = await this.#namespace();
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== this.#holder);
    const namespaces = await Promise.all(pids.map((pid) => this.#namespace(pid)));
    return pids.filter((_pid, index) => namespaces[index] === own).map(Number);
  }
}

const nameOf = (pid: number) =>
  readFile(`/proc/${pid}/comm`, 'utf8').then(
    (name) => name.trim(),
    () => '',
  );
