import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from './context.ts';
import { type Database, db, runSql } from './database.ts';
import { unauthenticated } from './errors.ts';
import { entityOfId } from './ids.ts';
import { refused } from './refusals.ts';
import { inTurn, transaction } from './transaction.ts';

/** How a write locks. */
export interface WriteOptions {
  /** Whether the personal spaces of the members are locked as well: needed where members' tags are taken off tasks. */
  withMembers?: boolean;
  /** Locked as well, for writes that concern accounts or spaces which the viewer has no access to. */
  beside?: LockedBeside;
}

/** To be locked whether or not the viewer has access to it: it gives them none. */
export interface LockedBeside {
  /** Ids of spaces. */
  spaces: readonly string[];
  /** E-mail addresses: no account is made for one until the write commits, and an existing account's space is locked. */
  addresses: readonly string[];
}

/**
 * Runs a viewer's writes as one transaction. It waits for its turn without a connection, locks all spaces that it touches,
 * in the order of their ids, and reads under the lock what the viewer may do. So nobody writes to a space that they were
 * removed from while they waited, and no write commits after its session has ended.
 * @param touched ids of spaces, or of tasks, projects and sections, for the spaces that these are in; other ids are ignored
 * @param work is given the transaction's client, and the viewer with `spaceIds` reduced to the locked spaces that they are
 *   a member of; it must use both. It is run again after a conflict
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
 * Runs a viewer's write of one statement, under the same lock and checks as {@link write}.
 * @param database the client, or the transaction of a {@link write} that it belongs to
 * @param build is given `allowed`, which must be the statement's first common table expression: it takes the lock, and
 *   its one row has as `spaces` those that the viewer may write to. The snapshot of the statement is older than the lock:
 *   what must be read under the lock is read by functions of `allowed.spaces`, such as `tasks_within`
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
  // A viewer with one space touches that one: the ids are not needed.
  const ids = spaceIds.length === 1 ? [] : anyIds(touched);
  const others = beside ? Prisma.sql`, ${beside.spaces}, ${beside.addresses}` : Prisma.empty;
  return Prisma.sql`lock_for_write(${id}, ${sessionId}, ${spaceIds}, ${ids}, ${withMembers}::boolean${others})`;
};

/** Texts that have the form of an id; others are not sent to the database. */
const anyIds = (texts: readonly string[]) => texts.filter((text) => entityOfId(text) !== undefined);

const sessionEnded = refused('sessionEnded', unauthenticated);

/** The spaces that the write has to queue for, as far as they can be known before the lock. */
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
