import { useLayoutEffect } from 'preact/hooks';
import { type BulkUpdateTasksInput, type Query, tags, type Task, tasks } from 'taskgate-client';
import { namesOf } from '../app/names.ts';
import { workspaceOf } from '../app/people.ts';
import { change, useQuery } from '../app/replica.ts';
import { useEditableProjects } from '../app/roles.ts';
import { currentReplica } from '../app/session.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon.tsx';
import { ask, askForNew } from '../ui/dialog.tsx';
import { MenuButton } from '../ui/menu.tsx';
import { setDays, updateEach } from './bulk.ts';
import { topmostTasks } from './moving.ts';
import { findOrCreateTag } from './new-task.ts';
import { deselectAll, selection } from './selection.ts';
import { completeAll, priorities } from './task-actions.ts';

function update(input: BulkUpdateTasksInput, text: string): void {
  change('updateTasks', { ids: [...selection.value], input }, text);
}

const readSelected = () => [...selection.value].flatMap((id) => currentReplica().read(tasks.byId(id)) ?? []);

/** Subtasks leave parents that stay behind. */
function moveTo(projectId: string): void {
  const subtaskInput = ({ parentId }: Task) => (parentId === null ? undefined : { projectId, parentId: null });
  updateEach(topmostTasks(selection.value), { projectId }, subtaskInput, texts.tasksMoved(selection.value.size));
}

/** Removes the tag if all selected tasks have it. */
function toggleTag(tagId: string): void {
  const all = readSelected();
  const allHaveTag = all.every(({ tagIds }) => tagIds.includes(tagId));
  for (const [index, { id, tagIds }] of all.entries()) {
    const others = tagIds.filter((each) => each !== tagId);
    const input = { tagIds: allHaveTag ? others : [...others, tagId] };
    change('updateTask', { id, input }, texts.tasksChanged(index + 1), index + 1);
  }
}

/** Members of the spaces of all selected tasks. */
function commonMembers() {
  const [first = [], ...others] = [...new Set(readSelected().map(({ projectId }) => projectId))].map(
    (projectId) => workspaceOf(projectId)?.members ?? [],
  );
  return namesOf(first.filter(({ id }) => others.every((members) => members.some((member) => member.id === id))));
}

/** Removes the assignee if all selected tasks have it. */
function toggleAssignee(id: string): void {
  const all = readSelected();
  const allHave = all.every(({ assigneeIds }) => assigneeIds.includes(id));
  update({ [allHave ? 'removeAssigneeIds' : 'addAssigneeIds']: [id] }, texts.tasksChanged(all.length));
}

const tasksOf = (ids: ReadonlySet<string>): Query<readonly Task[]> => {
  const each = [...ids].map((id) => tasks.byId(id));
  return {
    keys: each.flatMap(({ keys }) => keys),
    evaluate: (source) => each.flatMap((task) => task.evaluate(source) ?? []),
  };
};

export function Toolbar() {
  const editableProjects = useEditableProjects();
  const selected = useQuery(() => tasksOf(selection.value), [selection.value]);
  const ids = selected.filter((task) => editableProjects.some(({ id }) => id === task.projectId)).map(({ id }) => id);
  const count = ids.length;
  useLayoutEffect(() => {
    // Others may delete tasks, move them out of sight, or lower the role.
    if (count < selection.value.size) selection.value = new Set(ids);
  }, [count, selection.value]);
  const allTags = useQuery(tags.all);
  if (count === 0) return null;
  return (
    <div class="toolbar" role="toolbar" aria-label={texts.selectedTasks}>
      <span class="count">{texts.countSelected(count)}</span>
      <Button text={texts.complete} onClick={() => completeAll([...ids])} />
      <MenuButton
        text={texts.move}
        items={() => editableProjects.map(({ id, name }) => ({ text: name, choose: () => moveTo(id) }))}
      />
      <Button
        text={texts.dueDate}
        onClick={() =>
          ask({
            title: texts.dueDate,
            label: texts.dueDate,
            type: 'date',
            action: texts.save,
            onConfirm: (day) => setDays(readSelected(), day),
            other: { action: texts.noDueDate, onConfirm: () => setDays(readSelected(), null) },
          })
        }
      />
      <MenuButton
        text={texts.priority}
        items={() =>
          priorities.map((priority) => ({
            text: priority === null ? texts.noPriority : texts.priorities[priority],
            choose: () => update({ priority }, texts.tasksChanged(count)),
          }))
        }
      />
      {commonMembers().length > 0 && (
        <MenuButton
          text={texts.assignees}
          items={() => commonMembers().map(({ id, name }) => ({ text: name, choose: () => toggleAssignee(id) }))}
        />
      )}
      <MenuButton
        text={texts.tags}
        items={() => [
          ...allTags.map(({ id, name }) => ({ text: name, choose: () => toggleTag(id) })),
          {
            text: texts.newTag,
            icon: 'plus',
            choose: () => askForNew(texts.newTag, (name) => toggleTag(findOrCreateTag(name))),
          },
        ]}
      />
      <Button
        text={texts.delete}
        class="dangerous"
        onClick={() => {
          change('deleteTasks', { ids: [...ids] }, texts.tasksDeleted(count));
          deselectAll();
        }}
      />
      <IconButton icon="close" label={texts.deselect} onClick={deselectAll} />
    </div>
  );
}
