import { useContext, useId, useRef, useState } from 'preact/hooks';
import { tags } from 'taskgate-client';
import { type Display, type Filter, isFiltered, PageDisplay, setDisplay } from '../app/display.ts';
import { useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { Icon, IconButton } from '../ui/icon.tsx';
import { lazy } from '../ui/lazy.tsx';
import type { Setting } from './display-panel.tsx';

const isStandard = (display: Display) =>
  display.sort === 'manual' && display.group === display.ownGroup && !display.showsCompleted && !isFiltered(display);

const all: readonly Setting[] = ['sort', 'group', 'completed'];

/** Opens the settings of the list, and shows its filters. */
export function DisplayButton({ offers = all }: { offers?: readonly Setting[] }) {
  const id = useId();
  const display = useContext(PageDisplay);
  const panel = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const place = () => {
    const { right = 0, bottom = 0 } = button.current?.getBoundingClientRect() ?? {};
    panel.current?.style.setProperty('--right', `${right}px`);
    panel.current?.style.setProperty('--bottom', `${bottom}px`);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="quiet display-button"
        data-active={!isStandard(display)}
        popovertarget={id}
        onClick={place}
      >
        <Icon name="sliders" />
        {texts.display}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={texts.display}
        class="display-panel"
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen && <Panel offers={offers} isStandard={isStandard(display)} />}
      </div>
      {isFiltered(display) && <Filters display={display} onRemove={() => button.current?.focus()} />}
    </>
  );
}

function Filters({ display, onRemove }: { display: Display; onRemove: () => void }) {
  const allTags = useQuery(tags.all);
  const nameOf = (filter: Filter, value: string) =>
    filter === 'tag'
      ? (allTags.find(({ id }) => id === value)?.name ?? texts.deletedTag)
      : (texts[`${filter}Filters`][value] ?? '');
  return (
    <ul class="chips filters" aria-label={texts.filters}>
      {(['tag', 'priority', 'due'] as const).flatMap((filter) =>
        display.filters[filter].map((value) => {
          const name = nameOf(filter, value);
          const others = display.filters[filter].filter((each) => each !== value);
          return (
            <li key={filter + value} class="chip" dir="auto">
              {name}
              <IconButton
                icon="close"
                label={texts.removeChip(name)}
                onClick={() => {
                  setDisplay(display, { [filter]: others });
                  onRemove();
                }}
              />
            </li>
          );
        }),
      )}
    </ul>
  );
}

const Panel = lazy(() => import('./display-panel.tsx').then((module) => module.DisplayPanel));
