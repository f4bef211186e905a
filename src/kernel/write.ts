import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from './context.ts';
import { type Database, db, runSql } from './database.ts';
import { unauthenticated } from './errors.ts';
import { entityOfId } from './ids.ts';
import { refused } from './refusals.ts';
import { inTurn, transaction } from './transaction.ts';

/** How a write locks. */
export interface WriteOptions {
  /** Locks the personal spaces of the spaces' members too: for what takes members' tags off tasks. */
  withMembers?: boolean;
  /** Locks these as well, before all else: for what concerns others than the members of a space. */
  beside?: LockedBeside;
}

/** What a write locks for others: it says nothing of what the viewer may do there. */
export interface LockedBeside {
  /** Ids of spaces. */
  spaces: readonly string[];
  /** E-mail addresses, with the personal spaces of the accounts that have them; no account is made for them meanwhile. */
  addresses: readonly string[];
}

/**
 * Runs a viewer's writes as one transaction. It waits for its turn in the process, where it takes no connection, then
 * locks the spaces that it touches, all at once and in their order, and looks up under the lock what the viewer may do:
 * whoever was removed from a space while the write waited does not write there, and no write commits after the session
 * that it came by has ended.
 * @param touched ids of what it is about: spaces, or tasks, projects and sections, which stand for the space that they are in;
 * ids of anything else stand for none
 * @param work its statements must go to the client, and be for the viewer, that it is given: the viewer's `spaceIds` are
 * those spaces, locked, that they are a member of. It is run again after a conflict
 * @throws UNAUTHENTICATED where the session has ended; UNAVAILABLE
 */
export const write = async <Result>(
  viewer: Viewer,
  touched: readonly string[],
  work: (tx: Database, viewer: Viewer) => Promise<Result>,
  options: WriteOptions = {},
): Promise<Result> => {
  const locked = async (tx: Database) => {
    const [row] = await tx.$queryRaw<{ spaces: string[] }[]>`SELECT ${lock(viewer, touched, options)} AS spaces`;
    return work(tx, { ...viewer, spaceIds: row?.spaces ?? [] });
  };
  const keys = [...(await keysOf(viewer, touched)), ...(options.beside?.spaces ?? [])];
  return transaction(keys, locked).catch(sessionEnded);
};

/**
 * Runs a viewer's write that is one statement, as {@link write} does with more.
 * @param database the client, or the transaction of a {@link write} that it belongs to
 * @param build makes the statement around the first of its common table expressions, which locks: `allowed`, whose one
 * row has as `spaces` those that the viewer may write to. What is to be read under the lock has to be read from it, by
 * functions such as `tasks_within`, as the rest of the statement sees what was before
 * @throws UNAUTHENTICATED where the session has ended; UNAVAILABLE
 */
export async function writeStatement<Row extends object>(
  database: Database,
  viewer: Viewer,
  touched: readonly string[],
  build: (allowed: Prisma.Sql) => Prisma.Sql,
): Promise<Row[]> {
  const statement = build(Prisma.sql`allowed AS MATERIALIZED (SELECT ${lock(viewer, touched)} AS spaces)`);
  if (database !== db) return runSql<Row>(database, statement);
  return inTurn(await keysOf(viewer, touched), () => runSql<Row>(db, statement)).catch(sessionEnded);
}

const lock = (
  { id, sessionId, spaceIds }: Viewer,
  touched: readonly string[],
  { withMembers = false, beside }: WriteOptions = {},
) => {
  // Where there is one space alone, nothing has to be sent to know it.
  const ids = spaceIds.length === 1 ? [] : anyIds(touched);
  const others = beside ? Prisma.sql`, ${beside.spaces}, ${beside.addresses}` : Prisma.empty;
  return Prisma.sql`lock_for_write(${id}, ${sessionId}, ${spaceIds}, ${ids}, ${withMembers}::boolean${others})`;
};

/** Those that can be ids: what cannot is not handed to the database. */
const anyIds = (texts: readonly string[]) => texts.filter((text) => entityOfId(text) !== undefined);

const sessionEnded = refused('sessionEnded', unauthenticated);

/** The spaces whose other writes it waits for, by what is known before the lock. */
async function keysOf({ id, inboxId, spaceIds }: Viewer, touched: readonly string[]): Promise<readonly string[]> {
  if (spaceIds.length === 1) return spaceIds;
  const known = touched.map((each) => (each === inboxId ? id : each));
  if (known.every((each) => spaceIds.includes(each))) return known;
  const [row] = await runSql<{ spaces: string[] }>(
    db,
    Prisma.sql`SELECT spaces_touched(${anyIds(known)}, ${spaceIds}) AS spaces`,
  );
  return row?.spaces ?? [];
}
