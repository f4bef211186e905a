import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addMember, invite, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
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
beforeEach(() => service.sql('DELETE FROM changes'));

async function logOf(spaceId: string, work: () => Promise<unknown>): Promise<[string, string, string[]][]> {
  const [space] = await service.sql<{ revision: string }>('SELECT revision FROM spaces WHERE id = $1', [spaceId]);
  await work();
  const rows = await service.sql<{ type: string; kind: string; ids: string[] }>(
    'SELECT type, kind, entity_ids AS ids FROM changes WHERE space_id = $1 AND revision > $2 ORDER BY revision',
    [spaceId, space?.revision],
  );
  return rows.map(({ type, kind, ids }) => [type, kind, ids.sort()]);
}

const rename = (table: string, ids: string[], name: string) => () =>
  service.sql(`UPDATE ${table} SET name = $2 WHERE id = ANY ($1)`, [ids, name]);

describe('the log of a personal space', () => {
  test('has created, changed and deleted projects, sections and tags', async () => {
    let ids: string[] = [];
    const logged = await logOf(anna.id, async () => {
      const project = await makeProject(anna);
      ids = [project.id, (await makeSection(anna, project.id)).id, (await makeTag(anna)).id];
    });
    const [project = '', section = '', tag = ''] = ids;
    expect(logged).toEqual([
      ['PROJECT', 'CREATED', [project]],
      ['SECTION', 'CREATED', [section]],
      ['TAG', 'CREATED', [tag]],
    ]);
    const changed = await logOf(anna.id, async () => {
      await anna.data('mutation ($id: ID!) { updateProject(id: $id, name: "Garden") { id } }', { id: project });
      await anna.data('mutation ($id: ID!) { updateSection(id: $id, name: "Beds") { id } }', { id: section });
      await anna.data('mutation ($id: ID!) { updateTag(id: $id, name: "spring") { id } }', { id: tag });
      await anna.data('mutation ($id: ID!) { deleteTags(ids: [$id]) { count } }', { id: tag });
    });
    expect(changed).toEqual([
      ['PROJECT', 'UPDATED', [project]],
      ['SECTION', 'UPDATED', [section]],
      ['TAG', 'UPDATED', [tag]],
      ['TAG', 'DELETED', [tag]],
    ]);
  });

  test('has all contents of a deleted project', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const task = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
    const logged = await logOf(anna.id, () => anna.delete(`/api/v2/projects/${project.id}`));
    const kinds = logged.filter(([, kind]) => kind === 'DELETED');
    expect(kinds).toEqual(
      expect.arrayContaining([
        ['PROJECT', 'DELETED', [project.id]],
        ['SECTION', 'DELETED', [section.id]],
        ['TASK', 'DELETED', [task.id]],
      ]),
    );
  });

  test('has one row for a statement, and no unchanged entities', async () => {
    const ids = [(await makeProject(anna)).id, (await makeProject(anna)).id].sort();
    expect(await logOf(anna.id, rename('projects', ids, 'Same'))).toEqual([['PROJECT', 'UPDATED', ids]]);
    expect(await logOf(anna.id, rename('projects', ids, 'Same'))).toEqual([]);
    const [row] = await service.sql('SELECT revision - entity_count AS base FROM changes ORDER BY at DESC LIMIT 1');
    const [space] = await service.sql('SELECT revision - 2 AS base FROM spaces WHERE id = $1', [anna.id]);
    expect(row).toEqual(space);
  });

  test('has the user if profile or preferences change, and not if they stay equal', async () => {
    const change = ['USER', 'UPDATED', [anna.id]];
    const rename = () => anna.data('mutation { updateProfile(name: "Anna B.") { id } }');
    const changePreferences = () =>
      anna.data('mutation { updatePreferences(input: { dailyDigest: true }) { dailyDigest } }');
    expect(await logOf(anna.id, rename)).toEqual([change]);
    expect(await logOf(anna.id, changePreferences)).toEqual([change]);
    expect(await logOf(anna.id, rename)).toEqual([]);
    expect(await logOf(anna.id, changePreferences)).toEqual([]);
  });
});

describe('the log of a workspace', () => {
  test('has the workspace when its name changes, and when members join and leave', async () => {
    const { id } = await makeWorkspace(anna);
    const change = ['WORKSPACE', 'UPDATED', [id]];
    expect(await logOf(id, rename('spaces', [id], 'Renamed'))).toEqual([change]);
    expect(await logOf(id, rename('spaces', [id], 'Renamed'))).toEqual([]);
    expect(await logOf(id, () => addMember(anna, id, ben))).toEqual([change]);
    const leaveWorkspace = () => ben.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id });
    expect(await logOf(id, leaveWorkspace)).toEqual([change]);
  });

  test('has its projects, but no data that is only shown in it', async () => {
    const { id } = await makeWorkspace(anna);
    await addMember(anna, id, ben);
    const logged = await logOf(id, async () => {
      await ben.data('mutation { updateProfile(name: "Ben C.") { id } }');
      await invite(anna, id, 'somebody.else@example.com');
      await makeTag(ben);
    });
    expect(logged).toEqual([]);
    const project = await makeProject(ben, { workspaceId: id });
    expect(await logOf(id, rename('projects', [project.id], 'Shared'))).toEqual([['PROJECT', 'UPDATED', [project.id]]]);
  });

  test('has a section that moves to another space as deleted here and created there', async () => {
    const { id } = await makeWorkspace(anna);
    const [own, shared] = [await makeProject(anna), await makeProject(anna, { workspaceId: id })];
    const section = await makeSection(anna, own.id);
    const task = await makeTask(anna, { projectId: own.id, projectSectionId: section.id });
    const move = () =>
      anna.data('mutation ($id: ID!, $to: ID!) { updateSection(id: $id, projectId: $to) { id } }', {
        id: section.id,
        to: shared.id,
      });
    let there: unknown;
    const here = await logOf(anna.id, async () => {
      there = await logOf(id, move);
    });
    const expectedRows = (kind: string) => [
      ['SECTION', kind, [section.id]],
      ['TASK', kind, [task.id]],
    ];
    expect(here).toEqual(expect.arrayContaining(expectedRows('DELETED')));
    expect(there).toEqual(expect.arrayContaining(expectedRows('CREATED')));
  });

  test("is deleted with it, and its member's personal space gets no entry", async () => {
    const { id } = await makeWorkspace(anna);
    await makeProject(anna, { workspaceId: id });
    const logged = await logOf(anna.id, () => anna.data('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id }));
    expect(logged).toEqual([]);
    expect(await service.sql('SELECT FROM changes WHERE space_id = $1', [id])).toEqual([]);
  });
});
