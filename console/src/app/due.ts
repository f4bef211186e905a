import { dueDay, type Task, type UpdateTaskInput } from 'taskgate-client';
import { momentOf, timeOf, today } from './days.ts';

/** The task keeps its time of day. Without a day it loses the time. */
export function withDueDay({ dueTime }: Task, day: string | null): UpdateTaskInput {
  if (dueTime === null) return { dueDate: day };
  if (day === null) return { dueDate: null, isAllDay: true };
  const [moment, target] = [new Date(dueTime), momentOf(day)];
  moment.setFullYear(target.getFullYear(), target.getMonth(), target.getDate());
  return { dueDate: day, dueTime: moment.toISOString() };
}

/** @param time `HH:MM`; empty for none */
export function withDueTime(task: Task, time: string): UpdateTaskInput {
  const day = dueDay(task);
  if (time === '') return { dueDate: day, isAllDay: true };
  const dueDate = day ?? today.value;
  return { dueDate, dueTime: momentOf(dueDate, time).toISOString(), isAllDay: false };
}

export const dueTimeOfDay = ({ dueTime }: Task): string => (dueTime === null ? '' : timeOf(dueTime));

export const isDueBy = (task: Task, day: string): boolean => (dueDay(task) ?? '~') <= day;
export const isDueAfter = (task: Task, day: string): boolean => (dueDay(task) ?? '') > day;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export const byDue = (a: Task, b: Task): number =>
  compare(dueDay(a) ?? '~', dueDay(b) ?? '~') ||
  compare(a.dueTime ?? '~', b.dueTime ?? '~') ||
  compare(a.sortKey, b.sortKey);
