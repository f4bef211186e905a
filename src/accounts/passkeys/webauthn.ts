import type { AuthenticationResponseJSON, RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server';
import { z } from 'zod';

/** Loaded at the first ceremony: it is a quarter of what a start would load. */
const webauthn = () => import('@simplewebauthn/server');

/** The relying party: the service, as users see it. @param publicUrl origin, without a slash at the end */
const partyOf = (publicUrl: string) => ({ expectedOrigin: publicUrl, expectedRPID: new URL(publicUrl).hostname });

/** Options of a registration, as `PublicKeyCredential.parseCreationOptionsFromJSON` reads them: discoverable, with the user verified. */
export const registrationOptions = async (
  publicUrl: string,
  user: { id: string; email: string },
  known: readonly { credentialId: string }[],
) =>
  (await webauthn()).generateRegistrationOptions({
    rpName: 'Taskgate',
    rpID: partyOf(publicUrl).expectedRPID,
    userID: new TextEncoder().encode(user.id),
    userName: user.email,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });

/** Options of a sign-in, as `PublicKeyCredential.parseRequestOptionsFromJSON` reads them: by any passkey of this service. */
export const signInOptions = async (publicUrl: string) =>
  (await webauthn()).generateAuthenticationOptions({
    rpID: partyOf(publicUrl).expectedRPID,
    userVerification: 'required',
  });

const clientData = z.object({ challenge: z.string() });

/** The challenge that a response answers; undefined where it names none. */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string | undefined {
  try {
    const text = Buffer.from(response.clientDataJSON, 'base64url').toString('utf8');
    return clientData.parse(JSON.parse(text)).challenge;
  } catch {
    return undefined;
  }
}

/** The library throws at what does not check, whatever it is: one answer for all of it. */
const orUndefined = <Result>(checking: Promise<Result>): Promise<Result | undefined> => checking.catch(() => undefined);

/** @returns the new credential; undefined where the response does not check */
export async function checkRegistration(publicUrl: string, response: unknown, challenge: string) {
  const { verifyRegistrationResponse } = await webauthn();
  const checked = await orUndefined(
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      ...partyOf(publicUrl),
      requireUserVerification: true,
    }),
  );
  return checked?.verified ? checked.registrationInfo.credential : undefined;
}

/** @returns the authenticator's counter; undefined if the response does not verify, or the counter has not increased */
export async function checkSignIn(
  publicUrl: string,
  response: unknown,
  challenge: string,
  credential: WebAuthnCredential,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await webauthn();
  const checked = await orUndefined(
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      ...partyOf(publicUrl),
      credential,
      requireUserVerification: true,
    }),
  );
  return checked?.verified ? checked.authenticationInfo.newCounter : undefined;
}
