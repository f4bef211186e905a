import { additions, type Row } from './route.ts';
import { accounts } from './v1/accounts.ts';
import { profile } from './v1/profile.ts';
import { sessions } from './v1/sessions.ts';
import { providerRedirects, providerRoutes } from './v1/providers.ts';
import { assignees } from './v2/assignees.ts';
import { changes } from './v2/changes.ts';
import { claims } from './v2/claims.ts';
import { taskEvents } from './v2/events.ts';
import { exportOfAll } from './v2/export.ts';
import { history } from './v2/history.ts';
import { invitations } from './v2/invitations.ts';
import { kinds } from './v2/kinds.ts';
import { mails } from './v2/mails.ts';
import { notifications } from './v2/notifications.ts';
import { recurrences } from './v2/recurrences.ts';
import { sync } from './v2/sync.ts';
import { webhooks } from './v2/webhooks.ts';

/** Fixed paths precede `:id` paths of the same prefix. */
export const routes: readonly Row[] = [
  ...accounts,
  ...profile,
  ...additions(...sessions, ...providerRoutes),
  ...Object.values(kinds).flatMap(({ routes }) => routes),
  ...additions(...history, ...changes, ...sync, ...invitations, ...mails, ...notifications, ...recurrences),
  ...additions(...assignees, ...claims, ...webhooks),
  ...additions(...providerRedirects, taskEvents, exportOfAll),
];
