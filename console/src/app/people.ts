import { projects, select, type Workspace, workspaces } from 'taskgate-client';
import { useQuery } from './replica.ts';
import { currentReplica } from './session.ts';

/** All people whom the account shares a workspace with, by id. */
export const people = select(
  workspaces.all(),
  (all) => new Map(all.flatMap(({ members }) => members.map((member) => [member.id, member] as const))),
);

/** Undefined for a personal project. */
export function workspaceOf(projectId: string | null | undefined): Workspace | undefined {
  const replica = currentReplica();
  return replica.read(workspaces.byId(replica.read(projects.byId(projectId ?? ''))?.workspaceId ?? ''));
}

/** Undefined for a personal project. */
export function useWorkspace(projectId: string): Workspace | undefined {
  const workspaceId = useQuery(() => projects.byId(projectId), [projectId])?.workspaceId ?? '';
  return useQuery(() => workspaces.byId(workspaceId), [workspaceId]);
}
