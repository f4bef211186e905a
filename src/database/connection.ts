import pg from 'pg';
import { within } from '../kernel/within.ts';

/** Milliseconds that a request to cancel a statement may take; without an answer by then its connection is closed. */
const cancelMs = 5_000;

/** Milliseconds after which PostgreSQL is asked again. */
const againMs = 250;

/** What a connection's bytes come over; @types/pg leaves it out. */
export const streamOf = (client: pg.ClientBase) =>
  (client as unknown as { connection: pg.Connection }).connection.stream;

/** Process id of the server on the other side, by which `pg_stat_activity` names it; behind a pooler it may be another client's. */
export const processIdOf = (client: pg.ClientBase): number => (client as unknown as Cancellable).processID;

/** A connection of a pool, held until it is released. */
export interface HeldConnection {
  client: pg.PoolClient;
  /**
   * Gives the connection back once no cancel request for it is on its way; one that has ended is left out of the pool.
   * @param isBroken closes it instead
   */
  release: (isBroken?: boolean) => Promise<void>;
}

/**
 * Takes a connection of a pool. When the signal is aborted, PostgreSQL is asked to cancel the statement that runs on it,
 * which then fails with the SQLSTATE 57014; one that PostgreSQL has finished by then succeeds.
 *
 * A cancel request names a connection, not a statement. It is of no effect where it overtakes the statement, which goes
 * another way: so PostgreSQL is asked again and again, until the connection is given back. And that is not done before
 * PostgreSQL has acted on the last request: another caller's statement would be cancelled otherwise.
 * @throws the signal's reason if it is aborted before the connection is open
 */
export async function holdConnection(pool: pg.Pool, signal?: AbortSignal): Promise<HeldConnection> {
  signal?.throwIfAborted();
  const client = await pool.connect();
  let isReleased = false;
  /** Whether all requests to cancel have been taken. */
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

/** If a statement fails by anything but PostgreSQL's own word, as by the driver's timeout, it may still run. */
export const mayStillRun = (error: unknown) => !(error instanceof pg.DatabaseError);

/**
 * Takes a connection as {@link holdConnection} does, for one statement.
 * @param breaks whether an error closes it: the next caller would wait behind what runs on it, or be in its transaction
 * @throws the signal's reason, where it is aborted
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

/** What @types/pg leaves out. */
interface Cancellable {
  /** Of PostgreSQL's BackendKeyData message, which a pooler answers as well. */
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

/**
 * Sends a cancel request (PostgreSQL documentation, Canceling Requests in Progress) on a separate connection. The
 * server closes that connection when it has signalled the process, so that nothing is on its way any more by then.
 * @returns whether the server has taken it
 */
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
  // Nobody handles an error that comes later.
  connection.on('error', () => undefined);
  if (client.host.startsWith('/')) connection.connect(`${client.host}/.s.PGSQL.${client.port}`);
  else connection.connect(client.port, client.host);
  const isInTime = await within(cancelMs, closed);
  connection.stream.destroy();
  return isInTime && (await closed);
}
