import { texts } from '../texts.ts';
import { ask } from './dialog.tsx';
import type { MenuItem } from './menu.tsx';

/** An unchanged name is not sent, because it would overwrite changes of others. */
export const renameItem = (name: string, rename: (name: string) => unknown): MenuItem => ({
  text: texts.rename,
  icon: 'note',
  choose: () =>
    ask({
      ...{ title: texts.rename, label: texts.nameOf, value: name, action: texts.save },
      onConfirm: (next) => next === name || rename(next),
    }),
});
