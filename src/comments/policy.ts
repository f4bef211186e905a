import type { Viewer } from '../platform/context.ts';
import { hasRole } from '../platform/policy.ts';

export interface AuthoredIn {
  authorId: string | null;
  spaceId: string;
}

/** The author, and administrators of the space: they delete a comment, and see its former texts. */
export const isOwnOrAdministered = (viewer: Viewer, { authorId, spaceId }: AuthoredIn): boolean =>
  authorId === viewer.id || hasRole(viewer, spaceId, 'ADMIN');
