// Subscriptions over WebSocket that continue where they were, for as long as they are subscribed to.
import { createClient } from 'graphql-ws';
import { SessionWebSocket, webSocketUrl } from './session.js';

export const webSocket = createClient({
  url: webSocketUrl,
  // A page has WebSocket.
  webSocketImpl: SessionWebSocket,
  retryAttempts: Infinity,
  // Unless the session has ended: by then one has to sign in again.
  shouldRetry: (event) => event.code !== 4401,
  keepAlive: 10_000,
});

/**
 * Subscribes to `taskChanges`. It continues after the last change that it has brought: graphql-ws reads `variables`
 * each time that it connects.
 * @returns what ends it
 */
export function resume({ query, operationName, variables }, sink) {
  let { after } = variables;
  return webSocket.subscribe(
    {
      query,
      operationName,
      get variables() {
        return { ...variables, after };
      },
    },
    {
      next(result) {
        after = result.data?.taskChanges?.cursor ?? after;
        sink.next(result);
      },
      error: (error) => sink.error(error),
      complete: () => sink.complete(),
    },
  );
}
