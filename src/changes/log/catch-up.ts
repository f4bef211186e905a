import type { Connections } from '../../platform/database.ts';
import type { Viewer } from '../../platform/context.ts';
import { cursorExpired } from '../../platform/errors.ts';
import { decodeCursor, type LogPosition, type Points } from './cursor.ts';
import { positionsAtJoining } from './data.ts';
import { readPage, requireKept, type Transaction } from './page.ts';
import type { Change } from './merge.ts';
import { Progress } from './progress.ts';

export const currentPosition = ({ points }: Viewer): LogPosition => ({ points });

/** Omits spaces that the viewer has left. @throws CURSOR_EXPIRED, also for another account's cursor */
export function positionOf(viewer: Viewer, cursor: string): LogPosition {
  const { points: cursorPoints, within } = decodeCursor(cursor);
  // Only credentials for the personal space have it in their cursors.
  if (viewer.inboxId !== null && !cursorPoints.has(viewer.id)) throw cursorExpired();
  return { points: new Map([...cursorPoints].filter(([id]) => viewer.points.has(id))), within };
}

/**
 * Starts in spaces joined after the cursor, or at a later moment.
 * @throws CURSOR_EXPIRED if changes since then were pruned
 */
export async function positionsOfJoined(
  connections: Connections,
  userId: string,
  spaceIds: readonly string[],
  retentionDays: number,
  since?: Date,
): Promise<Points> {
  if (spaceIds.length === 0) return new Map();
  const starts = await positionsAtJoining(connections, userId, spaceIds, retentionDays, since);
  const points: Points = new Map();
  for (const [id, point] of starts) {
    if (!point) throw cursorExpired();
    points.set(id, point);
  }
  return points;
}

export interface PolledChange extends Change {
  cursor: string;
  tasks: Transaction['tasks'];
}

export interface Polled {
  nodes: PolledChange[];
  cursor: string;
  hasNextPage: boolean;
}

/** @throws CURSOR_EXPIRED */
export async function pollChanges(
  viewer: Viewer,
  { after, first, retentionDays }: { after: string; first: number; retentionDays: number },
): Promise<Polled> {
  const progress = new Progress(positionOf(viewer, after));
  const joined = viewer.spaceIds.filter((id) => !progress.points.has(id));
  const starts = await positionsOfJoined(viewer.connections, viewer.id, joined, retentionDays);
  for (const [id, point] of starts) progress.points.set(id, point);
  const nodes: PolledChange[] = [];
  for (;;) {
    const page = await readPage(viewer, progress, Math.max(first, 100));
    requireKept(page);
    for (const transaction of progress.interruptedFirst(page.transactions)) {
      for (;;) {
        const isFull = nodes.length === first;
        const before = isFull ? progress.cursor : '';
        const change = progress.nextChange(transaction, null);
        if (!change) break;
        // Its deletion follows.
        if (change.kind !== 'DELETED' && !viewer.spaceIds.includes(change.presentSpace ?? '')) continue;
        if (isFull) return { nodes, cursor: before, hasNextPage: true };
        nodes.push({ ...change, cursor: progress.cursor, tasks: transaction.tasks });
      }
    }
    progress.reach(page.points);
    if (!page.more) return { nodes, cursor: progress.cursor, hasNextPage: false };
  }
}
