import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../kernel/context.ts';
import { noteOperation } from './announcements.ts';
import { type Database, db } from './database.ts';
import { runSql } from './statements.ts';
import { unauthenticated } from '../kernel/errors.ts';
import { kindOfId } from '../kernel/ids.ts';
import { mapConstraintError } from './errors.ts';
import { beforeTurn, checkedAtEnd, inTurn, retrying, tryTransaction } from './transaction.ts';

/** What a write locks besides the spaces that it touches, whatever the viewer may do there. */
export interface WriteOptions {
  /** Ids of spaces, such as a workspace that the viewer is invited to; never the personal space of somebody else. */
  spaces?: readonly string[];
  /** E-mail addresses: no account is made for them, and no mail to them counted, meanwhile. */
  addresses?: readonly string[];
}

/**
 * Runs a viewer's writes as one transaction. It waits for its turn in the process, where it takes no connection, then
 * locks the spaces that it touches, all at once and in their order, and looks up under the lock what the viewer may do:
 * a member who was removed from a space while the write waited does not write there, and no write commits after the session
 * that it came by has ended.
 * @param touched ids of what it is about: a space stands for itself; a task, project or section for the space it is in; a tag of the viewer
 * for the spaces of the tasks that carry it; any other id for none
 * @param work its statements must go to the client, and be for the viewer, that it is given: the viewer's `spaceIds` are
 * those spaces, locked, that they are a member of. It is run again after a conflict
 * @throws UNAUTHENTICATED where the session has ended; UNAVAILABLE
 */
export const write = <Result>(
  viewer: Viewer,
  touched: readonly string[],
  work: (tx: Database, viewer: Viewer) => Promise<Result>,
  options?: WriteOptions,
): Promise<Result> =>
  retrying(async () => {
    const locks = await locksOf(viewer, touched, options);
    noteWritten(viewer, locks);
    return noteOperation(viewer.operations, (request) => {
      const locked = async (tx: Database) => {
        const [row] = await tx.$queryRaw<{ spaces: string[] }[]>`SELECT ${lock(viewer, locks, request)} AS spaces`;
        return work(tx, { ...viewer, spaceIds: row?.spaces ?? [] });
      };
      return tryTransaction(locks.spaces, locked, viewer);
    });
  }).catch(sessionEnded);

/**
 * Runs a viewer's write that is one statement, as {@link write} does with more.
 * @param database the client, or the transaction of a {@link write} that it belongs to
 * @param build makes the statement around the first of its common table expressions, which locks: `allowed`, whose one
 * row has as `spaces` those that the viewer may write to. What is to be read under the lock has to be read from it, by
 * functions such as `tasks_within`, as the rest of the statement sees what was before. `operation` is for a column of that
 * name, in a row that says that something changes: it is the operation that the statement is, null where it is not one by itself
 * @throws UNAUTHENTICATED where the session has ended; UNAVAILABLE
 */
export async function writeStatement<Row extends object>(
  database: Database,
  viewer: Viewer,
  touched: readonly string[],
  build: (allowed: Prisma.Sql, operation: Prisma.Sql) => Prisma.Sql,
): Promise<Row[]> {
  const statement = (locks: Locks, request: string | null) =>
    build(
      Prisma.sql`allowed AS MATERIALIZED (SELECT ${lock(viewer, locks, request)} AS spaces)`,
      request === null ? Prisma.sql`NULL` : Prisma.sql`return_operation()`,
    );
  // The transaction has locked what it touches.
  if (database !== db) {
    return runSql<Row>(database, statement({ spaces: viewer.spaceIds, moving: [], addresses: [] }, null));
  }
  const rows = await retrying(async () => {
    const locks = await locksOf(viewer, touched);
    noteWritten(viewer, locks);
    return noteOperation(viewer.operations, (request) =>
      inTurn(
        locks.spaces,
        () => checkedAtEnd(() => runSql<Row & { operation?: string | null }>(db, statement(locks, request))),
        viewer,
      ),
    );
  }).catch(sessionEnded);
  for (const { operation } of rows) if (operation != null) viewer.operations?.push(operation);
  return rows;
}

/**
 * Runs a write to one space that comes by no session, and is one statement. Its caller has to know that it may run.
 * @param build makes the statement around the first of its common table expressions, `locked`, which locks the space: the
 * statement has to select from it
 * @throws UNAVAILABLE
 */
export const writeStatementInSpace = <Row extends object>(
  spaceId: string,
  build: (locked: Prisma.Sql) => Prisma.Sql,
): Promise<Row[]> => {
  const statement = build(Prisma.sql`locked AS MATERIALIZED (SELECT lock_spaces(${[spaceId]}))`);
  return retrying(() => inTurn([spaceId], () => runSql<Row>(db, statement)));
};

/** Locks spaces in a transaction that comes by no session: it waits for what is being written there, and later writes wait for it. */
export const lockSpaces = (tx: Database, ids: readonly string[]) => tx.$executeRaw`SELECT lock_spaces(${[...ids]})`;

/** What a write locks; by the same spaces it waits for its turn, so that none waits in PostgreSQL for another one's. */
interface Locks {
  spaces: readonly string[];
  /** Ids of what may be in another space by the time of the lock. */
  moving: readonly string[];
  addresses: readonly string[];
}

/** Ids of the viewer's spaces that a write to things of these ids locks, as {@link write} finds them. @throws UNAVAILABLE */
export const spacesTouched = async (viewer: Viewer, touched: readonly string[]): Promise<readonly string[]> =>
  (await locksOf(viewer, touched)).spaces;

/** Finds the spaces that a write touches, by one statement unless their ids say it already. */
async function locksOf(
  viewer: Viewer,
  touched: readonly string[],
  { spaces = [], addresses = [] }: WriteOptions = {},
): Promise<Locks> {
  const { id, inboxId, spaceIds } = viewer;
  if (spaceIds.length === 1) return { spaces: [...spaceIds, ...spaces], moving: [], addresses };
  const known = touched.map((each) => (each === inboxId ? id : each));
  if (known.every((each) => spaceIds.includes(each))) return { spaces: [...known, ...spaces], moving: [], addresses };
  const moving = known.filter((each) => kindOfId(each) !== undefined);
  const lookUp = Prisma.sql`SELECT spaces_touched(${moving}, ${spaceIds}) AS spaces`;
  const [row] = await beforeTurn(viewer, () => runSql<{ spaces: string[] }>(db, lookUp));
  return { spaces: [...(row?.spaces ?? []), ...spaces], moving, addresses };
}

/**
 * For what tells the other processes after a mutation (graphql/execute.ts). Noted before the write: that may have been committed even
 * where its answer was lost.
 */
function noteWritten({ written }: Viewer, { spaces }: Locks): void {
  for (const id of spaces) written?.add(id);
}

/** @param request see {@link noteOperation}; null within a transaction that has one */
const lock = (
  { id, sessionId, credential, spaceIds }: Viewer,
  { spaces, moving, addresses }: Locks,
  request: string | null,
) => Prisma.sql`
  lock_for_write(${id}, ${sessionId}, ${spaces}, ${moving}, ${spaceIds}, ${addresses}, ${credential.label}, ${request})`;

const sessionEnded = mapConstraintError('sessionEnded', unauthenticated);
