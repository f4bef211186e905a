import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import { type DocumentNode, visit } from 'graphql';
import { log, TaskgateError } from '@taskgate/base';
import { type SocketBearer, socketServer, type SocketServerOptions } from '@taskgate/execution';
import { clientAddressFrom, onWebSocketUpgrade, refuseUpgrade, type RequestBodies } from '@taskgate/http';
import { RateLimitError } from '@taskgate/limits';
import { headersOf } from '../http/error-response.ts';
import { keyOfOperation, runUnderKey } from '../http/idempotency.ts';
import { isAllowedOrigin, type OriginOptions } from '../http/origins.ts';
import type { RequestLimits } from '../http/request-limits.ts';
import { loggedName } from '../http/request-observation.ts';
import { applyFence, fenceOfOperation } from '../http/request-values.ts';
import { type Context, fixedSession, type PageSize, type Viewer } from '../platform/context.ts';
import { forbidden } from '../platform/errors.ts';
import { OtherAccountError } from '../platform/named-account.ts';
import type { Services } from '../platform/services.ts';
import type { CheckCallersOperation } from './counted-operations.ts';
import { boundUnfinished } from './unfinished-messages.ts';

interface WebSocketOptions extends Pick<
  SocketServerOptions<Context>,
  'executor' | 'overload' | 'ofSocket' | 'watchSession'
> {
  services: Services;
  bodies: RequestBodies;
  checkOperation: CheckCallersOperation;
  /** Undefined if anonymous. @throws UNAUTHENTICATED for a bad access token */
  ofUpgrade(request: Request): Promise<SocketBearer | undefined>;
  /** Null if the credential has ended. */
  viewerOf: (key: string) => Promise<Viewer | null>;
  publicUrl: string;
  pageSize: PageSize;
  origins: OriginOptions;
  limits: RequestLimits;
}

export function graphqlOverWebSocket(options: WebSocketOptions) {
  const { overload, services, limits, origins } = options;
  const sockets = socketServer({ ...options, ...operationsOf(options), onOpen: boundUnfinished(options.bodies) });

  async function upgrade(request: Request, socket: Duplex, head: Buffer) {
    const { origin, host } = request.headers;
    if (!/^\/graphql(\?|$)/.test(request.url)) return refuseUpgrade(socket, 404);
    if (!overload.admits('upgrade')) return refuseUpgrade(socket, 503);
    const clientAddress = clientAddressFrom(request.ip);
    request.clientAddress = clientAddress;
    limits.countUpgrade(request);
    if (!origins.bringsToken(request.headers) && !isAllowedOrigin(origin, host, origins)) {
      services.securityLog.event('malicious_cors', { viewer: null, clientAddress }, { reason: 'origin' });
      return refuseUpgrade(socket, 403);
    }
    const bearer = await overload.during(() => options.ofUpgrade(request));
    if (!socket.destroyed) sockets.accept(request, { socket, head, bearer, clientAddress });
  }

  return {
    close: sockets.close,
    attach(httpServer: Server): void {
      onWebSocketUpgrade(httpServer, (request, socket, head) => {
        // No middleware has run, but `request.ip` of Express respects trusted proxies.
        upgrade(request as Request, socket, head).catch((error: unknown) => {
          if (error instanceof RateLimitError) refuseUpgrade(socket, 429, headersOf(error));
          else if (error instanceof TaskgateError && error.code === 'UNAUTHENTICATED')
            refuseUpgrade(socket, 401, headersOf(error));
          else refuseUpgrade(socket, 503);
        });
      });
    },
  };
}

/** How sockets run operations: with a fresh viewer, under idempotency keys. */
function operationsOf({
  services,
  executor,
  viewerOf,
  publicUrl,
  pageSize,
}: WebSocketOptions): Pick<
  SocketServerOptions<Context>,
  'runnerOf' | 'contextOf' | 'endsCredential' | 'onRefusal' | 'onEnd'
> {
  return {
    runnerOf(checked, extensions) {
      const { schema } = executor;
      refuseSignIn(checked.document);
      const key = keyOfOperation(schema, checked, { extensions });
      const fence = fenceOfOperation(schema, checked, { extensions });
      // A subscription keeps this function, which must not keep the message.
      return async (operation) => {
        applyFence(operation.contextValue, fence);
        return runUnderKey(executor, operation, key);
      };
    },
    async contextOf(key, facts) {
      const viewer = await viewerOf(key);
      if (!viewer) return null;
      // The cookie was sent with the upgrade and cannot change.
      const session = fixedSession(key, () => viewerOf(key), noCookie);
      // Nobody signs in over a socket.
      const userAgent = undefined;
      return { services, viewer, session, userAgent, publicUrl, pageSize, ...facts };
    },
    // A session that belongs to another account remains valid.
    endsCredential: (error) => error.extensions['code'] === 'UNAUTHENTICATED' && !(error instanceof OtherAccountError),
    onRefusal: (error, sender) => services.securityLog.refusal(sender, error),
    onEnd({ operation, operationName, contextValue }, ms) {
      const { requestId, viewer } = contextValue;
      const logged = { type: operation.operation, name: loggedName(operationName) };
      log.info(
        { requestId, operation: logged, ms, userId: viewer?.id, credentialId: viewer?.credential.id },
        'operation',
      );
    },
  };
}

const noCookie = () => forbidden('Sign in and out over HTTP: a WebSocket cannot set the session cookie');

const sessionMutations = new Set(['signIn', 'signUp', 'signOut', 'deleteAccount', 'linkProvider']);

/** @throws FORBIDDEN for mutations of the session, before they use up a code */
function refuseSignIn(document: DocumentNode): void {
  visit(document, {
    Field({ name }) {
      if (sessionMutations.has(name.value)) throw noCookie();
    },
  });
}
