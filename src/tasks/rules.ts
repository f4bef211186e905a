import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import type { Selection } from '@taskgate/nested-read';
import { mapConstraintError, mapTakenId } from '@taskgate/postgres';
import type { Task } from '../generated/prisma/client.ts';
import { toConnection } from '../platform/connection.ts';
import type { PageSize, Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { notFound, orNotFound } from '../platform/errors.ts';
import { fieldsOfInput } from '../platform/fields.ts';
import { isId, onlyIds, sortByIds } from '../platform/ids.ts';
import { bulkIds, parse } from '../platform/input.ts';
import { hasRole, requirePersonalSpace } from '../platform/policy.ts';
import { keyBetween } from '../platform/sort-key.ts';
import { findByIds, requireVisible } from '../platform/visible-entities.ts';
import { inReadTurn } from '../platform/transaction.ts';
import { write } from '../platform/write.ts';
import { assignable, assignmentOf, mapNotAssignable } from './assignment.ts';
import { type ConnectionArguments, pageOf } from './connection.ts';
import * as data from './data.ts';
import { taskFields } from './fields.ts';
import * as input from './input.ts';
import * as listData from './list-data.ts';
import { cursorOf, merge } from './order.ts';
import { referenceGone, requireFittingIds, requireFittingPlace, targetPlace } from './placement.ts';
import { findIds } from './search-data.ts';
import { changeRecurrence, changeTasks, newOccurrence } from './occurrences.ts';
import { noTasks, type UpdatedTasks, type UpdateFacts, findUpdateFacts, writeTasks } from './update-data.ts';

export { renewSortKeys } from './data.ts';
export { filterOf, type TaskFilter } from './filter.ts';
export { countsOf } from './list-data.ts';
export { allTasks, type ListArguments, streamSections, streamTasks, type TaskBatches } from './stream-data.ts';
export { inStreamTurn } from './stream-turns.ts';
export { skipOccurrence } from './occurrences.ts';
export { moveTasksOfSection } from './update-data.ts';

const idOrEmpty = (entity: 'Project' | 'Section' | 'Task' | 'Tag', id: string | null | undefined) =>
  id == null || isId(entity, id) ? (id ?? null) : '';

/**
 * Returns a page of the viewer's tasks.
 * @throws VALIDATION_FAILED for page sizes out of bounds and cursors of another list
 */
export async function listTasks(
  viewer: Viewer,
  args: ConnectionArguments,
  pageSize: PageSize,
  query: Selection,
  withCount: boolean,
) {
  const page = pageOf(args, viewer, pageSize);
  const { lists, totalCount } = await listData.listTasks(viewer, page, query, withCount);
  const tasks = merge(page.order, page.backwards, lists).slice(0, page.size + 1);
  return toConnection(
    args,
    page,
    tasks,
    (task) => cursorOf(page.order, task),
    () => totalCount,
  );
}

/** Returns the visible tasks in the order of the ids. */
export const findTasksByIds = async (viewer: Viewer, ids: string[], query: Selection) =>
  sortByIds(ids, await findByIds('Task', viewer, ids, query));

function requireAllTags(wanted: readonly string[], existing: readonly string[]): void {
  if (new Set(wanted).size !== existing.length) throw invalid('input.tagIds', 'must be ids of your own tags');
}

/**
 * Creates a task as the last one of its project.
 * @throws VALIDATION_FAILED, also for ids that are unknown or not the caller's
 */
export async function createTask(viewer: Viewer, rawInput: z.input<typeof input.createTask>): Promise<Task> {
  const wanted = parse(input.createTask, rawInput, 'input');
  requireFittingIds(wanted);
  if (wanted.projectId == null && wanted.parentId == null) requirePersonalSpace(viewer);
  const plain = newTask(wanted);
  const due = wanted.recurrence ? { ...plain, ...(await newOccurrence(viewer, plain, wanted.recurrence)) } : plain;
  const task = { ...due, reminder: due.reminder ?? (due.dueDate === null ? false : null) };
  const references = {
    projectId: idOrEmpty('Project', wanted.projectId),
    sectionId: idOrEmpty('Section', wanted.sectionId),
    parentId: idOrEmpty('Task', wanted.parentId),
    tagIds: [...new Set(wanted.tagIds?.map((id) => idOrEmpty('Tag', id) ?? ''))],
  };
  const requireFitting = (placement: data.TaskPlacement): string => {
    const projectId = requireFittingPlace(wanted, placement);
    requireAllTags(wanted.tagIds ?? [], placement.tagIds);
    return projectId;
  };
  const access = {
    ids: data.idsToLockForNewTask(viewer, references),
    checkFirst: async () => requireFitting(await data.findPlacement(viewer, references, task.recurrence !== null)),
  };
  // Null if PostgreSQL cannot follow the last key. A transaction must then keep the new task last.
  const create = async (tx: Database | null, caller: Viewer, sortKey: string | null): Promise<Task | null> => {
    const { created, placement } = await data.createTask(tx, caller, task, references, sortKey, access);
    if (created) return created;
    const projectId = requireFitting(placement);
    if (sortKey !== null) throw new Error('a task without problems was not created');
    if (!tx) return null;
    return create(tx, caller, keyBetween(placement.lastKey, null) ?? (await keyAtEnd(tx, projectId)));
  };
  const inTransaction = () =>
    write(viewer, access, async (tx, caller) => {
      const created = await create(tx, caller, null);
      if (!created) throw new Error('the transaction did not create the task');
      return created;
    });
  const createOrRetry = async () => (await create(null, viewer, null)) ?? inTransaction();
  return createOrRetry()
    .catch(mapConstraintError('missingReference', referenceGone))
    .catch(mapTakenId('input.id'))
    .catch(mapNotAssignable({ added: task.assigneeIds, removed: null }));
}

/** Renews the keys of a project if none can follow the last one. */
const keyAtEnd = async (tx: Database, projectId: string): Promise<string> =>
  keyBetween((await data.renewKeysOfProject(tx, projectId)).at(-1) ?? null, null) ?? '';

function newTask(wanted: z.output<typeof input.createTask>): data.NewTask {
  const values = fieldsOfInput(taskFields, 'create').map(([name, field]) => {
    const value = wanted[name];
    const isAbsent = value === undefined || (value === null && !field.nullable);
    return [name, isAbsent ? (field.default ?? null) : value];
  });
  const task = { id: wanted.id, ...(Object.fromEntries(values) as Omit<data.NewTask, 'id'>) };
  return {
    ...task,
    recurrence: null,
    assigneeIds: assignable(wanted.assigneeIds),
    dueTime: task.isAllDay === false ? task.dueTime : null,
  };
}

/**
 * Changes a task. An absent field is unchanged; null clears it.
 * @returns the written row; its id if nothing was written, or only another read can tell
 * @throws NOT_FOUND; VALIDATION_FAILED, also for ids that are unknown or not the caller's
 */
export async function updateTask(
  viewer: Viewer,
  id: string,
  rawInput: z.input<typeof input.updateTask>,
): Promise<Task | string> {
  if (!isId('Task', id)) throw notFound('Task');
  const wanted = parse(input.updateTask, rawInput, 'input');
  const { ids, task } = await update(viewer, [id], wanted, 'one');
  if (ids.length === 0) throw notFound('Task');
  return task ?? id;
}

/**
 * Changes many tasks alike. Skips ids that are unknown or not the caller's.
 * @returns the existing tasks in the given order
 * @throws VALIDATION_FAILED if the input is empty or does not fit one of the tasks; for more than 10,000 ids
 */
export async function updateManyTasks(
  viewer: Viewer,
  ids: readonly string[],
  rawInput: z.input<typeof input.bulkUpdateTasks>,
): Promise<string[]> {
  const wanted = parse(input.bulkUpdateTasks, rawInput, 'input');
  if (Object.keys(wanted).length === 0) throw invalid('input', 'must have at least one field');
  const taskIds = onlyIds('Task', parse(bulkIds, ids, 'ids'));
  const existing = new Set((await update(viewer, taskIds, wanted, 'many')).ids);
  return taskIds.filter((id) => existing.has(id));
}

async function update(
  viewer: Viewer,
  ids: string[],
  wanted: input.UpdateTaskInput | z.output<typeof input.bulkUpdateTasks>,
  named: 'one' | 'many',
): Promise<UpdatedTasks> {
  const { projectId, sectionId, tagIds: wantedTagIds, completedOn = null, ...others } = wanted;
  const { assigneeIds, addAssigneeIds, removeAssigneeIds, ...rest } = others;
  const assignment = assignmentOf({ assigneeIds, addAssigneeIds, removeAssigneeIds });
  const { parentId, recurrence, ...fields } = { parentId: undefined, recurrence: undefined, ...rest };
  // A rule may need milliseconds.
  if (recurrence) await viewer.connections.turns.next(viewer.id, true);
  const moves = projectId !== undefined || sectionId !== undefined || parentId !== undefined;
  const assigns = assignment !== undefined && assignment.added.length > 0;
  const isPlain = !moves && recurrence === undefined;
  const own = { fields, ...(assignment && { assignment }) };
  const references = {
    projectId: projectId === null ? requirePersonalSpace(viewer) : idOrEmpty('Project', projectId),
    sectionId: idOrEmpty('Section', sectionId),
    tagIds: onlyIds('Tag', wantedTagIds ?? []),
  };
  const { connections } = viewer;
  const plan = async (database: Database, caller: Viewer, facts: UpdateFacts) => {
    requireAllTags(wantedTagIds ?? [], facts.tagIds);
    const move = moves
      ? await targetPlace(database, caller, { projectId, sectionId, parentId, recurrence }, references, facts)
      : {};
    return { move, changes: { ...own, ...(wantedTagIds !== undefined && { tagIds: facts.tagIds }), ...move } };
  };
  const checkFirst = () =>
    inReadTurn(connections, viewer, async () => {
      const facts = await findUpdateFacts(connections.db, viewer, ids, references);
      const spaceId = named === 'one' ? orNotFound(facts.targets[0] ?? null, 'Task').spaceId : undefined;
      // Otherwise the role for the task itself is refused, before another id.
      if (spaceId === undefined || hasRole(viewer, spaceId, 'EDITOR')) await plan(connections.db, viewer, facts);
    });
  const change = async (tx: Database | null, caller: Viewer) => {
    const database = tx ?? connections.db;
    const find = () => findUpdateFacts(database, caller, ids, references);
    const facts = tx ? await find() : await inReadTurn(connections, caller, find);
    // With many tasks, the references must exist anyway.
    if (facts.targets.length === 0 && named === 'one') return noTasks;
    const { move, changes } = await plan(database, caller, facts);
    // Otherwise the move would silently drop assignees that are no members of the new space.
    if (tx && assigns && move.place?.project) await writeTasks(tx, caller, ids, { fields: {}, ...move }, null);
    if (tx && recurrence !== undefined) {
      return changeRecurrence(tx, caller, ids[0] ?? '', changes, recurrence, completedOn);
    }
    return changeTasks(tx, caller, ids, changes, completedOn);
  };
  const referred = [references.projectId, references.sectionId, idOrEmpty('Task', parentId)].filter(
    (id) => id !== null,
  );
  const idsToLock = [...ids, ...referred, ...(wantedTagIds === undefined ? [] : [viewer.id])];
  const changeAll = () => {
    if (!isPlain) return write(viewer, { ids: idsToLock, checkFirst }, change);
    // Without a move, reading and writing are one statement each, and need no common lock.
    return wantedTagIds === undefined ? changeTasks(null, viewer, ids, own, completedOn) : change(null, viewer);
  };
  const changed = changeAll().catch(mapConstraintError('missingReference', referenceGone));
  return assigns ? changed.catch(mapNotAssignable(assignment)) : changed;
}

/**
 * Moves a task directly after or before a sibling.
 * @throws NOT_FOUND; VALIDATION_FAILED for other tasks than siblings, or if `after` does not precede `before`
 */
export async function moveTask(viewer: Viewer, id: string, after: string | null, before: string | null) {
  if (!isId('Task', id)) throw notFound('Task');
  const anchors = onlyIds('Task', [after ?? '', before ?? '']);
  const checkFirst = () => requireVisible('Task', viewer, id);
  await write(viewer, { ids: [id, ...anchors], checkFirst }, async (tx, caller) => {
    const task = orNotFound(await data.findPlaceOfTask(tx, caller, id), 'Task');
    if (after === null && before === null) throw invalid('after', 'or before must be given');
    const siblings = await data.siblingsOf(tx, id, anchors);
    const place = (sibling: string | null, path: string) => {
      const match = siblings.find((other) => other.id === sibling);
      if (sibling !== null && !match)
        throw invalid(path, 'must be the id of another task with the same project and parent');
      return match;
    };
    const [left, right] = [place(after, 'after'), place(before, 'before')];
    if (left && right && data.isBefore(right, left)) {
      throw invalid('after', 'must stand before the task that is given as before');
    }
    const anchor = left ?? right;
    if (!anchor) throw notFound('Task');
    const neighbour = await data.neighbourKey(tx, task.projectId, anchor, left ? 'after' : 'before', id);
    const key = left ? keyBetween(left.sortKey, neighbour) : keyBetween(neighbour, anchor.sortKey);
    if (key !== null) return void (await writeTasks(tx, caller, [id], { fields: { sortKey: key } }, null));
    const others = (await data.tasksBySortKey(tx, task.projectId))
      .map((other) => other.id)
      .filter((other) => other !== id);
    await data.renewSortKeys(tx, 'tasks', others.toSpliced(others.indexOf(anchor.id) + (left ? 1 : 0), 0, id));
  });
  return id;
}

/** Deletes a task with its subtasks. @throws NOT_FOUND */
export async function deleteTask(viewer: Viewer, id: string): Promise<void> {
  if ((await deleteManyTasks(viewer, [id])).count === 0) throw notFound('Task');
}

/**
 * As {@link deleteTask}, but skips ids that are unknown or not the caller's.
 * @throws VALIDATION_FAILED for more than 10,000 ids
 */
export const deleteManyTasks = async (viewer: Viewer, ids: readonly string[]): Promise<data.DeletedTasks> =>
  data.deleteTasks(viewer, onlyIds('Task', parse(bulkIds, ids, 'ids')));

/**
 * Searches the viewer's tasks and tags, and tolerates typos.
 * @returns `findIds` reads ids, best first, at most `first` of each kind
 * @throws VALIDATION_FAILED for a blank query or a bad number
 */
export function search(viewer: Viewer, rawQuery: unknown, first: number) {
  const query = parse(input.searchQuery, rawQuery, 'query');
  if (first < 0 || first > input.maxSearchResults) throw invalid('first', `must be 0 to ${input.maxSearchResults}`);
  let finding: ReturnType<typeof findIds> | undefined;
  return { query, first, findIds: () => (finding ??= findIds(viewer, query, first)) };
}
