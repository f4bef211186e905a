import { z } from 'zod';
import * as input from '../../src/accounts/input.ts';
import { graphql } from '../graphql.ts';
import { count, idOf } from '../json-schema.ts';
import { present, route, message } from '../route.ts';
import { session } from './responses.ts';

export const sessions = [
  route({
    method: 'get',
    path: '/api/v1/user/sessions',
    summary: "Lists the caller's sessions",
    description: 'The current session comes first. The others are ordered by last use.',
    document: graphql('query ListSessions { viewer { sessions { ...SessionFields } } }', [session.fragment]),
    response: z.object({ sessions: z.array(session.response) }),
    reply: ({ viewer }) => ({ sessions: present(viewer).sessions }),
  }),
  route({
    method: 'delete',
    path: '/api/v1/user/sessions/:id',
    summary: 'Ends a session of the caller',
    description:
      'Also closes its open connections. For the current session this is a logout. Another session requires a sign-in within the last ten minutes.',
    errors: ['REAUTHENTICATION_REQUIRED'],
    input: z.object({ path: z.object({ id: idOf('Session') }) }),
    document: graphql('mutation EndSession($id: ID!) { endSession(id: $id) }'),
    ...message('session ended successfully'),
  }),
  route({
    method: 'delete',
    path: '/api/v1/user/sessions',
    summary: 'Ends all sessions of the caller except the current one',
    description: 'Also closes their open connections. Requires a sign-in within the last ten minutes.',
    errors: ['REAUTHENTICATION_REQUIRED'],
    document: graphql('mutation EndOtherSessions { endOtherSessions }'),
    response: z.object({ endedCount: count().describe('Number of ended sessions.') }),
    reply: ({ endOtherSessions }) => ({ endedCount: endOtherSessions }),
  }),
  route({
    method: 'delete',
    path: '/api/v1/user',
    summary: 'Deletes the account and its data',
    description:
      'The password is required if the account has one (`isPasswordSet`), otherwise a sign-in within the last ten minutes. Workspaces without other members are deleted too. Other workspaces keep their tasks.',
    errors: ['REAUTHENTICATION_REQUIRED'],
    input: z.object({ body: input.deleteAccount }),
    document: graphql('mutation DeleteAccount($password: String) { deleteAccount(password: $password) }'),
    setsCookie: true,
    ...message('account deleted successfully'),
  }),
];
