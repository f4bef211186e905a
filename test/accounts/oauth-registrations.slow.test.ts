import { afterEach, expect, test } from '@jest/globals';
import { postForm, registered } from '../kit/application.ts';
import { type Service, startService } from '../kit/service.ts';

const count = 10_000;
const secret = 'a secret that survives the restart';
const atOnce = 20;

let service: Service | undefined;
afterEach(() => service?.close());

/** Works through all numbers, several at once. */
async function each(work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Rows by table, without the positions of background work. */
const rowsOf = (of: Service) =>
  of.sql(`SELECT table_name AS name,
      (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', table_name), false, true, '')))[1]::text AS rows
    FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'log_readers' ORDER BY 1`);

test('10,000 registrations without an account leave no row, and each client works after a restart', async () => {
  const first = (service = await startService({ SESSION_SECRET: secret }));
  const before = await rowsOf(first);
  const ids: string[] = [];
  await each(async (at) => {
    ids[at] = await registered(first, { client_name: `Client ${at}` });
  });
  expect(new Set(ids).size).toBe(count);
  expect(await rowsOf(first)).toEqual(before);
  await first.close();
  const second = (service = await startService({ SESSION_SECRET: secret }, { databaseUrl: first.databaseUrl }));
  const answers = new Set<string>();
  await each(async (at) => {
    const form = { grant_type: 'refresh_token', refresh_token: 'unknown', client_id: ids[at] ?? '' };
    answers.add((await postForm(second, '/oauth/token', form)).body.error);
  });
  // A client that is unknown would be an invalid_client.
  expect([...answers]).toEqual(['invalid_grant']);
}, 600_000);
