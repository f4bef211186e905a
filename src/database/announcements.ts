import type pg from 'pg';

/** SQLSTATE of the notices of `announce_operation` in prisma/functions. */
const announcement = 'TG200';

/** By request name of a running write. */
const requests = new Map<string, string | undefined>();

let count = 0;

/** A notice arrives before its statement's result. */
export function hearAnnouncements(client: pg.Client | pg.PoolClient): void {
  client.on('notice', ({ code, message = '' }) => {
    const [request = '', operation] = message.split(' ');
    if (code === announcement && requests.has(request)) requests.set(request, operation);
  });
}

/**
 * Appends the id of the transaction's operation, if it changes something.
 * @param run gets the request name for the announcement
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
