import { builder, ignoresIdempotencyKey } from '../../graphql/builder.ts';
import { answeringViewer } from '../data.ts';
import * as rules from './rules.ts';

const code = 'The six digits of the code.';

builder.mutationFields((t) => ({
  requestPasswordReset: t.boolean({
    ...ignoresIdempotencyKey('a code is a secret: each is another one'),
    description:
      'Mails a six-digit code, valid for five minutes, to set a new password by. True, whether or not the address has an account; without one there is no mail. RATE_LIMITED at the sixth request for an address within 24 hours.',
    args: { email: t.arg.string({ required: true, description: 'Address of the account.' }) },
    resolve: (_root, { email }, context) => rules.requestPasswordReset(context, email).then(() => true),
  }),
  resetPassword: t.boolean({
    ...ignoresIdempotencyKey('has a password'),
    description:
      'Sets a new password by a code, also for an account that had none; its sessions, access tokens and their subscriptions end. A mail reports it, and lists the other ways to sign in that remain or have ended. Nobody is signed in. The fifth wrong try of a code makes it void.',
    args: {
      email: t.arg.string({ required: true, description: 'The address that the code was sent to.' }),
      code: t.arg.string({ required: true, description: code }),
      password: t.arg.string({ required: true, description: 'The new one: 1 to 1,024 characters.' }),
      endOtherWaysIn: t.arg.boolean({
        defaultValue: false,
        description: 'Whether passkeys and linked providers of the account end as well. TOTP stays on.',
      }),
    },
    resolve: (_root, args, context) => rules.resetPassword(context, args).then(() => true),
  }),
  requestEmailChange: t.boolean({
    ...ignoresIdempotencyKey('a code is a secret, and it has a password'),
    description:
      'Mails a six-digit code, valid for five minutes, to the address that the account is to have. True, whether or not an account has that: then its mail says so. RATE_LIMITED at the sixth request within 24 hours. REAUTHENTICATION_REQUIRED where no password is set and the last sign-in was more than ten minutes ago.',
    args: {
      email: t.arg.string({ required: true, description: 'The new address.' }),
      password: t.arg.string({
        description: 'Needed where `isPasswordSet` is true. A wrong one counts as a failed sign-in.',
      }),
    },
    resolve: (_root, args, context) => rules.requestEmailChange(context, args).then(() => true),
  }),
  confirmEmailChange: t.prismaField({
    type: 'User',
    ...ignoresIdempotencyKey('a code is a secret'),
    description: 'Gives the account the address that the code was sent to, and tells the former one by a mail.',
    args: { code: t.arg.string({ required: true, description: code }) },
    resolve: answeringViewer(rules.confirmEmailChange),
  }),
}));
