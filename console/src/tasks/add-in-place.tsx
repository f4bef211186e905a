import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import { LineField } from './line-field.tsx';
import type { Defaults } from './new-task.ts';

/** A button at the end of a list, which opens a field there. @param name of the list */
export function AddInPlace({ name, defaults }: { name: string; defaults: Defaults }) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const takesFocus = useRef(false);
  useLayoutEffect(() => {
    if (takesFocus.current) place.current?.querySelector('button')?.focus();
    takesFocus.current = false;
  }, [isOpen]);
  const label = texts.addTaskTo(name);
  const showEnd = () =>
    requestAnimationFrame(() => {
      place.current?.parentElement?.querySelector('.tasks > :last-child')?.scrollIntoView({ block: 'nearest' });
      place.current?.scrollIntoView({ block: 'nearest' });
    });
  return (
    <div ref={place} class="add-in-place">
      {isOpen ? (
        <LineField
          label={label}
          defaults={defaults}
          autofocus
          onAdded={showEnd}
          onEscape={() => {
            takesFocus.current = true;
            setOpen(false);
          }}
          onLeave={(line) => {
            // The focus may only be in another window, or in the question about pasted lines.
            if (line === '' && document.hasFocus() && !document.querySelector('dialog[open]')) setOpen(false);
          }}
        />
      ) : (
        <button type="button" class="quiet" onClick={() => setOpen(true)}>
          <Icon name="plus" />
          <span>
            {texts.addTask}
            <span class="hidden"> {texts.toPlace(name)}</span>
          </span>
        </button>
      )}
    </div>
  );
}
