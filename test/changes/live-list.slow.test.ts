import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Inbox } from './stream.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

function start(user: User, file: string): { lines: Inbox<string>; child: ChildProcess } {
  const program = path.resolve(import.meta.dirname, '../../examples/live-list/live-list.js');
  const child = spawn(process.execPath, [program, service.url, file], {
    env: { PATH: process.env['PATH'], TASKGATE_EMAIL: user.email, TASKGATE_PASSWORD: user.password },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = new Inbox<string>('a line of the example');
  createInterface(child.stdout).on('line', (line) => lines.add(line));
  return { lines, child };
}

test('the live list of the examples follows changes and resumes, over lost connections and restarts', async () => {
  const anna = await signUp(service);
  const { title } = await makeTask(anna);
  const file = path.join(service.dataDir, 'list.json');
  const first = start(anna, file);
  expect(await first.lines.take()).toBe('= 1 tasks');
  const milk = await makeTask(anna, { title: 'Buy milk' });
  expect(await first.lines.take()).toBe('+ Buy milk');
  // The session ends with its socket. The user signs in again, and the list resumes.
  await service.sql('DELETE FROM sessions WHERE user_id = $1 AND sid <> $2', [
    anna.id,
    decodeURIComponent(anna.cookie ?? '').replace(/^sid=s:|\..*$/g, ''),
  ]);
  await anna.patch(`/api/v2/todo/${milk.id}`, { title: 'Buy oat milk' });
  expect(await first.lines.take()).toBe('~ Buy oat milk');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  await anna.delete(`/api/v2/todo/${milk.id}`);
  const second = start(anna, file);
  expect(await second.lines.take()).toBe('= 2 tasks');
  expect(await second.lines.take()).toBe(`- ${milk.id}`);
  second.child.kill('SIGKILL');
  await once(second.child, 'exit');
  expect(title).not.toBe('');
});
