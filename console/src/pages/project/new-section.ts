import { change } from '../../app/replica.ts';
import { texts } from '../../texts.ts';
import { askForNew } from '../../ui/dialog.tsx';

export const newSection = (projectId: string): void =>
  askForNew(texts.newSection, (name) => change('createSection', { projectId, name }));
