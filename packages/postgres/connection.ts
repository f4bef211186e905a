import pg from 'pg';
import { settlesWithin } from '@taskgate/base';

const cancelMs = 5_000;

const againMs = 250;

/** @types/pg omits the socket. */
export const streamOf = (client: pg.ClientBase) =>
  (client as unknown as { connection: pg.Connection }).connection.stream;

/** Process of the connection. Behind a pooler, it may belong to another client. */
export const processIdOf = (client: pg.ClientBase): number => (client as unknown as Cancellable).processID;

interface HeldConnection {
  client: pg.PoolClient;
  /** Waits for all cancel requests. @param isBroken closes the connection */
  release: (isBroken?: boolean) => Promise<void>;
}

/**
 * Takes a connection. When the signal aborts, PostgreSQL cancels the running statement (SQLSTATE 57014). A cancel
 * request may overtake the statement, so it is repeated until the release. The release waits for the last request,
 * which could otherwise cancel another caller's statement.
 * @throws the signal's reason if it aborts before the connection is open
 */
export async function holdConnection(pool: pg.Pool, signal?: AbortSignal): Promise<HeldConnection> {
  signal?.throwIfAborted();
  const client = await pool.connect();
  let isReleased = false;
  let cancelling = Promise.resolve(true);
  let again: NodeJS.Timeout | undefined;
  const cancel = () => {
    cancelling = cancelling.then(async (areTaken) => (await cancelStatement(client)) && areTaken);
    void cancelling.then(() => {
      if (!isReleased) again = setTimeout(cancel, againMs);
    });
  };
  if (signal?.aborted) client.release();
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cancel, { once: true });
  return {
    client,
    release: async (isBroken = false) => {
      signal?.removeEventListener('abort', cancel);
      isReleased = true;
      clearTimeout(again);
      const isClean = await cancelling;
      client.release(isBroken || streamOf(client).destroyed || !isClean);
    },
  };
}

/** Unless PostgreSQL itself reports an error, the statement may still run. */
export const mayStillRun = (error: unknown) => !(error instanceof pg.DatabaseError);

/**
 * Takes a connection as {@link holdConnection} does.
 * @param breaks whether an error closes it, because the statement or its transaction may still be open
 * @throws the signal's reason if it aborts
 */
export async function withConnection<Result>(
  pool: pg.Pool,
  signal: AbortSignal | undefined,
  work: (client: pg.PoolClient) => Promise<Result>,
  breaks: (error: unknown) => boolean = mayStillRun,
): Promise<Result> {
  const { client, release } = await holdConnection(pool, signal);
  let isBroken = false;
  try {
    return await work(client);
  } catch (error) {
    isBroken = breaks(error);
    signal?.throwIfAborted();
    throw error;
  } finally {
    await release(isBroken);
  }
}

interface Cancellable {
  processID: number;
  secretKey: number;
  ssl: pg.ConnectionConfig['ssl'];
}
interface CancelConnection extends pg.Connection {
  connect(port: number, host: string): void;
  connect(path: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

/** @returns whether the server received the request. It closes the connection after it has signalled the process. */
async function cancelStatement(client: pg.PoolClient): Promise<boolean> {
  const { processID, secretKey, ssl } = client as unknown as Cancellable;
  const connection = new pg.Connection({ ssl }) as CancelConnection;
  let isSent = false;
  const send = () => {
    connection.cancel(processID, secretKey);
    isSent = true;
  };
  connection.once('connect', () => (ssl ? connection.requestSsl() : send())).once('sslconnect', send);
  const closed = new Promise<boolean>((resolve) => {
    connection.once('error', () => resolve(false)).once('end', () => resolve(isSent));
  });
  // Prevents an uncaught error after the promise has settled.
  connection.on('error', () => undefined);
  if (client.host.startsWith('/')) connection.connect(`${client.host}/.s.PGSQL.${client.port}`);
  else connection.connect(client.port, client.host);
  const isInTime = await settlesWithin(cancelMs, closed);
  connection.stream.destroy();
  return isInTime && (await closed);
}
