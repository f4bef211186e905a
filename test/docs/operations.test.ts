import { expect, test } from '@jest/globals';
import { databaseLimits } from '../../src/database/database.ts';
import { fileOf } from './page.ts';

/** One that listens for changes, and one that asks whether the database is there. */
const besidesPools = 2;

test('docs/operations.md says how many connections to the database a process opens', async () => {
  const { connections, sessionConnections, cursorConnections } = databaseLimits;
  const all = connections + sessionConnections + cursorConnections + besidesPools;
  expect(await fileOf('docs/operations.md')).toContain(`process opens up to ${all} connections`);
});
