import { createHash, randomBytes } from 'node:crypto';

/** A name that no other test uses, such as `task-3f9a1c22`. */
export const randomName = (kind: string) => `${kind}-${randomBytes(4).toString('hex')}`;

export const randomEmail = () => `${randomName('user')}@example.com`;

/** Numbers from 0 up to 1, the same ones for the same seed. */
export function seededRandom(seed: number | string): () => number {
  let count = 0;
  return () => {
    const digest = createHash('sha256')
      .update(`${seed} ${(count += 1)}`)
      .digest();
    return digest.readUInt32BE() / 2 ** 32;
  };
}
