import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';

/** Web Authentication Level 2, 4: Credential ID. */
const maxIdBytes = 1023;

/** More than the COSE keys of all requested algorithms. */
const maxKeyBytes = 4096;

/** Refuses frames of other origins (Web Authentication Level 3, 7.1), which the library accepts. */
const clientData = z.object({ challenge: z.string(), crossOrigin: z.literal(false).optional() });

/** Returns the challenge of a response. Undefined if it has none, or comes from a frame of another origin. */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string | undefined {
  try {
    const text = Buffer.from(response.clientDataJSON, 'base64url').toString('utf8');
    return clientData.parse(JSON.parse(text)).challenge;
  } catch {
    return undefined;
  }
}

/**
 * Whether a registration has no certificate of the authenticator's maker. The service requests none. The library would
 * fetch addresses in a certificate, which a user could choose.
 */
export async function isUncertified({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
    return ['none', 'packed'].includes(attestation.get('fmt')) && attestation.get('attStmt').get('x5c') === undefined;
  } catch {
    return false;
  }
}

/** Whether the id and the key of a credential are small enough to store. */
export const hasStorableSize = ({ id, publicKey }: { id: string; publicKey: Uint8Array }): boolean =>
  Buffer.byteLength(id, 'base64url') <= maxIdBytes && publicKey.length <= maxKeyBytes;

/** Returns the user handle in base64url. The authenticator stores it, and a sign-in names the account with it. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url');
