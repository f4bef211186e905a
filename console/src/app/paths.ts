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
