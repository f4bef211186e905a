import type { Route } from './route.ts';
import { accounts } from './v1/accounts.ts';
import { profile } from './v1/profile.ts';
import { todos } from './v2/todos.ts';

/** Every endpoint of the REST contract. Fixed paths stand before the `:id` forms of the same prefix. */
export const routes: readonly Route[] = [...accounts, ...profile, ...todos];
