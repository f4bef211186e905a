import type { Point, ReadBudget } from '@taskgate/postgres';
import type { Cancellation } from '@taskgate/work';
import { unauthenticated } from './errors.ts';
import type { Services } from './services.ts';

/** `write` covers tasks and their containers, but not the account. */
export type Rights = 'all' | 'read' | 'write';

export interface Credential {
  kind: 'session' | 'token';
  /** TypeID, not a secret. */
  id: string;
  /** Device of a session, or name of a token. */
  label: string;
  rights: Rights;
  /** Null: all spaces of its user, including later ones. */
  spaceIds: readonly string[] | null;
}

/** The caller at the start of the operation. */
export interface Viewer {
  /** Also the id of the personal space. */
  id: string;
  /** Secret key of the credential. Writes check it again: it may have ended. */
  sessionId: string;
  credential: Credential;
  /** Null if the credential does not reach the personal space. */
  inboxId: string | null;
  /** Spaces of the viewer that the credential reaches. */
  spaceIds: string[];
  /** With `relatedRevision`, identifies the state of everything the viewer can read. */
  points: ReadonlyMap<string, Point>;
  /**
   * Sum of the spaces' related revisions, which cover data written elsewhere, such as members' names. They only grow.
   */
  relatedRevision: string;
  /** Like the fields below, set during execution. */
  budget?: ReadBudget;
  /** Spaces that the operation may have written to. */
  written?: Set<string>;
  /** Ids of its writes in the history, in order. */
  operations?: string[];
  /** See {@link Cancellation.signal}. */
  signal?: AbortSignal | undefined;
}

export interface SessionControl {
  id: string | undefined;
  /** Reads the session's user again. Null if the session has ended. */
  viewer(): Promise<Viewer | null>;
  adopt(sessionId: string, userId: string): void;
  /** Binds a provider's sign-in to the browser, by a cookie. */
  bindFlow(browser: string, seconds: number): void;
  /** Returns the bound value and clears the cookie. Undefined if there is none. */
  takeFlow(): string | undefined;
  end(context: Context): Promise<void>;
}

/** A session or access token that cannot be changed. */
export const fixedSession = (
  id: string,
  viewer: () => Promise<Viewer | null>,
  refusal: () => Error,
): SessionControl => ({
  id,
  viewer,
  adopt() {
    throw refusal();
  },
  bindFlow() {
    throw refusal();
  },
  takeFlow: () => undefined,
  end: () => Promise.resolve(),
});

export interface PageSize {
  default: number;
  max: number;
  /** Whether lists have no pages: one longer than `max` is refused (ResponseTooLarge). */
  isWhole?: boolean;
}

export interface OperationSource {
  api: 'rest' | 'graphql';
  transport: 'http' | 'websocket';
}

export interface Context {
  services: Services;
  viewer: Viewer | null;
  session: SessionControl;
  /** Cleared by {@link refreshViewer}. */
  mustRefreshViewer?: boolean;
  requestId: string;
  source: OperationSource;
  cancellation: Cancellation;
  /** IPv4 address, or /64 network of an IPv6 address. Limits count clients by it. */
  clientAddress: string;
  userAgent: string | undefined;
  /** Origin that users see, without a trailing slash. */
  publicUrl: string;
  pageSize: PageSize;
  /** Set if below the default. */
  maxResponseBytes?: number;
  /** Settles when the process no longer holds the response. Absent: when execution ends. */
  whenSent?: (() => Promise<unknown>) | undefined;
  /** Milliseconds since 1970. Set by {@link noteExpiry}. */
  validUntil?: number;
  /** Whether no revision covers the response, or other sessions see it differently. */
  isUncacheable?: true;
}

/** Limits a cached response to the expiry of a row that it shows: no change announces that expiry. */
export function noteExpiry(context: Context, moment: Date): void {
  context.validUntil = Math.min(context.validUntil ?? Infinity, moment.getTime());
}

export function notCached(context: Context): void {
  context.isUncacheable = true;
}

/**
 * Reads the viewer again, after a wait or a change.
 * @throws UNAUTHENTICATED if the session has ended or has another account
 */
export async function refreshViewer(context: Context): Promise<void> {
  if (!context.viewer) return;
  const viewer = await context.session.viewer();
  context.viewer = viewer?.id === context.viewer.id ? { ...context.viewer, ...viewer } : null;
  context.mustRefreshViewer = false;
  signedIn(context);
}

/** @throws UNAUTHENTICATED if nobody is signed in */
export function signedIn(context: Context): Viewer {
  if (!context.viewer) throw unauthenticated();
  return context.viewer;
}
