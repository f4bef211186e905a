import type { Task } from 'taskgate-client';
import { texts } from '../texts.ts';
import { ask } from '../ui/dialog.tsx';

/** Asks about repeating tasks whether all later occurrences move too. @returns whether `change` ran at once */
export function changeDates(all: readonly Task[], change: (movesSeries: boolean) => void): boolean {
  const asks = all.some(({ recurrence, completed }) => recurrence && !completed);
  if (!asks) change(false);
  else
    ask({
      title: texts.changeDate,
      action: texts.onlyThisOne,
      onConfirm: () => change(false),
      other: { action: texts.thisAndAllLater, onConfirm: () => change(true) },
    });
  return !asks;
}
