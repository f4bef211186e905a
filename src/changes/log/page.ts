import { groupBy } from '@taskgate/base';
import { isSamePoint, type Point } from '@taskgate/postgres';
import { cursorExpired } from '../../platform/errors.ts';
import type { LogPosition, SpacePoint, Points } from './cursor.ts';
import { type TimedReader, type LogRow, readLog, type SpaceState } from './data.ts';
import { type Change, mergeRows } from './merge.ts';
import { TaskLoader } from './task-loader.ts';

/** Rows of a transaction, or of a part of a large one, delivered together. */
export class Transaction {
  readonly rows: readonly LogRow[];
  readonly ends: ReadonlyMap<string, Point>;
  /** By `performance.now()`. */
  readonly readAt: number;
  /** Loads the page's tasks once for all receivers. */
  readonly tasks: TaskLoader;
  readonly #starts: ReadonlyMap<string, number>;
  readonly #views = new Map<string, Change[]>();

  constructor(rows: LogRow[], readAt: number, tasks: TaskLoader) {
    this.rows = rows;
    this.ends = endsOf(rows);
    this.#starts = new Map(rows.toReversed().map(({ spaceId, revision }) => [spaceId, revision]));
    this.readAt = readAt;
    this.tasks = tasks;
  }

  has({ space, revision }: SpacePoint): boolean {
    return (this.#starts.get(space) ?? Infinity) <= revision && revision <= (this.ends.get(space)?.revision ?? 0);
  }

  /** Cached for readers with the same view. */
  changesIn(spaces: readonly string[], projectId: string | null): readonly Change[] {
    const key = JSON.stringify([spaces, projectId]);
    const cached = this.#views.get(key);
    if (cached) return cached;
    const seen = this.rows.filter(({ spaceId }) => spaces.includes(spaceId));
    const changes = mergeRows(seen, projectId);
    this.#views.set(key, changes);
    return changes;
  }
}

const endsOf = (rows: readonly LogRow[]): Points =>
  new Map(rows.map(({ spaceId, revision, historyNonce }) => [spaceId, { revision, historyNonce }]));

/** Transactions in the commit order of every space. */
export interface LogPage {
  transactions: Transaction[];
  points: Points;
  /** Later points, reached by changes of other entities. */
  beyond: Points;
  more: boolean;
  spaces: Map<string, SpaceState>;
  /** Spaces whose log does not continue. Then the rest is invalid. */
  lost: ReadonlySet<string>;
  /** Other spaces of the transactions, with their last revision. */
  otherSpaces: Map<string, number>;
}

/**
 * Reads one snapshot: a transaction over several spaces is whole or absent.
 * @param limit changes, exceeded by up to 5,000 to complete a part
 * @param inTurns for readers of different spaces: a space with many changes does not delay the others, but the next page
 * may have an older change of another space
 */
export async function readPage(
  reader: TimedReader,
  position: LogPosition,
  limit: number,
  { inTurns = false } = {},
): Promise<LogPage> {
  const { within } = position;
  const since: Points = new Map(position.points);
  const { spaces, rows, otherSpaces, arranged } = await readArranged(reader, since, limit, inTurns);
  const tasks = new TaskLoader(reader);
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

/** If no transaction leads all its spaces. */
const maxGrowth = 64;

async function readArranged(reader: TimedReader, since: Points, limit: number, inTurns: boolean) {
  for (let growth = 1; ; growth *= 4) {
    const answer = await readLog(reader, since, limit * growth, inTurns);
    const isLast = growth >= maxGrowth || [...answer.spaces.values()].every(({ end }) => end === null);
    const arranged = arrange(answer.rows, answer.spaces, { breaksCircles: isLast });
    if (isLast || arranged.runs.length > 0) return { ...answer, arranged };
  }
}

/** Whether the log still has the row where delivery stopped. */
function isKept(within: SpacePoint, since: Points, rows: readonly LogRow[]): boolean {
  const own = since.get(within.space);
  if (!own || own.revision >= within.revision) return true;
  return rows.some((each) => each.spaceId === within.space && isSamePoint(each, within));
}

/** @throws CURSOR_EXPIRED if the log was pruned or replaced */
export function requireKept({ lost }: LogPage): void {
  if (lost.size > 0) throw cursorExpired();
}

/**
 * Orders transactions (or parts) of several spaces, and keeps the order of each space. A writer holds a space from its
 * first row to the commit: its rows there are adjacent, and some transaction always leads all its spaces. Of several, the
 * oldest comes first: a task may have come through a space that is not among these. Rows after `end` are unknown, unless
 * they continue the last transaction; dependent ones wait for the next read.
 * @param breaksCircles takes any transaction if none leads. Transaction ids that recur after a restore can block each
 * other
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
  /** The newest first. */
  const ready: LogRow[] = [];
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
    const heads = leading.get(id) ?? new Set();
    leading.set(id, heads.add(space));
    if (heads.size === spacesOf.get(id)) ready.splice(placeByAge(ready, row), 0, row);
  };
  const take = (id: string) => {
    const run: LogRow[] = [];
    const heads = [...(leading.get(id) ?? [])];
    leading.delete(id);
    for (const space of heads) {
      const own = bySpace.get(space) ?? [];
      let index = next.get(space) ?? 0;
      for (let row = own[index]; row && idOf(row) === id; row = own[(index += 1)]) {
        run.push(row);
        consumed.set(space, { revision: row.revision, historyNonce: row.historyNonce });
      }
      next.set(space, index);
    }
    runs.push(run);
    for (const space of heads) lead(space);
  };

  for (const space of [...bySpace.keys()].sort()) lead(space);
  for (;;) {
    for (let oldest = ready.pop(); oldest; oldest = ready.pop()) take(idOf(oldest));
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

/** The index of a row among rows that begin with the newest. Ids of operations are in the order of their creation. */
function placeByAge(rows: readonly LogRow[], { operationId }: LogRow): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.operationId ?? '') > operationId) low = middle + 1;
    else high = middle;
  }
  return low;
}

const idOf = ({ transactionId, part }: LogRow) => `${transactionId}.${part}`;
