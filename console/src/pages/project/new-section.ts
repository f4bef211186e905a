import { change } from '../../app/replica.ts';
import { texts } from '../../texts.ts';
import { ask } from '../../ui/dialog.tsx';

export const newSection = (projectId: string): void =>
  ask({
    title: texts.newSection,
    label: texts.nameOf,
    action: texts.create,
    onConfirm: (name) => change('createSection', { projectId, name }),
  });
