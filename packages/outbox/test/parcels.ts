import { sqltag as sql } from '@prisma/client/runtime/client';
import { type Clock, databaseClock, Postgres } from '@taskgate/postgres';
import { createTestDatabase, sqlAt } from '../../../test/kit/postgres.ts';
import type { Attempt } from '../attempt.ts';
import { Outbox, type OutboxOptions } from '../outbox.ts';
import type { ClaimedRow, OutboxTable } from '../rows.ts';

// A user of the outbox that has nothing to do with mails: parcels for houses, by street.

export interface Parcel extends ClaimedRow {
  house: string;
  content: string | null;
}

const parcels: OutboxTable = {
  name: 'parcels',
  lane: sql`'ALL'`,
  key: sql`house`,
  columns: sql`house, content`,
  atEnd: sql`content = NULL`,
};

export async function createParcels(): Promise<string> {
  const url = await createTestDatabase({ migrated: false });
  await sqlAt(
    url,
    `CREATE TABLE parcels (
      id text PRIMARY KEY, house text NOT NULL, content text,
      status text NOT NULL DEFAULT 'PLANNED', reason text, attempts integer NOT NULL DEFAULT 0, lease integer NOT NULL DEFAULT 0,
      at timestamptz(3) NOT NULL DEFAULT now(), next_at timestamptz(3) NOT NULL DEFAULT now(), leased_until timestamptz(3),
      expires_at timestamptz(3) NOT NULL DEFAULT now() + interval '1 day', sent_at timestamptz(3)
    )`,
  );
  await sqlAt(url, `CREATE INDEX ON parcels (next_at) WHERE status = 'PLANNED'`);
  await sqlAt(url, `CREATE INDEX ON parcels (house, at, id) WHERE status = 'PLANNED'`);
  await sqlAt(url, 'CREATE TABLE arrivals (n serial, id text, house text)');
  return url;
}

/** Sends a parcel. The outbox then ends it, unless this throws: then it is retried. */
export type Send = (parcel: Parcel, attempt: Attempt) => Promise<unknown>;

/** A process that sends parcels. A street is the part of a house's name before the space. */
export function openOffice(
  url: string,
  send: Send,
  { clock = databaseClock, slots = 4, isOrdered = false, ...options }: OfficeOptions = {},
) {
  const connections = new Postgres(url);
  const outbox: Outbox<Parcel> = new Outbox({
    connections,
    clock,
    name: 'test_parcel',
    table: { ...parcels, isOrdered },
    lanes: { ALL: slots },
    recipientOf: ({ house }) => [house, house.split(' ')[0] ?? ''],
    async send(rows, attempt) {
      for (const parcel of rows) {
        await send(parcel, attempt).then(
          () => outbox.end([parcel], { status: 'SENT' }),
          () => outbox.retry([parcel]),
        );
      }
    },
    ...options,
  });
  return {
    outbox,
    connections,
    async close(timeoutMs = 1000) {
      await outbox.close(timeoutMs);
      await connections.close();
    },
  };
}

type OfficeOptions = Partial<Pick<OutboxOptions<Parcel>, 'send' | 'end' | 'batchesOf' | 'delayOf' | 'recipientOf'>> & {
  clock?: Clock;
  slots?: number;
  isOrdered?: boolean;
};
