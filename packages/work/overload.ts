import { monitorEventLoopDelay } from 'node:perf_hooks';
import { counter, gauge, log, unavailable } from '@taskgate/base';
import { idleRequests } from './load.ts';

/** Times are in milliseconds. */
const overloadLimits = {
  /** Sustained limit. By Little's law it bounds the waiting time. */
  maxInFlight: 256,
  /** Limit for a burst that drains. */
  maxInBurst: 2048,
  /** With fewer requests in flight, latency is no sign of overload. */
  minInFlight: 32,
  /** Median event loop delays that lower and raise the limit. */
  highDelayMs: 150,
  lowDelayMs: 75,
  /** Times in flight that lower and raise the limit. */
  highWaitMs: 1_000,
  lowWaitMs: 500,
  /** Two windows in a row above a threshold lower the limit. Between the thresholds it stays. */
  windowMs: 500,
};

export type OverloadLimits = typeof overloadLimits;

/** Changes of the limit after each window. */
const [decrease, increase] = [0.7, 16];

const recoveryWindows = 10;

const resolutionMs = 20;

/** Random, so refused clients do not return together. */
const [minRetrySeconds, maxRetrySeconds] = [1, 4];

type Refused = 'http' | 'upgrade' | 'websocket';

const refusals = counter(
  'taskgate_overload_refused_total',
  'Requests, upgrades and WebSocket operations that were refused because of overload, by transport and reason.',
  'transport',
  'reason',
);

const inFlight = gauge('taskgate_requests_in_flight', 'Requests in flight.');
const inFlightLimit = gauge(
  'taskgate_requests_in_flight_limit',
  'Number of requests in flight from which further ones are refused.',
);

/** In seconds. */
export const retryAfterOverload = (): number =>
  minRetrySeconds + Math.floor(Math.random() * (maxRetrySeconds - minRetrySeconds + 1));

/** @param retryAfter seconds */
export const overloaded = (retryAfter = retryAfterOverload()) =>
  unavailable('The service is overloaded: try again in a moment', retryAfter);

/** @returns a function that returns the median delay since its last call, in milliseconds */
function observeLoop(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  return () => {
    const median = histogram.count === 0 ? 0 : histogram.percentile(50) / 1e6;
    histogram.reset();
    return Math.max(0, median - resolutionMs);
  };
}

/**
 * Requests count while they use the event loop or database connections. Waiting for others of the account, for a body
 * or for the client delays nobody.
 *
 * Requests above the limit are refused on arrival, before any work. A burst is not overload: it is accepted while it
 * drains, as CoDel tells a standing queue from a good one (RFC 8289, section 3).
 */
export class Overload {
  readonly #limits: OverloadLimits;
  readonly #loopDelay: () => number;
  #limit: number;
  #begun = 0;
  #minInFlight = 0;
  /** A whole window was above the sustained limit. */
  #isStanding = false;
  #ended = 0;
  #cause: 'event_loop' | 'wait' = 'wait';
  #windowsAbove = 0;
  #refusedInWindow = 0;
  #refused: number | undefined;
  #windowsWithoutRefusal = 0;

  constructor(limits: Partial<OverloadLimits> = {}, loopDelay = observeLoop()) {
    this.#limits = { ...overloadLimits, ...limits };
    this.#loopDelay = loopDelay;
    this.#limit = this.#limits.maxInFlight;
  }

  measure(): void {
    inFlight.track(() => this.inFlight);
    inFlightLimit.track(() => this.limit);
  }

  get windowMs(): number {
    return this.#limits.windowMs;
  }

  get inFlight(): number {
    return Math.max(0, this.#begun - idleRequests());
  }

  get limit(): number {
    const { maxInFlight, maxInBurst } = this.#limits;
    const takesBursts = !this.#isStanding && this.#limit === maxInFlight;
    return takesBursts ? maxInBurst : this.#limit;
  }

  /** Counts a refusal. */
  admits(transport: Refused): boolean {
    const { inFlight } = this;
    this.#minInFlight = Math.min(this.#minInFlight, inFlight);
    if (inFlight < this.limit) return true;
    this.#refusedInWindow += 1;
    refusals.inc({ transport, reason: this.#limit < this.#limits.maxInFlight ? this.#cause : 'in_flight' });
    return false;
  }

  begin(): void {
    this.#begun += 1;
  }

  end(): void {
    this.#ended += 1;
    this.pause();
  }

  /** The request will {@link begin} again. */
  pause(): void {
    this.#begun -= 1;
    this.#minInFlight = Math.min(this.#minInFlight, this.inFlight);
  }

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.begin();
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  /** Must be called once a window. */
  adjust(): void {
    const { minInFlight, maxInFlight, highDelayMs, lowDelayMs, highWaitMs, lowWaitMs } = this.#limits;
    const delay = this.#loopDelay();
    const wait = this.#takeWait();
    const isAbove = delay > highDelayMs || wait > highWaitMs;
    if (isAbove) this.#cause = delay > highDelayMs ? 'event_loop' : 'wait';
    this.#windowsAbove = isAbove ? this.#windowsAbove + 1 : 0;
    if (this.#windowsAbove >= 2) this.#limit = Math.max(minInFlight, Math.floor(this.#limit * decrease));
    if (delay < lowDelayMs && wait < lowWaitMs) this.#limit = Math.min(maxInFlight, this.#limit + increase);
    // Under refusals, the number in flight stays at the limit. Half of it counts as drained.
    this.#isStanding = this.#minInFlight >= (this.#isStanding ? maxInFlight / 2 : maxInFlight);
    this.#minInFlight = this.inFlight;
    this.#logTransition(delay, wait);
  }

  /** Milliseconds in flight by Little's law. 0 with few requests, as a slow one would distort it. */
  #takeWait(): number {
    const { minInFlight, windowMs } = this.#limits;
    const ended = Math.max(1, this.#ended);
    this.#ended = 0;
    return this.#minInFlight < minInFlight ? 0 : (this.#minInFlight * windowMs) / ended;
  }

  /** A line for each refusal would add load. */
  #logTransition(delay: number, wait: number): void {
    const refused = this.#refusedInWindow;
    this.#refusedInWindow = 0;
    if (refused > 0) {
      if (this.#refused === undefined) {
        const [loopDelayMs, waitMs] = [Math.round(delay), Math.round(wait)];
        log.warn(
          { inFlight: this.inFlight, limit: this.limit, loopDelayMs, waitMs },
          'overloaded: requests are refused',
        );
      }
      this.#refused = (this.#refused ?? 0) + refused;
      this.#windowsWithoutRefusal = 0;
    } else if (this.#refused !== undefined && (this.#windowsWithoutRefusal += 1) >= recoveryWindows) {
      log.info({ refused: this.#refused }, 'the overload is over');
      this.#refused = undefined;
    }
  }
}
