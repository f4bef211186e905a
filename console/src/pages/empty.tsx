import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { isFiltered, PageDisplay, setDisplay } from '../app/display.ts';
import { texts } from '../texts.ts';
import { newProject } from './new-entities.ts';

export const GoToToday = () => (
  <a class="button" href="/today">
    {texts.goTo(texts.today)}
  </a>
);

export const GoToUpcoming = () => (
  <a class="button" href="/upcoming">
    {texts.goTo(texts.upcoming)}
  </a>
);

export const NewProject = ({ workspaceId = null }: { workspaceId?: string | null }) => (
  <button type="button" onClick={() => newProject(workspaceId)}>
    {texts.newProject}
  </button>
);

/** @param children the next step */
export function Empty({ text, children }: { text: string; children?: ComponentChildren }) {
  const display = useContext(PageDisplay);
  const hidesTasks = isFiltered(display);
  return (
    <div class="empty">
      <p>{hidesTasks ? texts.nothingMatches : text}</p>
      {hidesTasks ? (
        <button type="button" onClick={() => setDisplay(display, { tag: [], priority: [], due: [] })}>
          {texts.clearFilters}
        </button>
      ) : (
        children
      )}
    </div>
  );
}
