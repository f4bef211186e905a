import type { Recurrence, RecurrenceInput, Task, UpdateTaskInput } from 'taskgate-client';
import { dueOf, localOf, nextOf, occurrencesAfter, RuleError, setSeries } from 'taskgate-client';
import { today, zone } from './days.ts';
import { endOf, movedRule, type Preset, ruleOf, withEnd } from './presets.ts';
import { change } from './replica.ts';

/** Returns when a task is due after a change, by the zone of its series. A new series has the zone of the browser. */
export function dueIn(task: Task, { dueDate = task.dueDate, dueTime = task.dueTime, isAllDay }: UpdateTaskInput = {}) {
  const timeZone = task.recurrence?.timeZone ?? zone.value;
  const time = isAllDay || dueTime === null ? null : new Date(dueTime);
  return { date: time ? localOf(time, timeZone).date : dueDate, time, timeZone };
}

/** The notice of a change of several tasks: its text, and the number of mutations so far. */
type Noted = readonly [text?: string, steps?: number];

/** @param due fields that change with the rule @throws {RuleError} and changes nothing */
export function setRecurrence(task: Task, input: RecurrenceInput, due?: UpdateTaskInput, ...noted: Noted): void {
  const { timeZone, ...own } = dueIn(task, due);
  setSeries(input, own, { current: task.recurrence, now: new Date(), zone: timeZone });
  const dueDate = own.date === task.dueDate ? undefined : own.date;
  change('updateTask', { id: task.id, input: { ...due, dueDate, recurrence: { ...input, timeZone } } }, ...noted);
}

/** Keeps the end of the series. "Custom" changes nothing. @throws {RuleError} and changes nothing */
export function setPreset(task: Task, preset: Preset): void {
  const { id, recurrence } = task;
  if (preset === 'never' && recurrence) change('updateTask', { id, input: { recurrence: null } });
  const countsCompletions = recurrence?.basis === 'COMPLETION';
  const rule = ruleOf(preset, countsCompletions ? undefined : (dueIn(task).date ?? today.value));
  if (rule === undefined) return;
  const basis = rule.includes(';BY') && countsCompletions ? 'SCHEDULE' : recurrence?.basis;
  setRecurrence(task, { rule: rule + endOf(recurrence?.rule ?? ''), basis });
}

/** Moves this occurrence and all later ones. */
export function moveSeries(task: Task, current: Recurrence, due: UpdateTaskInput, ...noted: Noted): void {
  const { basis, start, date, number } = current;
  const day = dueIn(task, due).date ?? date;
  const rule = basis === 'COMPLETION' || day === date ? current.rule : movedRule(current.rule, start, day);
  // The series starts again, with as many occurrences as are left.
  const end = endOf(rule).replace(/(?<=COUNT=)\d+/, (count) => `${Number(count) - number + 1}`);
  setRecurrence(task, { rule: withEnd(rule, end) }, due, ...noted);
}

/** Returns the first day of a new series. Undefined if its rule is refused. */
export function firstDayOf(input: RecurrenceInput, day?: string): string | undefined {
  try {
    const due = { date: day ?? null, time: null };
    return setSeries(input, due, { current: null, now: new Date(), zone: zone.value }).recurrence.date;
  } catch (error) {
    if (error instanceof RuleError) return undefined;
    throw error;
  }
}

/** The next five, if each is done on its date. Dates that a late task will skip are left out. */
export function nextDates(recurrence: Recurrence) {
  const from = recurrence.date < today.value ? nextOf(recurrence, new Date()) : recurrence;
  const dates = from && from !== recurrence ? [dueOf(from)] : [];
  for (const next of from ? occurrencesAfter(from) : []) if (dates.push(dueOf(next)) >= 5) break;
  return dates;
}
