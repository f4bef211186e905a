import { expect, test } from '@jest/globals';
import { nextId, nextOf } from '../../packages/recurrence/series.ts';
import { fileOf, rowsOf, sectionOf } from './page.ts';

const page = await fileOf('docs/recurrence.md');
const examples = rowsOf(sectionOf(page, '## The next date'));

test.each(examples)('%s, due on %s, completed on %s, comes again on %s, %s or %s', (code, due, completed, ...dates) => {
  const rule = code.slice(1, -1);
  const [date = '', time = null] = due.split(' ');
  const [day, hour] = completed.split(' ');
  const now = new Date(`${day}T${hour}Z`);
  const found = (['SCHEDULE', 'EACH', 'COMPLETION'] as const).map(
    (basis) =>
      nextOf({ rule, basis, timeZone: 'UTC', start: date, date, time, number: 1, seriesId: null }, now)?.date ?? 'none',
  );
  expect(found).toEqual(dates);
});

test.each(rowsOf(sectionOf(page, '## Ids')))('the id after %s is %s', (id = '', next = '') => {
  expect(nextId(id.replaceAll('`', ''))).toBe(next.replaceAll('`', ''));
});
