import type { Route } from './route.ts';
import { accounts } from './v1/accounts.ts';
import { profile } from './v1/profile.ts';
import { sessions } from './v1/sessions.ts';
import { providerRoutes } from './v1/providers.ts';
import { changes } from './v2/changes.ts';
import { history } from './v2/history.ts';
import { invitations } from './v2/invitations.ts';
import { mails } from './v2/mails.ts';
import { projects } from './v2/projects.ts';
import { sections } from './v2/sections.ts';
import { sync } from './v2/sync.ts';
import { tags } from './v2/tags.ts';
import { todos } from './v2/todos.ts';
import { workspaces } from './v2/workspaces.ts';

/** Rows of which the contract has none. */
const additions = (...rows: Route[]) => rows.map((row): Route => ({ ...row, isAddition: true }));

/** Every endpoint of the REST contract. Fixed paths come before the `:id` forms of the same prefix. */
export const routes: readonly Route[] = [
  ...accounts,
  ...profile,
  ...additions(...sessions, ...providerRoutes),
  ...projects,
  ...sections,
  ...additions(...history),
  ...todos,
  ...tags,
  ...additions(...changes, ...sync, ...workspaces, ...invitations, ...mails),
];
