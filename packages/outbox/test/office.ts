import { runSql } from '@taskgate/postgres';
import { sqltag as sql } from '@prisma/client/runtime/client';
import { openOffice } from './parcels.ts';

// A process of `processes.slow.test.ts`: it sends parcels by inserting an arrival. Argument: URL of the database.

const [, , url = ''] = process.argv;
const office = openOffice(
  url,
  ({ id, house }, attempt) => {
    attempt.beginContent();
    return runSql(office.connections, sql`INSERT INTO arrivals (id, house) VALUES (${id}, ${house})`);
  },
  { isOrdered: true },
);
// The timers of the outbox do not keep the process alive.
setInterval(() => office.outbox.wake(), 100);
