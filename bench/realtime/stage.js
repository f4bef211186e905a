import { startTaskgate } from '../lib/contenders.js';
import { withClient } from '../lib/database.js';
import { cookieOf, signIn } from '../lib/session.js';
import { standardAccount, seedAccounts, vacuumAnalyze, taskId } from '../seed/data.js';
import { seedWorkspace } from '../seed/workspace.js';

/** Number of accounts with only a personal space, of 100 tasks. */
export const spaces = 100;
/** Accounts that share a workspace. */
export const members = Array.from({ length: 100 }, (_, index) => spaces + index + 1);
/** Tasks of the workspace: enough to change none twice before its last change has arrived. */
export const workspaceTasks = 4000;

/**
 * @typedef {object} Stage
 * @property {(options?: { port?: string }) => Promise<import('../lib/contenders.js').Contender>} start starts the service
 * @property {string} databaseUrl database with the accounts and their sessions
 * @property {number} databasePid PostgreSQL's first process
 */

/**
 * @param {import('../lib/database.js').Server} server
 * @param {string} service folder of the built service
 * @param {string[]} nodeArgs
 * @returns {Promise<Stage>}
 */
export async function setStage(server, service, nodeArgs) {
  const databaseUrl = await server.create('realtime');
  await withClient(databaseUrl, async (client) => {
    const accounts = spaces + members.length;
    await seedAccounts(client, standardAccount(1), accounts);
    await seedWorkspace(client, { members, tasks: workspaceTasks });
    for (let account = 1; account <= accounts; account += 1) await signIn(client, account);
    await vacuumAnalyze(client);
  });
  const start = ({ port = '0' } = {}) => startTaskgate(service, databaseUrl, { nodeArgs, port });
  return { start, databaseUrl, databasePid: server.pid };
}

/**
 * Changes the title of a task, by default the account's first one.
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

/** Order for `toSorted`. @param {number} left @param {number} right */
export const byNumber = (left, right) => left - right;
