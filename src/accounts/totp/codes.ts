import { createHmac, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const issuer = 'Taskgate';

const totpOf = (secret: Uint8Array, label = '') =>
  new TOTP({
    issuer,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: 30,
    // The bytes from the database lie within a larger buffer.
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
  });

/** 160 random bits (RFC 4226, 4). */
export const newSecret = (): Buffer => randomBytes(20);

/** Shows a secret in Base32 and as an `otpauth:` URI. */
export const enrolmentOf = (secret: Uint8Array, email: string) => {
  const totp = totpOf(secret, email);
  return { secret: totp.secret.base32, uri: totp.toString() };
};

/**
 * Accepts the current, previous and next step (RFC 6238, 5.2).
 * @param now milliseconds since 1970
 * @returns undefined for a wrong code
 */
export function stepOf(secret: Uint8Array, code: string, now: number): number | undefined {
  const totp = totpOf(secret);
  const delta = totp.validate({ token: code, timestamp: now, window: 1 });
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}

const recoveryCodes = 10;
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const charactersOfCode = 10;

/** 50 random bits each, such as `ABCDE-FGHJK`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodes }, () => {
    const text = Array.from(randomBytes(charactersOfCode), (byte) => alphabet[byte % alphabet.length]).join('');
    return `${text.slice(0, charactersOfCode / 2)}-${text.slice(charactersOfCode / 2)}`;
  });

/** Keyed by the account's secret. Ignores case, spaces and hyphens. */
export const hashRecoveryCode = (secret: Uint8Array, code: string): string =>
  createHmac('sha256', secret).update(code.toUpperCase().replaceAll(/[\s-]/g, '')).digest('base64url');
