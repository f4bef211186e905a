import { cursorExpired } from '../../kernel/errors.ts';
import { isSamePoint, type Point } from '../../kernel/point.ts';
import type { LogPosition, Place, Points } from './cursor.ts';
import { type LogRow, type Reader, readLog, type SpaceState } from './data.ts';
import { groupBy } from '../../kernel/group.ts';
import { type Change, mergeRows } from './merge.ts';
import { TaskLoader } from './task-loader.ts';

/** The rows of one writing transaction, or of a part of a large one, to be delivered together. */
export class Transaction {
  readonly rows: readonly LogRow[];
  /** Last point of it in each of its spaces. */
  readonly ends: ReadonlyMap<string, Point>;
  /** Clock of the process, in milliseconds, when it had been read. */
  readonly readAt: number;
  /** Loads its tasks, and those of all that was read with it, once for all receivers. */
  readonly tasks: TaskLoader;
  /** Revision of its first row in each space. */
  readonly #starts: ReadonlyMap<string, number>;
  readonly #views = new Map<string, Change[]>();

  constructor(rows: LogRow[], readAt: number, tasks: TaskLoader) {
    this.rows = rows;
    this.ends = endsOf(rows);
    this.#starts = new Map(rows.toReversed().map(({ spaceId, revision }) => [spaceId, revision]));
    this.readAt = readAt;
    this.tasks = tasks;
  }

  /** Whether a row belongs to them. */
  has({ space, revision }: Place): boolean {
    return (this.#starts.get(space) ?? Infinity) <= revision && revision <= (this.ends.get(space)?.revision ?? 0);
  }

  /** What it changed for a reader of these spaces alone; computed once for all who see the same. */
  changesIn(spaces: readonly string[], projectId: string | null): readonly Change[] {
    const key = JSON.stringify([spaces, projectId]);
    const known = this.#views.get(key);
    if (known) return known;
    const seen = this.rows.filter(({ spaceId }) => spaces.includes(spaceId));
    const changes = mergeRows(seen, projectId);
    this.#views.set(key, changes);
    return changes;
  }
}

/** Point of the last row in each space. @param rows in the order of their revisions within each space */
const endsOf = (rows: readonly LogRow[]): Points =>
  new Map(rows.map(({ spaceId, revision, historyNonce }) => [spaceId, { revision, historyNonce }]));

/** Transactions in an order that is that of commits within every space. */
export interface LogPage {
  transactions: Transaction[];
  /** The position of a reader who has received all of them. */
  points: Points;
  /** Those of the points that lie beyond the transactions: other kinds of things have changed since. */
  beyond: Points;
  /** Whether the log continues. */
  more: boolean;
  spaces: Map<string, SpaceState>;
  /** Spaces in which it cannot be resumed from the position: see {@link requireKept}. Nothing holds then of all else. */
  lost: ReadonlySet<string>;
  /** Further spaces that these transactions wrote to, with their last revision there. */
  otherSpaces: Map<string, number>;
}

/**
 * Reads what the log has beyond the position, in one statement and so in one snapshot: where a transaction
 * wrote to several of the spaces, either all of its rows are seen or none.
 * @param limit changes to read at least, if there are that many, and at most 5,000 more; no part of a transaction is cut
 */
export async function readPage(position: LogPosition, limit: number, reader: Reader = {}): Promise<LogPage> {
  const { within } = position;
  const since: Points = new Map(position.points);
  const { spaces, rows, otherSpaces, arranged } = await readArranged(since, limit, reader);
  const tasks = new TaskLoader(reader.budget);
  const readAt = performance.now();
  const { runs, consumed, complete } = arranged;
  const passed: Points = new Map([...since, ...consumed]);
  const beyond: Points = new Map();
  const lost = new Set(within && !isKept(within, since, rows) ? [within.space] : []);
  for (const [space, { revision, historyNonce, end, canResume }] of spaces) {
    if (!canResume) lost.add(space);
    const isDone = end === null && complete.has(space);
    if (isDone && revision > (passed.get(space)?.revision ?? 0)) beyond.set(space, { revision, historyNonce });
  }
  return {
    transactions: runs.map((run) => new Transaction(run, readAt, tasks)),
    points: new Map([...passed, ...beyond]),
    beyond,
    more: [...spaces].some(([space, { end }]) => end !== null || !complete.has(space)),
    spaces,
    lost,
    otherSpaces,
  };
}

/** How much larger a page is read at most where none of what was read comes first in all of its spaces. */
const maxGrowth = 64;

/** Reads the log, and more of it where nothing of what was read can be put in order. */
async function readArranged(since: Points, limit: number, reader: Reader) {
  for (let growth = 1; ; growth *= 4) {
    const answer = await readLog(since, limit * growth, reader);
    const isLast = growth >= maxGrowth || [...answer.spaces.values()].every(({ end }) => end === null);
    const arranged = arrange(answer.rows, answer.spaces, { breaksCircles: isLast });
    if (isLast || arranged.runs.length > 0) return { ...answer, arranged };
  }
}

/** Whether the log has the row after which a transaction was broken off: it is beyond the points, and so among what was read. */
function isKept(row: Place, since: Points, rows: readonly LogRow[]): boolean {
  const own = since.get(row.space);
  if (!own || own.revision >= row.revision) return true;
  return rows.some((each) => each.spaceId === row.space && isSamePoint(each, row));
}

/**
 * @throws CURSOR_EXPIRED if the log does not continue from where it was to be read: what comes next has been pruned, or
 *   what came before is of a history that is gone
 */
export function requireKept({ lost }: LogPage): void {
  if (lost.size > 0) throw cursorExpired();
}

/**
 * Puts rows of several spaces into one order of transactions that keeps every space's own. Writers hold
 * a space from their first row in it until their commit: so a transaction's rows of a space are adjacent, and some
 * transaction always comes first in all of its spaces. What lies beyond a space's `end` is not known, unless it
 * continues the transaction at the end; so all that would come after it is left for the next read. Parts of large
 * transactions are as transactions.
 * @param breaksCircles whether any transaction is taken where none comes first: numbers of transactions that came a second
 *   time, after a restore into a new server, can block one another
 */
export function arrange(
  rows: readonly LogRow[],
  spaces: ReadonlyMap<string, { end: number | null }>,
  { breaksCircles }: { breaksCircles: boolean },
) {
  const bySpace = groupBy(rows, ({ spaceId }) => spaceId);
  const spacesOf = new Map(
    [...groupBy(rows, idOf)].map(([id, own]) => [id, new Set(own.map(({ spaceId }) => spaceId)).size]),
  );
  const next = new Map<string, number>();
  const leading = new Map<string, Set<string>>();
  const ready: string[] = [];
  const isWhole = [...spaces.values()].every(({ end }) => end === null);
  const runs: LogRow[][] = [];
  const consumed: Points = new Map();

  const head = (space: string): LogRow | undefined => {
    const row = bySpace.get(space)?.[next.get(space) ?? 0];
    const end = spaces.get(space)?.end ?? null;
    return row && (end === null || row.revision <= end) ? row : undefined;
  };
  const lead = (space: string) => {
    const row = head(space);
    if (!row) return;
    const id = idOf(row);
    const places = leading.get(id) ?? new Set();
    leading.set(id, places.add(space));
    if (places.size === spacesOf.get(id)) ready.push(id);
  };
  const take = (id: string) => {
    const run: LogRow[] = [];
    const places = [...(leading.get(id) ?? [])];
    leading.delete(id);
    for (const space of places) {
      const own = bySpace.get(space) ?? [];
      let index = next.get(space) ?? 0;
      for (let row = own[index]; row && idOf(row) === id; row = own[(index += 1)]) {
        run.push(row);
        consumed.set(space, { revision: row.revision, historyNonce: row.historyNonce });
      }
      next.set(space, index);
    }
    runs.push(run);
    for (const space of places) lead(space);
  };

  for (const space of [...bySpace.keys()].sort()) lead(space);
  for (;;) {
    for (let id = ready.shift(); id !== undefined; id = ready.shift()) take(id);
    const isBlocked = isWhole || (breaksCircles && runs.length === 0);
    const any = isBlocked ? leading.keys().next().value : undefined;
    if (any === undefined) break;
    take(any);
  }
  const complete = new Set(
    [...spaces.keys()].filter((space) => (next.get(space) ?? 0) === (bySpace.get(space)?.length ?? 0)),
  );
  return { runs, consumed, complete };
}

/** Names a part of a transaction. */
const idOf = ({ transactionId, part }: LogRow) => `${transactionId}.${part}`;
