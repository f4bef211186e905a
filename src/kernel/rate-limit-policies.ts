const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How much there may be within a time. */
export interface Rate {
  /** Requests, or what else is counted. */
  quota: number;
  windowSeconds: number;
}

/** A limit as clients and operators see it. */
export interface RateLimitPolicy {
  /** Stable: it is in `RateLimit`, `RateLimit-Policy`, the security log and the metrics. */
  readonly name: string;
  readonly quota: number;
  /** Seconds for which what was counted counts; absent: it is what is open at once that counts. */
  readonly windowSeconds?: number;
}

/** A policy of what is counted over a time. */
export type WindowPolicy = RateLimitPolicy & { readonly windowSeconds: number };

/** What operators may set, each by a variable of the environment: see `src/process/config.ts`. */
export interface Rates {
  /** Requests of a client, whatever they are. */
  requests: Rate;
  /** Requests of an account over REST that change nothing. */
  reads: Rate;
  /** Requests of an account over REST that change something, and mutations. */
  writes: Rate;
  /**
   * Points of an account's GraphQL operations: their estimated cost, see `src/graphql/cost.ts`, and the length of new
   * documents, see {@link pointsOfDocumentCharacter}.
   */
  graphqlCost: Rate;
  uploads: Rate;
  /** Codes that a client requests, for any e-mail addresses. */
  codes: Rate;
  /** Failed sign-ins of a client within 15 minutes, for whatever addresses: more where many people share a network. */
  signIns: number;
  connections: number;
  /** WebSockets and streams of Server-Sent Events that a client has open at once. */
  sockets: number;
}

/**
 * What normal clients never meet: an import that writes one task after another, a suite of tests that sends as fast as
 * it is answered, an office of hundreds behind one address.
 */
export const defaultRates: Rates = {
  requests: { quota: 240_000, windowSeconds: minute },
  reads: { quota: 240_000, windowSeconds: minute },
  writes: { quota: 60_000, windowSeconds: minute },
  graphqlCost: { quota: 30_000_000, windowSeconds: minute },
  uploads: { quota: 300, windowSeconds: hour },
  codes: { quota: 300, windowSeconds: hour },
  signIns: 300,
  connections: 5_000,
  sockets: 2_000,
};

/**
 * Points of the GraphQL cost for each character of a document that has to be parsed and validated, as it is in no cache: a
 * dense one of 26,000 characters takes 12 to 25 ms of the processor, whatever its operations cost. A session may send 1,500
 * new documents of 2,000 characters a minute; clients send few documents, each many times.
 */
export const pointsOfDocumentCharacter = 5;

/** A session has this share of what its account has: one device that runs wild leaves something to the others. */
const shareOfSession = 1 / 2;
/** Requests of a client without a session share this many times the limit of an account: many users may share a network. */
const accountsOfClient = 4;
/** Tries of codes that a client may make for each code that it may ask for: as many as burn one. */
const triesPerCode = 5;

/** How long failed password attempts count (contract decisions). */
export const attemptWindowSeconds = 15 * minute;

/** KiB of a response that are stored without being counted: those of an ordinary write. */
export const freeStoredKib = 4;

/** Limits whose figures are no operator's to change; the contract names those of addresses and invitations. */
export const fixedPolicies = {
  /** Contract, part 8: requests for codes of an e-mail address or an account, of each purpose. It holds whatever RATE_LIMITS says. */
  codesOfAddress: { name: 'codes-of-address', quota: 5, windowSeconds: day },
  /** Contract decisions: failed sign-ins of an e-mail address. It holds whatever RATE_LIMITS says. */
  signIn: { name: 'sign-in', quota: 10, windowSeconds: attemptWindowSeconds },
  /** Contract decisions: invitations that an account sends. */
  invitations: { name: 'invitations', quota: 100, windowSeconds: day },
  /** Test mails that an account sends to its own address. It holds whatever RATE_LIMITS says. */
  testMails: { name: 'test-mails', quota: 5, windowSeconds: hour },
  /** KiB of responses that are stored for an account under idempotency keys, beyond the first {@link freeStoredKib} of each. */
  storedResponses: { name: 'stored-responses', quota: 64 * 1024, windowSeconds: hour },
} as const satisfies Record<string, RateLimitPolicy>;

/** Connections that a client has open at once, in one process. */
export const connectionsOfClient = (quota: number) =>
  ({ name: 'connections-of-client', quota }) as const satisfies RateLimitPolicy;

/** WebSockets and streams of Server-Sent Events that a client has open at once, in one process. */
export const socketsOfClient = (quota: number) =>
  ({ name: 'sockets-of-client', quota }) as const satisfies RateLimitPolicy;

const times = ({ quota, windowSeconds }: Rate, factor: number): Rate => ({
  quota: Math.max(1, Math.floor(quota * factor)),
  windowSeconds,
});

/** The limits over a time whose figures operators may set. A client is what `client-address.ts` takes for one. */
export const ratePolicies = (rates: Rates) =>
  ({
    requestsOfClient: { name: 'requests-of-client', ...rates.requests },
    readsOfSession: { name: 'reads-of-session', ...times(rates.reads, shareOfSession) },
    readsOfAccount: { name: 'reads-of-account', ...rates.reads },
    writesOfSession: { name: 'writes-of-session', ...times(rates.writes, shareOfSession) },
    writesOfAccount: { name: 'writes-of-account', ...rates.writes },
    writesOfClient: { name: 'writes-of-client', ...times(rates.writes, accountsOfClient) },
    graphqlCostOfSession: { name: 'graphql-cost-of-session', ...times(rates.graphqlCost, shareOfSession) },
    graphqlCostOfAccount: { name: 'graphql-cost-of-account', ...rates.graphqlCost },
    graphqlCostOfClient: { name: 'graphql-cost-of-client', ...times(rates.graphqlCost, accountsOfClient) },
    uploadsOfAccount: { name: 'uploads-of-account', ...rates.uploads },
    codeRequestsOfClient: { name: 'code-requests-of-client', ...rates.codes },
    codeTriesOfClient: { name: 'code-tries-of-client', ...times(rates.codes, triesPerCode) },
    providerSignInsOfClient: { name: 'provider-sign-ins-of-client', ...times(rates.codes, triesPerCode) },
    passkeySignInsOfClient: { name: 'passkey-sign-ins-of-client', ...times(rates.codes, triesPerCode) },
    signInOfClient: { name: 'sign-in-of-client', quota: rates.signIns, windowSeconds: attemptWindowSeconds },
  }) as const satisfies Record<string, WindowPolicy>;

export type WindowPolicies = ReturnType<typeof ratePolicies>;
