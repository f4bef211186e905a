import { createHash, randomBytes } from 'node:crypto';

/** A name that no other test uses, such as `task-3f9a1c22`. */
export const randomName = (kind: string) => `${kind}-${randomBytes(4).toString('hex')}`;

export const randomEmail = () => `${randomName('user')}@example.com`;

/**
 * What a test's choices at random begin with, which is to be named where it fails: `TASKGATE_TESTS_SEED`, to have them again
 * as far as time allows, or another one each time.
 */
export const seedOfRun = (): number => Number(process.env['TASKGATE_TESTS_SEED'] ?? Date.now() % 1_000_000);

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
