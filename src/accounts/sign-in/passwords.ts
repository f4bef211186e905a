import { createHash, randomBytes } from 'node:crypto';
import bcrypt from 'bcrypt';
import { networksOf } from '@taskgate/limits';
import { FairQueue } from '@taskgate/work';
import type { Context } from '../../platform/context.ts';

/** OWASP's minimum work factor for bcrypt. */
const rounds = 10;

/** A hash takes one of four threads of Node's pool for about 60 ms. One thread stays free for files and host names. */
export const hashingPolicy = { name: 'hashing', slots: 3, slotsPerKey: 2, slotsPerResource: 1, idle: 'all' } as const;

export const hashingTurns = () => new FairQueue(hashingPolicy);

/** bcrypt reads only 72 bytes, so it gets a digest (OWASP ASVS 6.2.8). */
const digest = (password: string) => createHash('sha256').update(password, 'utf8').digest('base64');

/** Unknown addresses take the same work. */
const dummyHash = bcrypt.hashSync(randomBytes(32).toString('base64'), rounds);

const hasher = {
  hash: (password: string): Promise<string> => bcrypt.hash(digest(password), rounds),
  /** @param hash null takes the same time and returns false */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const matches = await bcrypt.compare(digest(password), hash ?? dummyHash);
    return matches && hash !== null;
  },
  isOutdated: (hash: string): boolean => bcrypt.getRounds(hash) < rounds,
};

export type PasswordHasher = typeof hasher;

/**
 * Runs work in the client's turn.
 * @param subjects owners of the password. One operation of each runs at a time
 * @throws UNAVAILABLE
 */
export const withHasher = <Result>(
  { services, clientAddress, cancellation: { signal } }: Context,
  work: (passwords: PasswordHasher) => Promise<Result>,
  subjects: readonly string[] = [],
): Promise<Result> =>
  services.accounts.hashing.run(networksOf(clientAddress), () => work(hasher), { signal, resources: subjects });
