import { defaultSocketsOfClient } from '@taskgate/execution';
import { defaultConnectionsOfClient } from '@taskgate/http';
import type { Rate, RateLimitPolicy, RateLimitStore, WindowPolicy } from '@taskgate/limits';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Limits that operators may set by environment variables. */
export interface Rates {
  requests: Rate;
  reads: Rate;
  /** REST writes and mutations of an account. */
  writes: Rate;
  /** Points: estimated cost (`cost.ts` of @taskgate/execution) and {@link pointsOfDocumentCharacter}. */
  graphqlCost: Rate;
  uploads: Rate;
  codes: Rate;
  /** Failed sign-ins of a client within 15 minutes, for any address. */
  signIns: number;
  connections: number;
  sockets: number;
}

/** Limits beyond the needs of normal clients: imports, test suites, an office of hundreds behind one address. */
export const defaultRates: Rates = {
  requests: { quota: 240_000, windowSeconds: minute },
  reads: { quota: 240_000, windowSeconds: minute },
  writes: { quota: 60_000, windowSeconds: minute },
  graphqlCost: { quota: 30_000_000, windowSeconds: minute },
  uploads: { quota: 300, windowSeconds: hour },
  codes: { quota: 300, windowSeconds: hour },
  signIns: 300,
  connections: defaultConnectionsOfClient,
  sockets: defaultSocketsOfClient,
};

/**
 * Points for each character of a new document. A dense one of 26,000 characters takes 12 to 25 ms of CPU. A session may
 * send 1,500 documents of 2,000 characters a minute.
 */
export const pointsOfDocumentCharacter = 5;

/** Part of an account's quota that one session may use. The account's other devices have the rest. */
const shareOfSession = 1 / 2;
/** Quotas of an account that a client without a session has: many users may share a network. */
const accountsOfClient = 4;
/** Wrong attempts that invalidate a code. */
const triesPerCode = 5;

export const attemptWindowSeconds = 15 * minute;

/** KiB of each stored response that do not count: the response to an ordinary write fits. */
export const freeStoredKib = 4;

/** Operators cannot change these. The limits of addresses and test mails apply even if RATE_LIMITS is off. */
export const fixedPolicies = {
  /** Codes of an address or account, by purpose (contract, part 8). */
  codesOfAddress: { name: 'codes-of-address', quota: 5, windowSeconds: day },
  /** Contract decisions. */
  signIn: { name: 'sign-in', quota: 10, windowSeconds: attemptWindowSeconds },
  /** Contract decisions. */
  invitations: { name: 'invitations', quota: 100, windowSeconds: day },
  testMails: { name: 'test-mails', quota: 5, windowSeconds: hour },
  /** KiB of an account's responses under idempotency keys, beyond {@link freeStoredKib} of each. */
  storedResponses: { name: 'stored-responses', quota: 64 * 1024, windowSeconds: hour },
} as const satisfies Record<string, RateLimitPolicy>;

const scaled = ({ quota, windowSeconds }: Rate, factor: number): Rate => ({
  quota: Math.max(1, Math.floor(quota * factor)),
  windowSeconds,
});

/** `client-address.ts` identifies clients. */
export const ratePolicies = (rates: Rates) =>
  ({
    requestsOfClient: { name: 'requests-of-client', ...rates.requests },
    readsOfSession: { name: 'reads-of-session', ...scaled(rates.reads, shareOfSession) },
    readsOfAccount: { name: 'reads-of-account', ...rates.reads },
    writesOfSession: { name: 'writes-of-session', ...scaled(rates.writes, shareOfSession) },
    writesOfAccount: { name: 'writes-of-account', ...rates.writes },
    writesOfClient: { name: 'writes-of-client', ...scaled(rates.writes, accountsOfClient) },
    graphqlCostOfSession: { name: 'graphql-cost-of-session', ...scaled(rates.graphqlCost, shareOfSession) },
    graphqlCostOfAccount: { name: 'graphql-cost-of-account', ...rates.graphqlCost },
    graphqlCostOfClient: { name: 'graphql-cost-of-client', ...scaled(rates.graphqlCost, accountsOfClient) },
    uploadsOfAccount: { name: 'uploads-of-account', ...rates.uploads },
    codeRequestsOfClient: { name: 'code-requests-of-client', ...rates.codes },
    codeTriesOfClient: { name: 'code-tries-of-client', ...scaled(rates.codes, triesPerCode) },
    providerSignInsOfClient: { name: 'provider-sign-ins-of-client', ...scaled(rates.codes, triesPerCode) },
    passkeySignInsOfClient: { name: 'passkey-sign-ins-of-client', ...scaled(rates.codes, triesPerCode) },
    signInOfClient: { name: 'sign-in-of-client', quota: rates.signIns, windowSeconds: attemptWindowSeconds },
  }) as const satisfies Record<string, WindowPolicy>;

export type WindowPolicies = ReturnType<typeof ratePolicies>;

export interface RateLimits {
  policies: WindowPolicies;
  /** Undefined if RATE_LIMITS is off. The contract's limits of e-mail addresses remain. */
  store: RateLimitStore | undefined;
}
