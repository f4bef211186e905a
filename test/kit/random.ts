import { createHash, randomBytes } from 'node:crypto';

/** A unique name, such as `task-3f9a1c22`. */
export const randomName = (kind: string) => `${kind}-${randomBytes(4).toString('hex')}`;

export const randomEmail = () => `${randomName('user')}@example.com`;

/** `TASKGATE_TESTS_SEED` repeats the random choices of a run, within the limits of timing. A failure should print it. */
export const seedOfRun = (): number => Number(process.env['TASKGATE_TESTS_SEED'] ?? Date.now() % 1_000_000);

/** Numbers in [0, 1), the same for the same seed. */
export function seededRandom(seed: number | string): () => number {
  let count = 0;
  return () => {
    const digest = createHash('sha256')
      .update(`${seed} ${(count += 1)}`)
      .digest();
    return digest.readUInt32BE() / 2 ** 32;
  };
}
