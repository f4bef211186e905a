import type { Viewer } from '../kernel/context.ts';
import { tagSpaceOf } from '../kernel/policy.ts';

/** Tags belong to the personal space, even on shared tasks. */
export const tagsOf = (viewer: Viewer) => ({ spaceId: tagSpaceOf(viewer) });

export const ownTaskTags = <Selected>(viewer: Viewer, tag: Selected) => ({
  where: tagsOf(viewer),
  orderBy: { tag: { name: 'asc' as const } },
  select: { tag },
});
