import connectPgSimple from 'connect-pg-simple';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import { LRUCache } from 'lru-cache';
import { logFailure } from '@taskgate/postgres';
import type { SessionControl, Viewer } from '../../platform/context.ts';
import type { Connections } from '../../platform/database.ts';
import type { Credentials, LiveCredential } from '../credential-data.ts';
import * as data from './data.ts';
import { endSession } from './end.ts';

declare module 'express-session' {
  interface SessionData {
    userId: string;
    /** Sends the cookie. */
    renewed?: true;
  }
}

const cookieName = 'sid';
/** Set while a browser visits a provider. */
const flowCookieName = 'oidc';
const flowCookieForm = /(?:^|;)[ \t]*oidc=([\w-]+)/;
const second = 1000;

interface ReadSession {
  session: LiveCredential;
  complete: boolean;
}

/** Entries expire because a clock may have been wrong. */
const endedSessions = { max: 10_000, ttl: 60_000 };

const readSessions = new WeakMap<IncomingMessage, ReadSession>();

/**
 * A read also loads the viewer. Only `insertSession` inserts, so a request in progress cannot revive an ended session.
 */
class SessionStore extends connectPgSimple(session) {
  readonly #cookie: session.CookieOptions;
  readonly #connections: Connections;
  readonly #credentials: Credentials;
  readonly #read = new WeakMap<session.SessionData, LiveCredential>();
  /** Signed ids of ended sessions. Each costs at most one statement a minute. */
  readonly #ended = new LRUCache<string, true>(endedSessions);

  constructor(connections: Connections, credentials: Credentials, cookie: session.CookieOptions) {
    super({
      // eslint-disable-next-line no-restricted-syntax -- the store of connect-pg-simple runs its own statements
      pool: connections.sessionPool,
      tableName: 'sessions',
      disableTouch: true,
      // See `pruneSessions`.
      pruneSessionInterval: false,
    });
    this.#cookie = cookie;
    this.#connections = connections;
    this.#credentials = credentials;
  }

  override get(sid: string, done: (error: unknown, session?: session.SessionData | null) => void): void {
    if (this.#ended.has(sid)) return done(null, null);
    this.#credentials.load('session', sid).then((credential) => {
      if (!credential) {
        this.#ended.set(sid, true);
        return done(null, null);
      }
      const read = this.sessionData(credential.viewer.id, credential.lifetime);
      this.#read.set(read, credential);
      done(null, read);
    }, done);
  }

  override createSession(request: Request, read: session.SessionData) {
    const credential = this.#read.get(read);
    if (credential) readSessions.set(request, { session: credential, complete: request.complete });
    return super.createSession(request, read);
  }

  /** Only renews. */
  override set(sid: string, { renewed }: session.SessionData, done?: (error?: unknown) => void): void {
    if (!renewed) return done?.();
    data.renewSession(this.#connections, sid).then(
      () => done?.(),
      (error: unknown) => done?.(error),
    );
  }

  override destroy(): never {
    throw new Error('sessions are not ended through the store, but by endSession');
  }

  /** @param lifetime seconds */
  sessionData(userId: string, lifetime: number): session.SessionData {
    const cookie = Object.assign(new session.Cookie(), this.#cookie, { maxAge: lifetime * second });
    return { cookie, userId };
  }
}

export function sessionUserId(request: Request): string | undefined {
  // express-session removes it when it ends.
  const { session: current } = request as { session?: Partial<session.SessionData> };
  return current?.userId;
}

const hasSession = (request: Request): boolean => sessionUserId(request) !== undefined;

export interface SessionOptions {
  connections: Connections;
  credentials: Credentials;
  /** The first signs. All verify. */
  secrets: readonly string[];
  secure: boolean;
}

export function sessions({ connections, credentials, secrets, secure }: SessionOptions) {
  const cookie: session.CookieOptions = { httpOnly: true, sameSite: 'lax', path: '/', secure };
  // Allows the return from a provider's site.
  const flowCookie = { httpOnly: true, sameSite: 'lax', path: '/api/v1/auth', secure } as const;
  const store = new SessionStore(connections, credentials, cookie);
  const cookieSessions = session({
    name: cookieName,
    secret: [...secrets],
    store,
    resave: false,
    saveUninitialized: false,
    rolling: false,
    genid: data.newSessionId,
    cookie: { ...cookie, maxAge: data.idleSeconds * second },
  });
  // The public URL decides, not the proxy's headers.
  const publicIsSecure: RequestHandler = (request, _response, next) => {
    if (secure) Object.defineProperty(request, 'secure', { value: true });
    next();
  };
  const readViewer = async (request: Request) =>
    hasSession(request) ? ((await credentials.load('session', request.sessionID))?.viewer ?? null) : null;
  return {
    async viewerOf(request: Request): Promise<Viewer | null> {
      const read = readSessions.get(request);
      return read?.complete && hasSession(request) ? read.session.viewer : readViewer(request);
    },
    middleware: [publicIsSecure, cookieSessions, renewWhereDue],
    /** @returns undefined if signed out */
    async ofUpgrade(upgrade: IncomingMessage) {
      const request = upgrade as Request;
      // The middleware needs a response, which an upgrade lacks.
      const response = new ServerResponse(upgrade) as Parameters<RequestHandler>[1];
      await settled((done) => cookieSessions(request, response, done));
      const { userId } = request.session;
      return userId === undefined ? undefined : { id: request.sessionID, userId };
    },
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
        // express-session then stores nothing.
        Reflect.deleteProperty(request, 'session');
        request.res?.clearCookie(cookieName, { path: '/' });
      },
    }),
  };
}

/** Renews before the request is served, because a stream may stay open for days. */
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
