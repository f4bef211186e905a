export { rateLimited, RateLimitError } from './errors.ts';
export { NetworkLimit } from './network-limit.ts';
export { networksOf } from './networks.ts';
export type { Rate, RateLimitPolicy, WindowPolicy } from './policy.ts';
export { RateLimitStore } from './rate-limit-store.ts';
export { lowestStanding, RateLimit, type RateLimitOptions, Refusals, type Standing } from './rate-limits.ts';
