import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeProject, makeSection, makeTask, makeWorkspace } from '../kit/make.ts';
import { lockSpaces, untilWaiting } from '../kit/locks.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;

beforeAll(async () => {
  service = await startService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});
afterAll(() => service.close());

const update = (id: string, input: object, user = anna) =>
  user.graphql('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', {
    id,
    input,
  });

interface TaskPlace {
  projectId: string;
  sectionId: string;
  spaceId: string;
}

async function makePlaces(): Promise<TaskPlace[]> {
  const workspaces = [await makeWorkspace(anna, ben), await makeWorkspace(anna, ben)];
  const owners = [{ workspaceId: workspaces[0]?.id }, { workspaceId: workspaces[1]?.id }, {}];
  return Promise.all(
    owners.map(async ({ workspaceId }) => {
      const { id: projectId } = await makeProject(anna, workspaceId === undefined ? {} : { workspaceId });
      const { id: sectionId } = await makeSection(anna, projectId);
      return { projectId, sectionId, spaceId: workspaceId ?? anna.id };
    }),
  );
}

async function makeChain({ projectId }: TaskPlace, length: number): Promise<string[]> {
  const ids: string[] = [];
  for (let level = 0; level < length; level += 1) {
    const parentId = ids.at(-1);
    ids.push((await makeTask(anna, parentId === undefined ? { projectId } : { parentId })).id);
  }
  return ids;
}

const faults = () =>
  service.sql(
    `WITH RECURSIVE tree AS (
       SELECT id, 1 AS level FROM tasks WHERE parent_id IS NULL
       UNION ALL SELECT tasks.id, level + 1 FROM tasks JOIN tree ON tasks.parent_id = tree.id
     )
     SELECT id, level FROM tasks LEFT JOIN tree USING (id)
     WHERE level IS NULL OR level > 10
       OR (project_id, space_id) <> (SELECT project_id, space_id FROM tasks above WHERE above.id = tasks.parent_id)`,
  );

describe('a tree of tasks has at most ten levels', () => {
  test('even if two subtrees move below each other across spaces at the same moment', async () => {
    const [left, right] = await makePlaces();
    if (!left || !right) throw new Error('no places');
    const [a, b, c] = [await makeChain(left, 5), await makeChain(right, 5), await makeChain(left, 4)];
    const lockHolder = await lockSpaces(service, left.spaceId, right.spaceId);
    const moves = [update(b[0] ?? '', { parentId: a[4] }), update(c[0] ?? '', { parentId: b[4] }, ben)];
    await untilWaiting(service, 2);
    await lockHolder.release();
    const codes = (await Promise.all(moves)).map(({ errors }) => errors?.[0]?.extensions.code);
    expect(codes.sort()).toEqual(['VALIDATION_FAILED', undefined]);
    expect(await faults()).toEqual([]);
  });

  test('after any simultaneous moves by anyone', async () => {
    const places = await makePlaces();
    const ids: string[] = [];
    for (const place of places) ids.push(...(await makeChain(place, 6)), ...(await makeChain(place, 4)));
    const pick = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
    const place = pick(places);
    const input = fc.oneof(
      { weight: 4, arbitrary: pick(ids).map((parentId) => ({ parentId })) },
      fc.constant({ parentId: null }),
      place.map(({ projectId }) => ({ projectId, parentId: null })),
      place.map(({ projectId, sectionId }) => ({ projectId, sectionId, parentId: null })),
    );
    const taskMove = fc.record({ id: pick(ids), input, user: pick([anna, ben]) });
    const sectionMove = fc.record({ section: place, target: place });
    const rounds = fc.array(fc.oneof({ weight: 5, arbitrary: taskMove }, sectionMove), { minLength: 2, maxLength: 8 });
    const property = fc.asyncProperty(rounds, async (moves) => {
      const answers = await Promise.all(
        moves.map((move) =>
          'id' in move
            ? update(move.id, move.input, move.user)
            : anna.graphql(
                'mutation ($id: ID!, $projectId: ID!) { updateSection(id: $id, projectId: $projectId) { id } }',
                {
                  id: move.section.sectionId,
                  projectId: move.target.projectId,
                },
              ),
        ),
      );
      const codes = answers.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions.code);
      expect(codes.filter((code) => code !== 'VALIDATION_FAILED' && code !== 'NOT_FOUND')).toEqual([]);
      expect(await faults()).toEqual([]);
    });
    await fc.assert(property, { numRuns: 15 });
  });

  test('which the database enforces for every writer', async () => {
    const [place] = await makePlaces();
    if (!place) throw new Error('no place');
    const [a, b] = [await makeChain(place, 6), await makeChain(place, 5)];
    const moveBelow = (id: string | undefined, parent: string | undefined) =>
      service.sql('UPDATE tasks SET parent_id = $1 WHERE id = $2', [parent, id]);
    await expect(moveBelow(b[0], a[5])).rejects.toThrow('ten levels');
    await expect(moveBelow(a[0], a[3])).rejects.toThrow('ten levels');
    await moveBelow(b[0], a[4]);
    expect(await faults()).toEqual([]);
  });
});
