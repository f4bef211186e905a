/** The first parts of their addresses. */
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

/** Whether an address of this origin is one of the console's pages: the service has others, such as `/docs`. */
export const isConsolePath = (pathname: string): boolean => pattern.test(pathname);

/** The id of the task whose details an address shows. */
export const taskIdIn = (pathname: string): string | undefined => /^\/tasks\/([^/]+)$/.exec(pathname)?.[1];

/** Whether an address is one of the entry: a signed-in account has nothing to do there. */
export const isEntryPath = (pathname: string): boolean => ['/', '/signup', '/forgot'].includes(pathname);

/** The address that a sign-in leads to: the present page with its query, unless it is one of the entry. */
export function wantedAddress(): string {
  const url = new URL(location.href);
  const returnTo = url.searchParams.get('returnTo');
  if (returnTo !== null) return consoleAddress(returnTo);
  if (isEntryPath(url.pathname)) return '/today';
  // It was about the last sign-in.
  url.searchParams.delete('error');
  return url.pathname + url.search + url.hash;
}

/** The address that a link gives to lead back to, where it is one of the console's pages; else that of today's. */
export function consoleAddress(text: string): string {
  const { origin } = location;
  const url = URL.canParse(text, origin) ? new URL(text, origin) : undefined;
  if (url?.origin !== origin || !isConsolePath(url.pathname)) return '/today';
  return url.pathname + url.search + url.hash;
}
