import { z } from 'zod';
import * as input from '../../src/accounts/input.ts';
import { resetPassword } from '../../src/accounts/recovery/input.ts';
import { graphql } from '../graphql.ts';
import { route, message } from '../route.ts';
import { authCheck } from './responses.ts';

/** Contract, 4.1. */
export const accounts = [
  route({
    method: 'post',
    path: '/api/v1/user/signup/send-otp',
    summary: 'Mails a six-digit code for sign-up',
    description: 'The code is valid for five minutes. An address can have five codes in 24 hours.',
    auth: 'none',
    input: z.object({ body: z.object({ email: input.email }) }),
    document: graphql('mutation RequestSignUpCode($email: String!) { requestSignUpCode(email: $email) }'),
    ...message('OTP sent successfully'),
  }),
  route({
    method: 'post',
    path: '/api/v1/user/signup/verify',
    summary: 'Creates the account and signs in',
    description: 'Requires the code that was mailed to the address. The response sets the session cookie.',
    auth: 'none',
    input: z.object({ body: input.signUp }),
    document: graphql(`
      mutation SignUp($email: String!, $code: String!, $password: String!) {
        signUp(email: $email, code: $code, password: $password) {
          id
        }
      }
    `),
    setsCookie: true,
    ...message('Account created successfully'),
  }),
  route({
    method: 'post',
    path: '/api/v1/user/signin',
    summary: 'Signs in with e-mail address and password',
    description:
      'The response sets the session cookie. If TOTP is enabled, `totp` is required in addition to the correct password.',
    auth: 'none',
    errors: ['SECOND_FACTOR_REQUIRED'],
    input: z.object({ body: input.signIn }),
    document: graphql(`
      mutation SignIn($email: String!, $password: String!, $totp: String) {
        signIn(email: $email, password: $password, totp: $totp) {
          id
        }
      }
    `),
    setsCookie: true,
    ...message('Signed in successfully'),
  }),
  route({
    method: 'get',
    path: '/api/v1/auth-check',
    summary: 'Returns whether the caller is signed in, and their address',
    description: 'Never responds with 401. Without a session, `isAuthenticated` is false.',
    auth: 'none',
    document: graphql('query CheckSession { viewer { email } }'),
    response: authCheck,
    reply: ({ viewer }) => (viewer ? { isAuthenticated: true, email: viewer.email } : { isAuthenticated: false }),
  }),
  route({
    method: 'post',
    path: '/api/v1/user/logout',
    summary: 'Ends the session',
    description: 'Deletes the session on the server and clears its cookie.',
    document: graphql('mutation SignOut { signOut }'),
    setsCookie: true,
    ...message('Signed out successfully'),
  }),
  route({
    method: 'post',
    path: '/api/v1/user/password/send-otp',
    summary: 'Mails a six-digit code for a password reset',
    description:
      'The code is valid for five minutes. An address can have five codes in 24 hours, counted separately from sign-up codes. An address without an account gets no mail but the same response.',
    auth: 'none',
    isAddition: true,
    input: z.object({ body: z.object({ email: input.email }) }),
    document: graphql('mutation RequestPasswordReset($email: String!) { requestPasswordReset(email: $email) }'),
    ...message('OTP sent successfully'),
  }),
  route({
    method: 'post',
    path: '/api/v1/user/password/reset',
    summary: 'Sets a new password with a code and ends all sessions of the account',
    description:
      'Requires the code that was mailed to the address. Passkeys and linked providers remain, unless `endOtherWaysIn` is true. It does not sign in.',
    auth: 'none',
    isAddition: true,
    input: z.object({ body: resetPassword }),
    document: graphql(`
      mutation ResetPassword($email: String!, $code: String!, $password: String!, $endOtherWaysIn: Boolean) {
        resetPassword(email: $email, code: $code, password: $password, endOtherWaysIn: $endOtherWaysIn)
      }
    `),
    ...message('Password updated sucessfully'),
  }),
];
