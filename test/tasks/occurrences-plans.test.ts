import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeTag } from '../kit/make.ts';
import { recordPlans } from '../kit/plans.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { complete, makeRepeating, nextIdOf } from './repeating.ts';

// A connection keeps the plans of functions, so a plan for a table that was small then must suit a large one.
let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
});
afterAll(() => service.close());

const large = ['tasks', 'task_tags', 'task_mutes', 'trash', 'history'];

test('completing and opening look up rows by their keys, whatever the tables had before', async () => {
  const { id: tagId } = await makeTag(anna);
  const [done, open] = [
    await makeRepeating(anna, {}, { dueDate: '2040-01-01', tagIds: [tagId] }),
    await makeRepeating(anna),
  ];
  await complete(anna, done.id);
  await service.sql('VACUUM ANALYZE');
  const plan = [{ task: open.id, root: open.id, copy: { id: nextIdOf(open.id), recurrence: null } }];
  const nodes = await recordPlans(service.databaseUrl, async (client) => {
    await client.query(`SELECT reopen_occurrences($1, false, NULL)`, [[done.id]]);
    await client.query('SELECT complete_tasks($1, $2, $3)', [[open.id], { [open.id]: null }, JSON.stringify(plan)]);
  });
  const scans = nodes.filter(
    // PostgreSQL's checks of foreign keys call each table `x`.
    (node) =>
      large.includes(node['Relation Name'] ?? '') &&
      /(Seq|Index|Index Only) Scan$/.test(node['Node Type']) &&
      node.Alias !== 'x',
  );
  expect(scans.length).toBeGreaterThan(5);
  expect(scans.filter((scan) => scan['Index Cond'] === undefined)).toEqual([]);
});
