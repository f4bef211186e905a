import {
  bulkAccount,
  deleteTasks,
  firstWriter,
  large,
  listAccount,
  standardAccount,
  searchAccount,
  seedAccounts,
  seedMany,
  vacuumAnalyze,
  writers,
} from '../seed/data.js';
import { startDirect, startLimit, startPostgraphile, startTaskgate } from './contenders.js';
import { stripToUsualTables, withClient } from './database.js';
import { signIn } from './session.js';

/** @typedef {import('./contenders.js').Contender} Contender */
/** @typedef {'taskgate' | 'large' | 'deleted' | 'million' | 'direct' | 'limit' | 'postgraphile'} Name */

/** Number of standard accounts, each with 100 tasks. */
const accounts = 100;

/**
 * Creates databases and starts contenders on first use.
 * @param {import('./database.js').Server} server
 * @param {{ service: string, nodeArgs: string[], log: (text: string) => void }} options
 */
export function stageOn(server, { service, nodeArgs, log }) {
  /** @type {Map<string, Promise<string>>} */
  const databases = new Map();
  /** @type {Map<Name, Promise<Contender | undefined>>} */
  const started = new Map();

  /** @type {(name: string, fill: (client: import('pg').Client) => Promise<unknown>) => Promise<string>} */
  async function make(name, fill) {
    log(`making the database ${name}`);
    const url = await server.create(name);
    await withClient(url, async (client) => {
      await fill(client);
      await vacuumAnalyze(client);
    });
    return url;
  }

  const seedSmall = async (/** @type {import('pg').Client} */ client) => {
    await seedAccounts(client, standardAccount(1), accounts);
    await seedAccounts(client, large(bulkAccount, 1000));
    // Only the accounts before the writers are read.
    for (let account = 1; account < firstWriter + writers; account += 1) await signIn(client, account);
    await signIn(client, bulkAccount);
  };
  const withLargeAccounts = async (/** @type {import('pg').Client} */ client) => {
    await seedAccounts(client, standardAccount(1), accounts);
    await seedAccounts(client, large(listAccount, 10_000));
    await seedAccounts(client, large(searchAccount, 100_000));
    for (const account of [1, listAccount, searchAccount]) await signIn(client, account);
  };
  /** @type {Record<string, () => Promise<string>>} */
  const recipes = {
    logged: () => make('logged', seedSmall),
    plain: async () => {
      const url = await make('plain', seedSmall);
      await stripToUsualTables(url);
      return url;
    },
    large: () => make('large', withLargeAccounts),
    deleted: () =>
      make('deleted', async (client) => {
        await withLargeAccounts(client);
        await deleteTasks(client, listAccount, 100_000);
      }),
    million: () =>
      make('million', async (client) => {
        await seedMany(client, 10_000, 1_000_000, (count) => {
          if (count % 2500 === 0) log(`  ${count} of 10000 accounts`);
        });
        await signIn(client, 1);
      }),
  };
  /** @param {string} name */
  function database(name) {
    const database = databases.get(name) ?? recipes[name]?.();
    if (!database) throw new Error(`there is no database ${name}`);
    databases.set(name, database);
    return database;
  }

  /** @type {Record<Name, () => Promise<Contender | undefined>>} */
  const starters = {
    taskgate: async () => startTaskgate(service, await database('logged'), { nodeArgs }),
    large: async () => startTaskgate(service, await database('large'), { nodeArgs }),
    deleted: async () => startTaskgate(service, await database('deleted'), { nodeArgs }),
    million: async () => startTaskgate(service, await database('million'), { nodeArgs }),
    direct: async () => startDirect(service, await database('plain')),
    limit: async () => startLimit(await database('plain')),
    postgraphile: async () =>
      startPostgraphile(await database('plain')).catch((/** @type {Error} */ error) => {
        log(`PostGraphile does not start here: ${error.message.split('\n')[0]}`);
        return undefined;
      }),
  };

  return {
    /** @param {Name[]} names @returns {Promise<Partial<Record<Name, Contender>>>} */
    async contenders(names) {
      /** @type {Partial<Record<Name, Contender>>} */
      const running = {};
      for (const name of names) {
        const contender = started.get(name) ?? starters[name]();
        started.set(name, contender);
        running[name] = await contender;
      }
      return running;
    },
    async stop() {
      const all = await Promise.allSettled(started.values());
      for (const each of all) if (each.status === 'fulfilled') await each.value?.stop();
    },
  };
}
