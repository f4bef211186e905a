import { builder } from '../../graphql/builder.ts';
import { exposed } from '../../graphql/fields.ts';
import { passkeyFields } from '../fields.ts';
import { findUser } from '../profile/data.ts';
import * as rules from './rules.ts';

const Passkey = builder.objectRef<rules.Passkey>('Passkey').implement({
  description: 'A passkey of the user (WebAuthn). It replaces password and TOTP.',
  fields: (t) => exposed(t, passkeyFields),
});

builder.prismaObjectField('User', 'passkeys', (t) =>
  t.field({
    type: [Passkey],
    extensions: { listSize: 2 },
    description: "The user's passkeys, by creation.",
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.passkeysOf(context, id),
  }),
);

builder.mutationFields((t) => ({
  startPasskeyRegistration: t.field({
    type: 'JSON',
    extensions: { ignoresIdempotencyKey: 'a challenge is used once' },
    description:
      'Returns options for `PublicKeyCredential.parseCreationOptionsFromJSON`. Their challenge is valid for five minutes. An account has at most 50 passkeys. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    resolve: (_root, _args, context) => rules.startRegistration(context),
  }),
  finishPasskeyRegistration: t.field({
    type: Passkey,
    extensions: { cost: 20_000, ignoresIdempotencyKey: 'a challenge is used once' },
    description: 'Stores the new passkey of the browser.',
    args: {
      response: t.arg({ type: 'JSON', required: true, description: '`toJSON()` of the credential.' }),
      name: t.arg.string({ required: true, description: '1 to 255 characters after trimming.' }),
    },
    resolve: (_root, args, context) => rules.finishRegistration(context, args as never),
  }),
  startPasskeySignIn: t.field({
    type: 'JSON',
    extensions: { ignoresIdempotencyKey: 'a challenge is used once' },
    description:
      'Returns options for `PublicKeyCredential.parseRequestOptionsFromJSON`. Their challenge is valid for five minutes.',
    resolve: (_root, _args, context) => rules.startSignIn(context),
  }),
  finishPasskeySignIn: t.prismaField({
    type: 'User',
    extensions: { cost: 20_000, ignoresIdempotencyKey: 'sets the session cookie' },
    description: 'Signs in and sets the session cookie. No TOTP is required, because a passkey counts as both factors.',
    args: { response: t.arg({ type: 'JSON', required: true, description: '`toJSON()` of the credential.' }) },
    resolve: async (query, _root, args, context) =>
      findUser(context.services.connections, await rules.finishSignIn(context, args as never), query),
  }),
  deletePasskey: t.id({
    extensions: { ignoresIdempotencyKey: 'repeating it has no further effect' },
    description:
      'Removes a passkey. Returns its id. VALIDATION_FAILED if it is the last way to sign in. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    args: { id: t.arg.id({ required: true, description: 'Id of the passkey.' }) },
    resolve: (_root, { id }, context) => rules.deletePasskey(context, id).then(() => id),
  }),
}));
