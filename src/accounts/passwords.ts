import { createHash, randomBytes } from 'node:crypto';
import bcrypt from 'bcrypt';
import type { Context } from '../kernel/context.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { networksOf } from '../kernel/networks.ts';

/** OWASP's least work factor for bcrypt. */
const rounds = 10;

/**
 * Operations that hash, by client. Each takes one of the four threads of Node's pool for some 60 ms, and one thread is left to files
 * and host names. Attempts of one subject, such as an e-mail address, run one after another. Busy hashing threads do not mean that the
 * event loop or the database is busy: who only reads is served.
 */
export const hashingPolicy = { name: 'hashing', slots: 3, slotsPerKey: 2, slotsPerResource: 1, idle: 'all' } as const;

export const hashingTurns = () => new FairQueue(hashingPolicy);

/** bcrypt reads at most 72 bytes, so it is given a digest of the whole password (OWASP ASVS 6.2.8). */
const digest = (password: string) => createHash('sha256').update(password, 'utf8').digest('base64');

/** What an unknown address is compared with, so that it takes the same work as a known one. */
const nobodysHash = bcrypt.hashSync(randomBytes(32).toString('base64'), rounds);

/** Hashes passwords, and compares them with hashes, over their full length. */
const hasher = {
  hash: (password: string): Promise<string> => bcrypt.hash(digest(password), rounds),
  /** @param hash null where there is no account, or one without a password: takes the same time, and is false */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const matches = await bcrypt.compare(digest(password), hash ?? nobodysHash);
    return matches && hash !== null;
  },
  /** Whether a hash was made at a lower cost than the present one. */
  isOutdated: (hash: string): boolean => bcrypt.getRounds(hash) < rounds,
};

export type PasswordHasher = typeof hasher;

/**
 * Does what needs a password hashed when it is the client's turn: the only way to a hasher.
 * @param subjects whose password it is, such as an e-mail address: one operation of each at once
 * @throws UNAVAILABLE where too much of the client waits already, or its turn does not come in time; where the context's
 *   operation is cancelled while it waits
 */
export const withHasher = <Result>(
  { services, clientAddress, cancellation: { signal } }: Context,
  work: (passwords: PasswordHasher) => Promise<Result>,
  subjects: readonly string[] = [],
): Promise<Result> =>
  services.accounts.hashing.run(networksOf(clientAddress), () => work(hasher), { signal, resources: subjects });
