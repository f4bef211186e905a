import { computed, effect, signal, untracked } from '@preact/signals';
import { isConsolePath, taskIdIn } from './paths.ts';

export interface Route {
  readonly path: string;
  readonly search: string;
  /** The page behind the details of a task. */
  readonly from: string | undefined;
}

const readRoute = (): Route => ({
  path: location.pathname,
  search: location.search,
  from: (history.state as { from?: string } | null)?.from,
});

const currentRoute = signal(readRoute());

export const route = computed(() => currentRoute.value);

/** Runs `close` at once, and whenever the user leaves a page, also by "Back". */
export const closeOnNavigation = (close: () => void) =>
  effect(() => {
    void route.value;
    untracked(close);
  });

addEventListener('popstate', () => (currentRoute.value = readRoute()));

export function go(address: string, { replace = false, from }: { replace?: boolean; from?: string } = {}): void {
  const state = from === undefined ? null : { from };
  if (replace) history.replaceState(state, '', address);
  else history.pushState(state, '', address);
  currentRoute.value = readRoute();
}

export function openTask(id: string): void {
  const { path, search, from } = currentRoute.value;
  const isOpen = path.startsWith('/tasks/');
  go(`/tasks/${id}`, { from: isOpen ? from : path + search, replace: isOpen });
}

/** The page behind the details of a task, or else the current one. */
export const pageOf = ({ path, search, from = '' }: Route): URL =>
  new URL(taskIdIn(path) === undefined ? path + search : from, location.origin);

export function followLinks(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlainClick = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!link || event.defaultPrevented || !isPlainClick || link.target !== '' || link.hasAttribute('download')) return;
    if (link.origin !== location.origin || !isConsolePath(link.pathname)) return;
    event.preventDefault();
    const task = taskIdIn(link.pathname);
    if (task === undefined) go(link.pathname + link.search);
    else openTask(task);
    // The focused link may disappear with its notice.
    if (link.closest('nav, [role=status]')) document.querySelector('main')?.focus();
  });
}
