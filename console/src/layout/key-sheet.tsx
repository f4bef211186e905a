import { signal } from '@preact/signals';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';

export const isKeySheetOpen = signal(false);

export function KeySheet() {
  if (!isKeySheetOpen.value) return null;
  const close = () => (isKeySheetOpen.value = false);
  return (
    <Dialog title={texts.keyboard} onClose={close}>
      <dl class="keys">
        {texts.keys.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="buttons">
        <button type="button" class="primary" onClick={close}>
          {texts.close}
        </button>
      </div>
    </Dialog>
  );
}
