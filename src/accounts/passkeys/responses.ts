import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';

/** Web Authentication Level 2, 4: Credential ID. */
const maxIdBytes = 1023;

/** Fits the keys of all requested algorithms. */
const maxKeyBytes = 4096;

/** Refuses frames of other origins (Web Authentication Level 3, 7.1), which the library accepts. */
const clientData = z.object({ challenge: z.string(), crossOrigin: z.literal(false).optional() });

/** @returns undefined without a challenge, or for a frame of another origin */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string | undefined {
  try {
    const text = Buffer.from(response.clientDataJSON, 'base64url').toString('utf8');
    return clientData.parse(JSON.parse(text)).challenge;
  } catch {
    return undefined;
  }
}

/** Certificates are not requested, and the library would fetch addresses in them, which a user could choose. */
export async function isUncertified({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
    return ['none', 'packed'].includes(attestation.get('fmt')) && attestation.get('attStmt').get('x5c') === undefined;
  } catch {
    return false;
  }
}

export const hasStorableSize = ({ id, publicKey }: { id: string; publicKey: Uint8Array }): boolean =>
  Buffer.byteLength(id, 'base64url') <= maxIdBytes && publicKey.length <= maxKeyBytes;

/** Encodes the user handle in base64url. The authenticator stores it, and sign-ins name the account with it. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url');
