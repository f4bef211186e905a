import { Secret, TOTP } from 'otpauth';
import { newId } from '../../src/platform/ids.ts';
import { Authenticator, type PasskeyOptions } from '../kit/authenticator.ts';
import type { Client } from '../kit/client.ts';
import type { Service } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

export interface FieldRequest {
  as: Client;
  with: string;
}

/** A valid request for each mutation about identity. @param service called only when a request is made */
export const identityAsks = (service: () => Service): [name: string, ask: () => Promise<FieldRequest>][] => [
  [
    'requestPasswordReset',
    async () => ({ as: service().anonymous, with: `(email: "${(await signUp(service())).email}")` }),
  ],
  [
    'resetPassword',
    async () => {
      const { email } = await signUp(service());
      await service().anonymous.data(`mutation { requestPasswordReset(email: "${email}") }`);
      const code = await service().mailbox.takeCode(email);
      return { as: service().anonymous, with: `(email: "${email}", code: "${code}", password: "new")` };
    },
  ],
  [
    'deleteAccount',
    async () => {
      const user = await signUp(service());
      return { as: user, with: `(password: "${user.password}")` };
    },
  ],
  [
    'requestEmailChange',
    async () => {
      const user = await signUp(service());
      return { as: user, with: `(email: "new@example.com", password: "${user.password}")` };
    },
  ],
  [
    'confirmEmailChange',
    async () => {
      const [user, email] = [await signUp(service()), 'moved@example.com'];
      await user.data(`mutation { requestEmailChange(email: "${email}", password: "${user.password}") }`);
      return { as: user, with: `(code: "${await service().mailbox.takeCode(email)}")` };
    },
  ],
  ['startTotp', async () => ({ as: await signUp(service()), with: '' })],
  [
    'confirmTotp',
    async () => {
      const user = await signUp(service());
      return { as: user, with: `(code: "${await startTotp(user)}")` };
    },
  ],
  [
    'disableTotp',
    async () => {
      const user = await signUp(service());
      const confirm = `mutation { confirmTotp(code: "${await startTotp(user)}") { recoveryCodes } }`;
      const { confirmTotp } = await user.data<{ confirmTotp: { recoveryCodes: string[] } }>(confirm);
      return { as: user, with: `(code: "${confirmTotp.recoveryCodes[0]}")` };
    },
  ],
  ['startPasskeyRegistration', async () => ({ as: await signUp(service()), with: '' })],
  [
    'finishPasskeyRegistration',
    async () => {
      const { user, response } = await registration(service());
      return { as: user, with: `(response: ${response}, name: "Phone")` };
    },
  ],
  ['startPasskeySignIn', () => Promise.resolve({ as: service().anonymous, with: '' })],
  [
    'finishPasskeySignIn',
    async () => {
      const { authenticator } = await register(service());
      const start = 'mutation { options: startPasskeySignIn }';
      const { options } = await service().anonymous.data<{ options: PasskeyOptions }>(start);
      return { as: service().anonymous, with: `(response: ${literal(authenticator.get(options))})` };
    },
  ],
  [
    'deletePasskey',
    async () => {
      const { user, id } = await register(service());
      return { as: user, with: `(id: "${id}")` };
    },
  ],
];

export const insertPasskey = (service: Service, userId: string) =>
  service.sql(
    `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, counter, last_used_at)
     VALUES ($1, $2, 'Phone', $2, 'x', 0, now())`,
    [newId('Passkey'), userId],
  );

async function startTotp(user: Client): Promise<string> {
  const { secret } = (await user.data<{ startTotp: { secret: string } }>('mutation { startTotp { secret } }'))
    .startTotp;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate();
}

/** JSON as a GraphQL literal, with names without quotes. */
const literal = (value: object) => JSON.stringify(value).replaceAll(/"(\w+)":/g, '$1:');

async function registration(service: Service) {
  const [user, authenticator] = [await signUp(service), new Authenticator(service.url)];
  const { options } = await user.data<{ options: PasskeyOptions }>('mutation { options: startPasskeyRegistration }');
  return { user, authenticator, response: literal(authenticator.create(options)) };
}

async function register(service: Service) {
  const { user, authenticator, response } = await registration(service);
  const finish = `mutation { passkey: finishPasskeyRegistration(response: ${response}, name: "Phone") { id } }`;
  return { user, authenticator, id: (await user.data<{ passkey: { id: string } }>(finish)).passkey.id };
}
