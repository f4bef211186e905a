import { builder } from '../../graphql/builder.ts';
import { answeringViewer } from '../profile/data.ts';
import * as rules from './rules.ts';

builder.prismaObjectField('User', 'providers', (t) =>
  t.stringList({
    extensions: { listSize: 2 },
    description: 'Names of the linked external providers, in the order of linking.',
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.linkedProvidersOf(context, id),
  }),
);

builder.mutationFields((t) => ({
  linkProvider: t.string({
    extensions: { ignoresIdempotencyKey: 'sets a cookie, and its response has a secret' },
    description:
      "Begins to link an external provider to the viewer's account. Returns the address at the provider, for this browser and session. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in. Not available over WebSocket.",
    args: {
      provider: t.arg.string({ required: true, description: 'Name of the provider.' }),
      returnTo: t.arg.string({
        defaultValue: '/',
        description: 'Path of this origin to return to, with `?error=CODE` if it fails.',
      }),
    },
    resolve: (_root, { provider, returnTo }, context) => rules.linkProvider(context, provider, returnTo),
  }),
  unlinkProvider: t.prismaField({
    type: 'User',
    extensions: { ignoresIdempotencyKey: 'repeating it has no further effect' },
    description:
      "Unlinks an external provider from the viewer's account. VALIDATION_FAILED if it is the last way to sign in. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.",
    args: { provider: t.arg.string({ required: true, description: 'Name of the provider.' }) },
    resolve: answeringViewer((context, { provider }) => rules.unlinkProvider(context, provider)),
  }),
}));
