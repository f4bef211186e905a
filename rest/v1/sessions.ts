import { z } from 'zod';
import * as input from '../../src/accounts/input.ts';
import { graphql } from '../graphql.ts';
import { count, idOf } from '../json-schema.ts';
import { present, route, message } from '../route.ts';
import { session } from './responses.ts';

/** Additions to the contract: where the caller is signed in, and the account's end. */
export const sessions = [
  route({
    method: 'get',
    path: '/api/v1/user/sessions',
    summary: 'Lists where the caller is signed in',
    description: 'The current session comes first, then by last use.',
    document: graphql('query ListSessions { viewer { sessions { ...SessionFields } } }', [session.fragment]),
    response: z.object({ sessions: z.array(session.response) }),
    reply: ({ viewer }) => ({ sessions: present(viewer).sessions }),
  }),
  route({
    method: 'delete',
    path: '/api/v1/user/sessions/:id',
    summary: 'Ends a session of the caller',
    description:
      'With all that is open by it. The current one: as a logout. Any other needs a sign-in within the last ten minutes.',
    errors: ['REAUTHENTICATION_REQUIRED'],
    input: z.object({ path: z.object({ id: idOf('Session') }) }),
    document: graphql('mutation EndSession($id: ID!) { endSession(id: $id) }'),
    ...message('session ended successfully'),
  }),
  route({
    method: 'delete',
    path: '/api/v1/user/sessions',
    summary: 'Ends all sessions of the caller but the current one',
    description: 'With all that is open by them. It needs a sign-in within the last ten minutes.',
    errors: ['REAUTHENTICATION_REQUIRED'],
    document: graphql('mutation EndOtherSessions { endOtherSessions }'),
    response: z.object({ endedCount: count().describe('How many there were.') }),
    reply: ({ endOtherSessions }) => ({ endedCount: endOtherSessions }),
  }),
  route({
    method: 'delete',
    path: '/api/v1/user',
    summary: 'Deletes the account with all that is its own',
    description:
      'The password is required where the account has one (`isPasswordSet`), else a sign-in within the last ten minutes. Workspaces of which the caller is the last member go with it; others keep their tasks.',
    errors: ['REAUTHENTICATION_REQUIRED'],
    input: z.object({ body: input.deleteAccount }),
    document: graphql('mutation DeleteAccount($password: String) { deleteAccount(password: $password) }'),
    setsCookie: true,
    ...message('account deleted successfully'),
  }),
];
