import type { Hints } from './hints.ts';
import { defaults } from './schema.ts';
import { applyCompletion, applyOpenings, withRecurrence } from './occurrences.ts';
import { changeTask, subtasksOf, type Table, taskOf } from './tables.ts';
import type { CreateTaskInput, UpdateTaskInput } from './mutation-types.ts';
import type { Project, Task, Workspace } from './types.ts';

/** Shows a new task. Does nothing if the project or parent is missing. */
export function applyCreateTask(table: Table, input: CreateTaskInput, hints: Hints, at: string): void {
  const parent = taskOf(table, input.parentId);
  const projectId = input.projectId ?? parent?.projectId ?? hints.inboxId ?? '';
  if (!table.get(projectId) || (input.parentId != null && !parent)) return;
  const task = { ...defaults.Task, ...definedFields(input) };
  const created: Task = {
    ...task,
    __typename: 'Task',
    id: input.id ?? '',
    title: input.title,
    dueTime: task.isAllDay === false ? (input.dueTime ?? null) : null,
    sortKey: hints.sortKey ?? '',
    reminder: input.reminder ?? hints.reminder ?? false,
    recurrence: null,
    createdAt: at,
    updatedAt: at,
    parentId: parent?.id ?? null,
    projectId,
    sectionId: input.sectionId ?? (input.projectId == null ? (parent?.sectionId ?? null) : null),
    tagIds: [...(input.tagIds ?? [])].sort(),
    assigneeIds: [...new Set(input.assigneeIds)],
    createdById: hints.createdById ?? null,
  };
  table.set(input.recurrence ? withRecurrence(created, input.recurrence, hints, at) : created);
}

/** Omits undefined fields, but not null. */
export const definedFields = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;

/** Shows changes of tasks. An occurrence is opened before its other fields change, and completed after. */
export function applyUpdateTasks(
  table: Table,
  ids: readonly string[],
  { completed, completedOn, ...input }: UpdateTaskInput,
  hints: Hints,
  at: string,
): void {
  const withState = (state: boolean) =>
    ids.flatMap((id) => taskOf(table, id) ?? []).filter((task) => task.completed === state);
  if (completed === false) applyOpenings(table, withState(true), input, at);
  for (const id of ids) applyUpdateTask(table, id, input, hints, at);
  if (completed) for (const task of withState(false)) applyCompletion(table, task, hints, at, completedOn);
}

/** Shows a change, with its subtasks if the task moves. Does nothing if the task or target is missing, or the move is a circle. */
function applyUpdateTask(table: Table, id: string, input: UpdateTaskInput, hints: Hints, at: string): void {
  const task = taskOf(table, id);
  if (!task) return;
  const { tagIds = task.tagIds, projectId, sectionId, parentId, recurrence, ...others } = input;
  const { assigneeIds, addAssigneeIds = [], removeAssigneeIds = [], ...rest } = others;
  const container = targetOf(table, task, { projectId, sectionId, parentId }, hints);
  const targets = [container.projectId, container.sectionId, parentId].filter((target) => target != null);
  if (targets.some((target) => !table.get(target)) || isWithin(table, parentId, id)) return;
  const added = assigneeIds ?? addAssigneeIds;
  const isKept = (each: string) =>
    assigneeIds === undefined ? !removeAssigneeIds.includes(each) : added.includes(each);
  const assigned = { ...task, assigneeIds: [...new Set([...task.assigneeIds, ...added])].filter(isKept) };
  const fields = { ...placed(table, assigned, container), ...definedFields(rest), tagIds: [...tagIds].sort() };
  const next = {
    ...fields,
    dueTime: fields.isAllDay === false ? fields.dueTime : null,
    parentId: parentId === undefined ? task.parentId : parentId,
  };
  changeTask(table, task, recurrence === undefined ? next : withRecurrence(next, recurrence, hints, at), at);
  if (container.projectId !== task.projectId || container.sectionId !== task.sectionId)
    moveSubtasks(table, id, container);
}

/** Puts a task into a project. It keeps the assignees who are members of the project's space. */
function placed(table: Table, task: Task, container: Partial<Container>): Task {
  const next = { ...task, ...container };
  const spaceOf = (projectId: string) => (table.get(projectId) as Project | undefined)?.workspaceId ?? '';
  const space = spaceOf(next.projectId);
  if (space === spaceOf(task.projectId)) return next;
  const workspace = table.get(space) as Workspace | undefined;
  // A replica has one user, who is the only member of the personal space.
  const isMember = (id: string) => (workspace ? workspace.members.some((member) => member.id === id) : !!table.get(id));
  return { ...next, assigneeIds: next.assigneeIds.filter(isMember) };
}

type Container = Pick<Task, 'projectId' | 'sectionId'>;
type Move = Pick<UpdateTaskInput, 'projectId' | 'sectionId' | 'parentId'>;

/** Returns the requested project and section. If there are none, the ones of the new parent. */
function targetOf(table: Table, task: Task, move: Move, { inboxId }: Hints): Container {
  const parent = taskOf(table, move.parentId);
  const requestedId = move.projectId === null ? inboxId : move.projectId;
  const projectId = requestedId ?? parent?.projectId ?? task.projectId;
  if (move.sectionId !== undefined) return { projectId, sectionId: move.sectionId };
  if (parent && move.projectId == null) return { projectId, sectionId: parent.sectionId };
  return { projectId, sectionId: projectId === task.projectId ? task.sectionId : null };
}

/** Whether an entity is the task or below it. The service refuses such a parent. */
export function isWithin(table: Table, id: string | null | undefined, taskId: string): boolean {
  return id != null && (id === taskId || isWithin(table, taskOf(table, id)?.parentId, taskId));
}

function moveSubtasks(table: Table, id: string, container: Container): void {
  for (const task of subtasksOf(table, id)) {
    table.set(placed(table, task, container));
    moveSubtasks(table, task.id, container);
  }
}

export function applyMoveSection(table: Table, id: string, projectId: string): void {
  const section = table.get(id);
  if (section?.__typename !== 'Section' || section.projectId === projectId || !table.get(projectId)) return;
  table.set({ ...section, projectId });
  for (const task of [...table.referrers(id)]) {
    if (task.__typename === 'Task') table.set(placed(table, task, { projectId }));
  }
}
