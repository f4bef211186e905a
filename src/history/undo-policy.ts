import type { Viewer } from '../platform/context.ts';
import { isOwnOrAdministered } from '../comments/policy.ts';
import { kindOfType, type SyncedType } from '../platform/entities.ts';
import { hasRole, mayMutate, notPermitted, tooLowFor } from '../platform/policy.ts';
import { type Role, roleFor } from '../platform/roles.ts';
import { inboxStays, mayDeleteProject } from '../projects/policy.ts';

export interface UndoChange {
  action: 'create' | 'update' | 'delete';
  type: SyncedType;
  id: string;
  spaceId: string;
  /** Author of a comment. */
  authorId: string | null;
  /** Spaces of the entity, including the present one and the one that an undo moves it to. */
  spaceIds: readonly string[];
}

/** The role that the viewer lacks in a space of the change, if they see that space. */
export function missingRole(
  viewer: Pick<Viewer, 'roles'>,
  { action, type, spaceIds }: Pick<UndoChange, 'action' | 'type' | 'spaceIds'>,
): Role | undefined {
  const needed = roleFor(`${action}${kindOfType(type)}`);
  return spaceIds.some((id) => viewer.roles.has(id) && !hasRole(viewer, id, needed)) ? needed : undefined;
}

/** Facts about a comment that the undo touches. */
export interface CommentFacts {
  /** Whether it returns, or goes, with its task. */
  isWithin?: boolean;
  /** Whether the undone operation brought it back, so its undo is a deletion and not the undo of a creation. */
  wasBroughtBack?: boolean;
}

/**
 * Asks the policies of the mutation with the same effect.
 * @returns the reason of a refusal; undefined if permitted
 */
export function whyNotUndo(
  viewer: Viewer,
  change: UndoChange,
  { isWithin = false, wasBroughtBack = false }: CommentFacts = {},
): string | undefined {
  const { action, type, id, authorId } = change;
  if (!mayMutate(viewer.credential, `${action}${kindOfType(type)}`)) return notPermitted;
  if (type === 'PROJECT' && action === 'delete' && !mayDeleteProject(viewer, id)) return inboxStays;
  const role = missingRole(viewer, change);
  if (role) return tooLowFor(role);
  if (type !== 'COMMENT' || isWithin) return undefined;
  if (action === 'create' || wasBroughtBack)
    return isOwnOrAdministered(viewer, change) ? undefined : onlyOwnOrAdministered;
  return authorId === viewer.id ? undefined : onlyOwn;
}

const onlyOwn = 'Only its author may undo this';
const onlyOwnOrAdministered = 'Only its author, or an administrator of the workspace, may undo this';
