import type { Context } from '../kernel/context.ts';
import type { ReceiveBody } from './request-body.ts';

/**
 * How a transport over HTTP comes by the context of a request: by having its body read. There is no other way, so that
 * nothing that was found out before the client sent its last byte holds on: a session or a membership may have ended.
 */
export interface RequestContexts<Request> {
  /** Whether the request came with a session: enough to refuse it before its body, and for nothing else. */
  hasSession(request: Request): boolean;
  /**
   * Watches the session by which something is sent for long.
   * @param end called once it has ended
   * @returns what ends the watching
   */
  watchSession(sessionId: string, end: () => void): () => void;
  /**
   * @param readBody reads what the operation needs of the body, by what it is given; where it throws there is no context
   * @returns what was read, and the context as of then
   */
  afterBody<Body>(
    request: Request,
    readBody: (receive: ReceiveBody) => Promise<Body>,
  ): Promise<{ body: Body; context: Context }>;
}

/** For requests of which no body is read. */
export const noBody = (): Promise<undefined> => Promise.resolve(undefined);
