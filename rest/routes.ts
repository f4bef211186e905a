import { additions, type Route } from './route.ts';
import { accounts } from './v1/accounts.ts';
import { profile } from './v1/profile.ts';
import { sessions } from './v1/sessions.ts';
import { providerRoutes } from './v1/providers.ts';
import { changes } from './v2/changes.ts';
import { history } from './v2/history.ts';
import { invitations } from './v2/invitations.ts';
import { kinds } from './v2/kinds.ts';
import { mails } from './v2/mails.ts';
import { sync } from './v2/sync.ts';

/** Fixed paths precede `:id` paths of the same prefix. */
export const routes: readonly Route[] = [
  ...accounts,
  ...profile,
  ...additions(...sessions, ...providerRoutes),
  ...Object.values(kinds).flatMap(({ routes }) => routes),
  ...additions(...history, ...changes, ...sync, ...invitations, ...mails),
];
