import type { Viewer } from '../platform/context.ts';
import { isOwnOrAdministered } from '../comments/policy.ts';
import { kindOfType, type SyncedType } from '../platform/entities.ts';
import { mayMutate, notPermitted } from '../platform/policy.ts';
import { inboxStays, mayDeleteProject } from '../projects/policy.ts';

export interface UndoChange {
  action: 'create' | 'update' | 'delete';
  type: SyncedType;
  id: string;
  spaceId: string;
  /** Of a comment. */
  authorId: string | null;
}

/**
 * Asks the policies of the mutation with the same effect.
 * @param isWithin whether a comment returns, or goes, with its task
 * @returns the reason of a refusal; undefined if permitted
 */
export function whyNotUndo(viewer: Viewer, change: UndoChange, isWithin = false): string | undefined {
  const { action, type, id, authorId } = change;
  if (!mayMutate(viewer.credential, `${action}${kindOfType(type)}`)) return notPermitted;
  if (type === 'PROJECT' && action === 'delete' && !mayDeleteProject(viewer, id)) return inboxStays;
  if (type !== 'COMMENT' || isWithin) return undefined;
  if (action === 'create') return isOwnOrAdministered(viewer, change) ? undefined : onlyOwnOrAdministered;
  return authorId === viewer.id ? undefined : onlyOwn;
}

const onlyOwn = 'Only its author may undo this';
const onlyOwnOrAdministered = 'Only its author, or an administrator of the workspace, may bring it back';
