export const consentPath = '/oauth/authorize';

export const pages = [
  'today',
  'upcoming',
  'calendar',
  'assigned',
  'notifications',
  'completed',
  'projects',
  'tags',
  'tasks',
  'trash',
  'search',
  'workspaces',
  'settings',
  consentPath.slice(1),
  'signup',
  'forgot',
];
const pattern = new RegExp(`^/(${pages.join('|')})?(/|$)`);

/** The service has other pages too, such as `/docs`. */
export const isConsolePath = (pathname: string): boolean => pattern.test(pathname);

export const taskIdIn = (pathname: string): string | undefined => /^\/tasks\/([^/]+)$/.exec(pathname)?.[1];

export const isEntryPath = (pathname: string): boolean => ['/', '/signup', '/forgot'].includes(pathname);

/** Returns the address to open after the sign-in. */
export function addressAfterSignIn(): string {
  const url = new URL(location.href);
  const returnTo = url.searchParams.get('returnTo');
  if (returnTo !== null) return consoleAddress(returnTo);
  if (isEntryPath(url.pathname)) return '/today';
  // The error belongs to the last sign-in.
  url.searchParams.delete('error');
  return url.pathname + url.search + url.hash;
}

/** Prevents open redirects: an address outside the console becomes `/today`. */
export function consoleAddress(text: string): string {
  const { origin } = location;
  const url = URL.canParse(text, origin) ? new URL(text, origin) : undefined;
  if (url?.origin !== origin || !isConsolePath(url.pathname)) return '/today';
  return url.pathname + url.search + url.hash;
}
