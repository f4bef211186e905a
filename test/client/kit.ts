import WebSocket from 'ws';
import { type Client, type ClientOptions, createClient } from 'taskgate-client';
import type { User } from '../kit/users.ts';

/** Whose session it is, if any. */
type Caller = Partial<Pick<User, 'cookie'>>;

/** A `fetch` with the session of a caller, as a browser has it. */
export const fetchAs =
  ({ cookie = '' }: Caller): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), Cookie: cookie } });

/** A class of WebSockets with the session of a caller. */
export const webSocketAs = ({ cookie = '' }: Caller) =>
  class extends WebSocket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols, { headers: { Cookie: cookie } });
    }
  };

/** The package's client for a caller. */
export const clientAs = ({ url }: { url: string }, caller: Caller, options: Partial<ClientOptions> = {}): Client =>
  createClient({ url, fetch: fetchAs(caller), webSocket: webSocketAs(caller), ...options });
