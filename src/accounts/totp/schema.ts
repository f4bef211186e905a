import { builder, ignoresIdempotencyKey } from '../../graphql/builder.ts';
import { answeringViewer } from '../data.ts';
import * as rules from './rules.ts';

builder.prismaObjectField('User', 'totp', (t) =>
  t.boolean({
    description: 'Whether a sign-in by password needs a code of an authenticator app too.',
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.isTotpOn(context, id),
  }),
);

const StartTotpPayload = builder.objectRef<{ secret: string; uri: string }>('StartTotpPayload').implement({
  description: 'What an authenticator app is given.',
  fields: (t) => ({
    secret: t.exposeString('secret', { description: 'The secret in Base32, to be typed in.' }),
    uri: t.exposeString('uri', { description: 'The same as an `otpauth:` URI, to be shown as a QR code.' }),
  }),
});

const ConfirmTotpPayload = builder.objectRef<{ recoveryCodes: string[] }>('ConfirmTotpPayload').implement({
  description: 'What gets the user in without the app.',
  fields: (t) => ({
    recoveryCodes: t.exposeStringList('recoveryCodes', {
      description: 'Ten codes, each of which works once in place of a code of the app. They are shown this once.',
    }),
  }),
});

builder.mutationFields((t) => ({
  startTotp: t.field({
    type: StartTotpPayload,
    ...ignoresIdempotencyKey('answers a secret'),
    description:
      'Makes a secret for an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds), which `confirmTotp` puts in force. One that is in force stays so until then. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    resolve: (_root, _args, context) => rules.startTotp(context),
  }),
  confirmTotp: t.field({
    type: ConfirmTotpPayload,
    ...ignoresIdempotencyKey('answers secrets'),
    description:
      'Puts the secret of the last `startTotp` in force, by a code of it: from now on sign-ins by password need one. The tenth wrong code of a session within 15 minutes ends it.',
    args: { code: t.arg.string({ required: true, description: 'The six digits that the app shows.' }) },
    resolve: async (_root, args, context) => ({ recoveryCodes: await rules.confirmTotp(context, args) }),
  }),
  disableTotp: t.prismaField({
    type: 'User',
    ...ignoresIdempotencyKey('a code is a secret'),
    description:
      'Has sign-ins need the password alone again. The tenth wrong code of a session within 15 minutes ends it.',
    args: {
      code: t.arg.string({ required: true, description: 'A code of the app that was not used, or a recovery code.' }),
    },
    resolve: answeringViewer(rules.disableTotp),
  }),
}));
