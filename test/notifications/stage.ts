import { makeTask, type RestTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';
import type { User } from '../kit/users.ts';
import { FixedClock, minuteMs, changePreferences, remindersOf, planAndSend, signUpBy } from './deliveries.ts';

export const noon = Date.parse('2026-11-24T12:00:00Z');

export const moment = (ms: number) => new Date(noon + ms).toISOString();

export const update = (user: User, { id }: RestTask, input: object): Promise<unknown> =>
  user.data('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', {
    id,
    input,
  });

export const dueAt = (user: User, ms: number, fields: object = {}): Promise<RestTask> =>
  makeTask(user, { reminder: true, isAllDay: false, dueTime: moment(ms), ...fields });

/** A service with two users. Its mails come by SMTP, and its clock stands still. */
export interface Stage {
  clock: FixedClock;
  service: Service;
  sink: SmtpSink;
  anna: User;
  ben: User;
  reset(): Promise<void>;
  /** The caller's reminders of a task with their statuses, in minutes after noon: `90m SENT`. */
  reminderRows(user: User, task: { id: string }): Promise<string[]>;
  mailsOf(user: User, task: RestTask): number;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const clock = new FixedClock(moment(0));
  const sink = await openSmtpSink();
  const service = await startService({ SMTP_URL: sink.url }, { clock });
  const [anna, ben] = await Promise.all([signUpBy(service, sink), signUpBy(service, sink)]);
  return {
    clock,
    service,
    sink,
    anna,
    ben,
    async reset() {
      clock.set(noon);
      const usual = { emailEnabled: true, taskRemainders: true, reminderBefore: 30, timeZone: 'UTC' };
      await Promise.all([changePreferences(anna, usual), changePreferences(ben, usual)]);
    },
    async reminderRows(user, task) {
      await planAndSend(service);
      const reminders = await remindersOf(user, task.id);
      return reminders.map(({ at, status, reason }) =>
        [`${(Date.parse(at) - noon) / minuteMs}m`, status, ...(reason === null ? [] : [reason])].join(' '),
      );
    },
    mailsOf: (user, { title }) =>
      sink.mails.filter(
        ({ recipient, subject, text }) =>
          recipient === user.email && subject?.startsWith('Reminder: ') && text?.includes(title),
      ).length,
    async close() {
      await service.close();
      await sink.close();
    },
  };
}
