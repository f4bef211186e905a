import { ResponseBudget } from './budget.ts';
import type { Cancellation } from './cancellation.ts';
import { unauthenticated } from './errors.ts';
import type { Point } from './point.ts';
import type { Services } from './services.ts';

/** What a credential may be used for: all that its user may do; to read alone; or to write tasks and what they are in as well. */
export type Rights = 'all' | 'read' | 'write';

/** What a caller acts by: a session of a browser, or an access token of a program. What it may do is decided in `policy.ts`. */
export interface Credential {
  kind: 'session' | 'token';
  /** TypeID by which its user knows it: no secret. */
  id: string;
  /** A session's device, a token's name. */
  label: string;
  rights: Rights;
  /** The only spaces that it reaches; null: all of its user's, later ones too. */
  spaceIds: readonly string[] | null;
}

/** The caller, as the database knew them when the operation began. */
export interface Viewer {
  /** The user's id, which is the id of their personal space as well. */
  id: string;
  /** Key of the credential that they act by, a secret. What was allowed when it was read is not when it has ended: writes ask for it again. */
  sessionId: string;
  credential: Credential;
  /** Null where their credential does not reach the personal space. */
  inboxId: string | null;
  /** Ids of the spaces that they are a member of, the personal one included, as far as their credential reaches. */
  spaceIds: string[];
  /** The point of each of those spaces: with the next field it identifies the state of all that the viewer can read. */
  points: ReadonlyMap<string, Point>;
  /**
   * Sum of those spaces' related revisions: names the state of what is shown in them without being written to them, such
   * as the names of members, and invitations. Each of them only grows, and has no number twice in any history.
   */
  relatedRevision: string;
  /** What the operation that they ask for may still read; set while it is executed. */
  budget?: ResponseBudget;
  /** Ids of the spaces that the operation may have written to, the personal one included; set while it is executed. */
  written?: Set<string>;
  /** Ids of the operations of the history that its writes have been, in their order; set while it is executed. */
  operations?: string[];
  /** Ends what the operation waits for: see {@link Cancellation.signal}; set while it is executed. */
  signal?: AbortSignal | undefined;
}

/** What a read for the viewer counts against: the operation's budget; outside of one, its own budget. */
export const budgetOf = ({ budget, id }: Viewer): ResponseBudget =>
  budget ?? new ResponseBudget(undefined, undefined, { owner: id });

/** What an operation may do with the caller's session. */
export interface SessionControl {
  id: string | undefined;
  /** Reads the session's user again; null if it has ended. */
  viewer(): Promise<Viewer | null>;
  /** The caller continues with this session, which was made under a new id: the cookie says so. */
  adopt(sessionId: string, userId: string): void;
  /** Notes in the browser that it has begun to sign in with a provider, by a cookie. @param seconds that it lives */
  bindFlow(browser: string, seconds: number): void;
  /** What {@link bindFlow} has noted, which is gone by this; undefined where there is nothing. */
  takeFlow(): string | undefined;
  /** Signs out: the session is deleted on the server, and the cookie is cleared. @param context of the operation that signs out */
  end(context: Context): Promise<void>;
}

/** A session, or an access token in place of one, that can be read but not changed. @param refusal of what would change it */
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

/** How many entries a connection gives. */
export interface PageSize {
  /** If neither `first` nor `last` is given. */
  default: number;
  max: number;
  /** Whether lists are given whole, and refused where they have more entries than a page: ResponseTooLarge. */
  isWhole?: boolean;
}

/** Where an operation came from: which of the APIs, and over what. */
export interface OperationSource {
  api: 'rest' | 'graphql';
  /** Server-Sent Events are HTTP as well. */
  transport: 'http' | 'websocket';
}

/** What every resolver is given; made once per operation, once per event of a subscription. */
export interface Context {
  services: Services;
  viewer: Viewer | null;
  session: SessionControl;
  requestId: string;
  source: OperationSource;
  /** Ends the operation early: the client hangs up, or the deadline passes. */
  cancellation: Cancellation;
  /** The client's IPv4 address, or the /64 network of its IPv6 address: what limits count clients by. */
  clientAddress: string;
  /** The client's `User-Agent`, as it says it: of any length; undefined where it says none. */
  userAgent: string | undefined;
  /** Origin of the service as users see it, without a slash at the end. */
  publicUrl: string;
  pageSize: PageSize;
  /** Bytes that the response may have, where that is less than by default: see {@link ResponseBudget}. */
  maxResponseBytes?: number;
  /** Settles when nothing of the response is left in the process; absent: it is as soon as it has been executed. */
  whenSent?: (() => Promise<unknown>) | undefined;
  /**
   * When something that was read for the operation ends by itself, without a change of any space; in milliseconds since
   * 1970. Its response is cached no longer than that. Set by {@link endsAt}.
   */
  validUntil?: number;
  /** Whether something was read of which no revision says that it has changed, or that other sessions see in another way. */
  isUncacheable?: true;
}

/** Notes that something was read which ends at a moment, without a change of any space. */
export function endsAt(context: Context, moment: Date): void {
  context.validUntil = Math.min(context.validUntil ?? Infinity, moment.getTime());
}

/** Notes that something was read that no revision covers: the response is not cached. */
export function notCached(context: Context): void {
  context.isUncacheable = true;
}

/**
 * Reads the viewer again, for an operation that has waited, or has changed it. What is set while it is executed stays.
 * @throws UNAUTHENTICATED if there was a viewer, and the session has ended since, or the operation has begun one of another account
 */
export async function refreshViewer(context: Context): Promise<void> {
  if (!context.viewer) return;
  const viewer = await context.session.viewer();
  context.viewer = viewer?.id === context.viewer.id ? { ...context.viewer, ...viewer } : null;
  signedIn(context);
}

/** @throws UNAUTHENTICATED where nobody is signed in */
export function signedIn(context: Context): Viewer {
  if (!context.viewer) throw unauthenticated();
  return context.viewer;
}
