import { builder } from '../../graphql/builder.ts';
import * as data from '../profile/data.ts';
import * as rules from './rules.ts';

builder.mutationFields((t) => ({
  requestSignUpCode: t.boolean({
    extensions: { cost: 20_000, ignoresIdempotencyKey: 'each code is a new secret' },
    description:
      'Mails a six-digit code that is valid for five minutes. Returns true whether or not the address has an account. RATE_LIMITED at the sixth request for an address within 24 hours.',
    args: { email: t.arg.string({ required: true, description: 'Address to sign up with.' }) },
    resolve: (_root, { email }, context) => rules.requestSignUpCode(context, email).then(() => true),
  }),
  signUp: t.prismaField({
    type: 'User',
    extensions: { cost: 60_000, ignoresIdempotencyKey: 'sets the session cookie, and has a password' },
    description:
      'Creates the account with its inbox and sets the session cookie. The fifth wrong attempt voids a code.',
    args: {
      email: t.arg.string({ required: true, description: 'The address that the code was sent to.' }),
      code: t.arg.string({ required: true, description: 'The six digits of the code.' }),
      password: t.arg.string({ required: true, description: '1 to 1,024 characters.' }),
    },
    resolve: async (query, _root, args, context) =>
      data.findUser(context.services.connections, await rules.signUp(context, args), query),
  }),
  signIn: t.prismaField({
    type: 'User',
    extensions: { cost: 60_000, ignoresIdempotencyKey: 'sets the session cookie, and has a password' },
    description:
      'Signs in and sets the session cookie. RATE_LIMITED after ten failures for an address within 15 minutes. SECOND_FACTOR_REQUIRED if the password is right, TOTP is on and `totp` is missing.',
    args: {
      email: t.arg.string({ required: true, description: 'E-mail address of the account.' }),
      password: t.arg.string({ required: true, description: 'Its password.' }),
      totp: t.arg.string({
        description: 'A code of the authenticator app or a recovery code. Required if TOTP is on.',
      }),
    },
    resolve: async (query, _root, args, context) =>
      data.findUser(context.services.connections, await rules.signIn(context, args), query),
  }),
  signOut: t.boolean({
    extensions: { ignoresIdempotencyKey: 'clears the session cookie' },
    description: 'Ends the session on the server and clears the cookie.',
    resolve: (_root, _args, context) => rules.signOut(context).then(() => true),
  }),
}));
