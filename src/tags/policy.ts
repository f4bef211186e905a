import type { Viewer } from '../kernel/context.ts';
import { tagSpaceOf } from '../kernel/policy.ts';

/** Whose tags one sees and touches: one's own, which live in the personal space, also when they are put on shared tasks. */
export const tagsOf = (viewer: Viewer) => ({ spaceId: tagSpaceOf(viewer) });

/** What to read of a task's `taskTags`: one's own tags on it, by name. @param tag what to read of each tag */
export const ownTaskTags = <Selected>(viewer: Viewer, tag: Selected) => ({
  where: tagsOf(viewer),
  orderBy: { tag: { name: 'asc' as const } },
  select: { tag },
});
