import connectPgSimple from 'connect-pg-simple';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import { LRUCache } from 'lru-cache';
import type { SessionControl, Viewer } from '../kernel/context.ts';
// eslint-disable-next-line no-restricted-syntax -- the store of connect-pg-simple runs its statements itself
import { sessionPool } from '../database/database.ts';
import { logFailure } from '../database/unavailable-log.ts';
import { type LiveCredential, loadCredential } from './credential-data.ts';
import * as data from './session-data.ts';
import { endSession } from './session-end.ts';

declare module 'express-session' {
  interface SessionData {
    userId: string;
    /** Set by the request that renews the session: the cookie is sent again then. */
    renewed?: true;
  }
}

const cookieName = 'sid';
/** The cookie of a browser that is on its way to a provider. */
const flowCookieName = 'oidc';
const flowCookieForm = /(?:^|;)[ \t]*oidc=([\w-]+)/;
const second = 1000;

interface ReadSession {
  session: LiveCredential;
  /** Whether the body had arrived by then. If not, time passes before the operation, and the session is read again. */
  complete: boolean;
}

/** Ended sessions that a process remembers, and for how many milliseconds: not for good, whatever a clock has said. */
const endedSessions = { max: 10_000, ttl: 60_000 };

const readSessions = new WeakMap<IncomingMessage, ReadSession>();

/**
 * The store of connect-pg-simple, over columns of our own. A read loads the viewer as well, which saves every request a
 * statement. Nothing here inserts: `insertSession` alone does, so that a request that is still being answered
 * cannot bring back a session that has ended.
 */
class SessionStore extends connectPgSimple(session) {
  readonly #cookie: session.CookieOptions;
  /** What {@link get} has found, until express-session makes a session of it for its request. */
  readonly #found = new WeakMap<session.SessionData, LiveCredential>();
  /**
   * Ids that named no live session, from cookies that were signed here. Who keeps such a cookie costs a statement a minute,
   * and is bounded as a stranger.
   */
  readonly #ended = new LRUCache<string, true>(endedSessions);

  constructor(cookie: session.CookieOptions) {
    super({
      pool: sessionPool,
      tableName: 'sessions',
      disableTouch: true,
      // It would use the clock of the process: see pruneSessions.
      pruneSessionInterval: false,
    });
    this.#cookie = cookie;
  }

  override get(sid: string, done: (error: unknown, session?: session.SessionData | null) => void): void {
    if (this.#ended.has(sid)) return done(null, null);
    loadCredential('session', sid).then((found) => {
      if (!found) {
        this.#ended.set(sid, true);
        return done(null, null);
      }
      const read = this.sessionData(found.viewer.id, found.lifetime);
      this.#found.set(read, found);
      done(null, read);
    }, done);
  }

  override createSession(request: Request, read: session.SessionData) {
    const found = this.#found.get(read);
    if (found) readSessions.set(request, { session: found, complete: request.complete });
    return super.createSession(request, read);
  }

  /** A session has nothing to store but that it is used: an UPDATE, which does nothing to one that has ended. */
  override set(sid: string, { renewed }: session.SessionData, done?: (error?: unknown) => void): void {
    if (!renewed) return done?.();
    data.renewSession(sid).then(
      () => done?.(),
      (error: unknown) => done?.(error),
    );
  }

  /** Sessions end by {@link endSession}, which takes the reason. */
  override destroy(): never {
    throw new Error('a session that is to be destroyed by its store');
  }

  /** @param lifetime of the cookie, in seconds */
  sessionData(userId: string, lifetime: number): session.SessionData {
    const cookie = Object.assign(new session.Cookie(), this.#cookie, { maxAge: lifetime * second });
    return { cookie, userId };
  }
}

/**
 * The user of the request's session; undefined if there is none. Only for refusing a request before its body is read, or a body larger than
 * the account may send.
 */
export function sessionUserId(request: Request): string | undefined {
  // express-session takes the session from the request that ends it.
  const { session: current } = request as { session?: Partial<session.SessionData> };
  return current?.userId;
}

/** Whether the request came with a session: as {@link sessionUserId}. */
const hasSession = (request: Request): boolean => sessionUserId(request) !== undefined;

/**
 * The viewer of the request's session; null where nobody is signed in. To be called after the body has been read: if that
 * took time, the session is read again, as it or a membership may have ended.
 */
export async function viewerOfSession(request: Request): Promise<Viewer | null> {
  const reading = readSessions.get(request);
  return reading?.complete && hasSession(request) ? reading.session.viewer : readViewer(request);
}

const readViewer = async (request: Request) =>
  hasSession(request) ? ((await loadCredential('session', request.sessionID))?.viewer ?? null) : null;

export interface SessionOptions {
  /** The first signs, all verify. */
  secrets: string[];
  /** Whether users see the service by https. */
  secure: boolean;
}

/** Cookie sessions: their middleware, and how operations and upgrades use them. */
export function sessions({ secrets, secure }: SessionOptions) {
  const cookie: session.CookieOptions = { httpOnly: true, sameSite: 'lax', path: '/', secure };
  // A browser that comes back from another site brings it along, as it follows a link.
  const flowCookie = { httpOnly: true, sameSite: 'lax', path: '/api/v1/auth', secure } as const;
  const store = new SessionStore(cookie);
  const cookieSessions = session({
    name: cookieName,
    secret: secrets,
    store,
    resave: false,
    saveUninitialized: false,
    rolling: false,
    genid: data.newSessionId,
    cookie: { ...cookie, maxAge: data.idleSeconds * second },
  });
  // The public URL says that requests come over TLS, whatever the proxy that ends it tells us or not.
  const publicIsSecure: RequestHandler = (request, _response, next) => {
    if (secure) Object.defineProperty(request, 'secure', { value: true });
    next();
  };
  return {
    middleware: [publicIsSecure, cookieSessions, renewWhereDue],
    /** The session that the cookie of an upgrade names, and its user; undefined where nobody is signed in. */
    async ofUpgrade(upgrade: IncomingMessage) {
      const request = upgrade as Request;
      // The middleware wants a response to set the cookie on; an upgrade has none.
      const response = new ServerResponse(upgrade) as Parameters<RequestHandler>[1];
      await settled((done) => cookieSessions(request, response, done));
      const { userId } = request.session;
      return userId === undefined ? undefined : { id: request.sessionID, userId };
    },
    /** What an operation may do with the session of the request that it came by. */
    controlOf: (request: Request): SessionControl => ({
      get id() {
        return hasSession(request) ? request.sessionID : undefined;
      },
      viewer: () => readViewer(request),
      adopt(sessionId, userId) {
        request.sessionID = sessionId;
        store.createSession(request, store.sessionData(userId, data.idleSeconds));
      },
      bindFlow(browser, seconds) {
        request.res?.cookie(flowCookieName, browser, { ...flowCookie, maxAge: seconds * second });
      },
      takeFlow() {
        request.res?.clearCookie(flowCookieName, flowCookie);
        return flowCookieForm.exec(request.headers.cookie ?? '')?.[1];
      },
      async end(context) {
        if (!hasSession(request)) return;
        await endSession(request.sessionID, 'sign_out', context);
        // Without one, express-session has nothing to store.
        Reflect.deleteProperty(request, 'session');
        request.res?.clearCookie(cookieName, { path: '/' });
      },
    }),
  };
}

/** Renews a session once an hour, before the request is served, as a stream may stay open for days. */
const renewWhereDue: RequestHandler = (request, _response, next) => {
  if (!readSessions.get(request)?.session.renewalDue) return next();
  request.session.renewed = true;
  request.session.save((error: unknown) => {
    if (error) logFailure(error, 'a session could not be renewed');
    next();
  });
};

const settled = (action: (done: (error: unknown) => void) => unknown) =>
  new Promise<void>((resolve, reject) => {
    action((error: unknown) => (error ? reject(error) : resolve()));
  });
