import { builder, ignoresIdempotencyKey } from '../graphql/builder.ts';
import { exposed } from '../graphql/fields.ts';
import { sessionFields } from './fields.ts';
import * as rules from './session-rules.ts';

const Session = builder.objectRef<Awaited<ReturnType<typeof rules.sessionsOf>>[number]>('Session').implement({
  description:
    'A device on which the user is signed in. It ends 14 days after its last use, and 90 days after the sign-in; of more than 100 the one unused for longest ends, of the device that signs in first.',
  fields: (t) => exposed(t, sessionFields),
});

builder.prismaObjectField('User', 'sessions', (t) =>
  t.field({
    type: [Session],
    description: 'Where the user is signed in: the current session first, then by last use.',
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.sessionsOf(context, id),
  }),
);

builder.mutationFields((t) => ({
  endSession: t.id({
    ...ignoresIdempotencyKey('may clear the session cookie; done twice, it has one effect'),
    description:
      'Ends a session of the viewer, with all that is open by it, and answers its id. The current one: as `signOut`. Any other: REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    args: { id: t.arg.id({ required: true, description: 'Id of the session.' }) },
    resolve: (_root, { id }, context) => rules.endOneSession(context, id).then(() => id),
  }),
  endOtherSessions: t.int({
    ...ignoresIdempotencyKey('done twice, it has one effect'),
    description:
      'Ends all sessions of the viewer but the current one, and answers how many there were. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    resolve: (_root, _args, context) => rules.endOtherSessions(context),
  }),
}));
