// Does the open tasks of a project, and ends when all are done. Run many copies, and kill any of them: the claim of a killed copy ends, and another
// copy does its task. TASKGATE_TOKEN=tg_… TASKGATE_PROJECT=proj_… node agent/main.js
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'taskgate-client';

const { TASKGATE_URL, TASKGATE_TOKEN: token, TASKGATE_PROJECT: projectId, WORK_SECONDS = '1' } = process.env;
const { rest, graphql } = createClient({ url: TASKGATE_URL || 'http://127.0.0.1:3000', token });

/** Of a claim. After a kill, the task waits this long. */
const seconds = 10;

const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stopped.abort());

/** Put your own work here. @returns text of a comment */
async function work({ title }, signal) {
  await pause(Number(WORK_SECONDS) * 1000, undefined, { signal });
  return `The title has ${title.length} characters.`;
}

/** Renews a claim until the work ends. The signal of the work aborts if the claim is lost, or this copy shall stop. */
async function whileClaimed(fence, run) {
  const lost = new AbortController();
  const renew = () => rest.renewClaim({ params: { fence }, body: { seconds } });
  // Another failure may pass before the next attempt.
  const onFailure = (error) => error.code === 'CLAIM_LOST' && lost.abort(error);
  const timer = setInterval(() => renew().catch(onFailure), (seconds * 1000) / 3);
  try {
    return await run(AbortSignal.any([lost.signal, stopped.signal]));
  } finally {
    clearInterval(timer);
  }
}

// Under a key, both happen or neither.
const finish = `mutation ($id: ID!, $text: String!) {
  createComment(taskId: $id, text: $text) { id }
  updateTask(id: $id, input: { completed: true }) { id }
}`;

async function doTask(todo, fence) {
  try {
    const text = await whileClaimed(fence, (signal) => work(todo, signal));
    const idempotencyKey = crypto.randomUUID();
    await graphql(finish, { id: todo.id, text }, { idempotencyKey, headers: { 'X-Claim-Fence': fence } });
    console.log(`done: ${todo.title}`);
  } catch (error) {
    const isLost = [error.code, error.cause?.code].includes('CLAIM_LOST');
    // Then others need not wait until it ends.
    if (!isLost) await rest.releaseClaim({ params: { fence } }).catch(() => {});
    if (!isLost && !stopped.signal.aborted) throw error;
    console.log(`left: ${todo.title}`);
  }
}

const open = `query ($projectId: ID!) { tasks(filter: { projectId: $projectId, completed: false }) { totalCount } }`;

while (!stopped.signal.aborted) {
  const body = { filter: { projectId }, seconds };
  const { claim, todo } = await rest.claimTask({ body, idempotencyKey: crypto.randomUUID() });
  if (claim) {
    console.log(`claimed: ${todo.title}`);
    await doTask(todo, claim.fence);
  } else {
    const { tasks } = await graphql(open, { projectId });
    if (tasks.totalCount === 0) break;
    // Other copies work on the last tasks.
    await pause(1000);
  }
}
