import { change } from '../app/replica.ts';
import { go } from '../app/router.ts';
import { texts } from '../texts.ts';
import { askForNew } from '../ui/dialog.tsx';

export const newProject = (workspaceId: string | null): void =>
  askForNew(texts.newProject, (name) => go(`/projects/${change('createProject', { name, workspaceId }).id ?? ''}`));

export const newWorkspace = (): void =>
  askForNew(texts.newWorkspace, (name) => go(`/workspaces/${change('createWorkspace', { name }).id ?? ''}`));

export const newTag = (): void =>
  askForNew(texts.newTag, (name) => go(`/tags/${change('createTag', { name }).id ?? ''}`));
