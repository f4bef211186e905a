import { startTaskgate } from '../lib/contenders.js';
import { withClient } from '../lib/database.js';
import { cookieOf, signIn } from '../lib/session.js';
import { ordinary, seedAccounts, settle, taskId } from '../seed/data.js';
import { seedWorkspace } from '../seed/workspace.js';

/** Accounts with a personal space of 100 tasks, and no other. */
export const spaces = 100;
/** Further accounts, which have a workspace in common. */
export const members = Array.from({ length: 100 }, (_, index) => spaces + index + 1);
/** Tasks of that workspace: enough that none is changed twice while its last change is still on its way. */
export const workspaceTasks = 4000;

/**
 * What is measured.
 * @typedef {object} Stage
 * @property {(options?: { port?: string }) => Promise<import('../lib/contenders.js').Contender>} start starts the service
 * @property {string} databaseUrl of a database with the accounts, signed in
 * @property {number} databasePid of PostgreSQL's first process
 */

/**
 * @param {import('../lib/database.js').Server} server
 * @param {string} service folder of the built one
 * @param {string[]} nodeArgs
 * @returns {Promise<Stage>}
 */
export async function setStage(server, service, nodeArgs) {
  const databaseUrl = await server.create('realtime');
  await withClient(databaseUrl, async (client) => {
    const accounts = spaces + members.length;
    await seedAccounts(client, ordinary(1), accounts);
    await seedWorkspace(client, { members, tasks: workspaceTasks });
    for (let account = 1; account <= accounts; account += 1) await signIn(client, account);
    await settle(client);
  });
  const start = ({ port = '0' } = {}) => startTaskgate(service, databaseUrl, { nodeArgs, port });
  return { start, databaseUrl, databasePid: server.pid };
}

/**
 * A change of a task by an account: of its own, where nothing is said.
 * @param {number} account
 * @param {string} title
 * @param {string} [id]
 * @returns {import('../lib/load.js').Call}
 */
export const retitle = (account, title, id = taskId(account, 1)) => ({
  method: 'PATCH',
  path: `/api/v2/todo/${id}`,
  headers: { cookie: cookieOf(account) },
  body: JSON.stringify({ title }),
});

/** Orders numbers for `toSorted`. @param {number} left @param {number} right */
export const byNumber = (left, right) => left - right;
