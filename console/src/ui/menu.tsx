import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  readonly text: string;
  readonly icon?: IconName;
  readonly isDangerous?: boolean;
  readonly choose: () => void;
}

const opened = signal<{ anchor: HTMLElement; items: readonly MenuItem[] } | undefined>(undefined);

/** Closes the menu if it is open there. */
export const openMenu = (anchor: HTMLElement, items: readonly MenuItem[]): void => {
  opened.value = opened.value?.anchor === anchor ? undefined : { anchor, items };
};

function close(): void {
  const anchor = opened.value?.anchor;
  opened.value = undefined;
  anchor?.focus();
}

function place(menu: HTMLElement, anchor: HTMLElement): void {
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isBelow = bottom + height + 8 < innerHeight || top < height;
  menu.style.left = `${Math.max(8, Math.min(left, right - width, innerWidth - width - 8))}px`;
  menu.style.top = `${isBelow ? bottom + 4 : top - height - 4}px`;
}

export const MoreButton = ({
  label,
  items,
  class: name = '',
}: {
  label: string;
  items: () => readonly MenuItem[];
  class?: string;
}) => (
  <button
    type="button"
    class={`quiet ${name}`.trim()}
    aria-label={label}
    aria-haspopup="menu"
    onClick={({ currentTarget }) => openMenu(currentTarget, items())}
  >
    •••
  </button>
);

const step: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

export function OpenMenu() {
  const menu = useRef<HTMLDivElement>(null);
  const shown = opened.value;
  useLayoutEffect(() => {
    const element = menu.current;
    if (!element || !shown) return;
    element.showPopover();
    place(element, shown.anchor);
    element.querySelector('button')?.focus();
  }, [shown]);
  if (!shown) return null;
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(menu.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = step[event.key]?.(at, buttons.length);
    if (next !== undefined) buttons[next]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return event.stopPropagation();
    event.preventDefault();
    event.stopPropagation();
  };
  const onToggle = (event: { newState: string }) => {
    if (event.newState === 'closed' && opened.value === shown) opened.value = undefined;
  };
  return (
    <div ref={menu} class="menu" role="menu" popover="auto" onKeyDown={onKeyDown} onToggle={onToggle}>
      {shown.items.map(({ text, icon, isDangerous, choose }) => (
        <button
          key={text}
          type="button"
          role="menuitem"
          class={isDangerous ? 'dangerous' : undefined}
          onClick={() => {
            close();
            choose();
          }}
        >
          {icon && <Icon name={icon} />}
          {text}
        </button>
      ))}
    </div>
  );
}
