import { type BulkUpdateTasksInput, projects, tags, tasks } from 'taskgate-client';
import { change, useQuery } from '../app/replica.ts';
import { theReplica } from '../app/session.ts';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import { ask } from '../ui/dialog.tsx';
import { openMenu } from '../ui/menu.tsx';
import { onDay } from './due.ts';
import { deselectAll, selection } from './selection.ts';
import { priorities } from './task-actions.ts';

function update(input: BulkUpdateTasksInput, text: string): void {
  change('updateTasks', { ids: [...selection.value], input }, text);
}

const selected = () => [...selection.value].flatMap((id) => theReplica().read(tasks.byId(id)) ?? []);

/** Puts the selected tasks on a day. Tasks without a time change in one mutation. */
function setDay(dueDate: string): void {
  const { true: timed = [], false: plain = [] } = Object.groupBy(selected(), ({ dueTime }) => `${dueTime !== null}`);
  let steps = 0;
  const text = texts.changedMany(timed.length + plain.length);
  const ids = plain.map(({ id }) => id);
  if (ids.length > 0) change('updateTasks', { ids, input: { dueDate } }, text, (steps += 1));
  for (const task of timed) change('updateTask', { id: task.id, input: onDay(task, dueDate) }, text, (steps += 1));
}

/** Adds a tag to all that are selected, or takes it off where all have it. */
function toggleTag(tagId: string): void {
  const all = selected();
  const haveAll = all.every(({ tagIds }) => tagIds.includes(tagId));
  for (const [index, { id, tagIds }] of all.entries()) {
    const others = tagIds.filter((each) => each !== tagId);
    const input = { tagIds: haveAll ? others : [...others, tagId] };
    change('updateTask', { id, input }, texts.changedMany(index + 1), index + 1);
  }
}

/** What can be done with all the tasks that are selected. */
export function Toolbar() {
  const ids = selection.value;
  const count = ids.size;
  const allProjects = useQuery(projects.all);
  const allTags = useQuery(tags.all);
  if (count === 0) return null;
  const menu = (text: string, items: () => Parameters<typeof openMenu>[1]) => (
    <button type="button" aria-haspopup="menu" onClick={({ currentTarget }) => openMenu(currentTarget, items())}>
      {text}
    </button>
  );
  return (
    <div class="toolbar" role="toolbar" aria-label={texts.selectedTasks}>
      <span class="count">{texts.countSelected(count)}</span>
      <button type="button" onClick={() => update({ completed: true }, texts.completedMany(count))}>
        {texts.complete}
      </button>
      {menu(texts.move, () =>
        allProjects.map(({ id, name }) => ({
          text: name,
          choose: () => update({ projectId: id }, texts.movedMany(count, name)),
        })),
      )}
      <button
        type="button"
        onClick={() =>
          ask({
            title: texts.dueDate,
            label: texts.dueDate,
            type: 'date',
            action: texts.save,
            done: setDay,
          })
        }
      >
        {texts.dueDate}
      </button>
      {menu(texts.priority, () =>
        priorities.map((priority) => ({
          text: priority === null ? texts.noPriority : texts.priorities[priority],
          choose: () => update({ priority }, texts.changedMany(count)),
        })),
      )}
      {menu(texts.tags, () => allTags.map(({ id, name }) => ({ text: name, choose: () => toggleTag(id) })))}
      <button
        type="button"
        class="dangerous"
        onClick={() => {
          change('deleteTasks', { ids: [...ids] }, texts.deletedMany(count));
          deselectAll();
        }}
      >
        {texts.delete}
      </button>
      <button type="button" class="quiet" aria-label={texts.deselect} onClick={deselectAll}>
        <Icon name="close" />
      </button>
    </div>
  );
}
