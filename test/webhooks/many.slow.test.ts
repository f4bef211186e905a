import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { loadOf } from '../../packages/work/load.ts';
import { Client } from '../kit/client.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { endServices, spawnService } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { Endpoint } from './endpoint.ts';
import { makeWebhook, nearby } from './webhooks.ts';

const secret = 'a secret that all processes share';

let service: Service;
let endpoint: Endpoint;
beforeEach(async () => {
  service = await startService({ ...nearby, SESSION_SECRET: secret });
  endpoint = await Endpoint.open();
});
afterEach(async () => {
  await endServices('SIGKILL');
  await endpoint.close();
  await service.close();
});

const signUpMany = (count: number) => Promise.all(Array.from({ length: count }, () => signUp(service)));

test('a process makes 32 attempts at once, of however many accounts', async () => {
  const members = await signUpMany(40);
  const [owner, ...others] = members as [User, ...User[]];
  const workspace = await makeWorkspace(owner);
  const project = await makeProject(owner, { workspaceId: workspace.id });
  for (const member of others) await addMember(owner, workspace.id, member);
  const held: (() => void)[] = [];
  endpoint.respond = (response) => held.push(() => response.end());
  for (const member of members) await makeWebhook(member, endpoint.url, { spaceIds: [workspace.id] });
  await makeTask(owner, { projectId: project.id });
  await until('all webhooks have been claimed', () => {
    const { running, waiting } = loadOf('webhooks_messages');
    return running === 32 && waiting === 8;
  });
  await until('32 attempts', () => held.length === 32);
  for (let taken = 0; taken < 8; taken += 1) {
    held.shift()?.();
    await until('the next attempt', () => held.length === 32);
  }
  expect(endpoint.all).toHaveLength(40);
  for (const release of held) release();
  await until('the end', () => loadOf('webhooks_messages').running === 0);
});

/** Resident, in MB. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

test('1,000 failing webhooks take little memory, and delay nobody', async () => {
  await service.services.webhooks.close();
  const accounts = await signUpMany(50);
  const neighbour = await signUp(service);
  endpoint.respond = (response, { path }) => response.writeHead(path === '/good' ? 200 : 500).end();
  for (const account of accounts)
    await Promise.all(Array.from({ length: 20 }, () => makeWebhook(account, `${endpoint.url}bad`)));
  await makeWebhook(neighbour, `${endpoint.url}good`);
  const process = await spawnService({ ...service.variables, ...nearby, SESSION_SECRET: secret, RATE_LIMITS: 'off' });
  // The service in this process sends nothing.
  const direct = new Client(process.url ?? '', neighbour.cookie);
  await makeTask(direct);
  await until('the first message', () => endpoint.all.some(({ path }) => path === '/good'));
  const before = await memoryOf(process.pid);
  await Promise.all(accounts.map((account) => makeTask(account)));
  const failed = async () => {
    const [row] = await service.sql<{ count: number }>('SELECT count(*)::int FROM webhooks WHERE failures > 0');
    return row?.count ?? 0;
  };
  await until('all fail', async () => (await failed()) === 1000);
  const begun = endpoint.all.length;
  await service.sql('UPDATE webhooks SET next_at = now() WHERE failures > 0');
  const { id } = await makeTask(direct);
  const attemptsBefore = () =>
    endpoint.all
      .slice(begun)
      .findIndex(({ path, changes }) => path === '/good' && changes.some(({ taskId }) => taskId === id));
  await until('the message of the neighbour', () => attemptsBefore() >= 0);
  expect(attemptsBefore()).toBeLessThan(1000);
  expect((await memoryOf(process.pid)) - before).toBeLessThan(100);
}, 600_000);
