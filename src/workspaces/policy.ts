import type { Viewer } from '../kernel/context.ts';
import { isId } from '../kernel/ids.ts';
import { isMember } from '../kernel/policy.ts';

/** The workspaces that one is a member of, for a Prisma `where`: nobody sees another. */
export const workspacesOf = (viewer: Viewer) => ({ kind: 'WORKSPACE' as const, id: { in: viewer.spaceIds } });

/** The same for one workspace. Its members may do everything in it, add and remove members too. */
export const isWorkspaceOf = (viewer: Viewer, id: string) => isId('Workspace', id) && isMember(viewer, id);

/** A workspace keeps at least one member. */
export const mayRemoveMember = (memberIds: readonly string[]) => memberIds.length > 1;
