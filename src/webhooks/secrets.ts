import { randomBytes } from 'node:crypto';
import type { Connections } from '../platform/database.ts';
import { keyName, seal, unseal } from '../platform/sealing.ts';
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
  const plain = unseal(keys, purpose, id, sealed);
  if (!plain) throw new Error('no SESSION_SECRET of this process decrypts the secret of a webhook');
  return plain.length > bytes ? [plain.subarray(0, bytes), plain.subarray(bytes)] : [plain];
}

/** Encrypts with the first SESSION_SECRET, so the others can be removed. @returns the number of webhooks */
export async function resealSecrets(connections: Connections, keys: readonly string[]): Promise<number> {
  const name = keyName(keys[0] ?? '', purpose);
  let count = 0;
  let page = await data.findSealedByOthers(connections, name, '');
  for (let last = page.at(-1); last; last = page.at(-1)) {
    for (const { id, secrets } of page) {
      if (!unseal(keys, purpose, id, secrets)) continue;
      await data.reseal(connections, id, secrets, sealSecrets(keys, id, unsealSecrets(keys, id, secrets)));
      count += 1;
    }
    page = await data.findSealedByOthers(connections, name, last.id);
  }
  return count;
}
