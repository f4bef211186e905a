import { builder } from '../../graphql/builder.ts';
import { answeringViewer } from '../profile/data.ts';
import * as rules from './rules.ts';

builder.prismaObjectField('User', 'totp', (t) =>
  t.boolean({
    description: 'Whether a sign-in by password also needs a code of an authenticator app.',
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.isTotpOn(context, id),
  }),
);

const StartTotpPayload = builder.objectRef<{ secret: string; uri: string }>('StartTotpPayload').implement({
  description: 'Secret for an authenticator app.',
  fields: (t) => ({
    secret: t.exposeString('secret', { description: 'The secret in Base32, for manual entry.' }),
    uri: t.exposeString('uri', { description: 'The secret as an `otpauth:` URI, for a QR code.' }),
  }),
});

const ConfirmTotpPayload = builder.objectRef<{ recoveryCodes: string[] }>('ConfirmTotpPayload').implement({
  description: 'Recovery codes for a sign-in without the app.',
  fields: (t) => ({
    recoveryCodes: t.exposeStringList('recoveryCodes', {
      extensions: { listSize: 10 },
      description: 'Ten codes. Each works once instead of a code of the app. They are shown only once.',
    }),
  }),
});

builder.mutationFields((t) => ({
  startTotp: t.field({
    type: StartTotpPayload,
    extensions: { ignoresIdempotencyKey: 'its response has a secret' },
    description:
      'Creates a secret for an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds). `confirmTotp` activates it; until then an earlier secret stays active. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    resolve: (_root, _args, context) => rules.startTotp(context),
  }),
  confirmTotp: t.field({
    type: ConfirmTotpPayload,
    extensions: { cost: 20_000, ignoresIdempotencyKey: 'its response has secrets' },
    description:
      'Activates the secret of the last `startTotp`. Sign-ins by password then need a code. The tenth wrong code of a session within 15 minutes ends it.',
    args: { code: t.arg.string({ required: true, description: 'The six digits that the app shows.' }) },
    resolve: async (_root, args, context) => ({ recoveryCodes: await rules.confirmTotp(context, args) }),
  }),
  disableTotp: t.prismaField({
    type: 'User',
    extensions: { cost: 20_000, ignoresIdempotencyKey: 'a code is a secret' },
    description: 'Turns TOTP off. The tenth wrong code of a session within 15 minutes ends it.',
    args: {
      code: t.arg.string({ required: true, description: 'An unused code of the app or a recovery code.' }),
    },
    resolve: answeringViewer(rules.disableTotp),
  }),
}));
