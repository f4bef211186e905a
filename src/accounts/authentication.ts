import type { IncomingMessage } from 'node:http';
import { type Request, type RequestHandler, Router } from 'express';
import { unauthenticated } from '@taskgate/base';
import { networksOf } from '@taskgate/limits';
import { logFailure } from '@taskgate/postgres';
import { fixedSession, type SessionControl, type Viewer } from '../platform/context.ts';
import type { SecurityLog } from '../platform/security-log.ts';
import { type Brought, broughtBy } from './credentials.ts';
import { type SessionOptions, sessions, sessionUserId } from './sessions/store.ts';
import { noteUse } from './tokens/data.ts';

export interface Bearer {
  /** A secret. */
  id: string;
  userId: string;
}

interface ReadCredential {
  viewer: Viewer;
  refusal: () => Error;
  /** Whether the body had arrived. */
  complete: boolean;
}

const readCredentials = new WeakMap<IncomingMessage, ReadCredential>();

/** Finds the bearer for checks before the body is read. */
export function bearerOfRequest(request: Request): Bearer | undefined {
  const viewer = readCredentials.get(request)?.viewer;
  if (viewer) return { id: viewer.sessionId, userId: viewer.id };
  const userId = sessionUserId(request);
  return userId === undefined ? undefined : { id: request.sessionID, userId };
}

/** The credential of a request. If a program brings one, the cookie is ignored, and none is set. */
export function authentication(options: SessionOptions, securityLog: SecurityLog) {
  const { connections, credentials } = options;
  const cookies = sessions(options);

  /** @throws UNAUTHENTICATED */
  async function read(brought: Brought | undefined, request: Pick<Request, 'clientAddress'> & { id?: string }) {
    const { id: requestId, clientAddress } = request;
    const key = brought?.program.isWellFormed(brought.secret) ? brought.program.keyOf(brought.secret) : undefined;
    const credential =
      brought && key !== undefined ? await credentials.load(brought.name, key, networksOf(clientAddress)) : null;
    if (!credential) {
      securityLog.event('authn_token_fail', { viewer: null, clientAddress, ...(requestId && { requestId }) }, {});
      throw unauthenticated();
    }
    if (credential.renewalDue) {
      await noteUse(connections, credential.viewer.sessionId).catch((error: unknown) =>
        logFailure(error, 'the use of an access token could not be recorded'),
      );
    }
    return credential.viewer;
  }

  const ofProgram: RequestHandler = async (request, _response, next) => {
    const brought = broughtBy(request.headers);
    if (!brought) return next();
    const { complete } = request;
    const { refusal } = brought.program;
    readCredentials.set(request, { viewer: await read(brought, request), refusal, complete });
    next('router');
  };

  return {
    /**
     * Call it after the body is read: a slow body causes a second read.
     * @throws UNAUTHENTICATED if the access token has ended
     */
    viewerOf: async (request: Request): Promise<Viewer | null> => {
      const own = readCredentials.get(request);
      if (!own) return cookies.viewerOf(request);
      if (own.complete) return own.viewer;
      const { viewer } = await credentials.readAccess(own.viewer.sessionId);
      if (!viewer) throw unauthenticated();
      return viewer;
    },
    middleware: Router().use(ofProgram, ...cookies.middleware),
    /** @throws UNAUTHENTICATED for a bad access token */
    ofUpgrade: async (request: Request): Promise<Bearer | undefined> => {
      const brought = broughtBy(request.headers);
      if (!brought) return cookies.ofUpgrade(request);
      const { sessionId, id } = await read(brought, request);
      return { id: sessionId, userId: id };
    },
    /** @param authorization as in the header @throws UNAUTHENTICATED */
    ofSocket: async (authorization: string, clientAddress: string): Promise<Bearer> => {
      const { sessionId, id } = await read(broughtBy({ authorization }), { clientAddress });
      return { id: sessionId, userId: id };
    },
    controlOf: (request: Request): SessionControl => {
      const own = readCredentials.get(request);
      if (!own) return cookies.controlOf(request);
      const { sessionId: key } = own.viewer;
      return fixedSession(key, async () => (await credentials.readAccess(key)).viewer, own.refusal);
    },
  };
}
