import { expect, test } from '@jest/globals';
import type { Project, Query, Workspace, WorkspaceRole } from 'taskgate-client';
import { hasRole, readOnlyProjects, roles } from '../../console/src/app/rights.ts';

test.each([
  ['VIEWER', ['VIEWER']],
  ['COMMENTER', ['VIEWER', 'COMMENTER']],
  ['EDITOR', ['VIEWER', 'COMMENTER', 'EDITOR']],
  ['ADMIN', ['VIEWER', 'COMMENTER', 'EDITOR', 'ADMIN']],
] as const)('%s has the rights of %p', (role, included) => {
  expect(roles.filter((needed) => hasRole({ role }, needed))).toEqual(included);
});

test('everybody has all rights in their own projects', () => {
  expect(roles.filter((needed) => hasRole(undefined, needed))).toEqual(roles);
});

/** Evaluates a query over lists of entities. */
const read = <Result>(query: Query<Result>, allProjects: readonly Project[], allWorkspaces: readonly Workspace[]) =>
  query.evaluate({
    entity: () => undefined,
    value: () => undefined,
    list: (key) => (key.startsWith('Project') ? allProjects : allWorkspaces),
  });

test('the projects of workspaces with a role below EDITOR are read-only, and the list stays the same object', () => {
  const project = (id: string, workspaceId: string | null) => ({ id, workspaceId }) as Project;
  const workspace = (role: WorkspaceRole) => ({ id: role, role }) as Workspace;
  const all = [project('own', null), ...roles.map((role) => project(`of ${role}`, role))];
  const found = read(readOnlyProjects, all, roles.map(workspace));
  expect(found).toEqual(['of VIEWER', 'of COMMENTER']);
  expect(read(readOnlyProjects, [...all], roles.map(workspace))).toBe(found);
});
