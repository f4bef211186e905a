import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Keys } from '../ui/keys.tsx';
import { closeSheet, openSheet } from './sheets.ts';

export function KeySheet() {
  if (openSheet.value !== 'keys') return null;
  const close = () => closeSheet('keys');
  return (
    <Dialog title={texts.keyboard} onClose={close}>
      <dl class="keys">
        {texts.keys.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <Keys keys={keys} />
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="buttons">
        <Button text={texts.close} class="primary" onClick={close} />
      </div>
    </Dialog>
  );
}
