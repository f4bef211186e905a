/** The first path segment of each page. */
export const pages = [
  'today',
  'upcoming',
  'completed',
  'projects',
  'tags',
  'tasks',
  'trash',
  'search',
  'workspaces',
  'settings',
  'signup',
  'forgot',
];
const pattern = new RegExp(`^/(${pages.join('|')})?(/|$)`);

/** Whether a path of this origin is a page of the console. The service has other pages, such as `/docs`. */
export const isConsolePath = (pathname: string): boolean => pattern.test(pathname);

/** Returns the task whose details a path shows. */
export const taskIdIn = (pathname: string): string | undefined => /^\/tasks\/([^/]+)$/.exec(pathname)?.[1];

/** Whether a path is for signed-out users only. */
export const isEntryPath = (pathname: string): boolean => ['/', '/signup', '/forgot'].includes(pathname);

/** Returns the address to open after the sign-in: `returnTo`, or the current page unless it is an entry page. */
export function wantedAddress(): string {
  const url = new URL(location.href);
  const returnTo = url.searchParams.get('returnTo');
  if (returnTo !== null) return consoleAddress(returnTo);
  if (isEntryPath(url.pathname)) return '/today';
  // The error belongs to the last sign-in.
  url.searchParams.delete('error');
  return url.pathname + url.search + url.hash;
}

/** Returns an address from a link if it is a page of the console. Other addresses become `/today`, which prevents open redirects. */
export function consoleAddress(text: string): string {
  const { origin } = location;
  const url = URL.canParse(text, origin) ? new URL(text, origin) : undefined;
  if (url?.origin !== origin || !isConsolePath(url.pathname)) return '/today';
  return url.pathname + url.search + url.hash;
}
