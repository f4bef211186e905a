import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withWrongClock } from '../kit/clock.ts';
import { makeProject, makeSection, makeTag, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

const day = 24 * 60 * 60 * 1000;

/**
 * Counts the timestamps with a default, other than a constant, that are after the database's clock, by column.
 * Rows of background work arrive during the query, and columns round to milliseconds.
 */
const futureRows = `
  SELECT table_name || '.' || column_name AS "column",
    (xpath('/row/count/text()', query_to_xml(format(
      'SELECT count(*) FROM %I WHERE %I > clock_timestamp() + interval ''1 ms''', table_name, column_name
    ), false, true, '')))[1]::text::int AS count
  FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND data_type LIKE 'timestamp%' AND column_default NOT LIKE '''%'`;

/** Not the shared one, because other tests put rows into the future. */
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('new rows have the time of the database, whatever the clock of the process says', async () => {
  await withWrongClock(day, async () => {
    const user = await signUp(service);
    const project = await makeProject(user);
    const section = await makeSection(user, project.id);
    const tag = await makeTag(user);
    await makeTask(user, { projectId: project.id, projectSectionId: section.id, tags: [tag.id] });
    await user.data('mutation { createWorkspace(name: "Team") { id } }');
  });
  const rows = await service.sql<{ column: string; count: number }>(futureRows);
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(({ count }) => count > 0)).toEqual([]);
});
