import { expect, test } from '@jest/globals';
import { events } from '../../src/activity/events.ts';
import { workspaceRole } from '../../src/platform/roles.ts';
import { fileOf } from './page.ts';

/** The rows of a table, without its head. */
async function tableOf(heading: string): Promise<string[][]> {
  const [, section = ''] = new RegExp(`\n## ${heading}\n([^]*?)(\n## |$)`).exec(await fileOf('docs/together.md')) ?? [];
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('docs/together.md has the table of roles', async () => {
  expect(await tableOf('Roles')).toEqual(Object.entries(workspaceRole.values));
});

test('docs/together.md has the table of events', async () => {
  const rows = Object.entries(events).map(([reason, { when, notifies, mails }]) => [
    reason,
    when,
    notifies,
    mails.join(', '),
  ]);
  expect(await tableOf('Notifications')).toEqual(rows);
});
