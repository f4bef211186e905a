import type { Request } from 'express';
import type { OperationSource } from '@taskgate/execution';
import { type ReceiveBody, type RequestBodies, withoutListSuffix } from '@taskgate/http';
import { Cancellation, type Deadlines } from '@taskgate/work';
import type { Context, PageSize, SessionControl, Viewer } from '../platform/context.ts';
import { requireNamedAccount } from '../platform/named-account.ts';
import type { Services } from '../platform/services.ts';
import { endInFlight, whileIdle } from './load-shedding.ts';
import type { RequestLimits } from './request-limits.ts';
import { noteRequest } from './request-observation.ts';

export const noBody = (): Promise<undefined> => Promise.resolve(undefined);

export interface ContextOptions {
  services: Services;
  bearerOfRequest: (request: Request) => { id: string; userId: string } | undefined;
  viewerOf: (request: Request) => Promise<Viewer | null>;
  controlOf: (request: Request) => SessionControl;
  /** Calls `end` when the session ends. @returns a function that stops watching */
  watchSession: (sessionId: string, end: () => void) => () => void;
  bodies: RequestBodies;
  limits: RequestLimits;
  /** @throws RATE_LIMITED if the account has used up its uploads */
  requireUploads: (userId: string) => void;
  publicUrl: string;
}

/** Session and memberships may end while the body arrives. */
export function requestContexts(
  options: ContextOptions,
  { api, pageSize }: { api: OperationSource['api']; pageSize: PageSize },
) {
  const { services, watchSession, bearerOfRequest, viewerOf, controlOf, bodies, limits, publicUrl } = options;
  const source = { api, transport: 'http' } as const;
  return {
    publicUrl,
    /** Only for refusals before the body is read. */
    hasSession: (request: Request) => bearerOfRequest(request) !== undefined,
    watchSession,
    /** @throws VALIDATION_FAILED, UNAUTHENTICATED if the request names a malformed account or not the caller's */
    async afterBody<Body>(request: Request, readBody: (receive: ReceiveBody) => Promise<Body>) {
      const { clientAddress, id: requestId, res: response } = request;
      const session = bearerOfRequest(request);
      const account = session?.userId;
      const caller = { requestId, clientAddress, session, response };
      if (api === 'rest') limits.countRest(request.method, caller);
      else limits.requireOperations(caller);
      const body = await readBody((parser) => {
        if (parser.takesFiles && account !== undefined) options.requireUploads(account);
        return whileIdle(request, () => bodies.receive(request, { account, clientAddress }, parser));
      });
      const viewer = await viewerOf(request);
      noteRequest(request, { userId: viewer?.id, credentialId: viewer?.credential.id });
      requireAccountOfRequest(request, viewer?.id);
      let cancellation: Cancellation | undefined;
      const context: Context = {
        services,
        viewer,
        session: controlOf(request),
        requestId,
        source,
        // Cached responses do not need it.
        get cancellation() {
          return (cancellation ??= cancellationOf(request, services.deadlines));
        },
        clientAddress,
        userAgent: request.get('User-Agent'),
        publicUrl,
        pageSize,
        whenSent: () => whenClosed(request),
      };
      return { body, context };
    },
  };
}

/** Links and event sources use the query string. Express's parser would throw on any malformed parameter. */
function requireAccountOfRequest({ headersDistinct, originalUrl }: Request, userId: string | undefined): void {
  for (const named of headersDistinct['x-account-id'] ?? []) requireNamedAccount(named, 'X-Account-Id', userId);
  const query = new URLSearchParams(originalUrl.replace(/^[^?]*/, ''));
  for (const [name, named] of query)
    if (withoutListSuffix(name) === 'account') requireNamedAccount(named, 'account', userId);
}

export type RequestContexts = ReturnType<typeof requestContexts>;

function cancellationOf(request: Request, deadlines: Deadlines): Cancellation {
  const { res: response } = request;
  const cancellation = new Cancellation(deadlines, () => endInFlight(request));
  const onClose = () => {
    if (response?.writableFinished) cancellation.lift();
    else cancellation.hangUp();
  };
  if (response?.closed) onClose();
  else response?.once('close', onClose);
  return cancellation;
}

const whenClosed = ({ res: response }: Request): Promise<void> =>
  new Promise((resolve) => {
    if (!response || response.closed) resolve();
    else response.once('close', resolve);
  });
