import { builder, ignoresIdempotencyKey } from '../graphql/builder.ts';
import * as data from './data.ts';
import * as rules from './sign-in-rules.ts';

builder.mutationFields((t) => ({
  requestSignUpCode: t.boolean({
    ...ignoresIdempotencyKey('a code is a secret: each is another one'),
    description:
      'Mails a six-digit code, valid for five minutes. True, whether or not the address has an account. RATE_LIMITED at the sixth request for an address within 24 hours.',
    args: { email: t.arg.string({ required: true, description: 'Address to sign up with.' }) },
    resolve: (_root, { email }, context) => rules.requestSignUpCode(context, email).then(() => true),
  }),
  signUp: t.prismaField({
    type: 'User',
    ...ignoresIdempotencyKey('sets the session cookie, and has a password'),
    description:
      'Makes the account, with its inbox, and sets the session cookie. The fifth wrong try of a code makes it void.',
    args: {
      email: t.arg.string({ required: true, description: 'The address that the code was sent to.' }),
      code: t.arg.string({ required: true, description: 'The six digits of the code.' }),
      password: t.arg.string({ required: true, description: '1 to 1,024 characters.' }),
    },
    resolve: async (query, _root, args, context) => data.findUser(await rules.signUp(context, args), query),
  }),
  signIn: t.prismaField({
    type: 'User',
    ...ignoresIdempotencyKey('sets the session cookie, and has a password'),
    description:
      'Sets the session cookie, with a new session id. RATE_LIMITED after ten failures for an address within 15 minutes. SECOND_FACTOR_REQUIRED where the password is right, TOTP is on and `totp` missing.',
    args: {
      email: t.arg.string({ required: true, description: 'Address of the account.' }),
      password: t.arg.string({ required: true, description: 'Its password.' }),
      totp: t.arg.string({
        description: 'A code of the authenticator app, or a recovery code: needed where TOTP is on.',
      }),
    },
    resolve: async (query, _root, args, context) => data.findUser(await rules.signIn(context, args), query),
  }),
  signOut: t.boolean({
    ...ignoresIdempotencyKey('clears the session cookie'),
    description: 'Ends the session on the server and clears the cookie.',
    resolve: (_root, _args, context) => rules.signOut(context).then(() => true),
  }),
}));
