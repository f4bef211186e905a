import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import type { CheckedOperation } from '@taskgate/execution';
import {
  lowestStanding,
  NetworkLimit,
  RateLimit,
  RateLimitError,
  type RateLimitOptions,
  type RateLimitPolicy,
  type Standing,
} from '@taskgate/limits';
import type { Context } from '../platform/context.ts';
import { pointsOfDocumentCharacter, type RateLimits, type WindowPolicies } from '../platform/rate-limit-policies.ts';
import { countsByCost } from './request-route.ts';
import type { SecurityLog } from '../platform/security-log.ts';

type Kind = 'reads' | 'writes' | 'graphqlCost';

/**
 * Signed-in callers count for session and account, others for their client: strangers cannot use up an account's quota.
 */
interface Scopes {
  session: RateLimit;
  account: RateLimit;
  /** REST reads count as requests only. */
  client?: NetworkLimit;
}

export interface Caller {
  requestId: string;
  clientAddress: string;
  session: { id: string; userId: string } | undefined;
  /** Gets the `RateLimit` headers. Absent over WebSocket. */
  response?: ServerResponse | undefined;
}

type SignedInCaller = Caller & { session: object };

export const callerOf = (
  { requestId, clientAddress, viewer }: Context,
  response: ServerResponse | undefined,
): Caller => ({
  requestId,
  clientAddress,
  session: viewer ? { id: viewer.sessionId, userId: viewer.id } : undefined,
  response,
});

const cachedCost = 1;
/** How long a session without writes left counts as live, without a look-up. */
const spentWriterMs = 60_000;
const maxSpentWriters = 10_000;

/** A refused operation has been parsed and validated. */
const refusedCost = 100;

export interface RequestLimitOptions extends RateLimits {
  securityLog: SecurityLog;
  /** Unverified key of a request's credential. */
  keyIn: (headers: Request['headers']) => string | undefined;
}

declare module '../platform/services.ts' {
  interface Services {
    requestLimits: RequestLimits;
  }
}

/**
 * Spent sessions and clients are refused before the session is looked up. A cookie without a live session counts for
 * the client.
 */
export class RequestLimits {
  readonly #securityLog: SecurityLog;
  readonly #keyIn: RequestLimitOptions['keyIn'];
  readonly #requests: NetworkLimit;
  readonly #kinds: Record<Kind, Scopes>;
  readonly #spentWriters = new LRUCache<string, string>({ max: maxSpentWriters, ttl: spentWriterMs });

  constructor({ policies, store, securityLog, keyIn }: RequestLimitOptions) {
    this.#securityLog = securityLog;
    this.#keyIn = keyIn;
    const options = (policy: keyof WindowPolicies, message: string): RateLimitOptions => ({
      policy: policies[policy],
      store,
      message,
    });
    const limit = (...args: Parameters<typeof options>) => new RateLimit(options(...args));
    const ofNetworks = (...args: Parameters<typeof options>) => new NetworkLimit(options(...args));
    this.#requests = ofNetworks('requestsOfClient', 'Too many requests from your network: try again later');
    this.#kinds = {
      reads: {
        session: limit('readsOfSession', 'Too many requests by this session: try again later'),
        account: limit('readsOfAccount', 'Too many requests by your account: try again later'),
      },
      writes: {
        session: limit('writesOfSession', 'Too many changes by this session: try again later'),
        account: limit('writesOfAccount', 'Too many changes by your account: try again later'),
        client: ofNetworks('writesOfClient', 'Too many changes from your network: try again later'),
      },
      graphqlCost: {
        session: limit('graphqlCostOfSession', 'Operations of this session cost too much: try again later'),
        account: limit('graphqlCostOfAccount', 'Operations of your account cost too much: try again later'),
        client: ofNetworks('graphqlCostOfClient', 'Operations from your network cost too much: try again later'),
      },
    };
  }

  readonly countRequests: RequestHandler = (request, response, next) => {
    this.#guard(unknownCaller(request), () => {
      const standing = this.#requests.take(request.clientAddress);
      if (standing) sendStanding(response, standing);
    });
    next();
  };

  readonly refuseSpent: RequestHandler = (request, _response, next) => {
    this.#requireOpen(request);
    next();
  };

  /** @throws RATE_LIMITED, also if the session or anonymous client has spent its GraphQL cost */
  countUpgrade(request: Request): void {
    this.#guard(unknownCaller(request), () => this.#requests.take(request.clientAddress));
    this.#requireOpen(request);
  }

  #requireOpen(request: Request): void {
    const { session, client } = this.#kinds[kindOf(request)];
    if (!session.isRefusing && !client?.isRefusing) return;
    const id = this.#keyIn(request.headers);
    this.#guard(unknownCaller(request), () =>
      id === undefined ? client?.requireOpen(request.clientAddress) : session.requireOpen(id),
    );
  }

  /** @returns undefined if the session is unknown or has writes left */
  spentWriter({ id: requestId, clientAddress, headers }: Request): SignedInCaller | undefined {
    const { session } = this.#kinds.writes;
    if (!session.isRefusing) return undefined;
    const id = this.#keyIn(headers);
    if (id === undefined || !session.isSpent(id)) return undefined;
    const userId = this.#spentWriters.get(id);
    return userId === undefined ? undefined : { requestId, clientAddress, session: { id, userId } };
  }

  /** @throws RATE_LIMITED if the session has no writes left */
  requireWrites(caller: SignedInCaller): void {
    this.#guard(caller, () => this.#kinds.writes.session.requireOpen(caller.session.id));
  }

  /** @throws RATE_LIMITED */
  countRest(method: string, caller: Caller): void {
    this.#inform(caller, () => this.#take(isRead(method) ? 'reads' : 'writes', caller, 1));
  }

  /** Checks from memory. A socket stays open while its operations are refused. @throws RATE_LIMITED */
  readonly requireOperations = (caller: Caller): void => {
    const { session: ofSession, account: ofAccount, client: ofClient } = this.#kinds.graphqlCost;
    if (!ofSession.isRefusing && !ofAccount.isRefusing && !ofClient?.isRefusing) return;
    const { session, clientAddress } = caller;
    this.#guard(caller, () => {
      if (!session) return ofClient?.requireOpen(clientAddress);
      ofSession.requireOpen(session.id);
      ofAccount.requireOpen(session.userId);
    });
  };

  /** Counts an uncached document before parsing. @throws RATE_LIMITED */
  readonly countDocument = (caller: Caller, length: number): void =>
    this.countOperation(caller, { cost: length * pointsOfDocumentCharacter, writes: 0 });

  /** @throws RATE_LIMITED */
  readonly countOperation = (caller: Caller, { cost, writes }: Pick<CheckedOperation, 'cost' | 'writes'>): void => {
    this.#inform(caller, () => {
      const ofCost = this.#take('graphqlCost', caller, Math.max(cachedCost, Math.ceil(cost)));
      return writes > 0 ? lowestStanding([ofCost, this.#take('writes', caller, writes)]) : ofCost;
    });
  };

  /** @throws RATE_LIMITED */
  readonly countCached = (caller: Caller): void => this.countOperation(caller, { cost: cachedCost, writes: 0 });

  /** @throws RATE_LIMITED */
  readonly countRefused = (caller: Caller): void => this.countOperation(caller, { cost: refusedCost, writes: 0 });

  #take(kind: Kind, { session, clientAddress }: Caller, points: number): Standing | undefined {
    const { session: ofSession, account: ofAccount, client: ofClient } = this.#kinds[kind];
    if (!session) return ofClient?.take(clientAddress, points);
    const { id, userId } = session;
    try {
      return lowestStanding([ofSession.take(id, points), ofAccount.take(userId, points)]);
    } catch (error) {
      // The next request is refused before a look-up.
      if (error instanceof RateLimitError) ofSession.refuseFor(id, error.retryAfter);
      throw error;
    } finally {
      if (kind === 'writes' && ofSession.isSpent(id)) this.#spentWriters.set(id, userId);
    }
  }

  #inform(caller: Caller, count: () => Standing | undefined): void {
    const standing = this.#guard(caller, count);
    if (standing && caller.response) sendStanding(caller.response, standing);
  }

  #guard<Result>({ requestId, clientAddress, session }: Caller, count: () => Result): Result {
    try {
      return count();
    } catch (error) {
      this.#securityLog.refusal({ requestId, clientAddress, viewer: session ? { id: session.userId } : null }, error);
      throw error;
    }
  }
}

/** draft-ietf-httpapi-ratelimit-headers-10: structured field lists (RFC 9651) of one item each. */
export function standingHeaders({
  policy,
  remaining,
  resetSeconds,
}: Omit<Standing, 'policy'> & { policy: RateLimitPolicy }) {
  const { name, quota, windowSeconds } = policy;
  const unit = windowSeconds === undefined ? 'qu="concurrent-requests"' : `w=${windowSeconds}`;
  return {
    'RateLimit-Policy': `"${name}";q=${quota};${unit}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

function sendStanding(response: ServerResponse, standing: Standing): void {
  for (const [name, value] of Object.entries(standingHeaders(standing))) response.setHeader(name, value);
}

const unknownCaller = ({ id: requestId, clientAddress }: Request): Caller => ({
  requestId,
  clientAddress,
  session: undefined,
});

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

function kindOf({ method, originalUrl, url }: Request): Kind {
  if (countsByCost(originalUrl || url)) return 'graphqlCost';
  return isRead(method) ? 'reads' : 'writes';
}
