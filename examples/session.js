// A session for programs outside of a browser. In a page none of this is needed: once it has signed in, its browser sends the
// cookie by itself, also with WebSocket and EventSource.
import { WebSocket } from 'ws';

const { TASKGATE_URL, TASKGATE_EMAIL: email, TASKGATE_PASSWORD: password } = process.env;

export const url = TASKGATE_URL || 'http://127.0.0.1:3000';

const response = await fetch(`${url}/api/v1/user/signin`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ email, password }),
});
if (!response.ok) throw new Error((await response.json()).message);
const Cookie = response.headers.getSetCookie()[0].split(';')[0];

/** As `fetch`, with the session: in a page `fetch(input, { ...init, credentials: 'include' })`. */
export const sessionFetch = (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('Cookie', Cookie);
  return fetch(input, { ...init, headers });
};

/** As `WebSocket`, with the session. */
export class SessionWebSocket extends WebSocket {
  constructor(address, protocols) {
    super(address, protocols, { headers: { Cookie } });
  }
}

/** The address of the WebSocket: in a page the same, by its own host. */
export const webSocketUrl = `${url.replace(/^http/, 'ws')}/graphql`;
