import type { Viewer } from './context.ts';

/** Who may touch a row: the members of its space. The one rule of access, for every Prisma `where`. */
export const inSpacesOf = (viewer: Viewer) => ({ spaceId: { in: viewer.spaceIds } });

/** The same rule for a space that is known already. */
export const isMember = (viewer: Viewer, spaceId: string) => viewer.spaceIds.includes(spaceId);
