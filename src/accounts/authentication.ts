import type { IncomingMessage } from 'node:http';
import { type Request, type RequestHandler, Router } from 'express';
import { unauthenticated } from '@taskgate/base';
import { logFailure } from '@taskgate/postgres';
import { bearerOf, keyOfToken } from '../platform/bearer.ts';
import { fixedSession, type SessionControl, type Viewer } from '../platform/context.ts';
import { forbidden } from '../platform/errors.ts';
import type { SecurityLog } from '../platform/security-log.ts';
import { type SessionOptions, sessions, sessionUserId } from './sessions/store.ts';
import { noteUse } from './tokens/data.ts';
import { canBeToken } from './tokens/token.ts';

export interface Bearer {
  /** A secret. */
  id: string;
  userId: string;
}

interface ReadToken {
  viewer: Viewer;
  /** Whether the body had arrived. */
  complete: boolean;
}

const readTokens = new WeakMap<IncomingMessage, ReadToken>();

/** For checks before the body is read. */
export function bearerOfRequest(request: Request): Bearer | undefined {
  const viewer = readTokens.get(request)?.viewer;
  if (viewer) return { id: viewer.sessionId, userId: viewer.id };
  const userId = sessionUserId(request);
  return userId === undefined ? undefined : { id: request.sessionID, userId };
}

const noCookie = () => forbidden('An access token cannot start a session');

/** An access token takes precedence over a cookie. */
export function authentication(options: SessionOptions, securityLog: SecurityLog) {
  const { connections, credentials } = options;
  const cookies = sessions(options);

  async function viewerOfToken(key: string): Promise<Viewer> {
    const { viewer } = await credentials.readAccess(key);
    if (!viewer) throw unauthenticated();
    return viewer;
  }

  const controlOfToken = (id: string): SessionControl =>
    fixedSession(id, async () => (await credentials.readAccess(id)).viewer, noCookie);

  /** @throws UNAUTHENTICATED */
  async function readToken(token: string, request: Pick<Request, 'clientAddress'> & { id?: string }): Promise<Viewer> {
    const key = keyOfToken(token);
    const credential = canBeToken(token) ? await credentials.load('token', key) : null;
    if (!credential) {
      const { id: requestId, clientAddress } = request;
      securityLog.event('authn_token_fail', { viewer: null, clientAddress, ...(requestId && { requestId }) }, {});
      throw unauthenticated();
    }
    if (credential.renewalDue) {
      await noteUse(connections, key).catch((error: unknown) =>
        logFailure(error, 'the use of an access token could not be recorded'),
      );
    }
    return credential.viewer;
  }

  const byToken: RequestHandler = async (request, _response, next) => {
    const token = bearerOf(request.headers.authorization);
    if (token === undefined) return next();
    const { complete } = request;
    readTokens.set(request, { viewer: await readToken(token, request), complete });
    // The cookie is ignored, and none is set.
    next('router');
  };

  return {
    /**
     * Call it after the body is read: a slow body causes a second read.
     * @throws UNAUTHENTICATED if the access token has ended
     */
    viewerOf: async (request: Request): Promise<Viewer | null> => {
      const read = readTokens.get(request);
      if (!read) return cookies.viewerOf(request);
      return read.complete ? read.viewer : viewerOfToken(read.viewer.sessionId);
    },
    middleware: Router().use(byToken, ...cookies.middleware),
    /** @throws UNAUTHENTICATED for a bad access token */
    ofUpgrade: async (request: Request): Promise<Bearer | undefined> => {
      const token = bearerOf(request.headers.authorization);
      if (token === undefined) return cookies.ofUpgrade(request);
      const { sessionId, id } = await readToken(token, request);
      return { id: sessionId, userId: id };
    },
    /** @param authorization as in the header @throws UNAUTHENTICATED */
    ofSocket: async (authorization: string, clientAddress: string): Promise<Bearer> => {
      const { sessionId, id } = await readToken(bearerOf(authorization) ?? '', { clientAddress });
      return { id: sessionId, userId: id };
    },
    controlOf: (request: Request): SessionControl => {
      const read = readTokens.get(request);
      return read ? controlOfToken(read.viewer.sessionId) : cookies.controlOf(request);
    },
  };
}
