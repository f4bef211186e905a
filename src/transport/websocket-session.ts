import { type DocumentNode, visit } from 'graphql';
import { CloseCode } from 'graphql-ws';
import type { SessionControl, Viewer } from '../kernel/context.ts';
import { forbidden } from '../kernel/errors.ts';
import type { SocketFlow } from './websocket-flow.ts';

const noCookie = () => forbidden('Sign in and out over HTTP: a WebSocket cannot set the session cookie');

/** A session that can be read but not changed: the cookie went out with the upgrade. */
export const sessionOver = (id: string, viewer: () => Promise<Viewer | null>): SessionControl => ({
  id,
  viewer,
  adopt() {
    throw noCookie();
  },
  // Signing out is refused before: the session has ended in another way, which closes the socket.
  end: () => Promise.resolve(),
});

/** Closes a socket that has no session, or none any more: 4401. */
export const closeUnauthorized = (flow: SocketFlow): void => flow.close(CloseCode.Unauthorized, 'Unauthorized');

const ofSessions = new Set(['signIn', 'signUp', 'signOut', 'deleteAccount']);

/**
 * Refuses what would change the session before any of it is done: a code would be used up otherwise.
 * @throws FORBIDDEN
 */
export function refuseSignIn(document: DocumentNode): void {
  visit(document, {
    Field({ name }) {
      if (ofSessions.has(name.value)) throw noCookie();
    },
  });
}
