import type { Task } from 'taskgate-client';
import { namesOf } from '../app/names.ts';
import { workspaceOf } from '../app/people.ts';
import type { Preset } from '../app/presets.ts';
import { nextDates, setPreset } from '../app/recurrence.ts';
import { change } from '../app/replica.ts';
import { canEdit } from '../app/roles.ts';
import { menuOf } from '../tasks/task-actions.ts';
import { texts } from '../texts.ts';
import type { IconName } from '../ui/icon.tsx';
import { actions, mayRun } from './actions.ts';

export interface Command {
  readonly title: string;
  /** Such as the project of a task. The search finds it too. */
  readonly description?: string | undefined;
  readonly icon: IconName;
  readonly color?: string | undefined;
  readonly keys?: string;
  readonly run: () => void;
}

/** The other keys set priorities. */
const icons: Readonly<Record<string, IconName>> = {
  ...{ Enter: 'note', e: 'note', c: 'check', d: 'calendar', x: 'done', Space: 'move' },
  ...{ '[': 'ArrowLeft', ']': 'ArrowRight' },
};

/** The keys do the same. */
const keyedItems: readonly string[] = [texts.edit, texts.move, texts.select, texts.complete, texts.reopen];

function repeatCommands(task: Task): readonly Command[] {
  const { id, title, recurrence, completed } = task;
  if (completed) return [];
  const presets = Object.entries(texts.presets).filter(
    ([preset]) => preset !== 'custom' && (recurrence || preset !== 'never'),
  );
  const canSkip = recurrence && nextDates(recurrence).length > 0;
  return [
    ...(canSkip
      ? [
          {
            title: texts.skipDate,
            icon: 'repeat' as const,
            run: () => void change('skipOccurrence', { id }, texts.skipped(title)),
          },
        ]
      : []),
    ...presets.map(([preset, name]) => ({
      title: texts.repeatPreset(name),
      icon: 'repeat' as const,
      run: () => setPreset(task, preset as Preset),
    })),
  ];
}

const assignCommands = ({ id, projectId, assigneeIds }: Task): readonly Command[] =>
  namesOf(workspaceOf(projectId)?.members ?? []).map((member) => {
    const isAssigned = assigneeIds.includes(member.id);
    const field = isAssigned ? 'removeAssigneeIds' : 'addAssigneeIds';
    return {
      title: (isAssigned ? texts.unassign : texts.assignTo)(member.name),
      icon: 'account',
      run: () => void change('updateTask', { id, input: { [field]: [member.id] } }),
    };
  });

export function taskCommands(task: Task): readonly Command[] {
  const keyed = texts.keys.flatMap(([keys, title]): readonly Command[] => {
    const action = actions[keys];
    if (typeof action === 'function' || !mayRun(action, task)) return [];
    return [{ title, keys, icon: icons[keys] ?? 'flag', run: () => action.ofTask(task) }];
  });
  if (!canEdit(task.projectId)) return keyed;
  const items = menuOf(task)
    .filter(({ text }) => !keyedItems.includes(text))
    .map(({ text, icon = 'check', choose }): Command => ({ title: text, icon, run: choose }));
  return [...keyed, ...items, ...repeatCommands(task), ...assignCommands(task)];
}
