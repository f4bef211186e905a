// A session for programs outside of a browser. Browsers send the cookie automatically, also with WebSocket and EventSource.
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

/** `fetch` with the session. In a page: `fetch(input, { ...init, credentials: 'include' })`. */
export const sessionFetch = (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('Cookie', Cookie);
  return fetch(input, { ...init, headers });
};

export class SessionWebSocket extends WebSocket {
  constructor(address, protocols) {
    super(address, protocols, { headers: { Cookie } });
  }
}

/** The WebSocket is at the origin of the service. */
export const webSocketUrl = `${url.replace(/^http/, 'ws')}/graphql`;
