import { createHash, randomBytes } from 'node:crypto';
import bcrypt from 'bcrypt';
import type { Context } from '../kernel/context.ts';
import { KeyedLimiter } from '../kernel/keyed-limiter.ts';

/** OWASP's least work factor for bcrypt. */
const rounds = 10;

/**
 * Passwords that are hashed at once. Each takes one of the four threads of Node's pool for some 60 ms; the pool reads
 * files and looks up host names as well.
 */
export const hashingLimits = {
  /** Operations of one client that hash, from before their attempt is counted: whoever sends many waits behind itself. */
  perClient: 2,
  /** Of all clients: one thread is left to all else. */
  inAll: 3,
  /** Operations of one client that wait; one more is refused. */
  waitingPerClient: 1_000,
  /** Milliseconds for which an operation waits for its turn; then it is refused. */
  waitMs: 30_000,
} as const;

const { perClient, inAll, waitingPerClient, waitMs } = hashingLimits;

// Threads that are all hashing say nothing of the event loop and the database: who only reads is served.
const bounds = { maxWaiting: waitingPerClient, maxWaitMs: waitMs, keepsIdle: true };

/** The turns of what hashes passwords: operations by client, and each hash for a thread. */
export const hashingTurns = () => ({
  clients: new KeyedLimiter({ ...bounds, name: 'hashing_of_client', concurrency: perClient }),
  threads: new KeyedLimiter({ ...bounds, name: 'hashing', concurrency: inAll, maxWaiting: inAll * waitingPerClient }),
});

/** bcrypt reads 72 bytes at the most, so it is given a digest of the whole password (OWASP ASVS 6.2.8). */
const digest = (password: string) => createHash('sha256').update(password, 'utf8').digest('base64');

/** What an unknown address is compared with, so that it takes the same work as a known one. */
const nobodysHash = bcrypt.hashSync(randomBytes(32).toString('base64'), rounds);

/** Hashes passwords, and compares them with hashes, over their full length. */
export class PasswordHasher {
  readonly #threads: KeyedLimiter;
  readonly #signal: AbortSignal;

  constructor(threads: KeyedLimiter, signal: AbortSignal) {
    this.#threads = threads;
    this.#signal = signal;
  }

  hash(password: string): Promise<string> {
    return this.#onThread(() => bcrypt.hash(digest(password), rounds));
  }

  /** @param hash null where there is no account, or one without a password: takes the same time, and is false */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const matches = await this.#onThread(() => bcrypt.compare(digest(password), hash ?? nobodysHash));
    return matches && hash !== null;
  }

  #onThread<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#threads.run('', work, this.#signal);
  }
}

/**
 * Does what needs a password hashed when it is the client's turn: the only way to a hasher.
 * @throws UNAVAILABLE where too much of the client waits already, or its turn does not come in time; where the context's
 *   operation is cancelled while it waits
 */
export const withHasher = <Result>(
  { services, clientAddress, cancellation: { signal } }: Context,
  work: (passwords: PasswordHasher) => Promise<Result>,
): Promise<Result> => {
  const { clients, threads } = services.accounts.hashing;
  return clients.run(clientAddress, () => work(new PasswordHasher(threads, signal)), signal);
};
