export interface Rate {
  quota: number;
  windowSeconds: number;
}

export interface RateLimitPolicy {
  /** Stable: clients, logs and metrics use it. */
  readonly name: string;
  readonly quota: number;
  /** Window length in seconds. Omitted for limits on concurrency. */
  readonly windowSeconds?: number;
}

export type WindowPolicy = RateLimitPolicy & { readonly windowSeconds: number };
