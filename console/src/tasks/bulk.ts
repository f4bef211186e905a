import type { BulkUpdateTasksInput, Task, UpdateTaskInput } from 'taskgate-client';
import { withDueDay } from '../app/due.ts';
import { addDays, today } from '../app/days.ts';
import { change } from '../app/replica.ts';
import { texts } from '../texts.ts';
import type { IconName } from '../ui/icon.tsx';

/** @param inputOf the input of a task that needs its own mutation */
export function updateEach(
  all: readonly Task[],
  sharedInput: BulkUpdateTasksInput,
  inputOf: (task: Task) => UpdateTaskInput | undefined,
  text: string,
): void {
  let steps = 0;
  const ids = all.filter((task) => !inputOf(task)).map(({ id }) => id);
  if (ids.length > 0) change('updateTasks', { ids, input: sharedInput }, text, (steps += 1));
  for (const task of all) {
    const input = inputOf(task);
    if (input) change('updateTask', { id: task.id, input }, text, (steps += 1));
  }
}

/** Repeating tasks move by this occurrence alone. */
export function setDays(all: readonly Task[], dueDate: string | null): void {
  const timedInput = (task: Task) => (task.dueTime === null ? undefined : withDueDay(task, dueDate));
  updateEach(all, { dueDate }, timedInput, texts.tasksChanged(all.length));
}

interface DayChoice {
  readonly text: string;
  readonly icon: IconName;
  readonly day: string | null;
}

export const nextDays = (): readonly DayChoice[] => [
  { text: texts.today, icon: 'sun', day: today.value },
  { text: texts.tomorrow, icon: 'calendar', day: addDays(today.value, 1) },
  { text: texts.nextWeek, icon: 'ArrowRight', day: addDays(today.value, 7) },
  { text: texts.noDueDate, icon: 'close', day: null },
];
