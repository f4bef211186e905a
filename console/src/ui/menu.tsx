import { signal } from '@preact/signals';
import type { ComponentProps } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { closeOnNavigation } from '../app/router.ts';
import { Button } from './button.tsx';
import type { IconName } from './icon.tsx';

export interface MenuItem {
  readonly text: string;
  readonly icon?: IconName;
  readonly isDangerous?: boolean;
  readonly choose: () => void;
}

const openedMenu = signal<{ anchor: HTMLElement; items: readonly MenuItem[] } | undefined>(undefined);

/** Closes the menu if it is open there. */
export const openMenu = (anchor: HTMLElement, items: readonly MenuItem[]): void => {
  openedMenu.value = openedMenu.value?.anchor === anchor ? undefined : { anchor, items };
};

function close(): void {
  const anchor = openedMenu.value?.anchor;
  openedMenu.value = undefined;
  anchor?.focus();
}

closeOnNavigation(close);

/** @param menu an open popover */
export function placeBeside(menu: HTMLElement, anchor: HTMLElement): void {
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isBelow = bottom + height + 8 < innerHeight || top < height;
  menu.style.left = `${Math.max(8, Math.min(left, right - width, innerWidth - width - 8))}px`;
  menu.style.top = `${isBelow ? Math.max(8, Math.min(bottom + 4, innerHeight - height - 8)) : top - height - 4}px`;
}

type Items = () => readonly MenuItem[];

export const MenuButton = ({ items, ...attributes }: ComponentProps<typeof Button> & { items: Items }) => (
  <Button aria-haspopup="menu" {...attributes} onClick={({ currentTarget }) => openMenu(currentTarget, items())} />
);

export const MoreButton = ({ label, items, class: name = '' }: { label: string; items: Items; class?: string }) => (
  <MenuButton text="•••" class={`quiet ${name}`.trim()} aria-label={label} items={items} />
);

const nextIndexes: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index, count) => (index + 1) % count,
  ArrowUp: (index, count) => (index - 1 + count) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

export function OpenMenu() {
  const menu = useRef<HTMLDivElement>(null);
  const currentMenu = openedMenu.value;
  useLayoutEffect(() => {
    const element = menu.current;
    if (!element || !currentMenu) return;
    element.showPopover();
    placeBeside(element, currentMenu.anchor);
    element.querySelector('button')?.focus();
  }, [currentMenu]);
  if (!currentMenu) return null;
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(menu.current?.querySelectorAll('button') ?? [])];
    const index = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = nextIndexes[event.key]?.(index, buttons.length);
    if (next !== undefined) buttons[next]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return event.stopPropagation();
    event.preventDefault();
    event.stopPropagation();
  };
  const onToggle = (event: { newState: string }) => {
    if (event.newState === 'closed' && openedMenu.value === currentMenu) openedMenu.value = undefined;
  };
  return (
    <div ref={menu} class="menu" role="menu" popover="auto" onKeyDown={onKeyDown} onToggle={onToggle}>
      {currentMenu.items.map(({ text, icon, isDangerous, choose }) => (
        <Button
          key={text}
          {...{ text, icon }}
          role="menuitem"
          class={isDangerous ? 'dangerous' : undefined}
          onClick={() => {
            close();
            choose();
          }}
        />
      ))}
    </div>
  );
}
