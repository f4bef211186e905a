import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import type { CheckedOperation } from '../graphql/check-operation.ts';
import { bearerOf, keyOfToken } from '../kernel/bearer.ts';
import type { Context } from '../kernel/context.ts';
import { RateLimitError } from '../kernel/errors.ts';
import { pointsOfDocumentCharacter, type RateLimitPolicy, type WindowPolicies } from '../kernel/rate-limit-policies.ts';
import type { RateLimitStore } from '../rate-limits/rate-limit-store.ts';
import { NetworkLimit } from '../rate-limits/network-limit.ts';
import { nearest, RateLimit, type RateLimitOptions, type Standing } from '../rate-limits/rate-limits.ts';
import { isGraphqlUrl } from './request-route.ts';
import type { SecurityLog } from '../kernel/security-log.ts';

/** What is counted of requests and operations besides that they come. */
type Kind = 'reads' | 'writes' | 'graphqlCost';

/** What a request is counted for: its live session and the account; else its client, so that strangers take nothing of theirs. */
interface Scopes {
  session: RateLimit;
  account: RateLimit;
  /** Reads over REST have no separate one: they count as requests. */
  client?: NetworkLimit;
}

/** Whom a request or an operation is counted for. */
export interface Caller {
  requestId: string;
  clientAddress: string;
  /** The one it came with, if it has been found valid, and its user; undefined where there is none. */
  session: { id: string; userId: string } | undefined;
  /** Gets the `RateLimit` headers; absent over WebSocket. */
  response?: ServerResponse | undefined;
}

type SignedInCaller = Caller & { session: object };

/** The caller of an operation, with the response that it will have over HTTP. */
export const callerOf = (
  { requestId, clientAddress, viewer }: Context,
  response: ServerResponse | undefined,
): Caller => ({
  requestId,
  clientAddress,
  session: viewer ? { id: viewer.sessionId, userId: viewer.id } : undefined,
  response,
});

/** Points of an operation that is answered from the response cache. */
const cachedCost = 1;
/** Milliseconds for which a session that may write no more is taken to live: its mutations cost no look-up, it may have ended. */
const spentWriterMs = 60_000;
/** Such sessions that are known at once; others are looked up. */
const maxSpentWriters = 10_000;

/** Points of an operation that is refused as it is none, or one too large: it has been parsed and validated. */
const refusedCost = 100;

export interface RequestLimitOptions {
  policies: WindowPolicies;
  /** Undefined where RATE_LIMITS is off. */
  store: RateLimitStore | undefined;
  securityLog: SecurityLog;
}

/**
 * The limits of requests and operations, for clients, accounts and sessions. Each is refused as soon as its user is
 * known: before its session is looked up, where that one has been refused in this window already, or where it names
 * none and its client has. A cookie that turns out to name no live session is counted and refused as its client.
 */
export class RequestLimits {
  readonly #securityLog: SecurityLog;
  readonly #requests: NetworkLimit;
  readonly #kinds: Record<Kind, Scopes>;
  /** Accounts of sessions that may write no more in this window, by the sessions' ids. */
  readonly #spentWriters = new LRUCache<string, string>({ max: maxSpentWriters, ttl: spentWriterMs });

  constructor({ policies, store, securityLog }: RequestLimitOptions) {
    this.#securityLog = securityLog;
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

  /** Counts every request, before anything is done for it. */
  readonly countRequests: RequestHandler = (request, response, next) => {
    this.#guard(unknownCaller(request), () => {
      const standing = this.#requests.take(request.clientAddress);
      if (standing) sendStanding(response, standing);
    });
    next();
  };

  /** Refuses requests by what is remembered of their sessions, before those are looked up, or of their clients. */
  readonly refuseSpent: RequestHandler = (request, _response, next) => {
    this.#requireOpen(request);
    next();
  };

  /**
   * Counts an upgrade to WebSocket as a request.
   * @throws RATE_LIMITED, also where the session's operations are refused in this window, or those of a client without one
   */
  countUpgrade(request: Request): void {
    this.#guard(unknownCaller(request), () => this.#requests.take(request.clientAddress));
    this.#requireOpen(request);
  }

  /** @throws RATE_LIMITED where whom the request says it is of has been refused for what the request is */
  #requireOpen(request: Request): void {
    const { session, client } = this.#kinds[kindOf(request)];
    if (!session.isRefusing && !client?.isRefusing) return;
    const id = keyIn(request.headers);
    this.#guard(unknownCaller(request), () =>
      id === undefined ? client?.requireOpen(request.clientAddress) : session.requireOpen(id),
    );
  }

  /** The caller by what is remembered of the session, where it may write no more; undefined where it may, or whose is not known. */
  spentWriter({ id: requestId, clientAddress, headers }: Request): SignedInCaller | undefined {
    const { session } = this.#kinds.writes;
    if (!session.isRefusing) return undefined;
    const id = keyIn(headers);
    if (id === undefined || !session.isSpent(id)) return undefined;
    const userId = this.#spentWriters.get(id);
    return userId === undefined ? undefined : { requestId, clientAddress, session: { id, userId } };
  }

  /** @throws RATE_LIMITED where the caller's session may write no more in this window */
  requireWrites(caller: SignedInCaller): void {
    this.#guard(caller, () => this.#kinds.writes.session.requireOpen(caller.session.id));
  }

  /** Counts a request over REST. @throws RATE_LIMITED */
  countRest(method: string, caller: Caller): void {
    this.#inform(caller, () => this.#take(isRead(method) ? 'reads' : 'writes', caller, 1));
  }

  /**
   * Asks from memory alone, before anything is done for an operation of GraphQL; a socket stays open while its session's
   * operations are refused.
   * @throws RATE_LIMITED where the caller has been refused for what its operations cost
   */
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

  /** Counts a document that is in no cache, before it is parsed. @param length its characters @throws RATE_LIMITED */
  readonly countDocument = (caller: Caller, length: number): void =>
    this.countOperation(caller, { cost: length * pointsOfDocumentCharacter, writes: 0 });

  /** Counts an operation of GraphQL before it is executed. @throws RATE_LIMITED */
  readonly countOperation = (caller: Caller, { cost, writes }: Pick<CheckedOperation, 'cost' | 'writes'>): void => {
    this.#inform(caller, () => {
      const ofCost = this.#take('graphqlCost', caller, Math.max(cachedCost, Math.ceil(cost)));
      return writes > 0 ? nearest([ofCost, this.#take('writes', caller, writes)]) : ofCost;
    });
  };

  /** Counts an operation that was answered before. @throws RATE_LIMITED */
  readonly countCached = (caller: Caller): void => this.countOperation(caller, { cost: cachedCost, writes: 0 });

  /** Counts what is no operation that may be executed. @throws RATE_LIMITED */
  readonly countRefused = (caller: Caller): void => this.countOperation(caller, { cost: refusedCost, writes: 0 });

  #take(kind: Kind, { session, clientAddress }: Caller, points: number): Standing | undefined {
    const { session: ofSession, account: ofAccount, client: ofClient } = this.#kinds[kind];
    if (!session) return ofClient?.take(clientAddress, points);
    const { id, userId } = session;
    try {
      return nearest([ofSession.take(id, points), ofAccount.take(userId, points)]);
    } catch (error) {
      // The next request of the session is refused before its user is known.
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

  /** Has refusals logged as the caller's. */
  #guard<Result>({ requestId, clientAddress, session }: Caller, count: () => Result): Result {
    try {
      return count();
    } catch (error) {
      this.#securityLog.refusal({ requestId, clientAddress, viewer: session ? { id: session.userId } : null }, error);
      throw error;
    }
  }
}

/** The client's quota (draft-ietf-httpapi-ratelimit-headers-10): lists of structured fields (RFC 9651), here of one item each. */
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

/** The caller of a request before its session is looked up. */
const unknownCaller = ({ id: requestId, clientAddress }: Request): Caller => ({
  requestId,
  clientAddress,
  session: undefined,
});

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

/** What the request will be counted as; one for GraphQL always as what it costs. */
function kindOf({ method, originalUrl, url }: Request): Kind {
  if (isGraphqlUrl(originalUrl || url)) return 'graphqlCost';
  return isRead(method) ? 'reads' : 'writes';
}

/** The key of the credential that a request says it brings: of its access token, or else of its session. */
function keyIn({ authorization, cookie }: Request['headers']): string | undefined {
  const token = bearerOf(authorization);
  return token === undefined ? sessionIdIn(cookie) : keyOfToken(token);
}

/**
 * The session's id as the cookie has it, `s:<id>.<signature>`, percent-encoded; not verified. It is a secret: enough to refuse its holder,
 * or to count reads for its session, and no more.
 */
function sessionIdIn(cookies: string | undefined): string | undefined {
  const [, value] = /(?:^|;)[ \t]*sid[ \t]*=[ \t]*"?([^;"]*)/.exec(cookies ?? '') ?? [];
  if (value === undefined) return undefined;
  try {
    return /^s:(.+)\./.exec(decodeURIComponent(value))?.[1];
  } catch {
    return undefined;
  }
}
