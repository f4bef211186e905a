import type { Viewer } from '../platform/context.ts';

/** Members of its space may delete a project, except the inbox. */
export const mayDeleteProject = (viewer: Viewer, projectId: string) => projectId !== viewer.inboxId;

export const inboxStays = 'The inbox cannot be deleted';
