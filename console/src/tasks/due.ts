import { dueDay, type Task, type UpdateTaskInput } from 'taskgate-client';
import { momentOf, timeOf, today } from '../app/days.ts';

/** The input that puts a task on a day. Its time moves along; without a day there is no time. */
export function onDay({ dueTime }: Task, day: string | null): UpdateTaskInput {
  if (dueTime === null) return { dueDate: day };
  if (day === null) return { dueDate: null, isAllDay: true };
  const [moment, wanted] = [new Date(dueTime), momentOf(day)];
  moment.setFullYear(wanted.getFullYear(), wanted.getMonth(), wanted.getDate());
  return { dueDate: day, dueTime: moment.toISOString() };
}

/** The input that sets the time of a task, on its day or else today. @param time `HH:MM`; empty: none */
export function atTime(task: Task, time: string): UpdateTaskInput {
  const day = dueDay(task);
  if (time === '') return { dueDate: day, isAllDay: true };
  const dueDate = day ?? today.value;
  return { dueDate, dueTime: momentOf(dueDate, time).toISOString(), isAllDay: false };
}

export const dueTimeOfDay = ({ dueTime }: Task): string => (dueTime === null ? '' : timeOf(dueTime));

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** By day and time, then in the order of their projects. */
export const byDue = (a: Task, b: Task): number =>
  compare(dueDay(a) ?? '~', dueDay(b) ?? '~') ||
  compare(a.dueTime ?? '~', b.dueTime ?? '~') ||
  compare(a.sortKey, b.sortKey);
