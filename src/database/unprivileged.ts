import { execFile, spawn, type SpawnOptions } from 'node:child_process';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The account that PostgreSQL runs as where the service runs as root, which PostgreSQL refuses. */
export interface Account {
  ids: { uid: number; gid: number };
  /** Whether the account can reach the program and its folder by itself. */
  reachesAll: boolean;
}

/**
 * The account to run PostgreSQL as: undefined where the service is not root; else the owner that the
 * folder has already, else `postgres` where that account exists, else `nobody`.
 * @param needed paths that the account must be able to reach
 */
export async function unprivilegedAccount(folder: string, needed: string[]): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(folder).catch(() => undefined);
  const ids = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : await idsOf('postgres', 'nobody');
  const reachable = await Promise.all(needed.map(isReachable));
  return { ids, reachesAll: reachable.every(Boolean) };
}

async function idsOf(...names: string[]): Promise<Account['ids']> {
  for (const name of names) {
    const ask = async (option: string) => Number((await run('id', [option, name])).stdout);
    const ids = await Promise.all([ask('-u'), ask('-g')]).catch(() => undefined);
    if (ids) return { uid: ids[0], gid: ids[1] };
  }
  throw new Error(`there is none of the accounts ${names.join(', ')}`);
}

/** Whether anybody may pass through every folder above the path. */
async function isReachable(target: string): Promise<boolean> {
  const parent = path.dirname(target);
  if (parent === target) return true;
  const entry = await stat(parent).catch(() => undefined);
  return (entry === undefined || (entry.mode & 0o001) !== 0) && isReachable(parent);
}

/**
 * Starts a program as the account. Where a folder above the program or its data is closed to others
 * (as /root is), the program is given the right to pass through, and nothing else of root's: that
 * takes `setpriv` of util-linux.
 */
export function spawnAs(account: Account | undefined, program: string, args: string[], options: SpawnOptions) {
  if (!account) return spawn(program, args, options);
  if (account.reachesAll) return spawn(program, args, { ...options, ...account.ids });
  const { uid, gid } = account.ids;
  const capabilities = '-all,+dac_override';
  const drop = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', `--bounding-set=${capabilities}`];
  const keep = [`--inh-caps=${capabilities}`, `--ambient-caps=${capabilities}`];
  // access(2), by which PostgreSQL looks for its own binaries, would put the right aside for a user that is not root.
  keep.push('--securebits=+no_setuid_fixup');
  return spawn('setpriv', [...drop, ...keep, '--', program, ...args], options);
}
