import type { Viewer } from '../platform/context.ts';
import { tagSpaceOf } from '../platform/policy.ts';

/** Tags belong to the personal space, even on shared tasks. */
export const tagsOf = (viewer: Viewer) => ({ spaceId: tagSpaceOf(viewer) });

export const ownTaskTags = <Selected>(viewer: Viewer, tag: Selected) => ({
  where: tagsOf(viewer),
  orderBy: { tag: { name: 'asc' as const } },
  select: { tag },
});
