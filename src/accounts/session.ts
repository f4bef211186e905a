import connectPgSimple from 'connect-pg-simple';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import type { SessionControl, Viewer } from '../kernel/context.ts';
import { sessionPool } from '../kernel/database.ts';
import { log } from '../kernel/logger.ts';
import { loadSession } from './data.ts';

declare module 'express-session' {
  interface SessionData {
    userId: string;
    /** When the expiry was last written, in milliseconds since 1970. */
    renewedAt: number;
  }
}

const day = 24 * 60 * 60 * 1000;
/** A session lives so long from its last use. */
const lifetime = 14 * day;
/** Its expiry is written anew at most this often, so that reads do not write. */
const renewal = day / 24;

/** Milliseconds for which what was read of a viewer with their session holds: a body may come slowly. */
const trust = 1000;

const viewers = new WeakMap<object, { viewer: Viewer | null; at: number }>();

/**
 * The store of connect-pg-simple, whose reads bring along whom the session stands for: otherwise every
 * request would need a second statement for that.
 */
class SessionStore extends connectPgSimple(session) {
  override get(sid: string, done: (error: unknown, session?: session.SessionData | null) => void): void {
    const at = performance.now();
    loadSession(sid).then((found) => {
      if (found) viewers.set(found.sess, { viewer: found.viewer, at });
      done(null, found?.sess ?? null);
    }, done);
  }

  override createSession(request: Request, data: session.SessionData) {
    const created = super.createSession(request, data);
    const read = viewers.get(data);
    if (read) viewers.set(created, read);
    return created;
  }
}

/** Whom the request's session stands for, at the latest when the request came; null where nobody is signed in. */
export async function viewerOf({ session: current, sessionID }: Request): Promise<Viewer | null> {
  if (current.userId === undefined) return null;
  const read = viewers.get(current);
  if (read && performance.now() - read.at < trust) return read.viewer;
  return (await loadSession(sessionID))?.viewer ?? null;
}

export interface SessionOptions {
  /** The first signs, all verify. */
  secrets: string[];
  /** Whether users see the service by https. */
  secure: boolean;
}

export interface Sessions {
  middleware: RequestHandler[];
  /** Id of the session that the cookie of an upgrade names; undefined where nobody is signed in. */
  idOf: (upgrade: IncomingMessage) => Promise<string | undefined>;
  close(): void;
}

/** The middleware of cookie sessions, and what closes its store. */
export function sessions({ secrets, secure }: SessionOptions): Sessions {
  const store = new SessionStore({
    pool: sessionPool,
    tableName: 'sessions',
    disableTouch: true,
    pruneSessionInterval: 15 * 60,
    errorLog: (...details: unknown[]) => log.warn({ details: details.map(String) }, 'the session store failed'),
  });
  const cookieSessions = session({
    name: 'sid',
    secret: secrets,
    store,
    resave: false,
    saveUninitialized: false,
    rolling: false,
    cookie: { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge: lifetime },
  });
  // The public URL says that requests come over TLS, whatever the proxy that ends it tells us or not.
  const publicIsSecure: RequestHandler = (request, _response, next) => {
    if (secure) Object.defineProperty(request, 'secure', { value: true });
    next();
  };
  const renew: RequestHandler = (request, _response, next) => {
    const { session: current } = request;
    const due = current.userId !== undefined && Date.now() - (current.renewedAt ?? 0) > renewal;
    if (due) current.renewedAt = Date.now();
    next();
  };
  return {
    middleware: [publicIsSecure, cookieSessions, renew],
    async idOf(upgrade) {
      const request = upgrade as Request;
      // The middleware wants a response to set the cookie on; an upgrade has none.
      const response = new ServerResponse(upgrade) as Parameters<RequestHandler>[1];
      await settled((done) => cookieSessions(request, response, done));
      return request.session.userId === undefined ? undefined : request.sessionID;
    },
    close: () => store.close(),
  };
}

const settled = (action: (done: (error: unknown) => void) => unknown) =>
  new Promise<void>((resolve, reject) => {
    action((error: unknown) => (error ? reject(error) : resolve()));
  });

/** What an operation may do with the session of the request that it came by. */
export function sessionOf(request: Request): SessionControl {
  return {
    get id() {
      return request.session.userId === undefined ? undefined : request.sessionID;
    },
    async start(userId) {
      await settled((done) => request.session.regenerate(done));
      Object.assign(request.session, { userId, renewedAt: Date.now() });
      await settled((done) => request.session.save(done));
    },
    async end() {
      await settled((done) => request.session.destroy(done));
      request.res?.clearCookie('sid', { path: '/' });
    },
  };
}
