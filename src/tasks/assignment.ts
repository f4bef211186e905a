import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { mapConstraintError } from '@taskgate/postgres';
import { isId, onlyIds } from '../platform/ids.ts';
import { type bulkUpdateTasks, maxAssignees } from './input.ts';

/** A change of assignees. */
export interface Assignment {
  /** Users in the order of assignment. Malformed ids are empty, and no members. */
  added: string[];
  /** Null: all others. */
  removed: string[] | null;
}

export const assignable = (ids: readonly string[] | null | undefined): string[] =>
  (ids ?? []).map((id) => (isId('User', id) ? id : ''));

/** @returns undefined if nothing is to change @throws VALIDATION_FAILED if the arguments contradict each other */
export function assignmentOf({
  assigneeIds,
  addAssigneeIds: added,
  removeAssigneeIds: removed,
}: Pick<z.output<typeof bulkUpdateTasks>, 'assigneeIds' | 'addAssigneeIds' | 'removeAssigneeIds'>):
  Assignment | undefined {
  const isDifference = added != null || removed != null;
  if (assigneeIds !== undefined) {
    if (isDifference)
      throw invalid('input.assigneeIds', 'must not be given beside addAssigneeIds or removeAssigneeIds');
    return { added: assignable(assigneeIds), removed: null };
  }
  if (removed?.some((id) => added?.includes(id))) {
    throw invalid('input.removeAssigneeIds', 'must not have an id of addAssigneeIds');
  }
  return isDifference ? { added: assignable(added), removed: onlyIds('User', removed ?? []) } : undefined;
}

/** The same answer for ids that are unknown, of former members and of strangers. */
export const mapNotAssignable = ({ removed }: Assignment) =>
  mapConstraintError('check', () =>
    invalid(
      removed === null ? 'input.assigneeIds' : 'input.addAssigneeIds',
      `must be ids of members of the task's space, for up to ${maxAssignees} assignees`,
    ),
  );
