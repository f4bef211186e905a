/** Another client could reach the network of the operator, and hold a response of any size. */
const message = 'Send requests with guardedFetch() of @taskgate/http.';

/** Patterns of `no-restricted-imports`. */
export const otherClients = [
  { regex: '^(undici|(node:)?http2)$', message },
  {
    regex: '^(node:)?https?$',
    importNames: ['Agent', 'ClientRequest', 'default', 'get', 'globalAgent', 'request'],
    message,
  },
];

export const loadedClients = { selector: 'ImportExpression > Literal[value=/^(undici|(node:)?http(s|2)?)$/]', message };

/** Options of `no-restricted-globals`. */
export const globalClients = {
  globals: ['EventSource', 'fetch', 'WebSocket', 'XMLHttpRequest'].map((name) => ({ name, message })),
  checkGlobalObject: true,
};
