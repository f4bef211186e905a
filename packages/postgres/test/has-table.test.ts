import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '../../../test/kit/postgres.ts';
import { hasTable } from '../functions.ts';

test('a table that another connection has made is there at once, also within a transaction', async () => {
  const url = await createTestDatabase({ migrated: false });
  const [one, other] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([one.connect(), other.connect()]);
  await one.query('BEGIN');
  expect(await hasTable(one, 'made')).toBe(false);
  await other.query('CREATE TABLE made ()');
  expect(await hasTable(one, 'made')).toBe(true);
  await Promise.all([one.end(), other.end()]);
});
