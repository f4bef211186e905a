import { type AddressInfo, createServer } from 'node:net';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from '@jest/globals';
import { Client } from '../kit/client.ts';
import { buildService } from '../kit/process.ts';

interface ListedTask {
  title: string;
  completed: boolean;
  section: { name: string } | null;
}

const query = '{ tasks(first: 500) { nodes { title completed section { name } } } }';
const tasksOf = async (client: Client) => (await client.data<{ tasks: { nodes: ListedTask[] } }>(query)).tasks.nodes;

let stopDemo: (() => Promise<unknown>) | undefined;
afterEach(() => stopDemo?.());

async function startDemo(PORT: string) {
  await buildService();
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--import', './scripts/typescript.js', 'test/demo/main.ts'], {
    env: { PATH, HOME, PORT },
  });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  const ended = once(child, 'close').then(([code]) => code as number);
  stopDemo = () => {
    child.kill('SIGINT');
    return ended;
  };
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { ended, errors: () => errors, nextLine: async () => String((await lines.next()).value) };
}

test('the demo reports its progress, and both accounts have believable tasks', async () => {
  const { nextLine } = await startDemo('0');
  const progress = [await nextLine()];
  while (!progress.at(-1)?.startsWith('Open ')) progress.push(await nextLine());
  expect(progress.slice(0, -1)).toEqual([
    expect.stringContaining('Starting the service'),
    expect.stringContaining('Making two accounts'),
    expect.stringContaining('Adding projects and tasks'),
  ]);
  const [, url = ''] = /^Open (\S+),/.exec(progress.at(-1) ?? '') ?? [];
  const [email, password] = (await nextLine()).trim().split('  ');
  await nextLine();
  const anna = new Client(url);
  await anna.post('/api/v1/user/signin', { email, password });
  const before = await tasksOf(anna);
  const tasksInDone = before.filter(({ section }) => section?.name === 'Done');
  expect(tasksInDone.length).toBeGreaterThan(0);
  expect(tasksInDone.filter(({ completed }) => !completed)).toEqual([]);
  for (const section of ['In progress', 'Done', 'In progress', 'Done']) {
    let line = await nextLine();
    if (section === 'Done') {
      expect(line).toMatch(/^anna@example\.com comments on “.+”$/);
      expect(await nextLine()).toMatch(/^bert@example\.com comments on “.+”$/);
      line = await nextLine();
    }
    const [, title] = /^bert@example\.com moves “(.+)” to /.exec(line) ?? [];
    expect(line).toBe(`bert@example.com moves “${title}” to ${section}`);
    const task = (await tasksOf(anna)).find((each) => each.title === title);
    expect(task).toMatchObject({ completed: section === 'Done', section: { name: section } });
  }
  expect(await tasksOf(anna)).toHaveLength(before.length);
});

test('a port in use is named with its variable', async () => {
  const occupiedServer = createServer().listen(0, '127.0.0.1');
  await once(occupiedServer, 'listening');
  const { port } = occupiedServer.address() as AddressInfo;
  const { ended, errors } = await startDemo(String(port));
  expect(await ended).toBe(1);
  expect(errors()).toBe(
    `Taskgate cannot start: port ${port} is taken at 127.0.0.1: set PORT to another one (EADDRINUSE)\n`,
  );
  occupiedServer.close();
});

test('an empty PORT counts as unset', async () => {
  const occupiedServer = createServer().listen(3001, '127.0.0.1');
  // Another program may use the port already, which serves as well.
  await Promise.race([once(occupiedServer, 'listening'), once(occupiedServer, 'error')]).catch(() => undefined);
  const { ended, errors } = await startDemo('');
  expect(await ended).toBe(1);
  expect(errors()).toContain('port 3001 is taken');
  occupiedServer.close();
});
