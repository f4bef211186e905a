import { unauthenticated } from '@taskgate/base';
import { mapConstraintError, runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from './context.ts';
import type { Connections, Database } from './database.ts';
import { claimLost } from './errors.ts';
import { kindOfId } from './ids.ts';
import { hasRole, roleTooLow } from './policy.ts';
import type { Role } from './roles.ts';
import { inReadTurn, checkedAtEnd, inTurn, retrying, tryTransaction } from './transaction.ts';

/** Access that a write needs, and the rows that it locks. */
export interface WriteAccess {
  /** The least role of the viewer in the spaces of the ids. Default: EDITOR. */
  needs?: Role;
  /** Spaces; tasks, projects and sections in them; or the viewer's tags, for the spaces of their tasks. Ignores others. */
  ids: readonly string[];
  /** Refusals that precede FORBIDDEN: NOT_FOUND, ids that do not fit. Runs without locks if the role is too low. */
  checkFirst?: () => Promise<unknown>;
  /** Further locks, for writes that need VIEWER. Only the deletion of an account locks another user's personal space. */
  spaces?: readonly string[];
  /** Until the end, nobody else creates an account for these addresses, or counts a mail to them. */
  addresses?: readonly string[];
}

/**
 * Runs a viewer's writes in one transaction. It waits for its turn without a connection. Then it locks the affected
 * spaces in order, and reads the viewer's access under the lock. Thus a removed or demoted member cannot write, and no
 * write commits after its session has ended.
 * @param work must use the given client and `caller`: the viewer with the locked spaces and their present roles. Runs
 *   again after a conflict
 * @throws UNAUTHENTICATED if the session has ended; the refusals of `checkFirst`; FORBIDDEN if the role does not suffice;
 *   CLAIM_LOST if the claim that the request names is not in force; UNAVAILABLE
 */
export const write = <Result>(
  viewer: Viewer,
  access: WriteAccess,
  work: (tx: Database, caller: Viewer) => Promise<Result>,
): Promise<Result> =>
  underLocks(viewer, access, (locks, request) => {
    const locked = async (tx: Database) => {
      const [row] = await runSql<{ spaces: string[]; roles: Record<string, Role> | null }>(
        tx,
        Prisma.sql`WITH ${allowed(viewer, access, locks, request)}
          SELECT spaces, roles_within(${viewer.id}, spaces) AS roles FROM allowed`,
      );
      const { spaces = [], roles } = row ?? {};
      return work(tx, { ...viewer, spaceIds: spaces, roles: new Map(Object.entries(roles ?? {})) });
    };
    return tryTransaction(viewer.connections, locks.spaces, locked, viewer);
  });

/** Runs an attempt, which takes the locks, and again after a conflict. @throws as {@link write} */
const underLocks = <Result>(
  viewer: Viewer,
  access: WriteAccess,
  attempt: (locks: Locks, request: string) => Promise<Result>,
): Promise<Result> =>
  retrying(async () => {
    const locks = await locksOf(viewer, access);
    // Before the locks, because their refusal ends the transaction of a keyed request.
    if (!locks.spaces.every((space) => hasRole(viewer, space, neededFor(access)))) await access.checkFirst?.();
    // To announce them. The write may commit even if its answer is lost.
    for (const id of locks.spaces) viewer.written?.add(id);
    return viewer.connections.announcements.note(viewer.operations, (request) => attempt(locks, request));
  })
    .catch(mapConstraintError('sessionEnded', unauthenticated))
    .catch(mapConstraintError('claimLost', claimLost))
    .catch(mapConstraintError('roleTooLow', () => roleTooLow(neededFor(access))));

/**
 * As {@link write}, in one statement.
 * @param tx of a {@link write}; null: the statement is a transaction of its own
 * @param build makes the statement around its first common table expression, `allowed`, which takes the locks and has
 * the writable `spaces`. Functions such as `tasks_within` read it under the lock; the rest of the statement sees the
 * state before. `operation`, for a column of that name in a changed row: the operation's id, or null in a transaction
 */
export async function writeStatement<Row extends object>(
  tx: Database | null,
  viewer: Viewer,
  access: WriteAccess,
  build: (allowed: Prisma.Sql, operation: Prisma.Sql) => Prisma.Sql,
): Promise<Row[]> {
  const statement = (locks: Locks, request: string | null) =>
    build(
      allowed(viewer, access, locks, request),
      request === null ? Prisma.sql`NULL` : Prisma.sql`return_operation()`,
    );
  // The transaction has the locks already.
  if (tx) {
    return runSql<Row>(tx, statement({ spaces: viewer.spaceIds, moving: [], addresses: [] }, null));
  }
  const { connections } = viewer;
  type Written = Row & { operation?: string | null };
  const rows = await underLocks(viewer, access, (locks, request) => {
    const run = () => runSql<Written>(connections, statement(locks, request));
    return inTurn(connections, locks.spaces, () => checkedAtEnd(connections, run), viewer);
  });
  for (const { operation } of rows) if (operation != null) viewer.operations?.push(operation);
  return rows;
}

/**
 * Writes to a space in one statement, without a session. The caller checks access.
 * @param build as in {@link writeStatement}; must select from its first common table expression, `locked`
 * @throws UNAVAILABLE
 */
export const writeStatementInSpace = <Row extends object>(
  connections: Connections,
  spaceId: string,
  build: (locked: Prisma.Sql) => Prisma.Sql,
): Promise<Row[]> => {
  const statement = build(Prisma.sql`locked AS MATERIALIZED (SELECT lock_spaces(${[spaceId]}))`);
  return retrying(() => inTurn(connections, [spaceId], () => runSql<Row>(connections, statement)));
};

/** Waits for current writes, and delays later ones. For transactions without a session. */
export const lockSpaces = (tx: Database, ids: readonly string[]) => tx.$executeRaw`SELECT lock_spaces(${[...ids]})`;

/** A write queues for these, so no write waits for another in PostgreSQL. */
interface Locks {
  spaces: readonly string[];
  /** Entities that may change their space before the lock. */
  moving: readonly string[];
  addresses: readonly string[];
}

export const findSpacesToLock = async (viewer: Viewer, ids: readonly string[]): Promise<readonly string[]> =>
  (await locksOf(viewer, { ids, needs: 'VIEWER' })).spaces;

const neededFor = ({ needs = 'EDITOR' }: WriteAccess) => needs;

async function locksOf(viewer: Viewer, access: WriteAccess): Promise<Locks> {
  const { ids: given, spaces = [], addresses = [] } = access;
  const { connections, id, inboxId, spaceIds } = viewer;
  const [only = ''] = spaceIds;
  // If the role does not suffice, the ids decide between FORBIDDEN and NOT_FOUND.
  if (spaceIds.length === 1 && hasRole(viewer, only, neededFor(access)))
    return { spaces: [...spaceIds, ...spaces], moving: [], addresses };
  const ids = given.map((each) => (each === inboxId ? id : each));
  if (ids.every((each) => spaceIds.includes(each))) return { spaces: [...ids, ...spaces], moving: [], addresses };
  const moving = ids.filter((each) => kindOfId(each) !== undefined);
  const statement = Prisma.sql`SELECT spaces_of_ids(${moving}, ${spaceIds}) AS spaces`;
  const [row] = await inReadTurn(connections, viewer, () => runSql<{ spaces: string[] }>(connections, statement));
  return { spaces: [...(row?.spaces ?? []), ...spaces], moving, addresses };
}

/** @param request see `Announcements` of @taskgate/postgres; null within a transaction that has one */
const allowed = (
  { id, sessionId, credential, spaceIds, fence }: Viewer,
  access: WriteAccess,
  { spaces, moving, addresses }: Locks,
  request: string | null,
) => Prisma.sql`
  allowed AS MATERIALIZED (
    SELECT lock_for_write(${id}, ${sessionId}, ${neededFor(access)}::"WorkspaceRole", ${spaces}, ${moving}, ${spaceIds},
      ${addresses}, ${credential.label}, ${request}, ${fence ?? null}::bigint) AS spaces
  )`;
