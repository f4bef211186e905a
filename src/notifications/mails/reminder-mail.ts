import { datesIn } from './dates.ts';
import { facts, link, lists, type Mail, mailOf, paragraph, title } from './layout.ts';
import { nameByUser } from './text.ts';

interface RemindedTask {
  title: string;
  projectName: string;
  dueAt: Date;
  isAllDay: boolean;
}

interface ReminderReader {
  /** IANA name. */
  timeZone: string;
  unsubscribeUrl: string;
}

export function reminderMail(reminder: RemindedTask & ReminderReader): Mail {
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

/** Maximum number of tasks that a mail names. The rest are counted. */
const maxNamed = 50;

export function remindersMail(tasks: readonly RemindedTask[], { timeZone, unsubscribeUrl }: ReminderReader): Mail {
  const dates = datesIn(timeZone);
  const named = tasks.slice(0, maxNamed);
  const others = tasks.length - named.length;
  const whenOf = ({ dueAt, isAllDay }: RemindedTask) => (isAllDay ? dates.day(dueAt) : dates.moment(dueAt));
  return mailOf({
    subject: `Reminder: ${tasks.length} tasks`,
    body: [
      title(`${tasks.length} tasks`),
      ...lists(named.map((task) => ({ under: task.projectName, name: task.title, note: whenOf(task) }))),
      ...(others > 0 ? [paragraph`and ${String(others)} more`] : []),
      facts({ 'Time zone': dates.timeZone }),
    ],
    footer: [
      paragraph`You get this mail because the reminders of these tasks are on. Turn them off at the tasks, or all reminders at once.`,
      paragraph`${link(unsubscribeUrl, 'Stop all reminders')}`,
    ],
  });
}
