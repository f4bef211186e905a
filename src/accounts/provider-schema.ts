import { builder, ignoresIdempotencyKey } from '../graphql/builder.ts';
import { answeringViewer } from './data.ts';
import * as rules from './provider-rules.ts';

builder.prismaObjectField('User', 'providers', (t) =>
  t.stringList({
    description: 'Names of the external providers that the account is linked to, the first one first.',
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.linkedProvidersOf(context, id),
  }),
);

builder.mutationFields((t) => ({
  linkProvider: t.string({
    ...ignoresIdempotencyKey('sets a cookie, and its answer has a secret'),
    description:
      "Begins to link an external provider to the viewer's account: gives the address at the provider to go to, for this browser and session. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in. Not over WebSocket.",
    args: {
      provider: t.arg.string({ required: true, description: 'Name of the provider.' }),
      returnTo: t.arg.string({
        defaultValue: '/',
        description: 'Path of this origin to come back to, with `?error=CODE` where it fails.',
      }),
    },
    resolve: (_root, { provider, returnTo }, context) => rules.linkProvider(context, provider, returnTo),
  }),
  unlinkProvider: t.prismaField({
    type: 'User',
    ...ignoresIdempotencyKey('done twice, it has one effect'),
    description:
      "Takes an external provider from the viewer's account. VALIDATION_FAILED where nothing would be left to sign in with. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.",
    args: { provider: t.arg.string({ required: true, description: 'Name of the provider.' }) },
    resolve: answeringViewer((context, { provider }) => rules.unlinkProvider(context, provider)),
  }),
}));
