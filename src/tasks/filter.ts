import type { Priority, Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import { isId, onlyIds } from '../platform/ids.ts';
import { parse, referencedIds } from '../platform/input.ts';
import { tagSpaceOf } from '../platform/policy.ts';
import { searchQuery } from './input.ts';
import { idsOfSeries } from './occurrence-data.ts';
import { idsMatching } from './search-data.ts';

/** All conditions must hold. */
export interface TaskFilter {
  completed?: boolean | null;
  tagIds?: string[] | null;
  projectId?: string | null;
  projectIds?: string[] | null;
  sectionId?: string | null;
  parentId?: string | null;
  topLevel?: boolean | null;
  priority?: Priority[] | null;
  hasDueDate?: boolean | null;
  dueBefore?: Date | null;
  dueAfter?: Date | null;
  updatedAfter?: Date | null;
  text?: string | null;
  seriesId?: string | null;
  repeating?: boolean | null;
  assigneeId?: string | null;
  assigned?: boolean | null;
  claimed?: boolean | null;
}

const idsIn = (field: 'tagIds' | 'projectIds', ids: string[]) => parse(referencedIds, ids, `filter.${field}`);

/**
 * Malformed and unknown ids match nothing.
 * @throws VALIDATION_FAILED for more than 1,000 ids, and for a blank or too long text
 */
export function filterOf(filter: TaskFilter, viewer: Viewer): Prisma.TaskWhereInput {
  const { completed, tagIds, projectId, projectIds, sectionId, parentId, topLevel, priority } = filter;
  const { hasDueDate, dueBefore, dueAfter, updatedAfter, text, seriesId, repeating, assigneeId, assigned, claimed } =
    filter;
  // Several conditions may use the same column.
  const conditions = [
    completed != null && { completed },
    tagIds != null && {
      taskTags: { some: { tagId: { in: onlyIds('Tag', idsIn('tagIds', tagIds)) }, spaceId: tagSpaceOf(viewer) } },
    },
    projectId != null && { projectId: { in: onlyIds('Project', [projectId]) } },
    projectIds != null && { projectId: { in: onlyIds('Project', idsIn('projectIds', projectIds)) } },
    sectionId != null && { sectionId: { in: onlyIds('Section', [sectionId]) } },
    parentId != null && { parentId: { in: onlyIds('Task', [parentId]) } },
    topLevel != null && { parentId: topLevel ? null : { not: null } },
    priority != null && { priority: { in: priority } },
    hasDueDate != null && { dueDate: hasDueDate ? { not: null } : null },
    dueBefore != null && { dueDate: { lt: dueBefore } },
    dueAfter != null && { dueDate: { gt: dueAfter } },
    updatedAfter != null && { updatedAt: { gt: updatedAfter } },
    text != null && { id: { in: idsMatching(viewer, parse(searchQuery, text, 'filter.text')) } },
    seriesId != null && { id: { in: idsOfSeries(isId('Series', seriesId) ? seriesId : '') } },
    assigneeId != null && { taskAssignees: { some: { userId: { in: onlyIds('User', [assigneeId]) } } } },
    assigned != null && { assigneeIds: { isEmpty: !assigned } },
    claimed != null && { claim: claimed ? {} : null },
    // Prisma's types do not know null in a column of JSON.
    repeating != null && ({ recurrence: repeating ? { not: null } : null } as object),
  ];
  return { AND: conditions.filter((condition) => condition !== false) };
}
