import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 238 bits. */
const randomLength = 40;

const form = new RegExp(`^tg_([0-9A-Za-z]{${randomLength}})([0-9a-f]{8})$`);

const checksumOf = (text: string) => crc32(text).toString(16).padStart(8, '0');

/** The prefix helps scanners for leaked secrets. The checksum reveals a mistyped token without a lookup. */
export const newToken = (): string => tokenOf(() => randomInt(alphabet.length));

/** Derives a token from at least 40 random bytes. */
export const tokenFrom = (bytes: Uint8Array): string => tokenOf((index) => (bytes[index] ?? 0) % alphabet.length);

function tokenOf(letterAt: (index: number) => number): string {
  const random = Array.from({ length: randomLength }, (_none, index) => alphabet[letterAt(index)]).join('');
  return `tg_${random}${checksumOf(random)}`;
}

/** Tokens themselves are not stored. */
export const keyOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

export function canBeToken(text: string): boolean {
  const [, random = '', checksum] = form.exec(text) ?? [];
  return checksum === checksumOf(random);
}
