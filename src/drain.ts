import type { Server } from 'node:http';

/**
 * Watches a server's requests, so that it can be closed without breaking one off.
 * @returns what takes no new connection, and settles when the last request has been answered. A
 *   connection without a request under way, even one that never sent any, does not hold it up.
 */
export function drainable(server: Server): () => Promise<void> {
  let underWay = 0;
  let draining = false;
  const closeIfIdle = () => {
    if (draining && underWay === 0) server.closeAllConnections();
  };
  server.on('request', (_request, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
      closeIfIdle();
    });
  });
  return () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    draining = true;
    closeIfIdle();
    return closed;
  };
}
