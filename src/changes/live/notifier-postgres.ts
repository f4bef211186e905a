import { backoffMs, log, maxBackoffMs } from '@taskgate/base';
import { wait } from '@taskgate/postgres';
import type { Connections } from '../../platform/database.ts';
import { channelName, type OpenChannel } from './notifier.ts';

/** A dedicated connection. NOTIFY in the writing transaction would take a lock that all writers of the server share. */
export const postgresChannel =
  (connections: Connections, url: string): OpenChannel =>
  (receive, lost) => {
    let client: ReturnType<typeof connections.newClient> | undefined;
    let closed = false;

    async function connect() {
      // eslint-disable-next-line no-restricted-syntax -- LISTEN and NOTIFY read and write no table
      const next = connections.newClient(url);
      const ended = new Promise<void>((resolve) => next.once('end', resolve));
      next.on('error', (error) =>
        log.debug({ error: error.message }, 'the database connection for change notifications was lost'),
      );
      next.on('notification', ({ payload }) => receive(payload ?? ''));
      try {
        await next.connect();
        await next.query(`LISTEN ${channelName}`);
        // `close` did not see this connection.
        if (closed) return;
        client = next;
        lost();
        await ended;
      } finally {
        client = undefined;
        await next.end().catch(() => undefined);
      }
    }

    async function stayConnected() {
      for (let attempt = 0; !closed; attempt += 1) {
        const since = performance.now();
        await connect().catch((error: unknown) => log.debug({ error }, 'no connection for change notifications'));
        if (performance.now() - since > maxBackoffMs) attempt = 0;
        await wait(backoffMs(attempt));
      }
    }

    const running = stayConnected();
    return {
      async send(message) {
        await client?.query('SELECT pg_notify($1, $2)', [channelName, message]);
      },
      async close() {
        closed = true;
        await client?.end().catch(() => undefined);
        await running;
      },
    };
  };
