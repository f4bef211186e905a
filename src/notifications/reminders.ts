import { namedId } from '../platform/ids.ts';
import { dueMoment, reminderMoment } from './times.ts';

export interface ReminderFacts {
  /** Null if the task is gone. */
  task: {
    reminder: boolean;
    completed: boolean;
    createdAt: Date;
    /** YYYY-MM-DD. */
    dueDate: string | null;
    dueTime: Date | null;
  } | null;
  isMember: boolean;
  /** Whether the task's reminders go to the user. */
  isRecipient: boolean;
  emailEnabled: boolean;
  taskRemainders: boolean;
  /** Minutes. */
  reminderBefore: number;
  timeZone: string;
}

type ReminderPlan = { dueAt: Date; at: Date; reason?: never } | { reason: string };

/** Reasons for SKIPPED, as users see them. */
export const skippedReminders = {
  deleted: 'The task was deleted.',
  left: 'You are no longer a member of its workspace.',
  others: 'Reminders of the task go to its assignees, or without any to those who may change it.',
  completed: 'The task was completed.',
  off: 'The reminder of the task was turned off.',
  undated: 'The task is no longer due.',
  moved: 'The task is due at another time.',
  noMails: 'Your e-mails are turned off.',
  noReminders: 'Your reminders are turned off.',
  past: 'The task was already due when its reminder was planned.',
  late: 'The service could not send it within an hour after the task was due.',
} as const;

function planReminder({ task, isMember, isRecipient, ...preferences }: ReminderFacts): ReminderPlan {
  if (!task) return { reason: skippedReminders.deleted };
  if (!isMember) return { reason: skippedReminders.left };
  if (!isRecipient) return { reason: skippedReminders.others };
  if (task.completed) return { reason: skippedReminders.completed };
  if (!task.reminder) return { reason: skippedReminders.off };
  if (!preferences.emailEnabled) return { reason: skippedReminders.noMails };
  if (!preferences.taskRemainders) return { reason: skippedReminders.noReminders };
  const dueAt = dueMoment(task, preferences.timeZone);
  if (!dueAt) return { reason: skippedReminders.undated };
  return { dueAt, at: reminderMoment(dueAt, preferences.reminderBefore) };
}

/** Decides again from current facts. @param dueAt due moment at planning */
export function planAgain(facts: ReminderFacts, dueAt: Date | null): ReminderPlan {
  const plan = planReminder(facts);
  const isSame = plan.reason !== undefined || plan.dueAt.getTime() === dueAt?.getTime();
  return isSame ? plan : { reason: skippedReminders.moved };
}

/** Identifies a task at a due moment: each occurrence has at most one reminder for a user. */
export const occurrenceOf = (taskId: string, dueAt: Date): string => `${taskId} ${dueAt.toISOString()}`;

/** Derives the id of a reminder, because it can be shown before its row exists. */
export const reminderId = (userId: string, occurrence: string): string =>
  namedId('Delivery', `${userId} ${occurrence}`);

const triedAfterDueMs = 60 * 60 * 1000;

export const endOfReminder = (dueAt: Date): Date => new Date(dueAt.getTime() + triedAfterDueMs);

/** A reminder without a row is shown as skipped for these reasons, because users can remove them. */
const shownAhead: readonly string[] = [
  skippedReminders.completed,
  skippedReminders.noMails,
  skippedReminders.noReminders,
];

/** About as long as rows are kept. */
const shownAfterDueMs = 80 * 24 * 60 * 60 * 1000;

/** Returns a reminder that has no row: its moment is far ahead, or the task was already due. */
export function reminderAhead(taskId: string, userId: string, now: Date, facts: ReminderFacts) {
  const { task, timeZone, reminderBefore } = facts;
  const dueAt = task?.reminder ? dueMoment(task, timeZone) : null;
  if (!task || !dueAt) return undefined;
  // A task due before its creation had no row that could have expired.
  if (task.createdAt <= dueAt && now.getTime() - dueAt.getTime() > shownAfterDueMs) return undefined;
  const reason = planReminder(facts).reason ?? (dueAt > now ? null : skippedReminders.past);
  if (reason !== null && reason !== skippedReminders.past && !shownAhead.includes(reason)) return undefined;
  const status = reason === null ? ('PLANNED' as const) : ('SKIPPED' as const);
  const id = reminderId(userId, occurrenceOf(taskId, dueAt));
  return { id, at: reminderMoment(dueAt, reminderBefore), status, reason, sentAt: null };
}
