import { createHmac, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** What authenticator apps show the account under. */
const issuer = 'Taskgate';

const totpOf = (secret: Uint8Array, label = '') =>
  new TOTP({
    issuer,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: 30,
    // A copy with its own buffer: what comes from the database lies within a larger one.
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
  });

/** A new secret: 160 random bits (RFC 4226, 4). */
export const newSecret = (): Buffer => randomBytes(20);

/** What an authenticator app is given: the secret in Base32, and the same as an `otpauth:` URI. */
export const enrolmentOf = (secret: Uint8Array, email: string) => {
  const totp = totpOf(secret, email);
  return { secret: totp.secret.base32, uri: totp.toString() };
};

/**
 * The step of 30 seconds whose code this is, by the clock, or that before or after it (RFC 6238, 5.2).
 * @param now milliseconds since 1970
 * @returns undefined where it is the code of none of them
 */
export function stepOf(secret: Uint8Array, code: string, now: number): number | undefined {
  const totp = totpOf(secret);
  const delta = totp.validate({ token: code, timestamp: now, window: 1 });
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}

const recoveryCodes = 10;
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const charactersOfCode = 10;

/** Ten codes of 50 random bits, as `ABCDE-FGHJK`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodes }, () => {
    const text = Array.from(randomBytes(charactersOfCode), (byte) => alphabet[byte % alphabet.length]).join('');
    return `${text.slice(0, charactersOfCode / 2)}-${text.slice(charactersOfCode / 2)}`;
  });

/** What is stored of a recovery code: keyed by the account's own secret, which is encrypted there. However it is written. */
export const hashRecoveryCode = (secret: Uint8Array, code: string): string =>
  createHmac('sha256', secret).update(code.toUpperCase().replaceAll(/[\s-]/g, '')).digest('base64url');
