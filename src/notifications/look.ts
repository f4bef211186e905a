import type { Database } from '../database/database.ts';
import { groupBy } from '../kernel/group.ts';
import { isId } from '../kernel/ids.ts';
import { type Candidate, findCandidates, findRoom } from './candidate-data.ts';
import type { Clock } from './clock.ts';
import * as digestData from './digest-data.ts';
import { planDigest } from './digests.ts';
import { type Look, lockUsers, type Queued, queueLooks, queueNextLooks } from './planning-queue-data.ts';
import * as reminderData from './reminder-data.ts';
import { endOfReminder, occurrenceOf } from './reminders.ts';
import { dueMoment, reminderMoment } from './times.ts';

/** Seconds until the next scan after a failure. */
const retrySeconds = 60;
/** Seconds until the next scan if users are locked, as during a deletion. */
const heldSeconds = 2;
/** Seconds until the next scan after the hourly limit. */
const fullSeconds = 300;

interface Page {
  candidates: Candidate[];
  next: Map<string, Look['progress'] | 'end'>;
}

/**
 * Plans the next page of each space. Reminders that have become unnecessary stay: the sender decides, and `planAgain` shows the same
 * decision.
 * @param limit pairs of tasks and members in each space
 * @returns number of planned mails
 */
export async function lookAt(
  tx: Database,
  clock: Clock,
  looks: readonly Look[],
  limit: number,
): Promise<{ reminders: number; digests: number }> {
  const isFirst = ({ progress }: Look) => progress.taskId === null;
  const readers = looks.filter((look) => isFirst(look) && isId('User', look.spaceId)).map(({ spaceId }) => spaceId);
  const { digests, held } = await planDigests(tx, clock, readers);
  const page = await readPage(tx, clock, looks, limit);
  const { reminders, full, held: heldOfReminders } = await planAhead(tx, looks, page.candidates);
  for (const spaceId of heldOfReminders) held.add(spaceId);
  await queueNext(tx, clock, looks, page.next, (spaceId) => {
    if (held.has(spaceId)) return heldSeconds;
    return full.has(spaceId) ? fullSeconds : undefined;
  });
  return { reminders, digests };
}

/** Skips a page that cannot be planned, and retries it later. */
export async function passOver(tx: Database, clock: Clock, looks: readonly Look[]): Promise<void> {
  const { next } = await readPage(tx, clock, looks, 1);
  await queueNext(tx, clock, looks, next, () => retrySeconds);
}

async function readPage(tx: Database, clock: Clock, looks: readonly Look[], limit: number): Promise<Page> {
  const parts = looks.map(({ spaceId, since, progress }) => ({ spaceId, since, ...progress }));
  const candidates = await findCandidates(tx, clock, parts, limit);
  const bySpace = groupBy(candidates, ({ spaceId }) => spaceId);
  const next = new Map(
    looks.map(({ spaceId }) => {
      const found = bySpace.get(spaceId) ?? [];
      const last = found.at(-1);
      const isFull = last && new Set(found.map(({ taskId }) => taskId)).size === last.limit;
      return [spaceId, isFull ? { key: last.key, taskId: last.taskId } : ('end' as const)];
    }),
  );
  return { candidates, next };
}

async function planAhead(tx: Database, looks: readonly Look[], candidates: readonly Candidate[]) {
  const lookOf = new Map(looks.map((look) => [look.spaceId, look]));
  const wanted = candidates.flatMap((each) => reminderOf(each, lookOf.get(each.spaceId)) ?? []);
  const room = await findRoom(tx, [...new Set(wanted.map(({ spaceId }) => spaceId))]);
  const full = new Set<string>();
  const admitted = wanted.filter(({ spaceId, isRow }) => {
    // An existing row does not count against the limit.
    if (isRow) return true;
    const left = room.get(spaceId) ?? 0;
    room.set(spaceId, left - 1);
    if (left <= 0) full.add(spaceId);
    return left > 0;
  });
  const { writable, held } = await lockThem(tx, admitted);
  await reminderData.insertReminders(tx, writable);
  return { reminders: writable.filter(({ isRow }) => !isRow).length, full, held };
}

/** Returns the reminder to plan, if its moment is near. */
function reminderOf(candidate: Candidate, look: Look | undefined) {
  const { taskId, userId, spaceId, timeZone, reminderBefore, had } = candidate;
  const dueAt = dueMoment(candidate, timeZone);
  if (!look || userId === null || !dueAt || dueAt <= look.since) return undefined;
  const at = reminderMoment(dueAt, reminderBefore);
  if (at.getTime() > look.now.getTime() + reminderData.aheadSeconds * 1000) return undefined;
  const row = had.find(([dueMs]) => dueMs === dueAt.getTime());
  if (row && (row[1] === null || row[1] === at.getTime())) return undefined;
  const occurrence = occurrenceOf(taskId, dueAt);
  return { taskId, userId, spaceId, occurrence, dueAt, at, expiresAt: endOfReminder(dueAt), isRow: row !== undefined };
}

/** @returns the number of digests, and the spaces of locked users */
async function planDigests(tx: Database, clock: Clock, userIds: readonly string[]) {
  const { writable, held } = await lockThem(
    tx,
    userIds.map((userId) => ({ userId, spaceId: userId })),
  );
  const found = await digestData.findDigestUsers(
    tx,
    clock,
    writable.map(({ userId }) => userId),
  );
  let digests = 0;
  for (const user of found) {
    const { planned, now, userId } = user;
    // It is being sent, and its end plans the next one.
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

/** Locks users against deletion, without waiting. @returns spaces of users that others hold, as `held` */
async function lockThem<Item extends { userId: string; spaceId: string }>(tx: Database, items: readonly Item[]) {
  const locked = await lockUsers(tx, new Set(items.map(({ userId }) => userId)));
  const held = items.filter(({ userId }) => !locked.has(userId)).map(({ spaceId }) => spaceId);
  return { writable: items.filter(({ userId }) => locked.has(userId)), held };
}

/** Queues unfinished scans, retries and the next scans. */
async function queueNext(
  tx: Database,
  clock: Clock,
  looks: readonly Look[],
  next: Page['next'],
  retrySecondsOf: (spaceId: string) => number | undefined,
): Promise<void> {
  const ended = looks.filter(({ spaceId }) => next.get(spaceId) === 'end');
  const queued = looks.flatMap(({ spaceId, at, since, isAskedAgain }): Queued[] => {
    const progress = next.get(spaceId);
    const seconds = retrySecondsOf(spaceId);
    return [
      ...(seconds === undefined ? [] : [{ spaceId, at, since, retrySeconds: seconds }]),
      ...(progress && progress !== 'end' ? [{ spaceId, at, since, isAskedAgain, ...progress }] : []),
      ...(progress === 'end' && isAskedAgain ? [{ spaceId, at, since }] : []),
    ];
  });
  if (queued.length > 0) await queueLooks(tx, queued);
  await queueNextLooks(
    tx,
    clock,
    ended.map(({ spaceId }) => spaceId),
  );
}
