import { namedId } from '../kernel/ids.ts';
import { dueMoment, reminderMoment } from './times.ts';

/** What decides whether, and when, a user is reminded of a task: as the database has it now. */
export interface ReminderFacts {
  /** Null: there is no such task any more. */
  task: {
    reminder: boolean;
    completed: boolean;
    createdAt: Date;
    /** YYYY-MM-DD. */
    dueDate: string | null;
    dueTime: Date | null;
  } | null;
  isMember: boolean;
  emailEnabled: boolean;
  taskRemainders: boolean;
  /** Minutes. */
  reminderBefore: number;
  timeZone: string;
}

/** When a user is reminded of a task; else why not, as a sentence. */
export type ReminderPlan = { dueAt: Date; at: Date; reason?: never } | { reason: string };

/** Why a reminder is SKIPPED. */
export const skippedReminders = {
  deleted: 'The task was deleted.',
  left: 'You are no member of its workspace any more.',
  completed: 'The task was completed.',
  off: 'The reminder of the task was turned off.',
  undated: 'The task is no longer due.',
  moved: 'The task is due at another moment.',
  noMails: 'Your e-mails are turned off.',
  noReminders: 'Your reminders are turned off.',
  past: 'The task was due already when its reminder was planned.',
  late: 'The service could not send it until an hour after the task was due.',
} as const;

export function planReminder({ task, isMember, ...preferences }: ReminderFacts): ReminderPlan {
  if (!task) return { reason: skippedReminders.deleted };
  if (!isMember) return { reason: skippedReminders.left };
  if (task.completed) return { reason: skippedReminders.completed };
  if (!task.reminder) return { reason: skippedReminders.off };
  if (!preferences.emailEnabled) return { reason: skippedReminders.noMails };
  if (!preferences.taskRemainders) return { reason: skippedReminders.noReminders };
  const dueAt = dueMoment(task, preferences.timeZone);
  if (!dueAt) return { reason: skippedReminders.undated };
  return { dueAt, at: reminderMoment(dueAt, preferences.reminderBefore) };
}

/** What becomes of a planned reminder as things are now. @param dueAt the due moment that it was planned for */
export function planAgain(facts: ReminderFacts, dueAt: Date | null): ReminderPlan {
  const plan = planReminder(facts);
  const isSame = plan.reason !== undefined || plan.dueAt.getTime() === dueAt?.getTime();
  return isSame ? plan : { reason: skippedReminders.moved };
}

/** What a reminder is of, once for its user: a task at its due moment. */
export const occurrenceOf = (taskId: string, dueAt: Date): string => `${taskId} ${dueAt.toISOString()}`;

/** Id of the reminder of an occurrence: the same before it is a row. */
export const reminderId = (userId: string, occurrence: string): string =>
  namedId('Delivery', `${userId} ${occurrence}`);

/** Milliseconds after the due moment until which a reminder is tried. */
const triedAfterDueMs = 60 * 60 * 1000;

/** From when on it is too late for a reminder. */
export const endOfReminder = (dueAt: Date): Date => new Date(dueAt.getTime() + triedAfterDueMs);

/** Reasons that users see of reminders that are no rows: what they can do something about. */
const shownAhead: readonly string[] = [
  skippedReminders.completed,
  skippedReminders.noMails,
  skippedReminders.noReminders,
];

/** Milliseconds after the due moment for which a reminder without a row is shown: about as long as rows are kept. */
const shownAfterDueMs = 80 * 24 * 60 * 60 * 1000;

/** The reminder of a task that is no row: until its moment is near, or as it was due when it could have been planned. */
export function reminderAhead(taskId: string, userId: string, now: Date, facts: ReminderFacts) {
  const { task, timeZone, reminderBefore } = facts;
  const dueAt = task?.reminder ? dueMoment(task, timeZone) : null;
  if (!task || !dueAt) return undefined;
  // What was due before the task was made has had no row that could be gone by now.
  if (task.createdAt <= dueAt && now.getTime() - dueAt.getTime() > shownAfterDueMs) return undefined;
  const reason = planReminder(facts).reason ?? (dueAt > now ? null : skippedReminders.past);
  if (reason !== null && reason !== skippedReminders.past && !shownAhead.includes(reason)) return undefined;
  const status = reason === null ? ('PLANNED' as const) : ('SKIPPED' as const);
  const id = reminderId(userId, occurrenceOf(taskId, dueAt));
  return { id, at: reminderMoment(dueAt, reminderBefore), status, reason, sentAt: null };
}
