import { unavailable } from '@taskgate/base';
import { type FairQueuePolicy, queueDefaults } from './fair-queue-policy.ts';
import { FairShares, type HeldSlot } from './fair-shares.ts';
import { type FairKey, type FairKeys, GroupCounts, keysOf } from './group-counts.ts';
import { countRefused, type Load, measureLoad } from './load.ts';

/*
 * The waiter whose key (account, client) has used least time runs next. States of a job:
 *
 *   running   holds a slot and its resources
 *   waiting   first in, first out within a key; least used first between keys
 *   refused   has waited too long: UNAVAILABLE. Under overload the newest job runs first and patience is short
 *             (CoDel, RFC 8289; adaptive LIFO): late responses are useless
 */

export interface TurnOptions {
  /** Ends the wait, but not running work. */
  signal?: AbortSignal | undefined;
  /** Whether it is a request in flight: by default, if there is a signal. */
  isOfRequest?: boolean;
  /** Resources to hold, such as the locks of spaces. */
  resources?: readonly string[];
  /** Whether it is never refused for a long wait: it reads the response to a committed change. */
  isPatient?: boolean;
}

const sweepMs = 50;

type Turn = HeldSlot & { readonly resources: readonly string[] };

interface Waiter {
  readonly since: number;
  readonly isPatient: boolean;
  begin(turn: Turn): void;
  refuse(): void;
}

interface Lane {
  readonly keys: FairKeys;
  readonly resources: readonly string[];
  waiters: Waiter[];
  readonly since: number;
  /** Set by a refusal under overload. From then on, the newest job goes first. */
  isShedding: boolean;
}

/** Runs jobs in fair turns by key. Refusals are UNAVAILABLE. */
export class FairQueue {
  readonly #policy: Required<Omit<FairQueuePolicy, 'idle'>> & Pick<FairQueuePolicy, 'idle'>;
  readonly #shares: FairShares;
  readonly #lanes = new Map<string, Lane>();
  readonly #waitingOf = new GroupCounts();
  readonly #heldResources = new GroupCounts();
  #reserved: readonly string[] = [];
  #running = 0;
  #waiting = 0;
  #idle = 0;
  /** When all slots became held while a job waited. */
  #fullSince: number | undefined;
  #sweeping: NodeJS.Timeout | undefined;
  #sweptAt = 0;

  constructor(policy: FairQueuePolicy) {
    const { slots } = policy;
    this.#policy = {
      ...queueDefaults,
      slotsPerKey: typeof slots === 'number' ? Math.ceil(slots / 2) : Infinity,
      ...policy,
    };
    this.#shares = new FairShares(this.#policy.slotsPerKey);
    measureLoad(policy.name, this);
  }

  get #slots(): number {
    const { slots } = this.#policy;
    return typeof slots === 'number' ? slots : slots();
  }

  get name(): string {
    return this.#policy.name;
  }

  get load(): Load {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** See `FairQueuePolicy.idle`. */
  get idle(): number {
    return this.#idle;
  }

  /** Runs work in its turn, at once if a slot is free. @throws as {@link enter} */
  async run<Result>(
    key: FairKey,
    work: (hasWaited: boolean) => Promise<Result>,
    options?: TurnOptions,
  ): Promise<Result> {
    const begun = this.#begin(key, options);
    const hasWaited = begun instanceof Promise;
    const turn = hasWaited ? await begun : begun;
    try {
      return await work(hasWaited);
    } finally {
      this.#release(turn);
    }
  }

  /**
   * Waits for a turn. The caller must leave it.
   * @throws UNAVAILABLE if too many jobs of the key wait, or for too long; the signal's reason
   */
  async enter(key: FairKey, options?: TurnOptions): Promise<{ hasWaited: boolean; leave: () => void }> {
    const begun = this.#begin(key, options);
    const turn = await begun;
    return { hasWaited: begun instanceof Promise, leave: () => this.#release(turn) };
  }

  #begin(key: FairKey, options: TurnOptions = {}): Turn | Promise<Turn> {
    options.signal?.throwIfAborted();
    const { resources = [] } = options;
    const keys = keysOf(key);
    const sorted = resources.length > 1 ? [...new Set(resources)].sort() : resources;
    const isFree = this.#hasSlot(keys) && this.#areFree(sorted, this.#reserved);
    return isFree ? this.#hold(keys, sorted) : this.#wait(keys, sorted, options);
  }

  #hasSlot(keys: readonly string[]): boolean {
    const slots = this.#slots;
    const free = slots - this.#running;
    const kept = slots > 1 && slots < Infinity ? Math.ceil(slots / 8) : 0;
    return free > 0 && this.#shares.mayHold(keys, free <= kept);
  }

  #areFree(resources: readonly string[], reserved: readonly string[]): boolean {
    const { slotsPerResource } = this.#policy;
    return resources.every((one) => this.#heldResources.get(one) < slotsPerResource && !reserved.includes(one));
  }

  #hold(keys: readonly string[], resources: readonly string[]): Turn {
    this.#running += 1;
    this.#heldResources.add(resources, 1);
    return { ...this.#shares.hold(keys), resources };
  }

  #release(turn: Turn): void {
    this.#running -= 1;
    this.#heldResources.add(turn.resources, -1);
    this.#shares.release(turn);
    if (this.#waiting > 0) this.#dispatch(performance.now());
  }

  #wait(
    keys: FairKeys,
    resources: readonly string[],
    { signal, isOfRequest = signal !== undefined, isPatient = false }: TurnOptions,
  ): Promise<Turn> {
    const { name, slotsPerKey, waitingPerKey, idle } = this.#policy;
    const [key] = keys;
    const refusal = () => {
      countRefused(name);
      return unavailable('Too many requests in progress: try again in a moment');
    };
    if (!this.#waitingOf.hasRoom(keys, 1, waitingPerKey)) throw refusal();
    const isBehindItself = this.#running < this.#slots || this.#waitingOf.get(key) >= slotsPerKey;
    const idleCount = Number(isOfRequest && (idle === 'all' || (idle === 'behind itself' && isBehindItself)));
    const since = performance.now();
    const laneName = [key, ...resources].join('\n');
    const lane = this.#lanes.get(laneName) ?? { keys, resources, waiters: [], since, isShedding: false };
    return new Promise<Turn>((resolve, reject) => {
      const leave = () => {
        this.#count(keys, -1, -idleCount);
        signal?.removeEventListener('abort', abort);
        if (lane.waiters.length === 0) this.#lanes.delete(laneName);
      };
      const waiter: Waiter = {
        since,
        isPatient,
        begin(turn) {
          leave();
          resolve(turn);
        },
        refuse() {
          leave();
          reject(refusal());
        },
      };
      const abort = () => {
        lane.waiters.splice(lane.waiters.indexOf(waiter), 1);
        leave();
        reject(signal?.reason as Error);
      };
      this.#lanes.set(laneName, lane);
      lane.waiters.push(waiter);
      this.#count(keys, 1, idleCount);
      signal?.addEventListener('abort', abort, { once: true });
      if (this.#lacksSlot(lane)) this.#fullSince ??= since;
      this.#sweeping ??= setInterval(() => this.#dispatch(performance.now()), sweepMs).unref();
    });
  }

  #count(keys: readonly string[], waiting: number, idle: number): void {
    this.#waitingOf.add(keys, waiting);
    this.#waiting += waiting;
    this.#idle += idle;
  }

  #dispatch(now: number): void {
    if (now - this.#sweptAt >= sweepMs) this.#refuseLate(now);
    for (let lane = this.#next(now); lane; lane = this.#next(now)) {
      const waiter = lane.isShedding ? lane.waiters.pop() : lane.waiters.shift();
      waiter?.begin(this.#hold(lane.keys, lane.resources));
    }
    const isFull = [...this.#lanes.values()].some((each) => this.#lacksSlot(each));
    this.#fullSince = isFull ? (this.#fullSince ?? now) : undefined;
    if (this.#waiting > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  #next(now: number): Lane | undefined {
    this.#reserved = [];
    if (this.#running >= this.#slots) return undefined;
    const lanes = [...this.#lanes.values()].filter(({ keys }) => this.#hasSlot(keys));
    const first = this.#least(lanes, now);
    if (!first || this.#areFree(first.resources, [])) return first;
    // A lane that needs several resources would never find them free at once.
    const reserved = (this.#reserved = first.resources);
    const others = lanes.filter(({ resources }) => this.#areFree(resources, reserved));
    return this.#least(others, now);
  }

  /** Returns the lane with the least use. A tie goes to the first to arrive, under overload to the last. */
  #least(lanes: readonly Lane[], now: number): Lane | undefined {
    const direction = this.#isOverload(now) ? -1 : 1;
    let least: Lane | undefined;
    let [first, order] = [Infinity, 0];
    for (const lane of lanes) {
      const [start, came] = [this.#shares.startOf(lane.keys), direction * lane.since];
      if (start > first || (start === first && came >= order)) continue;
      [least, first, order] = [lane, start, came];
    }
    return least;
  }

  #refuseLate(now: number): void {
    this.#sweptAt = now;
    const { patienceMs, overloadMs, toleratedWaiting, toleratedWaitMs } = this.#policy;
    // An overload of all keys does not shorten the patience of the next lane.
    const next = this.#isOverload(now) ? this.#least([...this.#lanes.values()], now) : undefined;
    for (const lane of this.#lanes.values()) {
      const isOfAll = next !== undefined && lane !== next;
      const isOverload = isOfAll || now - lane.since > patienceMs;
      const excess = (isOfAll ? this.#waiting : this.#waitingOf.get(lane.keys[0])) - toleratedWaiting;
      const waitsFor = (ms: number) => lane.waiters.filter(({ since, isPatient }) => !isPatient && now - since > ms);
      const late = new Set([
        ...waitsFor(isOverload ? overloadMs : patienceMs).slice(0, Math.max(0, excess)),
        ...waitsFor(Math.max(patienceMs, toleratedWaitMs)),
      ]);
      if (late.size === 0) continue;
      lane.waiters = lane.waiters.filter((waiter) => !late.has(waiter));
      lane.isShedding ||= isOverload;
      for (const waiter of late) waiter.refuse();
    }
  }

  #isOverload(now: number): boolean {
    return this.#fullSince !== undefined && now - this.#fullSince > this.#policy.burstMs;
  }

  /** Whether the lane waits only because other keys hold the slots. */
  #lacksSlot({ keys, resources }: Lane): boolean {
    return this.#shares.mayHold(keys, false) && this.#areFree(resources, []) && !this.#hasSlot(keys);
  }
}
