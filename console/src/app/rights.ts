import {
  projects,
  type Project,
  type Query,
  select,
  type Workspace,
  type WorkspaceRole,
  workspaces,
} from 'taskgate-client';

/** Ascending: each role has the rights of those before it. */
export const roles: readonly WorkspaceRole[] = ['VIEWER', 'COMMENTER', 'EDITOR', 'ADMIN'];

/** @param workspace undefined for the user's own projects */
export const hasRole = (workspace: Pick<Workspace, 'role'> | undefined, needed: WorkspaceRole): boolean =>
  workspace === undefined || roles.indexOf(workspace.role) >= roles.indexOf(needed);

const both: Query<readonly [readonly Project[], readonly Workspace[]]> = {
  keys: [...projects.all().keys, ...workspaces.all().keys],
  evaluate: (source) => [projects.all().evaluate(source), workspaces.all().evaluate(source)],
};

/** Ids of projects in which the user may not change tasks. */
export const readOnlyProjects = select(both, ([all, allWorkspaces]) => {
  const readOnly = new Set(allWorkspaces.filter((each) => !hasRole(each, 'EDITOR')).map(({ id }) => id));
  return all.filter(({ workspaceId }) => readOnly.has(workspaceId ?? '')).map(({ id }) => id);
});
