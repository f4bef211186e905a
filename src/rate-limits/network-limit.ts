import { quotaOfGroup } from '../kernel/group-counts.ts';
import { networksOf } from '../kernel/networks.ts';
import { nearest, RateLimit, type RateLimitOptions, type Standing } from './rate-limits.ts';

/** A client, and two networks around it: see `networksOf`. */
const widths = [0, 1, 2];

/** A limit of clients, which holds for the networks around them too: each may have a few times what a client may. */
export class NetworkLimit {
  /** By width. Counts of networks are apart, so that many clients of one do not displace them. */
  readonly #limits: readonly RateLimit[];

  constructor({ policy, ...options }: RateLimitOptions) {
    this.#limits = widths.map(
      (width) => new RateLimit({ ...options, policy: { ...policy, quota: quotaOfGroup(policy.quota, width) } }),
    );
  }

  /** As {@link RateLimit.isRefusing}. */
  get isRefusing(): boolean {
    return this.#limits.some(({ isRefusing }) => isRefusing);
  }

  /** As {@link RateLimit.take}. @returns the quota of the client, or of its network if that has less left @throws RATE_LIMITED */
  take(clientAddress: string, points?: number): Standing | undefined {
    this.requireOpen(clientAddress);
    return nearest(this.#of(clientAddress).map(([limit, network]) => limit.take(network, points)));
  }

  /** As {@link RateLimit.consume}. @throws RATE_LIMITED */
  async consume(clientAddress: string): Promise<void> {
    this.requireOpen(clientAddress);
    for (const [limit, network] of this.#of(clientAddress)) await limit.consume(network);
  }

  /** As {@link RateLimit.requireOpen}, for the client and the networks around it. @throws RATE_LIMITED */
  requireOpen(clientAddress: string): void {
    if (this.isRefusing) for (const [limit, network] of this.#of(clientAddress)) limit.requireOpen(network);
  }

  #of(clientAddress: string): [RateLimit, string][] {
    const networks = networksOf(clientAddress);
    return this.#limits.slice(0, networks.length).map((limit, width) => [limit, networks[width] ?? clientAddress]);
  }
}
