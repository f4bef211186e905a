import { type Project, projects } from 'taskgate-client';
import { useQuery } from './replica.ts';
import { readOnlyProjects } from './rights.ts';
import { currentReplica } from './session.ts';

/** Whether the user may change the tasks of a project. */
export const canEdit = (projectId: string): boolean => !currentReplica().read(readOnlyProjects).includes(projectId);

export const useCanEdit = (projectId: string): boolean => !useQuery(() => readOnlyProjects).includes(projectId);

export const readEditableProjects = (): readonly Project[] =>
  currentReplica()
    .read(projects.all())
    .filter(({ id }) => canEdit(id));

export function useEditableProjects(): readonly Project[] {
  const readOnly = useQuery(() => readOnlyProjects);
  return useQuery(projects.all).filter(({ id }) => !readOnly.includes(id));
}
