import type { Viewer } from '../kernel/context.ts';

/** A member of its space may delete a project, but nobody the inbox. */
export const mayDeleteProject = (viewer: Viewer, projectId: string) => projectId !== viewer.inboxId;

/** Personal projects are seen by their owner alone, so a personal space that is seen is the viewer's own. */
export const isPersonal = (viewer: Viewer, { spaceId }: { spaceId: string }) => spaceId === viewer.id;
