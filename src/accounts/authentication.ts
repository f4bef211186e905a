import type { IncomingMessage } from 'node:http';
import { type Request, type RequestHandler, Router } from 'express';
import { logFailure } from '../database/unavailable-log.ts';
import { bearerOf, keyOfToken } from '../kernel/bearer.ts';
import { fixedSession, type SessionControl, type Viewer } from '../kernel/context.ts';
import { forbidden, unauthenticated } from '../kernel/errors.ts';
import type { SecurityLog } from '../kernel/security-log.ts';
import { loadCredential, readAccess } from './credential-data.ts';
import { type SessionOptions, sessions, sessionUserId, viewerOfSession } from './session.ts';
import { noteUse } from './token-data.ts';
import { canBeToken } from './tokens.ts';

/** Whom a request or a socket comes from: the key of the credential that it brings, and whose that is. */
export interface Bearer {
  /** Key of the session or access token: a secret. */
  id: string;
  userId: string;
}

interface ReadToken {
  viewer: Viewer;
  /** Whether the body had arrived by then. If not, time passes before the operation, and the token is read again. */
  complete: boolean;
}

const readTokens = new WeakMap<IncomingMessage, ReadToken>();

/**
 * Who sends the request; undefined if nobody is signed in. Only for refusing a request before its body is read, or a body larger than the
 * account may send.
 */
export function bearerOfRequest(request: Request): Bearer | undefined {
  const viewer = readTokens.get(request)?.viewer;
  if (viewer) return { id: viewer.sessionId, userId: viewer.id };
  const userId = sessionUserId(request);
  return userId === undefined ? undefined : { id: request.sessionID, userId };
}

/**
 * The viewer of the request; null where it comes from nobody. To be called after the body has been read: if that took time, the
 * credential is read again, as it or a membership may have ended.
 * @throws UNAUTHENTICATED where an access token has ended meanwhile
 */
export async function viewerOf(request: Request): Promise<Viewer | null> {
  const read = readTokens.get(request);
  if (!read) return viewerOfSession(request);
  return read.complete ? read.viewer : viewerOfToken(read.viewer.sessionId);
}

async function viewerOfToken(key: string): Promise<Viewer> {
  const { viewer } = await readAccess(key);
  if (!viewer) throw unauthenticated();
  return viewer;
}

const noCookie = () => forbidden('An access token cannot begin a session');

/** An access token can be read by an operation, and nothing else. */
const controlOfToken = (id: string): SessionControl =>
  fixedSession(id, async () => (await readAccess(id)).viewer, noCookie);

/** How requests and upgrades say whom they come from: by an access token, or else by the cookie of a session. */
export function authentication(options: SessionOptions, securityLog: SecurityLog) {
  const cookies = sessions(options);

  /** @throws UNAUTHENTICATED for what is no access token, or one that has ended */
  async function readToken(token: string, request: Pick<Request, 'clientAddress'> & { id?: string }): Promise<Viewer> {
    const key = keyOfToken(token);
    const found = canBeToken(token) ? await loadCredential('token', key) : null;
    if (!found) {
      const { id: requestId, clientAddress } = request;
      securityLog.event('authn_token_fail', { viewer: null, clientAddress, ...(requestId && { requestId }) }, {});
      throw unauthenticated();
    }
    if (found.renewalDue) {
      await noteUse(key).catch((error: unknown) => logFailure(error, 'the use of an access token could not be noted'));
    }
    return found.viewer;
  }

  const byToken: RequestHandler = async (request, _response, next) => {
    const token = bearerOf(request.headers.authorization);
    if (token === undefined) return next();
    const { complete } = request;
    readTokens.set(request, { viewer: await readToken(token, request), complete });
    // A cookie next to it is ignored, and none is set.
    next('router');
  };

  return {
    middleware: Router().use(byToken, ...cookies.middleware),
    /**
     * Whom an upgrade comes from; undefined where that is nobody.
     * @throws UNAUTHENTICATED for a bad access token
     */
    ofUpgrade: async (request: Request): Promise<Bearer | undefined> => {
      const token = bearerOf(request.headers.authorization);
      if (token === undefined) return cookies.ofUpgrade(request);
      const { sessionId, id } = await readToken(token, request);
      return { id: sessionId, userId: id };
    },
    /** The user of a socket, by its own message. @param authorization as the header has it @throws UNAUTHENTICATED */
    ofSocket: async (authorization: string, clientAddress: string): Promise<Bearer> => {
      const { sessionId, id } = await readToken(bearerOf(authorization) ?? '', { clientAddress });
      return { id: sessionId, userId: id };
    },
    /** What an operation may do with the credential of the request that it came by. */
    controlOf: (request: Request): SessionControl => {
      const read = readTokens.get(request);
      return read ? controlOfToken(read.viewer.sessionId) : cookies.controlOf(request);
    },
  };
}
