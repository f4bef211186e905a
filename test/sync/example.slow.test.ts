import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Inbox } from '../changes/stream.ts';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let proxy: FaultProxy;
beforeAll(async () => {
  service = await startService();
  proxy = await FaultProxy.open(service.url);
});
afterAll(async () => {
  await proxy.close();
  await service.close();
});

const running = new Set<Example>();
afterEach(async () => {
  for (const each of running) await each.kill();
});

const program = path.resolve(import.meta.dirname, '../../examples/replica/replica.js');
const argumentsOf = (name: string) => [program, new URL(proxy.url).origin, path.join(service.dataDir, name)];
const environmentOf = ({ email, password }: User) => ({
  PATH: process.env['PATH'],
  TASKGATE_EMAIL: email,
  TASKGATE_PASSWORD: password,
});

class Example {
  readonly #lines = new Inbox<string>('a line of the example');
  readonly #child: ChildProcess;

  constructor(user: User, name: string) {
    const child = spawn(process.execPath, argumentsOf(name), {
      env: environmentOf(user),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child = child;
    running.add(this);
    createInterface(child.stdout).on('line', (line) => this.#lines.add(line));
  }

  type(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  async untilLine(line: string): Promise<void> {
    while ((await this.#lines.take()) !== line);
  }

  async tasks(count: number): Promise<string[]> {
    this.type('list');
    const lines: string[] = [];
    while (lines.length < count) {
      const line = await this.#lines.take();
      if (line.startsWith('[')) lines.push(line);
    }
    return lines.sort();
  }

  async kill(): Promise<void> {
    running.delete(this);
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

test('two replicas of the examples converge after offline edits, a lost response and a kill', async () => {
  const anna = await signUp(service);
  const { id } = await makeTask(anna, { title: 'First' });
  let one = new Example(anna, 'one.json');
  const two = new Example(anna, 'two.json');
  await one.untilLine('= 1 tasks, 0 to be sent');
  await two.untilLine('= 1 tasks, 0 to be sent');
  await proxy.set({ mode: 'down' });
  one.type('add Milk');
  one.type(`done ${id.slice(-6)}`);
  two.type('add Bread');
  expect(await one.tasks(2)).toEqual([expect.stringContaining('[ ] Milk'), expect.stringContaining('[x] First')]);
  expect(await two.tasks(2)).toEqual([expect.stringContaining('[ ] Bread'), expect.stringContaining('[ ] First')]);
  await one.kill();
  one = new Example(anna, 'one.json');
  await one.untilLine('= 2 tasks, 2 to be sent');
  await proxy.set({ mode: 'ok', loseResponseTo: /"title":"Milk"/ });
  const createdTasks = () => service.sql("SELECT FROM tasks WHERE title = 'Milk'");
  await until('the task is made, and nobody is told', async () => (await createdTasks()).length === 1);
  await proxy.set({ loseResponseTo: undefined });
  for (const each of [one, two]) {
    await each.untilLine('= 3 tasks, 0 to be sent');
    const shown = async () => (await each.tasks(3)).map((line) => line.slice(0, -7)).join();
    await until('it has what both did', async () => (await shown()) === '[ ] Bread,[ ] Milk,[x] First');
  }
  expect(await service.sql('SELECT FROM tasks')).toHaveLength(3);
});

test('a replica of the examples refuses a copy of another account', async () => {
  const anna = await signUp(service);
  await makeTask(anna, { title: 'Hers' });
  const hersExample = new Example(anna, 'hers.json');
  await hersExample.untilLine('= 1 tasks, 0 to be sent');
  await hersExample.kill();
  const env = environmentOf(await signUp(service));
  const run = promisify(execFile)(process.execPath, argumentsOf('hers.json'), { env });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/hers\.json is the copy of another account\n$/),
  });
});
