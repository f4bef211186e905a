import type { ComponentChildren } from 'preact';
import { folded, toggleFolded } from '../app/folded.ts';
import { texts } from '../texts.ts';
import { IconButton } from '../ui/icon.tsx';

/** @param id the storage remembers by it whether the group is folded */
export function Group({
  id,
  name,
  title = <span>{name}</span>,
  add,
  children,
}: {
  id: string;
  name: string;
  title?: ComponentChildren;
  add: ComponentChildren;
  children: ComponentChildren;
}) {
  const isOpen = !folded.value.includes(id);
  return (
    <div class="group" role="group" aria-label={name}>
      <div class="group-name">
        <IconButton
          class="fold"
          icon="chevron"
          label={texts.fold}
          aria-expanded={isOpen}
          onClick={() => toggleFolded(id)}
        />
        {title}
        {add}
      </div>
      {isOpen && <ul>{children}</ul>}
    </div>
  );
}
