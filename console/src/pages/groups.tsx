import { useContext } from 'preact/hooks';
import { dueDay, projects, sections, tags, type Task } from 'taskgate-client';
import { formatFullDay, today } from '../app/days.ts';
import { type Display, PageDisplay } from '../app/display.ts';
import { nameOf } from '../app/names.ts';
import { people } from '../app/people.ts';
import { useQuery } from '../app/replica.ts';
import { canEdit } from '../app/roles.ts';
import { AddInPlace } from '../tasks/add-in-place.tsx';
import type { Defaults } from '../tasks/new-task.ts';
import { TaskList } from '../tasks/task-list.tsx';
import { texts } from '../texts.ts';

interface TaskGroup {
  readonly id: string;
  readonly name: string;
  /** Input of a task that is dropped on the group. */
  readonly drop?: object;
}

const noDay = '~';

const dayGroup = (day: string): TaskGroup =>
  day === '' ? { id: day, name: texts.overdue } : { id: day, name: formatFullDay(day), drop: { dueDate: day } };

/** Returns all groups in order, and the ids of the groups of a task. */
function useGroups(group: Display['group'], list: readonly Task[]) {
  const [allProjects, allSections] = [useQuery(projects.all), useQuery(sections.all)];
  const [allTags, allPeople] = [useQuery(tags.all), useQuery(() => people)];
  const dayOfGroup = (task: Task) => {
    const day = dueDay(task) ?? noDay;
    return day < today.value && !task.completed ? '' : day;
  };
  const priorities: readonly TaskGroup[] = (['HIGH', 'MEDIUM', 'LOW'] as const).map((priority) => ({
    ...{ id: priority, name: texts.priorities[priority], drop: { priority } },
  }));
  const ofProjects = allProjects.flatMap(({ id, name, isDefault }): readonly TaskGroup[] => {
    const projectName = isDefault ? texts.inbox : name;
    const dropOf = (sectionId: string | null) =>
      canEdit(id) ? { drop: { projectId: id, sectionId, parentId: null } } : {};
    const own = allSections.filter(({ projectId }) => projectId === id);
    return [
      { id, name: projectName, ...dropOf(null) },
      ...own.map((section) => ({
        id: section.id,
        name: texts.sectionIn(section.name, projectName),
        ...dropOf(section.id),
      })),
    ];
  });
  const choices: Readonly<
    Record<Exclude<Display['group'], 'none'>, readonly [readonly TaskGroup[], (task: Task) => readonly string[]]>
  > = {
    section: [ofProjects, ({ projectId, sectionId }) => [sectionId ?? projectId]],
    due: [
      [
        ...[...new Set(list.map(dayOfGroup))]
          .filter((day) => day !== noDay)
          .sort()
          .map(dayGroup),
        { id: noDay, name: texts.noDueDate, drop: { dueDate: null } },
      ],
      (task) => [dayOfGroup(task)],
    ],
    priority: [
      [...priorities, { id: '', name: texts.withoutPriority, drop: { priority: null } }],
      ({ priority }) => [priority ?? ''],
    ],
    tag: [[...allTags, { id: '', name: texts.withoutTags }], ({ tagIds }) => tagIds],
    assignee: [
      [
        ...[...allPeople.values()].map((person) => ({ id: person.id, name: nameOf(person) })),
        { id: '', name: texts.unassigned },
      ],
      ({ assigneeIds }) => assigneeIds,
    ],
  };
  return group === 'none' ? undefined : choices[group];
}

/** The tasks of a page in groups of the user's choice. A task with two tags is in both groups. */
export function Groups({
  tasks,
  isBoard = false,
  showsProject = true,
  defaults,
}: {
  tasks: readonly Task[];
  /** Of new tasks. Undefined if the user may add none. */
  defaults?: Defaults | undefined;
  isBoard?: boolean;
  showsProject?: boolean;
}) {
  const { group } = useContext(PageDisplay);
  const grouping = useGroups(group, tasks);
  if (!grouping) return <TaskList tasks={tasks} showsProject={showsProject} />;
  const [groups, idsOf] = grouping;
  const members = new Map(groups.map(({ id }) => [id, [] as Task[]]));
  const lastId = groups.at(-1)?.id ?? '';
  for (const task of tasks) {
    const known = idsOf(task).filter((id) => members.has(id));
    // Such as an assignee who has left the workspace.
    for (const id of known.length > 0 ? known : [lastId]) members.get(id)?.push(task);
  }
  return (
    <div class={isBoard ? 'board' : 'sections'}>
      {groups.map(({ id, name, drop }) => {
        const list = members.get(id) ?? [];
        // A board by priority takes tasks into each column.
        if (list.length === 0 && !(isBoard && group === 'priority')) return null;
        return (
          <section
            key={id}
            class={group === 'due' ? 'day' : undefined}
            aria-label={name}
            data-drop={drop && JSON.stringify(drop)}
          >
            <div class="section-head">
              <h2 dir="auto">{name}</h2>
              <span class="count">{list.length}</span>
            </div>
            <TaskList tasks={list} showsProject={showsProject} headingDay={group === 'due' ? id : undefined} />
            {defaults && drop && <AddInPlace name={name} defaults={{ ...defaults, ...drop }} />}
          </section>
        );
      })}
    </div>
  );
}
