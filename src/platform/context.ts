import { unauthenticated } from '@taskgate/base';
import type { Caller, ExecutionContext } from '@taskgate/execution';
import type { Point } from '@taskgate/postgres';
import type { Role } from './roles.ts';
import type { Services } from './services.ts';

/** `write` covers tasks and their containers, but not the account. */
export type Rights = 'all' | 'read' | 'write';

export interface Credential {
  /** TypeID, not a secret. */
  id: string;
  /** Device of a session, or name of a token. */
  label: string;
  rights: Rights;
  /** Null: all spaces of its user, including later ones. */
  spaceIds: readonly string[] | null;
}

/** The caller at the start of the operation. */
export interface Viewer extends Caller {
  /** Id of the user, and of their personal space. */
  id: string;
  /** Secret key of the credential. Writes check it again: it may have ended. */
  sessionId: string;
  credential: Credential;
  /** Null if the credential does not reach the personal space. */
  inboxId: string | null;
  /** Spaces of the viewer that the credential reaches. */
  spaceIds: string[];
  /** Of these spaces. `states` has the personal space, too: every credential reads the account. */
  points: ReadonlyMap<string, Point>;
  /** Roles by space. */
  roles: ReadonlyMap<string, Role>;
  /** Fence of the claim that writes depend on. They check it again: the claim may have ended. */
  fence?: string;
  /** Spaces that the operation may have written to. Like the field below, set during execution. */
  written?: Set<string>;
  /** Ids of its writes in the history, in order. */
  operations?: string[];
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

export interface Context extends ExecutionContext {
  services: Services;
  viewer: Viewer | null;
  session: SessionControl;
  userAgent: string | undefined;
  /** Origin that users see, without a trailing slash. */
  publicUrl: string;
  pageSize: PageSize;
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

/** @throws UNAUTHENTICATED if nobody is signed in */
export function signedIn(context: Context): Viewer {
  if (!context.viewer) throw unauthenticated();
  return context.viewer;
}
