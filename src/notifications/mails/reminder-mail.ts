import { datesIn } from './dates.ts';
import { facts, link, type Mail, mailOf, paragraph, title } from './layout.ts';
import { nameByUser } from './text.ts';

/** What the mail of a reminder tells. */
export interface ReminderFacts {
  /** Of the task. */
  title: string;
  projectName: string;
  dueAt: Date;
  /** Whether it is due on the day of that moment, at no time of it. */
  isAllDay: boolean;
  /** The user's, as an IANA name. */
  timeZone: string;
  /** Where the user turns reminders off. */
  unsubscribeUrl: string;
}

/** Reminds of a task before it is due. */
export function reminderMail(reminder: ReminderFacts): Mail {
  const { projectName, dueAt, isAllDay, unsubscribeUrl } = reminder;
  const dates = datesIn(reminder.timeZone);
  const due: Record<string, string> = isAllDay
    ? { Due: dates.day(dueAt) }
    : { Due: dates.moment(dueAt), 'Time zone': dates.timeZone };
  return mailOf({
    subject: `Reminder: ${reminder.title}`,
    body: [title(reminder.title), facts({ ...due, Project: nameByUser(projectName) })],
    footer: [
      paragraph`You get this mail because the reminder of this task is on. Turn it off at the task, or all reminders at once.`,
      paragraph`${link(unsubscribeUrl, 'Stop all reminders')}`,
    ],
  });
}
