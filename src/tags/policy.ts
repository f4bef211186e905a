import type { Viewer } from '../kernel/context.ts';

/** Whose tags one sees and touches: one's own, which live in the personal space, also when they are put on shared tasks. */
export const tagsOf = (viewer: Viewer) => ({ spaceId: viewer.id });
