import { randomBytes } from 'node:crypto';
import type { Connections } from '../platform/database.ts';
import { keyName, resealRows, seal, unseal } from '../platform/sealing.ts';
import * as data from './data.ts';

const purpose = 'secrets of webhooks';
const bytes = 32;

/** As it is shown once (Standard Webhooks 1.0). */
export const shownSecret = (secret: Uint8Array): string => `whsec_${Buffer.from(secret).toString('base64')}`;

export const newSecret = (): Buffer => randomBytes(bytes);

/** @param keys the newest first: the last two are kept */
export function sealSecrets(
  [key = '']: readonly string[],
  id: string,
  keys: readonly Uint8Array[],
): data.SealedSecrets {
  return { secrets: seal(key, purpose, id, Buffer.concat(keys.slice(0, 2))), keyName: keyName(key, purpose) };
}

/** @returns the newest first @throws Error if the operator has removed its key too early */
export function unsealSecrets(keys: readonly string[], id: string, sealed: Uint8Array): Buffer[] {
  const secrets = split(unseal(keys, purpose, id, sealed));
  if (!secrets) throw new Error('no SESSION_SECRET of this process decrypts the secret of a webhook');
  return secrets;
}

const split = (plain: Buffer | undefined) =>
  plain && (plain.length > bytes ? [plain.subarray(0, bytes), plain.subarray(bytes)] : [plain]);

/** Encrypts with the first SESSION_SECRET, so the others can be removed. @returns the number of webhooks */
export function resealSecrets(connections: Connections, keys: readonly string[]): Promise<number> {
  const name = keyName(keys[0] ?? '', purpose);
  return resealRows(
    (after) => data.findSealedByOthers(connections, name, after),
    ({ id }) => id,
    async ({ id, secrets }) => {
      const plain = split(unseal(keys, purpose, id, secrets));
      if (plain) await data.reseal(connections, id, secrets, sealSecrets(keys, id, plain));
      return plain !== undefined;
    },
  );
}
