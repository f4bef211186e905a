import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { runWithService } from '../kit/process.ts';
import { makeProgram } from '../kit/program.ts';
import { accessService } from '../kit/service.ts';
import { signUpByMail, type User } from '../kit/users.ts';
import { testAgents } from './agents.ts';
import { testPage } from './page.ts';

// npm run examples: tests each program of examples/ against docs/clients.md, on the built service and over connections that break.
// Exits with 1 on a failure. Needs `npm ci && npm run build` in examples/.
const folder = path.resolve('examples');
const patienceMs = 60_000;

/** Programs with their expected output for an account without tasks. Standard error must stay empty. */
const programs: Record<string, { command: string[]; prints: string[] }> = {
  curl: {
    command: ['bash', 'curl/tour.sh'],
    prints: ['added: 1', 'repeats: Every week on Saturday', 'completed: Buy milk', 'followed: 4 changes'],
  },
  fetch: {
    command: ['node', 'fetch/main.js'],
    prints: [
      'listed: 0',
      'followed: created Buy milk',
      'followed: updated Buy milk',
      'completed: 1',
      'refused: VALIDATION_FAILED at title',
    ],
  },
  apollo: { command: ['node', 'apollo/main.js'], prints: byGraphQl('completed: 1') },
  urql: { command: ['node', 'urql/main.js'], prints: byGraphQl('completed: 1') },
  token: {
    command: ['bash', '-c', 'token/script.sh && node token/main.js'],
    prints: ['listed: 0', 'added: Buy milk', 'listed: 1', 'added: Buy milk'],
  },
  bot: {
    command: ['bash', '-c', 'node token/main.js && node bot/main.js && node bot/main.js'],
    prints: ['listed: 0', 'added: Buy milk', 'assigned: Buy milk'],
  },
  agent: {
    command: ['bash', '-c', 'node token/main.js && node agent/main.js'],
    prints: ['listed: 0', 'added: Buy milk', 'claimed: Buy milk', 'done: Buy milk'],
  },
  webhook: {
    command: ['node', 'webhook/main.js'],
    prints: ['received: ping', 'tested: 204', 'received: created Buy milk'],
  },
  relay: { command: ['node', 'relay/main.js'], prints: [...byGraphQl('completed: 1 of 1'), 'left: 0'] },
};

function byGraphQl(completed: string): string[] {
  return [
    'listed: 0',
    'followed: CREATED Buy milk',
    'followed: UPDATED Buy milk',
    completed,
    'refused: VALIDATION_FAILED at input.title',
  ];
}

/**
 * Runs a program and resets its connections twice: after it has listed the tasks, and after the first change or claim.
 * @returns its output
 */
async function runWithInterruptions(
  url: string,
  [program = '', ...args]: string[],
  account: Record<string, string>,
): Promise<string> {
  const proxy = await FaultProxy.open(url);
  const child = spawn(program, args, {
    cwd: folder,
    timeout: patienceMs,
    env: { ...process.env, ...account, TASKGATE_URL: new URL(proxy.url).origin },
  });
  let printed = '';
  child.stderr.on('data', (text: Buffer) => (printed += text.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    if (/^listed|CREATED|created|claimed/.test(line)) proxy.killAll();
  }
  await proxy.close();
  return printed;
}

async function accountOf(service: { url: string }, user: User) {
  const { token } = await makeProgram(service, user);
  const { inbox } = await user.data<{ inbox: { id: string } }>('{ inbox { id } }');
  return {
    ...{ TASKGATE_EMAIL: user.email, TASKGATE_PASSWORD: user.password },
    ...{ TASKGATE_TOKEN: token, TASKGATE_PROJECT: inbox.id },
  };
}

const variables = { LOG_LEVEL: 'warn', RATE_LIMITS: 'off', OUTGOING_NETWORKS: '127.0.0.0/8' };
await runWithService(path.resolve(), variables, async ({ url = '' }, dataDir) => {
  const access = accessService(url, dataDir);
  const page = await readFile('docs/clients.md', 'utf8');
  for (const [name, { command, prints }] of Object.entries(programs)) {
    if (!page.includes(`(../examples/${name})`)) throw new Error(`docs/clients.md does not name examples/${name}`);
    const user = await signUpByMail(access);
    const account = await accountOf({ url }, user);
    const found = await runWithInterruptions(url, command, account);
    const expected = prints.map((line) => `${line}\n`).join('');
    if (found !== expected) throw new Error(`examples/${name} printed:\n${found}instead of:\n${expected}`);
    console.log(`examples/${name} does what it says`);
  }
  const owner = await signUpByMail(access);
  await testAgents(folder, owner, { ...(await accountOf({ url }, owner)), TASKGATE_URL: url });
  console.log('copies of examples/agent do each task once');
  await testPage(url, await signUpByMail(access));
  console.log('examples/react does what it says');
});
