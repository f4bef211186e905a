import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { makeSection, makeTag } from '../../../test/kit/make.ts';
import type { Service } from '../../../test/kit/service.ts';
import { sharedService } from '../../../test/kit/shared-service.ts';
import { recordStatements, type Statement } from '../../../test/kit/statements.ts';
import { fill } from '../../../test/kit/tasks.ts';
import { signUp, type User } from '../../../test/kit/users.ts';

const length = 16_384;
const count = 60;

let service: Service;
let anna: User;

beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
  await fill(service, anna, count, { description: 'd'.repeat(length) });
  const [{ id: parent, project_id: project } = { id: '', project_id: '' }] = await service.sql<{
    id: string;
    project_id: string;
  }>('SELECT id, project_id FROM tasks WHERE space_id = $1 ORDER BY sort_key, id LIMIT 1', [anna.id]);
  const [section, tag] = await Promise.all([makeSection(anna, project), makeTag(anna)]);
  await service.sql('UPDATE tasks SET section_id = $2 WHERE space_id = $1', [anna.id, section.id]);
  await service.sql('UPDATE tasks SET parent_id = $2 WHERE space_id = $1 AND id <> $2', [anna.id, parent]);
  await service.sql('INSERT INTO task_tags SELECT id, $2, $1 FROM tasks WHERE space_id = $1', [anna.id, tag.id]);
});

async function measure({ sql, values }: Statement) {
  const [measurement] = await service.sql<{ largest: number; all: number }>(
    `SELECT max(length(made::text))::int AS largest, sum(length(made::text))::float AS all FROM (${sql}) AS made`,
    values,
  );
  return measurement ?? { largest: 0, all: 0 };
}

const page = `tasks(first: ${count}) { nodes { description } }`;

describe('the result of a query in PostgreSQL', () => {
  /** A query, and how often it reads each description. */
  test.each<[query: string, times: number]>([
    [`{ ${page} }`, 1],
    [`{ tasks(first: ${count}) { nodes { description project { ${page} } } } }`, 2],
    [`{ tasks(first: ${count}) { nodes { section { ${page} } } } }`, 1],
    [`{ tasks(first: ${count}) { nodes { section { project { ${page} } } } } }`, 1],
    [`{ tasks(first: ${count}) { nodes { project { sections { ${page} } } } } }`, 1],
    [`{ tasks(first: ${count}) { nodes { parent { children { description } } } } }`, 1],
    [`{ tasks(first: ${count}) { nodes { parent { description } } } }`, 1],
    [`{ tasks(first: ${count}) { nodes { tags { ${page} } } } }`, 1],
    [`{ tags { ${page} } }`, 1],
    [`{ tags { tasks(first: 9) { nodes { project { ${page} } section { ${page} } } } } }`, 2],
    [`{ projects { ${page} sections { ${page} } } }`, 2],
    [
      `{ tasks(first: ${count}) { nodes { a: project { ${page} } b: project { id tasks(last: ${count}) { nodes { description } } } } } }`,
      2,
    ],
  ])('has no value larger than a task, and has each task once: %s', async (query, times) => {
    const { own } = await recordStatements(() => anna.graphql(query));
    const measurements = await Promise.all(own.filter(({ sql }) => sql.includes('/* read(')).map(measure));
    // The second description in a row is the parent's.
    expect(Math.max(...measurements.map(({ largest }) => largest))).toBeLessThan(2.5 * length);
    // The overhead is less than the size of one description.
    expect(measurements.reduce((sum, { all }) => sum + all, 0)).toBeLessThan((times + 0.9) * count * length);
  });

  test('becomes rows in turns of the event loop, so others run in between', async () => {
    const { connections } = service.services;
    const next = jest.spyOn(connections.turns, 'next');
    const args = { where: { spaceId: anna.id }, select: { description: true } };
    await connections.readsOf('Task').read(args, service.services);
    expect(next.mock.calls.length).toBeGreaterThan((count * length) / 300_000);
    next.mockRestore();
  });

  test('is complete: a response that repeats values beyond its size is refused', async () => {
    const ben = await signUp(service);
    await fill(service, ben, 500, { description: 'd'.repeat(length) });
    const query = `{tasks(first:500){nodes{description project{tasks(first:100){nodes{description}}}}}}`;
    const { result, own } = await recordStatements(() => ben.graphql(query));
    expect(result).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'query' }] } }],
    });
    const measurements = await Promise.all(own.map(measure));
    expect(measurements).toHaveLength(1);
    expect(measurements[0]?.all).toBeLessThan(620 * length);
  });
});
