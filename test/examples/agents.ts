import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Client } from '../kit/client.ts';

const [copies, tasks] = [10, 100];

/** A copy is killed in the middle of each eighth task, or just after it. */
const tasksToKill = 8;
const workMs = 1000;

/**
 * Copies of examples/agent do the tasks of a list. One is killed every few seconds, and another one takes its place. The first is so slow
 * that its claims would end if it did not renew them.
 * @throws unless each task was done once
 */
export async function testAgents(folder: string, user: Client, environment: Record<string, string>): Promise<void> {
  for (let n = 1; n <= tasks; n += 1) await user.post('/api/v2/todo', { title: `task ${n}` });
  let [claims, kills] = [0, 0];
  const lines: string[] = [];

  async function run(workSeconds: number): Promise<void> {
    const env = { ...process.env, ...environment, WORK_SECONDS: String(workSeconds) };
    const child = spawn(process.execPath, ['agent/main.js'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
    const isSlow = workSeconds > workMs / 1000;
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(isSlow ? `slow ${line}` : line);
      if (isSlow || !line.startsWith('claimed')) continue;
      claims += 1;
      if (claims % tasksToKill === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * workMs * 1.3);
    }
    const [code, signal] = await ended;
    if (signal === 'SIGKILL') {
      kills += 1;
      await run(workSeconds);
    } else if (code !== 0) throw new Error(`a copy of the agent ended with ${code ?? signal}`);
  }

  await Promise.all([run(12), ...Array.from({ length: copies - 1 }, () => run(workMs / 1000))]);
  const list = await user.data<{ tasks: { nodes: { completed: boolean; comments: { totalCount: number } }[] } }>(
    '{ tasks(first: 500) { nodes { completed comments { totalCount } } } }',
  );
  const done = list.tasks.nodes.filter(({ completed, comments }) => completed && comments.totalCount === 1);
  if (done.length !== tasks) throw new Error(`${done.length} tasks of ${tasks} were done once`);
  if (kills < 5) throw new Error(`only ${kills} copies were killed`);
  if (!lines.some((line) => line.startsWith('slow done'))) throw new Error('no claim was renewed');
  const lost = lines.filter((line) => line.includes('left'));
  if (lost.length > 0) throw new Error(`claims were lost: ${lost.join(', ')}`);
}
