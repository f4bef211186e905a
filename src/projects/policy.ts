import type { Viewer } from '../kernel/context.ts';

/** A member of its space may delete a project, but nobody the inbox: see {@link inboxStays}. */
export const mayDeleteProject = (viewer: Viewer, projectId: string) => projectId !== viewer.inboxId;

/** The reason if {@link mayDeleteProject} refuses. */
export const inboxStays = 'The inbox cannot be deleted';

/** Personal projects are seen by their owner alone, so a personal space that is seen is the viewer's own. */
export const isPersonal = (viewer: Viewer, { spaceId }: { spaceId: string }) => spaceId === viewer.id;
