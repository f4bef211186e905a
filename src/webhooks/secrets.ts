import { randomBytes } from 'node:crypto';
import type { Connections } from '../platform/database.ts';
import { keyName, resealRows, seal, unseal } from '../platform/sealing.ts';
import * as data from './data.ts';

const purpose = 'secrets of webhooks';
const bytes = 32;

/** As it is shown once (Standard Webhooks 1.0). */
export const shownSecret = (secret: Uint8Array): string => `whsec_${Buffer.from(secret).toString('base64')}`;

export const newSecret = (): Buffer => randomBytes(bytes);

/** @param plain the newest secret, then earlier ones: the last two are kept */
export const sealSecrets = ([key = '']: readonly string[], id: string, plain: Uint8Array): data.SealedSecrets => ({
  secrets: seal(key, purpose, id, plain.subarray(0, 2 * bytes)),
  keyName: keyName(key, purpose),
});

/** @returns as given to {@link sealSecrets} @throws Error if the operator has removed its key too early */
export function unsealSecrets(keys: readonly string[], id: string, sealed: Uint8Array): Buffer {
  const plain = unseal(keys, purpose, id, sealed);
  if (!plain) throw new Error('no SESSION_SECRET of this process decrypts the secret of a webhook');
  return plain;
}

/** @param count of secrets, the newest first */
export const splitSecrets = (plain: Buffer, count: 1 | 2): Buffer[] =>
  [plain.subarray(0, bytes), plain.subarray(bytes)].filter(({ length }) => length > 0).slice(0, count);

/** Encrypts with the first SESSION_SECRET, so the others can be removed. @returns the number of webhooks */
export const resealSecrets = (connections: Connections, keys: readonly string[]): Promise<number> =>
  resealRows(
    (after) => data.findSealedByOthers(connections, keyName(keys[0] ?? '', purpose), after),
    ({ id }) => id,
    async ({ id, secrets }) => {
      const plain = unseal(keys, purpose, id, secrets);
      if (plain) await data.reseal(connections, id, secrets, sealSecrets(keys, id, plain));
      return plain !== undefined;
    },
  );
