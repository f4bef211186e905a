import { builder } from '../../graphql/builder.ts';
import { answeringViewer } from '../profile/data.ts';
import * as rules from './rules.ts';

const code = 'The six digits of the code.';

builder.mutationFields((t) => ({
  requestPasswordReset: t.boolean({
    extensions: { cost: 20_000, ignoresIdempotencyKey: 'each code is a new secret' },
    description:
      'Mails a six-digit code for a new password, valid for five minutes. Returns true even if the address has no account, and then sends no mail. RATE_LIMITED at the sixth request for an address within 24 hours.',
    args: { email: t.arg.string({ required: true, description: 'E-mail address of the account.' }) },
    resolve: (_root, { email }, context) => rules.requestPasswordReset(context, email).then(() => true),
  }),
  resetPassword: t.boolean({
    extensions: { cost: 60_000, ignoresIdempotencyKey: 'has a password' },
    description:
      'Sets a new password by a code, even if none was set. Ends sessions, access tokens and their subscriptions, and signs nobody in. A mail reports it and lists the other ways to sign in that ended or remain. The fifth wrong attempt voids a code.',
    args: {
      email: t.arg.string({ required: true, description: 'The address that the code was sent to.' }),
      code: t.arg.string({ required: true, description: code }),
      password: t.arg.string({ required: true, description: 'New password of 1 to 1,024 characters.' }),
      endOtherWaysIn: t.arg.boolean({
        defaultValue: false,
        description: 'Whether to remove passkeys and linked providers as well. TOTP stays on.',
      }),
    },
    resolve: (_root, args, context) => rules.resetPassword(context, args).then(() => true),
  }),
  requestEmailChange: t.boolean({
    extensions: { cost: 60_000, ignoresIdempotencyKey: 'each code is a new secret, and it has a password' },
    description:
      'Mails a six-digit code, valid for five minutes, to the new address. Returns true even if another account has the address, and then the mail says so. RATE_LIMITED at the sixth request within 24 hours. REAUTHENTICATION_REQUIRED if no password is set and the sign-in was more than ten minutes ago.',
    args: {
      email: t.arg.string({ required: true, description: 'The new address.' }),
      password: t.arg.string({
        description: 'Required if `isPasswordSet` is true. A wrong password counts as a failed sign-in.',
      }),
    },
    resolve: (_root, args, context) => rules.requestEmailChange(context, args).then(() => true),
  }),
  confirmEmailChange: t.prismaField({
    type: 'User',
    extensions: { cost: 20_000, ignoresIdempotencyKey: 'a code is a secret' },
    description: "Changes the account's address to the one that the code was sent to. A mail notifies the old address.",
    args: { code: t.arg.string({ required: true, description: code }) },
    resolve: answeringViewer(rules.confirmEmailChange),
  }),
}));
