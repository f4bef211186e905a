import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import type { Context } from './context.ts';
import { RateLimitError } from './errors.ts';
import { sendStanding } from './rate-limit-headers.ts';
import { pointsOfDocumentCharacter, type RatePolicies } from './rate-limit-policies.ts';
import type { RateLimitStore } from './rate-limit-store.ts';
import { RateLimit, type Standing } from './rate-limits.ts';
import { logRefusal } from './security-log.ts';

/** What is counted of requests and operations besides that they come. */
type Kind = 'reads' | 'writes' | 'graphqlCost';

/** A limit for each of those that a request is counted for. */
interface Scopes {
  session: RateLimit;
  account: RateLimit;
  /** Reads over REST have none of their own: they count as requests. */
  client?: RateLimit;
}

/** Whom a request or an operation is counted for. */
export interface Caller {
  requestId: string;
  clientAddress: string;
  /** Of the session that it came with; undefined where there is none. */
  session: { id: string; userId: string } | undefined;
  /** Told where the caller stands; absent over WebSocket. */
  response?: ServerResponse | undefined;
}

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

/** What an operation of a client counts. */
export interface OperationPoints {
  /** Its estimated cost. */
  cost: number;
  /** Fields of a mutation, each of which writes. */
  writes: number;
}

/** Points of an operation that is answered from the response cache. */
const cachedCost = 1;
/** Points of an operation that is refused as it is none, or one too large: it has been parsed and validated. */
const refusedCost = 100;

export interface RequestLimitOptions {
  policies: RatePolicies;
  /** Undefined where RATE_LIMITS is off. */
  store: RateLimitStore | undefined;
}

/**
 * The limits of requests and operations, for clients, accounts and sessions. Each is refused as early as it is known whose it
 * is: before its session is looked up, where that one, or its client, has been refused in this window already.
 */
export class RequestLimits {
  readonly #requests: RateLimit;
  readonly #kinds: Record<Kind, Scopes>;

  constructor({ policies, store }: RequestLimitOptions) {
    const limit = (policy: keyof RatePolicies, message: string) => {
      const { windowSeconds, ...named } = { windowSeconds: 1, ...policies[policy] };
      return new RateLimit({ policy: { ...named, windowSeconds }, store, message });
    };
    const tooMany = (what: string) => ({
      session: `Too ${what} by this session: try again later`,
      account: `Too ${what} by your account: try again later`,
      client: `Too ${what} from your network: try again later`,
    });
    const [reads, writes, cost] = [tooMany('many requests'), tooMany('many changes'), tooMany('much is asked for')];
    this.#requests = limit('requestsOfClient', reads.client);
    this.#kinds = {
      reads: { session: limit('readsOfSession', reads.session), account: limit('readsOfAccount', reads.account) },
      writes: {
        session: limit('writesOfSession', writes.session),
        account: limit('writesOfAccount', writes.account),
        client: limit('writesOfClient', writes.client),
      },
      graphqlCost: {
        session: limit('graphqlCostOfSession', cost.session),
        account: limit('graphqlCostOfAccount', cost.account),
        client: limit('graphqlCostOfClient', cost.client),
      },
    };
  }

  /** Counts every request, before anything is done for it. */
  readonly countRequests: RequestHandler = (request, response, next) => {
    this.#guard(request, () => {
      const standing = this.#requests.take(request.clientAddress);
      if (standing) sendStanding(response, standing);
    });
    next();
  };

  /** Refuses requests by what is remembered of their sessions and clients, before those are looked up. */
  readonly refuseSpent: RequestHandler = (request, _response, next) => {
    this.requireOpen(request);
    next();
  };

  /**
   * Counts an upgrade to WebSocket as a request.
   * @throws RATE_LIMITED, also where the session's or the client's operations are refused in this window
   */
  countUpgrade(request: Request): void {
    this.#guard(request, () => this.#requests.take(request.clientAddress));
    this.requireOpen(request);
  }

  /** @throws RATE_LIMITED where the request's session or client has been refused for what the request is */
  requireOpen(request: Request): void {
    const kind = kindOf(request);
    if (this.#isRefusing(kind)) this.#guard(request, () => this.#requireOpen(kind, request));
  }

  /** Whether the request's session or client may write no more in this window. */
  hasSpentWrites(request: Request): boolean {
    if (!this.#isRefusing('writes')) return false;
    try {
      this.#requireOpen('writes', request);
      return false;
    } catch {
      return true;
    }
  }

  /** @throws RATE_LIMITED where the request's session or client may write no more in this window */
  requireWrites(request: Request): void {
    this.#guard(request, () => this.#requireOpen('writes', request));
  }

  #isRefusing(kind: Kind): boolean {
    const { session, client } = this.#kinds[kind];
    return session.isRefusing || client?.isRefusing === true;
  }

  #requireOpen(kind: Kind, { clientAddress, headers }: Request): void {
    const { session, client } = this.#kinds[kind];
    client?.requireOpen(clientAddress);
    const id = sessionIdIn(headers.cookie);
    if (id !== undefined) session.requireOpen(id);
  }

  /** Counts a request over REST. @throws RATE_LIMITED */
  countRest(method: string, caller: Caller): void {
    const kind = isRead(method) ? 'reads' : 'writes';
    this.#inform(caller, () => [this.#take(kind, caller, 1)]);
  }

  /**
   * Asks from memory alone, before anything is done for an operation of GraphQL; a socket stays open while its session's
   * operations are refused.
   * @throws RATE_LIMITED where the caller has been refused for what its operations cost
   */
  readonly requireOperations = (caller: Caller): void => {
    const { session: ofSession, account: ofAccount, client: ofClient } = this.#kinds.graphqlCost;
    const { session, clientAddress } = caller;
    this.#inform(caller, () => {
      if (session) {
        ofSession.requireOpen(session.id);
        ofAccount.requireOpen(session.userId);
      }
      ofClient?.requireOpen(clientAddress);
      return [];
    });
  };

  /** Counts a document that is in no cache, before it is parsed. @param length its characters @throws RATE_LIMITED */
  readonly countDocument = (caller: Caller, length: number): void =>
    this.countOperation(caller, { cost: length * pointsOfDocumentCharacter, writes: 0 });

  /** Counts an operation of GraphQL before it is executed. @throws RATE_LIMITED */
  readonly countOperation = (caller: Caller, { cost, writes }: OperationPoints): void => {
    this.#inform(caller, () => [
      this.#take('graphqlCost', caller, Math.max(cachedCost, Math.ceil(cost))),
      writes > 0 ? this.#take('writes', caller, writes) : undefined,
    ]);
  };

  /** Counts an operation that was answered before. @throws RATE_LIMITED */
  readonly countCached = (caller: Caller): void => this.countOperation(caller, { cost: cachedCost, writes: 0 });

  /** Counts what is no operation that may be executed. @throws RATE_LIMITED */
  readonly countRefused = (caller: Caller): void => this.countOperation(caller, { cost: refusedCost, writes: 0 });

  #take(kind: Kind, { session, clientAddress }: Caller, points: number): Standing | undefined {
    const { session: ofSession, account: ofAccount, client: ofClient } = this.#kinds[kind];
    const standings: (Standing | undefined)[] = [];
    if (session) {
      try {
        standings.push(ofSession.take(session.id, points), ofAccount.take(session.userId, points));
      } catch (error) {
        // The next request of the session is refused before it is known whose it is.
        if (error instanceof RateLimitError) ofSession.refuseFor(session.id, error.retryAfter);
        throw error;
      }
    }
    standings.push(ofClient?.take(clientAddress, points));
    return nearest(standings);
  }

  /** Tells the caller where they stand, nearest to which limit. */
  #inform(caller: Caller, count: () => (Standing | undefined)[]): void {
    try {
      const standing = nearest(count());
      if (standing && caller.response) sendStanding(caller.response, standing);
    } catch (error) {
      const { requestId, clientAddress, session } = caller;
      logRefusal({ requestId, clientAddress, viewer: session ? { id: session.userId } : null }, error);
      throw error;
    }
  }

  #guard({ id: requestId, clientAddress }: Request, count: () => unknown): void {
    try {
      count();
    } catch (error) {
      logRefusal({ requestId, clientAddress, viewer: null }, error);
      throw error;
    }
  }
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

/** What the request will be counted as; one for GraphQL always as what it costs. */
function kindOf({ method, originalUrl, url }: Request): Kind {
  if ((originalUrl || url).startsWith('/graphql')) return 'graphqlCost';
  return isRead(method) ? 'reads' : 'writes';
}

/** The one of which the smallest part is left. */
function nearest(standings: readonly (Standing | undefined)[]): Standing | undefined {
  let found: Standing | undefined;
  for (const standing of standings) {
    if (standing && (!found || leftOf(standing) < leftOf(found))) found = standing;
  }
  return found;
}

const leftOf = ({ remaining, policy }: Standing) => remaining / policy.quota;

/**
 * The session's id as the cookie has it, not verified: enough to refuse whoever knows it, and for nothing else.
 * `s:<id>.<signature>`, percent-encoded.
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
