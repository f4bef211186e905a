// WebSocket subscriptions that resume until they end.
import { createClient } from 'graphql-ws';
import { SessionWebSocket, webSocketUrl } from './session.js';

export const webSocket = createClient({
  url: webSocketUrl,
  // Browsers have WebSocket.
  webSocketImpl: SessionWebSocket,
  retryAttempts: Infinity,
  // After the end of the session, only a new sign-in helps.
  shouldRetry: (event) => event.code !== 4401,
  keepAlive: 10_000,
});

/**
 * Subscribes to `taskChanges`. Resumes after the last received change, because graphql-ws reads `variables` at each connection.
 * @returns a function that ends the subscription
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
