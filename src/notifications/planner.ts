import { AsyncResource } from 'node:async_hooks';
import type { Database } from '../database/database.ts';
import { isUnavailable } from '../database/errors.ts';
import { every } from '../database/periodic.ts';
import { transaction } from '../database/transaction.ts';
import { logFailure } from '../database/unavailable-log.ts';
import { log } from '../kernel/logger.ts';
import type { Clock } from './clock.ts';
import { planDigest } from './digests.ts';
import { figureOf, plannedMails, planLag } from './metrics.ts';
import * as digestData from './digest-data.ts';
import * as data from './plan-data.ts';
import * as reminderData from './reminder-data.ts';
import { Rest } from './rest.ts';
import { lockUsers, scanSpaces, postponeUnplanned, takeUnplanned, type Unplanned } from './unplanned-data.ts';
import { endOfReminder, occurrenceOf, planReminder, skippedReminders } from './reminders.ts';

declare module '../kernel/services.ts' {
  interface Services {
    planner: Planner;
  }
}

/** Milliseconds after which the log is looked at without a word: for what is written by SQL, and for processes that end. */
const lookMs = 1000;
/** Milliseconds after a word, at the least: what many write within them is planned at once. */
const minRestMs = 200;
/** It rests at the most for so long before it plans what is soon: that is planned in time however much is written. */
const maxRestMs = 3000;
/** And for so long before it plans the rest, unless nobody writes: what is changed back and forth meanwhile is planned once. */
const maxLongRestMs = 10_000;
/** Tasks and digests that one transaction plans. */
const pageSize = 200;
/** Seconds after which it is tried again to plan what could not be planned. */
const retrySeconds = 60;
/** The same for users who are just being deleted, or changed in a way that no row of theirs can be written meanwhile. */
const heldSeconds = 2;

/**
 * Plans reminders and digests from the change log. Each process does; what one does is one short transaction that holds the one
 * row of the table `planner`, so that they come one after the other, and the next one goes on where a process ends.
 */
export class Planner {
  readonly #clock: Clock;
  /** Says that something was planned. */
  readonly #onPlanned: () => void;
  readonly #looks: { stop(): void };
  readonly #lag = planLag.add(figureOf('plans', data.findPlanLag));
  #running: Promise<void> | undefined;
  #waiting: NodeJS.Timeout | undefined;
  readonly #rest = new Rest(maxRestMs);
  readonly #longRest = new Rest(maxLongRestMs);
  /** When the log was last behind, by `performance.now()`. */
  #changedAt = -Infinity;
  /** Pages that are planned one by one, as something of them fails. */
  #carefulPages = 0;
  #isClosed = false;

  /** Something may have been changed. It is planned outside of the operation that says so. */
  readonly wake = AsyncResource.bind(() => {
    if (this.#isClosed) return;
    this.#waiting ??= setTimeout(
      () => {
        this.#waiting = undefined;
        this.#runGently().catch((error: unknown) => logFailure(error, 'mails could not be planned'));
      },
      Math.max(minRestMs, this.#rest.remainingMs),
    ).unref();
  });

  constructor(clock: Clock, onPlanned: () => void) {
    this.#clock = clock;
    this.#onPlanned = onPlanned;
    this.#looks = every(lookMs, 'the planning of mails', async () => {
      if (this.#rest.isOver) await this.#runGently();
    });
  }

  /** Plans all that there is to plan, unless another process is at it. @throws UNAVAILABLE */
  async run(): Promise<void> {
    await this.#running?.catch(() => undefined);
    await this.#runOnce(() => false);
  }

  /** @returns when it has planned what it has begun */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#looks.stop();
    this.#lag.stop();
    clearTimeout(this.#waiting);
    await this.#running?.catch(() => undefined);
  }

  /** Plans what there is, or while others write a lot, what is soon alone: whoever writes pays little for it. */
  #runGently(): Promise<void> {
    const isBusy = () => performance.now() - this.#changedAt < lookMs;
    return this.#rest.after(() => this.#runOnce(() => isBusy() && !this.#longRest.isOver));
  }

  #runOnce(isResting: () => boolean): Promise<void> {
    this.#running ??= this.#run(isResting).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(isResting: () => boolean): Promise<void> {
    let work = await data.findWork();
    if (work.log) {
      this.#changedAt = performance.now();
      if (!(await this.#readLog())) return;
      work = await data.findWork();
    }
    while (!this.#isClosed) {
      const isSoonAlone = isResting() && !work.late;
      if (!work.soon && (isSoonAlone || !work.others)) return;
      const isDone = await (isSoonAlone ? this.#planPage(true) : this.#longRest.after(() => this.#planPage(false)));
      if (!isDone) return;
      work = await data.findWork();
    }
  }

  /** Notes what is to be planned: committed before it is, so that what cannot be planned is found there. @returns whether it was the one to do so */
  #readLog(): Promise<boolean> {
    return transaction(['planner'], async (tx) => {
      const place = await data.takePlace(tx);
      if (!place) return false;
      const { position } = place;
      await (position === null ? data.readEverything(tx, this.#clock) : data.readLog(tx, this.#clock, position));
      return true;
    });
  }

  /** @param isSoonAlone leaves the rest for later @returns whether it is the one to do so */
  async #planPage(isSoonAlone: boolean): Promise<boolean> {
    const size = this.#carefulPages > 0 ? 1 : pageSize;
    this.#carefulPages = Math.max(0, this.#carefulPages - 1);
    let page: Unplanned[] = [];
    const plan = async (tx: Database) => {
      if (!(await data.takePlace(tx))) return false;
      if (!isSoonAlone) await scanSpaces(tx, this.#clock);
      page = await takeUnplanned(tx, size, isSoonAlone);
      await this.#plan(tx, page);
      return true;
    };
    try {
      if (!(await transaction(['planner'], plan))) return false;
    } catch (error) {
      if (isUnavailable(error) || page.length === 0) throw error;
      await this.#isolate(page, error);
      return true;
    }
    if (page.length > 0) this.#onPlanned();
    return true;
  }

  /** One that cannot be planned keeps no other from being planned: it is looked for, and left for later. */
  async #isolate(page: readonly Unplanned[], error: unknown): Promise<void> {
    const [only, ...others] = page;
    if (!only || others.length > 0) {
      this.#carefulPages = pageSize;
      return;
    }
    log.error({ ...only, error }, 'something could not be planned: it will be tried again');
    await transaction(['planner'], (tx) => postponeUnplanned(tx, [only], retrySeconds));
  }

  async #plan(tx: Database, page: readonly Unplanned[]): Promise<void> {
    const [tasks, users] = [page.filter(({ taskId }) => taskId !== ''), page.filter(({ taskId }) => taskId === '')];
    if (tasks.length > 0) await this.#planReminders(tx, tasks);
    if (users.length > 0) await this.#planDigests(tx, users);
  }

  async #planReminders(tx: Database, tasks: readonly Unplanned[]): Promise<void> {
    const pairs = await reminderData.findReminderPairs(tx, this.#clock, tasks);
    const toWrite = pairs
      .map((pair) => ({ pair, changes: changesOf(pair), reminders: newReminderOf(pair) }))
      .filter(({ changes, reminders }) => changes.length > 0 || reminders.length > 0);
    const writable = await this.#lockUsers(tx, toWrite, ({ pair }) => pair);
    const changes = writable.flatMap((each) => each.changes);
    await reminderData.changeReminders(tx, this.#clock, changes);
    const planned = await reminderData.insertReminders(
      tx,
      writable.flatMap(({ reminders }) => reminders),
    );
    const moved = changes.some(({ reason }) => reason === skippedReminders.moved);
    if (moved)
      await reminderData.forgetReminders(
        tx,
        writable.map(({ pair }) => pair),
      );
    plannedMails.inc({ kind: 'REMINDER' }, planned);
  }

  async #planDigests(tx: Database, users: readonly Unplanned[]): Promise<void> {
    const writable = await this.#lockUsers(tx, users, (each) => each);
    const found = await digestData.findDigestUsers(
      tx,
      this.#clock,
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
  }

  /** Keeps users from being deleted meanwhile; those who are just being deleted are left for later: nobody waits for them. */
  async #lockUsers<Item>(tx: Database, items: readonly Item[], noteOf: (item: Item) => Unplanned): Promise<Item[]> {
    if (items.length === 0) return [];
    const locked = await lockUsers(tx, new Set(items.map((item) => noteOf(item).userId)));
    const held = items.filter((item) => !locked.has(noteOf(item).userId));
    if (held.length > 0) await postponeUnplanned(tx, held.map(noteOf), heldSeconds);
    return items.filter((item) => locked.has(noteOf(item).userId));
  }
}

/** What becomes of the planned reminders of a task for a user. */
function changesOf({ planned, spaceId, ...facts }: reminderData.ReminderPair): reminderData.ReminderChange[] {
  const plan = planReminder(facts);
  const skip = (id: string, reason: string) => ({ id, at: null, spaceId: null, reason });
  return planned.flatMap((each): reminderData.ReminderChange[] => {
    if (plan.reason !== undefined || spaceId === null) return [skip(each.id, plan.reason ?? skippedReminders.deleted)];
    if (plan.dueAt.getTime() !== each.dueAt.getTime()) return [skip(each.id, skippedReminders.moved)];
    const isSame = plan.at.getTime() === each.at.getTime() && spaceId === each.spaceId;
    return isSame ? [] : [{ id: each.id, at: plan.at, spaceId, reason: null }];
  });
}

/** The reminder that a user is to have of a task, where it is not planned. */
function newReminderOf({
  taskId,
  userId,
  spaceId,
  planned,
  ...facts
}: reminderData.ReminderPair): reminderData.NewReminder[] {
  const plan = planReminder(facts);
  if (plan.reason !== undefined || spaceId === null) return [];
  const { dueAt, at } = plan;
  if (planned.some((each) => each.dueAt.getTime() === dueAt.getTime())) return [];
  const reason = dueAt > facts.now ? null : skippedReminders.past;
  const occurrence = occurrenceOf(taskId, dueAt);
  return [{ taskId, userId, spaceId, occurrence, dueAt, at, expiresAt: endOfReminder(dueAt), reason }];
}
