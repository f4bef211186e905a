import type pg from 'pg';

/** SQLSTATE by which a transaction announces that it has changed something: see `announce_operation` in prisma/functions. */
const announcement = 'TG200';

/** What is being written in this process, by the name that its transaction knows it by, with the operation that it has become. */
const requests = new Map<string, string | undefined>();

let count = 0;

/** Receives what transactions on a connection announce, before their statements are answered. */
export function hearAnnouncements(client: pg.Client | pg.PoolClient): void {
  client.on('notice', ({ code, message = '' }) => {
    const [request = '', operation] = message.split(' ');
    if (code === announcement && requests.has(request)) requests.set(request, operation);
  });
}

/**
 * Runs a transaction and notes which operation it was, where it changed something.
 * @param operations the operations so far, in their order
 * @param run is given the name by which the transaction is to announce it
 */
export async function noteOperation<Result>(
  operations: string[] | undefined,
  run: (request: string) => Promise<Result>,
): Promise<Result> {
  const request = `${(count += 1)}`;
  requests.set(request, undefined);
  try {
    const result = await run(request);
    const operation = requests.get(request);
    if (operation !== undefined) operations?.push(operation);
    return result;
  } finally {
    requests.delete(request);
  }
}
