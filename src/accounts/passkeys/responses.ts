import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';

/** Bytes of a credential's id (Web Authentication Level 2, 4: Credential ID). */
const maxIdBytes = 1023;

/** Bytes of a COSE key: more than any that the service asks for has. */
const maxKeyBytes = 4096;

/** The service expects no frame of another origin (Web Authentication Level 3, 7.1); the library takes some. */
const clientData = z.object({ challenge: z.string(), crossOrigin: z.literal(false).optional() });

/** The challenge that a response answers; undefined if it names none, or a frame of another origin made it. */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string | undefined {
  try {
    const text = Buffer.from(response.clientDataJSON, 'base64url').toString('utf8');
    return clientData.parse(JSON.parse(text)).challenge;
  } catch {
    return undefined;
  }
}

/**
 * Whether a registration has no certificate of the authenticator's maker: it has no statement, or one by its own key. The service asks
 * for none. The library would fetch the addresses that a certificate names, which a user could choose.
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

/** Whether a credential, with its id in base64url, is of a size that the service keeps. */
export const isFit = ({ id, publicKey }: { id: string; publicKey: Uint8Array }): boolean =>
  Buffer.byteLength(id, 'base64url') <= maxIdBytes && publicKey.length <= maxKeyBytes;

/** An authenticator keeps it with the passkey, and a sign-in names the account by it. In base64url. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url');
