import { quotaOfGroup } from '@taskgate/work';
import { networksOf } from './networks.ts';
import { lowestStanding, RateLimit, type RateLimitOptions, type Standing } from './rate-limits.ts';

const widths = [0, 1, 2];

/** Limits clients and, to a multiple of the quota, the networks around them. */
export class NetworkLimit {
  /** Narrow to wide. Separate, because a network's many clients must not evict its count. */
  readonly #limits: readonly RateLimit[];

  constructor({ policy, ...options }: RateLimitOptions) {
    this.#limits = widths.map(
      (width) => new RateLimit({ ...options, policy: { ...policy, quota: quotaOfGroup(policy.quota, width) } }),
    );
  }

  get isRefusing(): boolean {
    return this.#limits.some(({ isRefusing }) => isRefusing);
  }

  /** @returns the lowest standing @throws RATE_LIMITED */
  take(clientAddress: string, points?: number): Standing | undefined {
    this.requireOpen(clientAddress);
    return lowestStanding(this.#of(clientAddress).map(([limit, network]) => limit.take(network, points)));
  }

  /** @throws RATE_LIMITED */
  async consume(clientAddress: string): Promise<void> {
    this.requireOpen(clientAddress);
    for (const [limit, network] of this.#of(clientAddress)) await limit.consume(network);
  }

  requireOpen(clientAddress: string): void {
    if (this.isRefusing) for (const [limit, network] of this.#of(clientAddress)) limit.requireOpen(network);
  }

  #of(clientAddress: string): [RateLimit, string][] {
    const networks = networksOf(clientAddress);
    return this.#limits.slice(0, networks.length).map((limit, width) => [limit, networks[width] ?? clientAddress]);
  }
}
