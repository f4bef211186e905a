import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  makeProject,
  makeSection,
  makeTask,
  makeWorkspace,
  type RestProject,
  type RestSection,
} from '../../kit/make.ts';
import type { Service } from '../../kit/service.ts';
import { sharedService } from '../../kit/shared-service.ts';
import { signUp, type User } from '../../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
let project: RestProject;

beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});
beforeEach(async () => {
  project = await makeProject(anna);
});

const problem = (path: string) => ({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } });
const notFound = { status: 404, body: { code: 'NOT_FOUND', message: expect.any(String) } };
const unknownProject = 'proj_01h2xcejqtf2nbrexx3vqjhp41';
const unknownSection = 'sect_01h2xcejqtf2nbrexx3vqjhp41';

const pathOf = ({ id, projectId }: RestSection) => `/api/v2/projects/${projectId}/sections/${id}`;
const patch = (section: RestSection, body: unknown) =>
  anna.patch<{ updatedSection: RestSection }>(pathOf(section), body);

const sectionsOf = ({ id }: RestProject) =>
  service.sql<RestSection>(
    'SELECT id, name, sort_key AS "sortKey", project_id AS "projectId" FROM sections WHERE project_id = $1 ORDER BY sort_key',
    [id],
  );
const namesOf = async (of: RestProject) => (await sectionsOf(of)).map(({ name }) => name).join('');

async function makeSections(letters: string, of = project): Promise<Record<string, RestSection>> {
  const sections: Record<string, RestSection> = {};
  for (const name of letters) sections[name] = await makeSection(anna, of.id, { name });
  return sections;
}

describe('POST /api/v2/projects/:id/sections', () => {
  test('creates the last section of the project', async () => {
    const first = await makeSection(anna, project.id);
    const { status, body } = await anna.post<{ section: RestSection }>(`/api/v2/projects/${project.id}/sections`, {
      name: ' Later ',
    });
    expect(status).toBe(201);
    const section = {
      id: expect.stringMatching(/^sect_/),
      name: 'Later',
      sortKey: expect.any(String),
      projectId: project.id,
    };
    expect(body).toEqual({ msg: 'project section created', section });
    expect(await sectionsOf(project)).toEqual([first, body.section]);
  });

  test.each([{}, { name: ' ' }, { name: null }, { name: 'x'.repeat(256) }, { name: 'a\0' }])(
    'is 400 for %j',
    async (body) => {
      expect(await anna.post(`/api/v2/projects/${project.id}/sections`, body)).toMatchObject(problem('name'));
    },
  );

  test("is 404 for unknown and others' projects, also with a bad body", async () => {
    const foreign = await makeProject(ben);
    for (const id of [unknownProject, foreign.id, 'nonsense']) {
      for (const body of [{ name: 'mine' }, {}]) {
        expect(await anna.post(`/api/v2/projects/${id}/sections`, body)).toMatchObject(notFound);
      }
    }
    expect(await sectionsOf(foreign)).toEqual([]);
  });

  test('is 401 without a session', async () => {
    expect(await service.anonymous.post(`/api/v2/projects/${project.id}/sections`, { name: 'a' })).toMatchObject({
      status: 401,
    });
  });
});

describe('PATCH /api/v2/projects/:id/sections/:sectionId', () => {
  test('renames the section', async () => {
    const section = await makeSection(anna, project.id);
    expect((await patch(section, { name: ' Neu ' })).body).toEqual({
      msg: 'project section updated sucessfully',
      updatedSection: { ...section, name: 'Neu' },
    });
    expect(await sectionsOf(project)).toEqual([{ ...section, name: 'Neu' }]);
  });

  test('changes nothing for an empty body', async () => {
    const section = await makeSection(anna, project.id);
    expect(await patch(section, {})).toMatchObject({ status: 200, body: { updatedSection: section } });
    expect(await sectionsOf(project)).toEqual([section]);
  });

  // Moves C of A to E. Letters stand for their sort keys.
  test.each([
    ['between two neighbours', { prevIndex: 'D', nextIndex: 'E' }, 'ABDCE'],
    ['right after one', { prevIndex: 'A' }, 'ACBDE'],
    ['right before one', { nextIndex: 'B' }, 'ACBDE'],
    ['to the start', { prevIndex: null }, 'CABDE'],
    ['to the start, before the first', { prevIndex: null, nextIndex: 'A' }, 'CABDE'],
    ['to the end', { nextIndex: null }, 'ABDEC'],
    ['to the end, after the last', { prevIndex: 'E', nextIndex: null }, 'ABDEC'],
    ['right after the first where the two are not neighbours', { prevIndex: 'A', nextIndex: 'E' }, 'ACBDE'],
    ['right after the one that is no longer the last', { prevIndex: 'A', nextIndex: null }, 'ACBDE'],
    ['to the start where the other is no longer the first', { prevIndex: null, nextIndex: 'E' }, 'CABDE'],
    ['to where it is', { prevIndex: 'B', nextIndex: 'D' }, 'ABCDE'],
    ['after itself, so nowhere', { prevIndex: 'C' }, 'ABCDE'],
    ['before itself, so nowhere', { nextIndex: 'C' }, 'ABCDE'],
  ])('moves %s', async (_label, neighbours, order) => {
    const sections = await makeSections('ABCDE');
    const keys = Object.entries(neighbours).map(([side, letter]) => [side, letter && sections[letter]?.sortKey]);
    const { status, body } = await patch(sections['C'] as RestSection, Object.fromEntries(keys));
    expect(status).toBe(200);
    expect(await namesOf(project)).toBe(order);
    expect(await sectionsOf(project)).toContainEqual(body.updatedSection);
  });

  test('accepts null on both sides only if there is no other section', async () => {
    const { A } = await makeSections('A');
    expect(await patch(A as RestSection, { prevIndex: null, nextIndex: null })).toMatchObject({ status: 200 });
    await makeSections('B');
    expect(await patch(A as RestSection, { prevIndex: null, nextIndex: null })).toMatchObject(problem('prevIndex'));
  });

  test('refuses neighbours that are not in the project, or not in that order', async () => {
    const { A, B, C } = await makeSections('ABC');
    const { Z } = await makeSections('VWXYZ', await makeProject(anna));
    const section = C as RestSection;
    expect(await patch(section, { prevIndex: 'zz' })).toMatchObject(problem('prevIndex'));
    expect(await patch(section, { nextIndex: 'a\0' })).toMatchObject(problem('nextIndex'));
    expect(await patch(section, { prevIndex: '' })).toMatchObject(problem('prevIndex'));
    expect(await patch(section, { nextIndex: 3 })).toMatchObject(problem('nextIndex'));
    expect(await patch(section, { prevIndex: Z?.sortKey })).toMatchObject(problem('prevIndex'));
    expect(await patch(section, { prevIndex: B?.sortKey, nextIndex: A?.sortKey })).toMatchObject(problem('prevIndex'));
    expect(await patch(section, { prevIndex: A?.sortKey, nextIndex: A?.sortKey })).toMatchObject(problem('prevIndex'));
    expect(await namesOf(project)).toBe('ABC');
  });

  test('gives the project new keys if no key fits between the neighbours', async () => {
    const { A, B, C } = await makeSections('ABC');
    const narrowKey = `a0${'0'.repeat(250)}1`;
    await service.sql('UPDATE sections SET sort_key = $2 WHERE id = $1', [B?.id, narrowKey]);
    const { status, body } = await patch(C as RestSection, { prevIndex: A?.sortKey, nextIndex: narrowKey });
    expect(status).toBe(200);
    expect(await namesOf(project)).toBe('ACB');
    const sections = await sectionsOf(project);
    expect(sections).toContainEqual(body.updatedSection);
    expect(sections.every(({ sortKey }) => sortKey.length < 10)).toBe(true);
  });

  describe('to another project', () => {
    let target: RestProject;
    beforeEach(async () => {
      target = await makeProject(anna);
    });

    test('makes it the last one there, and moves its tasks', async () => {
      const { A } = await makeSections('A');
      await makeSections('XY', target);
      const task = await makeTask(anna, { projectId: project.id, projectSectionId: A?.id });
      const subtask = await makeTask(anna, { parentId: task.id });
      const { body } = await patch(A as RestSection, { projectId: target.id, name: 'Z' });
      expect(body.updatedSection).toMatchObject({ id: A?.id, projectId: target.id });
      expect(await namesOf(target)).toBe('XYZ');
      expect(await namesOf(project)).toBe('');
      const moved = { project_id: target.id, section_id: A?.id };
      expect(
        await service.sql('SELECT project_id, section_id FROM tasks WHERE id = ANY ($1)', [[task.id, subtask.id]]),
      ).toEqual([moved, moved]);
    });

    test('finds its place among the sections there', async () => {
      const { A } = await makeSections('A');
      const { X, Y } = await makeSections('XY', target);
      await patch(A as RestSection, { projectId: target.id, prevIndex: X?.sortKey, nextIndex: Y?.sortKey });
      expect(await namesOf(target)).toBe('XAY');
    });

    test('keeps its place if the project is the same', async () => {
      const { A } = await makeSections('AB');
      expect(await patch(A as RestSection, { projectId: project.id })).toMatchObject({ status: 200 });
      expect(await namesOf(project)).toBe('AB');
    });

    test('moves it to the project of a workspace, where members see it', async () => {
      const shared = await makeProject(anna, { workspaceId: (await makeWorkspace(anna, ben)).id });
      const { A } = await makeSections('A');
      const task = await makeTask(anna, { projectId: project.id, projectSectionId: A?.id });
      await patch(A as RestSection, { projectId: shared.id });
      const query = 'query ($a: ID!, $b: ID!) { nodes(ids: [$a, $b]) { id } }';
      expect(await ben.data(query, { a: A?.id, b: task.id })).toEqual({ nodes: [{ id: A?.id }, { id: task.id }] });
    });

    test.each(['nonsense', 'a\0', unknownProject, '', null, 1])('is 400 for the project %j', async (projectId) => {
      const { A } = await makeSections('A');
      expect(await patch(A as RestSection, { projectId })).toMatchObject(problem('projectId'));
    });

    test("is 400 for others' projects", async () => {
      const { A } = await makeSections('A');
      const { id } = await makeProject(ben);
      expect(await patch(A as RestSection, { projectId: id })).toMatchObject(problem('projectId'));
      expect(await namesOf(project)).toBe('A');
    });

    test('refuses sort keys of the project that it leaves', async () => {
      const { A, D } = await makeSections('ABCD');
      await makeSections('X', target);
      const move = { projectId: target.id, prevIndex: D?.sortKey };
      expect(await patch(A as RestSection, move)).toMatchObject(problem('prevIndex'));
    });
  });

  test('is 404 for a section of another project, also with a bad body', async () => {
    const section = await makeSection(anna, project.id);
    const other = await makeProject(anna);
    const foreign = await makeSection(ben, (await makeProject(ben)).id);
    const paths = [
      pathOf({ ...section, projectId: other.id }),
      pathOf({ ...section, id: unknownSection }),
      pathOf({ ...section, projectId: 'nonsense' }),
      pathOf(foreign),
      pathOf({ ...foreign, projectId: project.id }),
    ];
    for (const path of paths) {
      for (const body of [{ name: 'mine' }, {}, { name: 1 }, { prevIndex: 'zz' }]) {
        expect(await anna.patch(path, body)).toMatchObject(notFound);
      }
    }
  });

  test.each([{ name: '' }, { name: null }, { name: 'a\0' }])('is 400 for %j', async (body) => {
    expect(await patch(await makeSection(anna, project.id), body)).toMatchObject(problem('name'));
  });

  test('is 401 without a session', async () => {
    const section = await makeSection(anna, project.id);
    expect(await service.anonymous.patch(pathOf(section), {})).toMatchObject({ status: 401 });
  });
});

describe('DELETE /api/v2/projects/:id/sections/:sectionId', () => {
  test('deletes the section and keeps its tasks', async () => {
    const section = await makeSection(anna, project.id);
    const task = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
    const answer = await anna.delete(pathOf(section), undefined, { headers: { 'Content-Type': 'application/json' } });
    expect(answer).toMatchObject({ status: 200, body: { msg: 'section deleted sucessfully' } });
    expect(await sectionsOf(project)).toEqual([]);
    const { todos } = (await anna.get<{ todos: unknown[] }>('/api/v2/todo')).body;
    expect(todos).toContainEqual(
      expect.objectContaining({ id: task.id, projectId: project.id, projectSectionId: null }),
    );
    expect(await anna.delete(pathOf(section))).toMatchObject(notFound);
  });

  test("is 404 for a section of another project and others' sections", async () => {
    const section = await makeSection(anna, project.id);
    const foreign = await makeSection(ben, (await makeProject(ben)).id);
    const paths = [
      pathOf({ ...section, projectId: (await makeProject(anna)).id }),
      pathOf({ ...section, id: unknownSection }),
      pathOf(foreign),
      pathOf({ ...foreign, projectId: project.id }),
    ];
    for (const path of paths) expect(await anna.delete(path)).toMatchObject(notFound);
    expect(await service.sql('SELECT id FROM sections WHERE id = ANY ($1)', [[section.id, foreign.id]])).toHaveLength(
      2,
    );
  });

  test('is 401 without a session', async () => {
    const section = await makeSection(anna, project.id);
    expect(await service.anonymous.delete(pathOf(section))).toMatchObject({ status: 401 });
  });
});
