import type { Account } from '../app/last-account.ts';
import { entryClient, request } from '../app/session.ts';

export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** @throws DOMException if the user cancels @throws TaskgateError if the service refuses the passkey */
export async function signInByPasskey(): Promise<Account> {
  const { options } = await entryClient.graphql<{ options: PublicKeyCredentialRequestOptionsJSON }>(
    'mutation { options: startPasskeySignIn }',
  );
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  const { account } = await entryClient.graphql<{ account: Account }>(
    'mutation ($response: JSON!) { account: finishPasskeySignIn(response: $response) { id email } }',
    { response: credential.toJSON() },
  );
  return account;
}

export async function addPasskey(name: string): Promise<void> {
  const { options } = await request<{ options: PublicKeyCredentialCreationOptionsJSON }>(
    'mutation { options: startPasskeyRegistration }',
  );
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  await request(
    'mutation ($name: String!, $response: JSON!) { finishPasskeyRegistration(name: $name, response: $response) { id } }',
    { name, response: credential.toJSON() },
  );
}
