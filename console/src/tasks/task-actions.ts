import { dueDay, type Priority, type Task, tasks } from 'taskgate-client';
import { offerMore } from '../app/notice.ts';
import { change } from '../app/replica.ts';
import { openTask } from '../app/router.ts';
import { currentReplica } from '../app/session.ts';
import { texts } from '../texts.ts';
import { ask } from '../ui/dialog.tsx';
import type { MenuItem } from '../ui/menu.tsx';
import { addDays, today } from '../app/days.ts';
import { withDueDay } from '../app/due.ts';
import { maxTitleLength } from '../characters.ts';
import { showSubtasks } from './expanded.ts';
import { lift } from './lift.ts';
import { startSelecting } from './selection.ts';

export function complete({ id, title, completed }: Task): void {
  change('updateTask', { id, input: { completed: !completed } }, texts.completed(title, !completed));
  if (!completed) offerSubtasks([id]);
}

export function completeAll(ids: readonly string[]): void {
  change('updateTasks', { ids: [...ids], input: { completed: true } }, texts.tasksCompleted(ids.length));
  offerSubtasks(ids);
}

const openSubtaskIds = (ids: readonly string[]): readonly string[] =>
  ids.flatMap((id) =>
    currentReplica()
      .read(tasks.children(id))
      .flatMap((child) => [...(child.completed ? [] : [child.id]), ...openSubtaskIds([child.id])]),
  );

function offerSubtasks(ids: readonly string[]): void {
  const open = new Set(openSubtaskIds(ids));
  if (open.size > 0) offerMore(texts.completeSubtasks, () => completeAll([...open]));
}

export const setPriority = ({ id }: Task, priority: Priority | null): void =>
  void change('updateTask', { id, input: { priority } });

export const setDay = (task: Task, day: string | null): void =>
  void change('updateTask', { id: task.id, input: withDueDay(task, day) });

export const remove = ({ id, title }: Task): void => void change('deleteTask', { id }, texts.deleted(title));

/** Priorities by the keys 1 to 4. */
export const priorities = ['HIGH', 'MEDIUM', 'LOW', null] as const;

/** The first three items are for lists only. */
export function menuOf(task: Task): MenuItem[] {
  const currentDay = today.value;
  return [
    { text: texts.edit, icon: 'note', choose: () => openTask(task.id) },
    {
      text: texts.move,
      icon: 'move',
      choose: () => lift(document.querySelector<HTMLElement>(`main [data-task="${task.id}"]`)),
    },
    { text: texts.select, icon: 'done', choose: () => startSelecting(task.id) },
    { text: task.completed ? texts.reopen : texts.complete, icon: 'check', choose: () => complete(task) },
    { text: texts.dueToday, icon: 'sun', choose: () => setDay(task, currentDay) },
    { text: texts.dueTomorrow, icon: 'calendar', choose: () => setDay(task, addDays(currentDay, 1)) },
    ...(dueDay(task) === null
      ? []
      : [{ text: texts.noDueDate, icon: 'close' as const, choose: () => setDay(task, null) }]),
    {
      text: texts.addSubtask,
      icon: 'plus',
      choose: () =>
        ask({
          title: texts.addSubtask,
          label: texts.title,
          maxLength: maxTitleLength,
          action: texts.add,
          onConfirm: (title) => {
            change('createTask', { input: { title, parentId: task.id } });
            showSubtasks(task.id);
          },
        }),
    },
    { text: texts.delete, icon: 'trash', isDangerous: true, choose: () => remove(task) },
  ];
}
