import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeProject, makeSection, makeTag, makeTask } from '../kit/make.ts';
import { seededRandom, seedOfRun } from '../kit/random.ts';
import { Load } from '../load/load.ts';
import { makeTeam, type Person } from '../load/people.ts';
import { type Request, rest } from '../load/requests.ts';
import { sendWithKill } from './killed.ts';
import { Installation } from './world.ts';

const seed = seedOfRun();
let world: Installation;
let load: Load;
let anna: Person;
const entities = { project: '', tasks: [] as string[], tag: '' };

beforeAll(async () => {
  world = await Installation.start(seededRandom(seed));
  const team = await makeTeam(await world.access());
  load = new Load(team, world.find, { seed, writers: 0, isKeyed: true });
  [anna] = team.members;
  const { user } = anna;
  const { id: projectId } = await makeProject(user);
  const { id: projectSectionId } = await makeSection(user, projectId);
  const tags = [(await makeTag(user)).id, (await makeTag(user)).id];
  for (let count = 0; count < 5; count += 1) {
    const { id: parentId } = await makeTask(user, { projectId, projectSectionId, tags });
    const child = await makeTask(user, { parentId, tags: tags.slice(1) });
    entities.tasks.push(parentId, child.id);
  }
  Object.assign(entities, { project: projectId, tag: tags[1] });
});
afterAll(() => world.stop());

const state = async () =>
  JSON.stringify(
    await world.sql(
      `SELECT id, to_jsonb(tasks) - '{updated_at,search}'::text[] AS row,
        ARRAY(SELECT tag_id FROM task_tags WHERE task_id = tasks.id ORDER BY tag_id) AS tags FROM tasks WHERE space_id = $1
      UNION ALL SELECT id, to_jsonb(projects), '{}' FROM projects WHERE space_id = $1
      UNION ALL SELECT id, to_jsonb(sections), '{}' FROM sections WHERE space_id = $1
      UNION ALL SELECT id, to_jsonb(tags), '{}' FROM tags WHERE space_id = $1 ORDER BY id`,
      [anna.user.id],
    ),
  );

async function killedDuring(request: Request): Promise<string> {
  const { key = '', outcome } = await sendWithKill(world, load, {
    ...{ person: anna, request, state },
    // The row of an existing task, and a tag of a deleted one.
    locks: [
      ['SELECT FROM tasks WHERE id = $1 FOR UPDATE', [entities.tasks[4]]],
      [
        'INSERT INTO task_tags VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        [entities.tasks[4], entities.tag, anna.user.id],
      ],
    ],
  });
  expect(outcome).toBe('acknowledged');
  return key;
}

test.each<[string, () => Request]>([
  [
    'a bulk update',
    () => rest('PATCH', `/api/v2/todo/bulk?todoIds=${entities.tasks.join()}`, { completed: true, tags: [] }),
  ],
  ['a bulk deletion', () => rest('DELETE', `/api/v2/todo/bulk?todoIds=${entities.tasks.join()}`)],
  ["a project's deletion", () => rest('DELETE', `/api/v2/projects/${entities.project}`)],
])('undo of %s, its undo and so on are complete or absent while all gateways are killed', async (_label, request) => {
  const before = await state();
  const { key = '', outcome } = await load.send(anna, { request: request() });
  expect(outcome).toBe('acknowledged');
  const after = await state();
  expect(after).not.toBe(before);
  let last = key;
  for (const expected of [before, after, before]) {
    last = await killedDuring(rest('POST', `/api/v2/operations/${last}/undo`));
    expect(await state()).toBe(expected);
  }
  expect(load.problems).toEqual([]);
});

test('restored entries of the trash are complete or absent, too', async () => {
  const before = await state();
  await load.send(anna, { request: rest('DELETE', `/api/v2/todo/bulk?todoIds=${entities.tasks.join()}`) });
  // The others are their subtasks.
  const ids = entities.tasks.filter((_id, index) => index % 2 === 0);
  await killedDuring(rest('POST', '/api/v2/trash/restore', { ids }));
  expect(await state()).toBe(before);
});
