import type pg from 'pg';

/**
 * SQLSTATE of the notice with which a transaction announces its operation: see `announce_operation` in prisma/functions.
 */
const announcement = 'TG200';

/** Operation of each running write, by the request name that its transaction announces. */
const requests = new Map<string, string | undefined>();

let count = 0;

/** Receives the announcements on a connection. They arrive before the results of their statements. */
export function hearAnnouncements(client: pg.Client | pg.PoolClient): void {
  client.on('notice', ({ code, message = '' }) => {
    const [request = '', operation] = message.split(' ');
    if (code === announcement && requests.has(request)) requests.set(request, operation);
  });
}

/**
 * Runs a transaction and appends the operation that it announces, if it changes something.
 * @param run gets the name under which the transaction announces its operation
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
