import { builder, ignoresIdempotencyKey } from '../../graphql/builder.ts';
import { exposed } from '../../graphql/fields.ts';
import { passkeyFields } from '../fields.ts';
import { findUser } from '../data.ts';
import * as rules from './rules.ts';

const Passkey = builder.objectRef<rules.Passkey>('Passkey').implement({
  description: 'A passkey of the user (WebAuthn): it signs in by itself, as both factors.',
  fields: (t) => exposed(t, passkeyFields),
});

builder.prismaObjectField('User', 'passkeys', (t) =>
  t.field({
    type: [Passkey],
    description: "The user's passkeys, by creation.",
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.passkeysOf(context, id),
  }),
);

builder.mutationFields((t) => ({
  startPasskeyRegistration: t.field({
    type: 'JSON',
    ...ignoresIdempotencyKey('a challenge is used once'),
    description:
      'Options for `PublicKeyCredential.parseCreationOptionsFromJSON`; their challenge lives five minutes. An account has at most 50 passkeys. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    resolve: (_root, _args, context) => rules.startRegistration(context),
  }),
  finishPasskeyRegistration: t.field({
    type: Passkey,
    ...ignoresIdempotencyKey('a challenge is used once'),
    description: 'Keeps the passkey that the browser has made.',
    args: {
      response: t.arg({ type: 'JSON', required: true, description: '`toJSON()` of the credential.' }),
      name: t.arg.string({ required: true, description: '1 to 255 characters after trimming.' }),
    },
    resolve: (_root, args, context) => rules.finishRegistration(context, args as never),
  }),
  startPasskeySignIn: t.field({
    type: 'JSON',
    ...ignoresIdempotencyKey('a challenge is used once'),
    description: 'Options for `PublicKeyCredential.parseRequestOptionsFromJSON`; their challenge lives five minutes.',
    resolve: (_root, _args, context) => rules.startSignIn(context),
  }),
  finishPasskeySignIn: t.prismaField({
    type: 'User',
    ...ignoresIdempotencyKey('sets the session cookie'),
    description: 'Sets the session cookie, with a new session id. A passkey is both factors: no TOTP is required.',
    args: { response: t.arg({ type: 'JSON', required: true, description: '`toJSON()` of the credential.' }) },
    resolve: async (query, _root, args, context) => findUser(await rules.finishSignIn(context, args as never), query),
  }),
  deletePasskey: t.id({
    ...ignoresIdempotencyKey('done twice, it has one effect'),
    description:
      'Removes a passkey, and answers its id. VALIDATION_FAILED for the last way to sign in. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    args: { id: t.arg.id({ required: true, description: 'Id of the passkey.' }) },
    resolve: (_root, { id }, context) => rules.deletePasskey(context, id).then(() => id),
  }),
}));
