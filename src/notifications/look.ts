import type { Database } from '../database/database.ts';
import { groupBy } from '../kernel/group.ts';
import { isId } from '../kernel/ids.ts';
import { type Candidate, findCandidates, findRoom } from './candidate-data.ts';
import type { Clock } from './clock.ts';
import * as digestData from './digest-data.ts';
import { planDigest } from './digests.ts';
import { plannedMails } from './metrics.ts';
import { type Look, lockUsers, type Queued, queueLooks, queueNextLooks } from './planning-queue-data.ts';
import * as reminderData from './reminder-data.ts';
import { endOfReminder, occurrenceOf, planReminder, skippedReminders } from './reminders.ts';
import { dueMoment, reminderMoment } from './times.ts';

/** Seconds after which a space is looked at again where something of it could not be planned. */
const retrySeconds = 60;
/** The same where users are just being deleted, or changed in a way that no row of theirs can be written meanwhile. */
const heldSeconds = 2;
/** And where it has had as many reminders as there may be within an hour. */
const fullSeconds = 300;

/** A page of a look: what it has found, and how far it has come. */
interface Page {
  planned: reminderData.PlannedPair[];
  candidates: Candidate[];
  next: Map<string, Look['progress'] | 'end'>;
}

/**
 * Looks at the next part of spaces: what is planned follows what decides over it, then what comes near is planned.
 * @param limit of pairs of tasks and members for each space
 * @returns how many reminders were planned
 */
export async function lookAt(tx: Database, clock: Clock, looks: readonly Look[], limit: number): Promise<number> {
  const isFirst = ({ progress }: Look) => progress.deliveryId === null && progress.taskId === null;
  const readers = looks.filter((look) => isFirst(look) && isId('User', look.spaceId)).map(({ spaceId }) => spaceId);
  const held = await planDigests(tx, clock, readers);
  const page = await readPage(tx, clock, looks, limit);
  const followed = await follow(tx, clock, page.planned);
  const { planned, full, held: heldOfReminders } = await planAhead(tx, looks, page.candidates);
  for (const spaceId of [...followed, ...heldOfReminders]) held.add(spaceId);
  await queueNext(tx, clock, looks, page.next, (spaceId) => {
    if (held.has(spaceId)) return heldSeconds;
    return full.has(spaceId) ? fullSeconds : undefined;
  });
  return planned;
}

/** Goes past what cannot be planned, which is looked at again later. */
export async function passOver(tx: Database, clock: Clock, looks: readonly Look[]): Promise<void> {
  const { next } = await readPage(tx, clock, looks, 1);
  await queueNext(tx, clock, looks, next, () => retrySeconds);
}

async function readPage(tx: Database, clock: Clock, looks: readonly Look[], limit: number): Promise<Page> {
  const next: Page['next'] = new Map();
  const following = looks.filter(({ progress }) => progress.taskId === null);
  const parts = following.map(({ spaceId, progress }) => ({ spaceId, after: progress.deliveryId ?? '' }));
  const planned = await reminderData.findPlanned(tx, clock, parts, limit);
  for (const [spaceId, pairs] of groupBy(planned, ({ source }) => source)) {
    const deliveryId = pairs.at(-1)?.planned.id ?? null;
    if (pairs.length === limit) next.set(spaceId, { deliveryId, key: null, taskId: null });
  }
  const others = looks.filter(({ spaceId }) => !next.has(spaceId));
  const taskParts = others.map(({ spaceId, since, progress: { key, taskId } }) => ({ spaceId, since, key, taskId }));
  const candidates = await findCandidates(tx, clock, taskParts, limit);
  const bySpace = groupBy(candidates, ({ spaceId }) => spaceId);
  for (const { spaceId } of others) {
    const found = bySpace.get(spaceId) ?? [];
    const last = found.at(-1);
    const isFull = last && new Set(found.map(({ taskId }) => taskId)).size === last.limit;
    next.set(spaceId, isFull ? { deliveryId: null, key: last.key, taskId: last.taskId } : 'end');
  }
  return { planned, candidates, next };
}

/** Changes what is planned. @returns spaces of which users are held */
async function follow(tx: Database, clock: Clock, pairs: readonly reminderData.PlannedPair[]): Promise<string[]> {
  const changed = pairs.flatMap((pair) => {
    const change = changeOf(pair);
    return change ? [{ pair, change, userId: pair.userId, spaceId: pair.source }] : [];
  });
  const { writable, held } = await lockThem(tx, changed);
  await reminderData.changeReminders(
    tx,
    clock,
    writable.map(({ change }) => change),
  );
  const moved = writable.filter(({ change }) => change.reason === skippedReminders.moved);
  await reminderData.forgetReminders(
    tx,
    moved.map(({ pair }) => pair),
  );
  return held;
}

function changeOf({
  planned,
  source,
  spaceId,
  ...facts
}: reminderData.PlannedPair): reminderData.ReminderChange | undefined {
  const { id, dueAt, at, isLeased } = planned;
  // What is being sent, the sender decides.
  if (isLeased) return undefined;
  const plan = planReminder(facts);
  const skip = (reason: string) => ({ id, at: null, spaceId: null, reason });
  if (plan.reason !== undefined || spaceId === null) return skip(plan.reason ?? skippedReminders.deleted);
  if (plan.dueAt.getTime() !== dueAt.getTime()) return skip(skippedReminders.moved);
  const isSame = plan.at.getTime() === at.getTime() && spaceId === source;
  return isSame ? undefined : { id, at: plan.at, spaceId, reason: null };
}

async function planAhead(tx: Database, looks: readonly Look[], candidates: readonly Candidate[]) {
  const lookOf = new Map(looks.map((look) => [look.spaceId, look]));
  const wanted = candidates.flatMap((each) => reminderOf(each, lookOf.get(each.spaceId)) ?? []);
  const room = await findRoom(tx, [...new Set(wanted.map(({ spaceId }) => spaceId))]);
  const full = new Set<string>();
  const reminders = wanted.filter(({ spaceId }) => {
    const left = room.get(spaceId) ?? 0;
    room.set(spaceId, left - 1);
    if (left <= 0) full.add(spaceId);
    return left > 0;
  });
  const { writable, held } = await lockThem(tx, reminders);
  const planned = await reminderData.insertReminders(tx, writable);
  plannedMails.inc({ kind: 'REMINDER' }, planned);
  return { planned, full, held };
}

/** The reminder that a user is to have of a task, where its moment is near and it is not planned. */
function reminderOf(candidate: Candidate, look: Look | undefined): reminderData.NewReminder | undefined {
  const { taskId, userId, spaceId, timeZone, reminderBefore, had } = candidate;
  const dueAt = dueMoment(candidate, timeZone);
  if (!look || userId === null || !dueAt || dueAt <= look.since || had.includes(dueAt.getTime())) return undefined;
  const at = reminderMoment(dueAt, reminderBefore);
  if (at.getTime() > look.now.getTime() + reminderData.aheadSeconds * 1000) return undefined;
  const occurrence = occurrenceOf(taskId, dueAt);
  return { taskId, userId, spaceId, occurrence, dueAt, at, expiresAt: endOfReminder(dueAt) };
}

/** Plans the next digests of users. @returns those who are held */
async function planDigests(tx: Database, clock: Clock, userIds: readonly string[]): Promise<Set<string>> {
  const { writable, held } = await lockThem(
    tx,
    userIds.map((userId) => ({ userId, spaceId: userId })),
  );
  const found = await digestData.findDigestUsers(
    tx,
    clock,
    writable.map(({ userId }) => userId),
  );
  for (const user of found) {
    const { planned, now, userId } = user;
    // One whose moment has come is being sent; what comes after it is planned with its end.
    if (planned && planned.at <= now) continue;
    const next = planDigest(user);
    if (planned?.date === next?.date && planned?.at.getTime() === next?.at.getTime()) continue;
    if (planned && !(await digestData.deleteDigest(tx, planned.id))) continue;
    if (!next) continue;
    await digestData.insertDigest(tx, { userId, ...next });
    plannedMails.inc({ kind: 'DIGEST' });
  }
  return new Set(held);
}

/** Keeps users from being deleted meanwhile. Nobody waits for those who are just being deleted. @returns spaces of theirs as `held` */
async function lockThem<Item extends { userId: string; spaceId: string }>(tx: Database, items: readonly Item[]) {
  const locked = await lockUsers(tx, new Set(items.map(({ userId }) => userId)));
  const held = items.filter(({ userId }) => !locked.has(userId)).map(({ spaceId }) => spaceId);
  return { writable: items.filter(({ userId }) => locked.has(userId)), held };
}

/** Queues the rest of looks, and those that come later. @param retrySecondsOf a space of which something could not be planned */
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
      ...(progress && progress !== 'end' ? [{ spaceId, at, since, progress, isAskedAgain }] : []),
      ...(progress === 'end' && isAskedAgain ? [{ spaceId, at, since }] : []),
    ];
  });
  await queueLooks(tx, queued);
  await queueNextLooks(
    tx,
    clock,
    ended.map(({ spaceId }) => spaceId),
  );
}
