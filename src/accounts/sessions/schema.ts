import { builder } from '../../graphql/builder.ts';
import { exposed } from '../../graphql/fields.ts';
import { sessionFields } from '../fields.ts';
import * as rules from './rules.ts';

const Session = builder.objectRef<Awaited<ReturnType<typeof rules.sessionsOf>>[number]>('Session').implement({
  description:
    'A device on which the user is signed in. It ends 14 days after its last use and 90 days after the sign-in. A sign-in beyond 100 sessions ends the least recently used one, preferably of the same device.',
  fields: (t) => exposed(t, sessionFields),
});

builder.prismaObjectField('User', 'sessions', (t) =>
  t.field({
    type: [Session],
    extensions: { listSize: 3 },
    description: "The user's sessions: the current one first, then by last use.",
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.sessionsOf(context, id),
  }),
);

builder.mutationFields((t) => ({
  endSession: t.id({
    extensions: { ignoresIdempotencyKey: 'may clear the session cookie; repeating it has no further effect' },
    description:
      'Ends a session of the viewer with its open connections. Returns its id. The current session ends like in `signOut`. For others: REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    args: { id: t.arg.id({ required: true, description: 'Id of the session.' }) },
    resolve: (_root, { id }, context) => rules.endOneSession(context, id).then(() => id),
  }),
  endOtherSessions: t.int({
    extensions: { ignoresIdempotencyKey: 'repeating it has no further effect' },
    description:
      'Ends all sessions of the viewer but the current one. Returns the number of ended sessions. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    resolve: (_root, _args, context) => rules.endOtherSessions(context),
  }),
}));
