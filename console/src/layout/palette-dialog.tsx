import { useMemo, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { LoadFailure, useModule } from '../ui/lazy.tsx';
import { currentTask } from './actions.ts';
import { closeSheet, openSheet } from './sheets.ts';

export const Palette = () => (openSheet.value === 'commands' ? <PaletteDialog /> : null);

/** Its field takes the keys until the list is loaded. */
function PaletteDialog() {
  // The dialog will take the focus.
  const task = useMemo(currentTask, []);
  const firstText = useRef('');
  const { module, retry } = useModule(() => import('./palette.tsx'));
  return (
    <Dialog title={texts.commands} onClose={() => closeSheet('commands')}>
      {retry && <LoadFailure retry={retry} />}
      {module ? (
        <module.CommandList task={task} firstText={firstText.current} />
      ) : (
        <input
          aria-label={texts.commands}
          placeholder={texts.commandsHint}
          onInput={({ currentTarget: { value } }) => (firstText.current = value)}
        />
      )}
    </Dialog>
  );
}
