import { groupBy } from '@taskgate/base';
import type { Clock } from '@taskgate/postgres';
import type { Database } from '../platform/database.ts';
import { isId } from '../platform/ids.ts';
import { type Candidate, findCandidates, findRoom } from './candidate-data.ts';
import * as digestData from './digest-data.ts';
import { planDigest } from './digests.ts';
import { type Scan, lockUsers, type QueuedScan, queueScans, scheduleScans } from './planning-queue-data.ts';
import * as reminderData from './reminder-data.ts';
import { endOfReminder, occurrenceOf } from './reminders.ts';
import { dueMoment, reminderMoment } from './times.ts';

/** Pause before the retry of a page that failed. */
const retrySeconds = 60;
/** Pause if another transaction has locked users, as for a deletion. */
const heldSeconds = 2;
/** Pause if the space has reached its hourly limit. */
const fullSeconds = 300;

interface Page {
  candidates: Candidate[];
  next: Map<string, Scan['progress'] | 'end'>;
}

/**
 * Plans a page of reminders in each space, and the digests of users. Unnecessary reminders stay planned: the sender
 * skips them.
 * @param limit pairs of tasks and members in each space
 */
export async function scanSpaces(
  tx: Database,
  clock: Clock,
  scans: readonly Scan[],
  limit: number,
): Promise<{ reminders: number; digests: number }> {
  const isFirst = ({ progress }: Scan) => progress.taskId === null;
  const readers = scans.filter((scan) => isFirst(scan) && isId('User', scan.spaceId)).map(({ spaceId }) => spaceId);
  const { digests, held } = await planDigests(tx, clock, readers);
  const page = await readPage(tx, clock, scans, limit);
  const { reminders, full, held: heldOfReminders } = await planAhead(tx, scans, page.candidates);
  for (const spaceId of heldOfReminders) held.add(spaceId);
  await queueNext(tx, clock, scans, page.next, (spaceId) => {
    if (held.has(spaceId)) return heldSeconds;
    return full.has(spaceId) ? fullSeconds : undefined;
  });
  return { reminders, digests };
}

/** Continues behind a page that cannot be planned, and queues the page for a retry. */
export async function skipPage(tx: Database, clock: Clock, scans: readonly Scan[]): Promise<void> {
  const { next } = await readPage(tx, clock, scans, 1);
  await queueNext(tx, clock, scans, next, () => retrySeconds);
}

async function readPage(tx: Database, clock: Clock, scans: readonly Scan[], limit: number): Promise<Page> {
  const parts = scans.map(({ spaceId, since, progress }) => ({ spaceId, since, ...progress }));
  const candidates = await findCandidates(tx, clock, parts, limit);
  const bySpace = groupBy(candidates, ({ spaceId }) => spaceId);
  const next = new Map(
    scans.map(({ spaceId }) => {
      const ofSpace = bySpace.get(spaceId) ?? [];
      const last = ofSpace.at(-1);
      const isFull = last && new Set(ofSpace.map(({ taskId }) => taskId)).size === last.limit;
      return [spaceId, isFull ? { key: last.key, taskId: last.taskId } : ('end' as const)];
    }),
  );
  return { candidates, next };
}

async function planAhead(tx: Database, scans: readonly Scan[], candidates: readonly Candidate[]) {
  const scanOf = new Map(scans.map((scan) => [scan.spaceId, scan]));
  const wanted = candidates.flatMap((each) => reminderOf(each, scanOf.get(each.spaceId)) ?? []);
  const room = await findRoom(tx, [...new Set(wanted.map(({ spaceId }) => spaceId))]);
  const full = new Set<string>();
  const admitted = wanted.filter(({ spaceId, isRow }) => {
    // Existing rows do not count against the limit.
    if (isRow) return true;
    const left = room.get(spaceId) ?? 0;
    room.set(spaceId, left - 1);
    if (left <= 0) full.add(spaceId);
    return left > 0;
  });
  const { writable, held } = await lockUsersOf(tx, admitted);
  await reminderData.insertReminders(tx, writable);
  return { reminders: writable.filter(({ isRow }) => !isRow).length, full, held };
}

function reminderOf(candidate: Candidate, scan: Scan | undefined) {
  const { taskId, userId, spaceId, timeZone, reminderBefore, existing } = candidate;
  const dueAt = dueMoment(candidate, timeZone);
  if (!scan || userId === null || !dueAt || dueAt <= scan.since) return undefined;
  const at = reminderMoment(dueAt, reminderBefore);
  if (at.getTime() > scan.now.getTime() + reminderData.aheadSeconds * 1000) return undefined;
  const row = existing.find(([dueMs]) => dueMs === dueAt.getTime());
  if (row && (row[1] === null || row[1] === at.getTime())) return undefined;
  const occurrence = occurrenceOf(taskId, dueAt);
  return { taskId, userId, spaceId, occurrence, dueAt, at, expiresAt: endOfReminder(dueAt), isRow: row !== undefined };
}

/** @returns number of digests, and spaces of locked users */
async function planDigests(tx: Database, clock: Clock, userIds: readonly string[]) {
  const { writable, held } = await lockUsersOf(
    tx,
    userIds.map((userId) => ({ userId, spaceId: userId })),
  );
  const users = await digestData.findDigestUsers(
    tx,
    clock,
    writable.map(({ userId }) => userId),
  );
  let digests = 0;
  for (const user of users) {
    const { planned, now, userId } = user;
    // A digest that is being sent plans the next one at its end.
    if (planned && planned.at <= now) continue;
    const next = planDigest(user);
    if (planned?.date === next?.date && planned?.at.getTime() === next?.at.getTime()) continue;
    if (planned && !(await digestData.deleteDigest(tx, planned.id))) continue;
    if (!next) continue;
    await digestData.insertDigest(tx, { userId, ...next });
    digests += 1;
  }
  return { digests, held: new Set(held) };
}

/** Locks users against deletion, without waiting. @returns `held`: spaces of users that other transactions have locked */
async function lockUsersOf<Item extends { userId: string; spaceId: string }>(tx: Database, items: readonly Item[]) {
  const locks = await lockUsers(tx, new Set(items.map(({ userId }) => userId)));
  return {
    writable: items.filter(({ userId }) => locks.get(userId) === true),
    held: items.filter(({ userId }) => locks.get(userId) === false).map(({ spaceId }) => spaceId),
  };
}

async function queueNext(
  tx: Database,
  clock: Clock,
  scans: readonly Scan[],
  next: Page['next'],
  retrySecondsOf: (spaceId: string) => number | undefined,
): Promise<void> {
  const ended = scans.filter(({ spaceId }) => next.get(spaceId) === 'end');
  const queued = scans.flatMap(({ spaceId, at, since, needsRescan }): QueuedScan[] => {
    const progress = next.get(spaceId);
    const seconds = retrySecondsOf(spaceId);
    return [
      ...(seconds === undefined ? [] : [{ spaceId, at, since, retrySeconds: seconds }]),
      ...(progress && progress !== 'end' ? [{ spaceId, at, since, needsRescan, ...progress }] : []),
      ...(progress === 'end' && needsRescan ? [{ spaceId, at, since }] : []),
    ];
  });
  if (queued.length > 0) await queueScans(tx, queued);
  await scheduleScans(
    tx,
    clock,
    ended.map(({ spaceId }) => spaceId),
  );
}
