import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { isFiltered, PageDisplay, setDisplay } from '../app/display.ts';
import { go } from '../app/router.ts';
import { texts } from '../texts.ts';

/** Instead of an empty list. @param goTo the next step, unless `children` has another one */
export function Empty({
  text,
  goTo,
  children,
}: {
  text: string;
  goTo?: 'today' | 'upcoming' | false;
  children?: ComponentChildren;
}) {
  const display = useContext(PageDisplay);
  const hidesTasks = isFiltered(display);
  const [action, run] = hidesTasks
    ? [texts.clearFilters, () => setDisplay(display, { tag: [], priority: [], due: [] })]
    : [goTo && texts.goTo(texts[goTo]), () => go(`/${goTo || ''}`)];
  return (
    <div class="empty">
      <p>{hidesTasks ? texts.nothingMatches : text}</p>
      {action && (
        <button type="button" onClick={run}>
          {action}
        </button>
      )}
      {children}
    </div>
  );
}
