import type { Viewer } from '../platform/context.ts';
import { kindOfType, type SyncedType } from '../platform/entities.ts';
import { mayMutate, notPermitted } from '../platform/policy.ts';
import { inboxStays, mayDeleteProject } from '../projects/policy.ts';

export interface UndoChange {
  action: 'create' | 'update' | 'delete';
  type: SyncedType;
  id: string;
}

/** Asks the policies of the mutation with the same effect. @returns the reason of a refusal; undefined if permitted */
export function whyNotUndo(viewer: Viewer, { action, type, id }: UndoChange): string | undefined {
  if (!mayMutate(viewer.credential, `${action}${kindOfType(type)}`)) return notPermitted;
  if (type === 'PROJECT' && action === 'delete' && !mayDeleteProject(viewer, id)) return inboxStays;
  return undefined;
}
