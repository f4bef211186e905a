import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeProject, makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;

beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const moveTask =
  'mutation ($id: ID!, $after: ID, $before: ID) { moveTask(id: $id, after: $after, before: $before) { id } }';

const move = (id: string, to: { after?: string | null; before?: string | null }, user = anna) =>
  user.graphql(moveTask, { id, ...to });

const problem = (path: string) => ({
  errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [expect.objectContaining({ path })] } }],
});
const notFound = { errors: [{ extensions: { code: 'NOT_FOUND' } }] };

async function order(projectId: string, parentId: string | null = null): Promise<string[]> {
  const rows = await service.sql<{ id: string }>(
    'SELECT id FROM tasks WHERE project_id = $1 AND parent_id IS NOT DISTINCT FROM $2 ORDER BY sort_key, id',
    [projectId, parentId],
  );
  return rows.map(({ id }) => id);
}

async function makeTasks(count: number) {
  const { id: projectId } = await makeProject(anna);
  const ids: string[] = [];
  for (let createdCount = 0; createdCount < count; createdCount += 1)
    ids.push((await makeTask(anna, { projectId })).id);
  return { projectId, ids };
}

describe('moveTask', () => {
  test('moves right after or right before a sibling, and returns the task', async () => {
    const { projectId, ids } = await makeTasks(4);
    const [a = '', b = '', c = '', d = ''] = ids;
    expect(await move(d, { after: a })).toMatchObject({ data: { moveTask: { id: d } } });
    expect(await order(projectId)).toEqual([a, d, b, c]);
    await move(a, { before: c });
    expect(await order(projectId)).toEqual([d, b, a, c]);
    await move(c, { before: d });
    expect(await order(projectId)).toEqual([c, d, b, a]);
    await move(c, { after: a });
    expect(await order(projectId)).toEqual([d, b, a, c]);
  });

  test('moves right after the first of two siblings, even if they are not neighbours', async () => {
    const { projectId, ids } = await makeTasks(4);
    const [a = '', b = '', c = '', d = ''] = ids;
    await move(d, { after: a, before: b });
    expect(await order(projectId)).toEqual([a, d, b, c]);
    await move(b, { after: a, before: c });
    expect(await order(projectId)).toEqual([a, b, d, c]);
  });

  test('keeps the order if a task moves to its own place', async () => {
    const { projectId, ids } = await makeTasks(3);
    const [a = '', b = '', c = ''] = ids;
    await move(b, { after: a });
    await move(b, { before: c });
    expect(await order(projectId)).toEqual(ids);
  });

  test('moves among the subtasks of a parent', async () => {
    const parent = await makeTask(anna);
    const ids: string[] = [];
    for (let createdCount = 0; createdCount < 3; createdCount += 1)
      ids.push((await makeTask(anna, { parentId: parent.id })).id);
    const [a = '', b = '', c = ''] = ids;
    await move(c, { before: a });
    const { task } = await anna.data<{ task: object }>('query ($id: ID!) { task(id: $id) { children { id } } }', {
      id: parent.id,
    });
    expect(task).toEqual({ children: [{ id: c }, { id: a }, { id: b }] });
  });

  test('refuses a task that is no sibling', async () => {
    const { ids } = await makeTasks(2);
    const [a = '', b = ''] = ids;
    const child = await makeTask(anna, { parentId: a });
    const otherTask = await makeTask(anna);
    for (const id of [child.id, otherTask.id, a, 'nonsense', '', 'task_01h2xcejqtf2nbrexx3vqjhp41']) {
      expect(await move(a, { after: id })).toMatchObject(problem('after'));
      expect(await move(a, { before: id })).toMatchObject(problem('before'));
      expect(await move(a, { after: b, before: id })).toMatchObject(problem('before'));
    }
  });

  test('refuses a call without siblings, and two siblings in the wrong order', async () => {
    const { projectId, ids } = await makeTasks(3);
    const [a = '', b = '', c = ''] = ids;
    expect(await move(a, {})).toMatchObject(problem('after'));
    expect(await move(a, { after: null, before: null })).toMatchObject(problem('after'));
    expect(await move(a, { after: c, before: b })).toMatchObject(problem('after'));
    expect(await order(projectId)).toEqual(ids);
  });

  test("does not find a task that is unknown or another account's", async () => {
    const { ids } = await makeTasks(2);
    const [a = '', b = ''] = ids;
    const ben = await signUp(service);
    const own = await makeTask(ben);
    expect(await move(a, { after: b }, ben)).toMatchObject(notFound);
    expect(await move('nonsense', { after: b })).toMatchObject(notFound);
    expect(await move(own.id, { after: a }, ben)).toMatchObject(problem('after'));
  });

  const sortKey = fc.oneof(
    fc.constantFrom('a1', 'a2', 'a3', ' ', '  ', '~', '~'.repeat(255), 'a', 'a ', 'a0', 'a0 ', 'Zz'),
    fc.string({ minLength: 1, maxLength: 3 }),
  );

  test('produces the requested order, whatever sort keys clients have written', async () => {
    const step = fc.record({ moved: fc.nat(), anchor: fc.nat(), side: fc.constantFrom('after', 'before') });
    const lists = fc.array(sortKey, { minLength: 2, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(lists, fc.array(step, { minLength: 1, maxLength: 8 }), async (keys, steps) => {
        const { id: projectId } = await makeProject(anna);
        await service.sql(
          `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
           SELECT format('task_0%s%s', right($1, 21), lpad(n::text, 4, '0')), $2, $1, n, key
           FROM unnest($3::text[]) WITH ORDINALITY AS given (key, n)`,
          [projectId, anna.id, keys],
        );
        let expected = await order(projectId);
        for (const { moved, anchor, side } of steps) {
          const id = expected[moved % expected.length] ?? '';
          const others = expected.filter((other) => other !== id);
          const sibling = others[anchor % others.length] ?? '';
          expect(await move(id, { [side]: sibling })).toMatchObject({ data: { moveTask: { id } } });
          expected = others.toSpliced(others.indexOf(sibling) + (side === 'after' ? 1 : 0), 0, id);
          expect(await order(projectId)).toEqual(expected);
        }
        expect((await makeTask(anna, { projectId })).id).toBe((await order(projectId)).at(-1));
      }),
      { numRuns: 12 },
    );
  });
});
