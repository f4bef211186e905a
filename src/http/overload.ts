import { monitorEventLoopDelay } from 'node:perf_hooks';
import { unavailable } from '../kernel/errors.ts';
import { idleRequests } from '../kernel/load.ts';
import { log } from '../kernel/logger.ts';
import { counter, gauge } from '../kernel/metrics.ts';

/** When the process takes no more, and how it finds back. Times in milliseconds. */
const overloadLimits = {
  /** Requests in flight that may be there all the time. By Little's law this bounds how long they wait. */
  maxInFlight: 256,
  /** Requests in flight in a burst: as many as may come at once, where those before them get done. */
  maxInBurst: 2048,
  /** The lowest bound. With fewer in flight, their latency is no sign of overload. */
  minInFlight: 32,
  /** Median delay of the event loop from which on the bound is lowered, and below which it is raised again. */
  highDelayMs: 150,
  lowDelayMs: 75,
  /** Time in flight from which on the bound is lowered, and below which it is raised again. */
  highWaitMs: 1_000,
  lowWaitMs: 500,
  /** Over which both are observed. The bound is lowered where two windows in a row are above; between the marks it stays. */
  windowMs: 500,
};

export type OverloadLimits = typeof overloadLimits;

/** What is left of the bound by a window that lowers it, and by how much another one raises it. */
const [decrease, increase] = [0.7, 16];

/** Windows without a refusal after which the overload is said to be over. */
const quietWindows = 10;

/** Between two samples of the event loop's delay, in milliseconds. */
const resolutionMs = 20;

/** Seconds after which a refused client may try again, at random, so that those refused together do not come back together. */
const [minRetrySeconds, maxRetrySeconds] = [1, 4];

/** What is refused: a request, the upgrade to a WebSocket, or an operation of one. */
type Refused = 'http' | 'upgrade' | 'websocket';

const refusals = counter(
  'taskgate_overload_refused_total',
  'Requests, upgrades and operations of WebSockets that were refused as the process is overloaded, by why.',
  'transport',
  'reason',
);

const inFlight = gauge('taskgate_requests_in_flight', 'Requests that the process works on.');
const inFlightLimit = gauge('taskgate_requests_in_flight_limit', 'From how many on further ones are refused.');

export const retryAfterOverload = (): number =>
  minRetrySeconds + Math.floor(Math.random() * (maxRetrySeconds - minRetrySeconds + 1));

/** @param retryAfter seconds */
export const overloaded = (retryAfter = retryAfterOverload()) =>
  unavailable('The service is overloaded: try again in a moment', retryAfter);

/** @returns what tells the median delay of the event loop since it was last asked, in milliseconds */
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
 * Knows whether the process has more to do than it gets done. It counts the requests in flight: those that take turns of the
 * event loop and connections to the database. A request that only waits for others of its own account, for its own body, or
 * for its client to take a response, is none: many of those keep nobody else out.
 *
 * What exceeds the bound is refused on arrival, before any work is done for it: work for a request that is refused later is lost, and under
 * overload that would be most of the work. A burst is no overload: what comes at once and gets done is accepted, as CoDel tells a standing
 * queue from one that drains (RFC 8289, section 3).
 */
export class Overload {
  readonly #limits: OverloadLimits;
  readonly #loopDelay: () => number;
  #limit: number;
  #begun = 0;
  /** Fewest requests in flight in this window. */
  #minInFlight = 0;
  /** Whether more than there may be all the time have been in flight throughout a window: a queue that does not drain. */
  #isStanding = false;
  #ended = 0;
  /** What is above its mark, and in how many windows in a row something was. */
  #cause: 'event_loop' | 'wait' = 'wait';
  #windowsAbove = 0;
  #refusedInWindow = 0;
  /** What was refused since the overload began; undefined while there is none. */
  #refused: number | undefined;
  #windowsWithoutRefusal = 0;

  constructor(limits: Partial<OverloadLimits> = {}, loopDelay = observeLoop()) {
    this.#limits = { ...overloadLimits, ...limits };
    this.#loopDelay = loopDelay;
    this.#limit = this.#limits.maxInFlight;
  }

  /** Has the metrics show it. */
  measure(): void {
    inFlight.of(() => this.inFlight);
    inFlightLimit.of(() => this.limit);
  }

  get windowMs(): number {
    return this.#limits.windowMs;
  }

  /** Requests in flight that do not only wait for others of their account. */
  get inFlight(): number {
    return Math.max(0, this.#begun - idleRequests());
  }

  /** From how many requests in flight on further ones are refused. */
  get limit(): number {
    const { maxInFlight, maxInBurst } = this.#limits;
    const takesBursts = !this.#isStanding && this.#limit === maxInFlight;
    return takesBursts ? maxInBurst : this.#limit;
  }

  /** Whether one more may begin; one that may not is counted as refused. */
  admits(transport: Refused): boolean {
    const { inFlight } = this;
    this.#minInFlight = Math.min(this.#minInFlight, inFlight);
    if (inFlight < this.limit) return true;
    this.#refusedInWindow += 1;
    refusals.inc({ transport, reason: this.#limit < this.#limits.maxInFlight ? this.#cause : 'in_flight' });
    return false;
  }

  /** One more is in flight, until {@link end} or {@link pause}. */
  begin(): void {
    this.#begun += 1;
  }

  end(): void {
    this.#ended += 1;
    this.pause();
  }

  /** One is in flight no longer, and will {@link begin} again. */
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

  /** Adjusts the bound to what the process was like since this was last called; to be called once a window. */
  adjust(): void {
    const { minInFlight, maxInFlight, highDelayMs, lowDelayMs, highWaitMs, lowWaitMs } = this.#limits;
    const delay = this.#loopDelay();
    const wait = this.#takeWait();
    const isAbove = delay > highDelayMs || wait > highWaitMs;
    if (isAbove) this.#cause = delay > highDelayMs ? 'event_loop' : 'wait';
    this.#windowsAbove = isAbove ? this.#windowsAbove + 1 : 0;
    if (this.#windowsAbove >= 2) this.#limit = Math.max(minInFlight, Math.floor(this.#limit * decrease));
    if (delay < lowDelayMs && wait < lowWaitMs) this.#limit = Math.min(maxInFlight, this.#limit + increase);
    // If further ones are refused, there are as many in flight as may be: it is over when there are half as many.
    this.#isStanding = this.#minInFlight >= (this.#isStanding ? maxInFlight / 2 : maxInFlight);
    this.#minInFlight = this.inFlight;
    this.#logTransition(delay, wait);
  }

  /** How long requests are in flight, in milliseconds, by Little's law: no clock for each. Of a few it says nothing: one may take long. */
  #takeWait(): number {
    const { minInFlight, windowMs } = this.#limits;
    const ended = Math.max(1, this.#ended);
    this.#ended = 0;
    return this.#minInFlight < minInFlight ? 0 : (this.#minInFlight * windowMs) / ended;
  }

  /** Says when an overload begins, and when it is over: a line for each refusal would be work as well. */
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
    } else if (this.#refused !== undefined && (this.#windowsWithoutRefusal += 1) >= quietWindows) {
      log.info({ refused: this.#refused }, 'the overload is over');
      this.#refused = undefined;
    }
  }
}
