import type { Viewer } from '../platform/context.ts';
import { hasRole } from '../platform/policy.ts';

/**
 * The author of a comment, and administrators of its space, delete it, reverse its deletion, and see its former texts.
 */
export const isOwnOrAdministered = (
  viewer: Viewer,
  { authorId, spaceId }: { authorId: string | null; spaceId: string },
): boolean => authorId === viewer.id || hasRole(viewer, spaceId, 'ADMIN');
