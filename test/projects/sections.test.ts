import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeProject, makeSection, makeTask, makeWorkspace, type RestProject, type RestSection } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

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

const failure = (code: string, path?: string) => ({
  errors: [{ message: expect.any(String), extensions: { code, ...(path !== undefined && { errors: [{ path }] }) } }],
});
const unknownId = 'sect_01h2xcejqtf2nbrexx3vqjhp41';

interface ProjectSections {
  project: { sections: { id: string; sortKey: string }[] };
}

const sectionsOf = async ({ id }: RestProject) => {
  const query = 'query ($id: ID!) { project(id: $id) { sections { id sortKey } } }';
  return (await anna.data<ProjectSections>(query, { id })).project.sections;
};
const patch = ({ id, projectId }: RestSection, body: object) =>
  anna.patch(`/api/v2/projects/${projectId}/sections/${id}`, body);

describe('createSection', () => {
  const create =
    'mutation ($in: ID!, $name: String!) { createSection(projectId: $in, name: $name) { id project { id } } }';

  test('creates the last section of the project', async () => {
    await makeSection(anna, project.id);
    const { createSection } = await anna.data<{ createSection: { id: string } }>(create, { in: project.id, name: 'a' });
    expect(createSection).toMatchObject({ project: { id: project.id } });
    expect((await sectionsOf(project)).map(({ id }) => id).at(-1)).toBe(createSection.id);
  });

  test('is NOT_FOUND for unknown projects and projects of others', async () => {
    for (const id of ['nonsense', 'proj_01h2xcejqtf2nbrexx3vqjhp41', (await makeProject(ben)).id]) {
      expect(await anna.graphql(create, { in: id, name: 'a' })).toMatchObject(failure('NOT_FOUND'));
    }
  });

  test('is allowed for any member of a workspace', async () => {
    const shared = await makeProject(anna, { workspaceId: (await makeWorkspace(anna, ben)).id });
    expect(await ben.data(create, { in: shared.id, name: 'a' })).toMatchObject({
      createSection: { project: { id: shared.id } },
    });
  });
});

describe('updateSection', () => {
  const update = `mutation ($id: ID!, $name: String, $projectId: ID, $in: ID) {
    updateSection(id: $id, name: $name, projectId: $projectId, inProjectId: $in) { id name project { id } }
  }`;

  test('treats null as absent, except for the indices', async () => {
    const { id, name } = await makeSection(anna, project.id);
    expect(await anna.data(update, { id, name: null, projectId: null, in: null })).toEqual({
      updateSection: { id, name, project: { id: project.id } },
    });
  });

  test('is NOT_FOUND for unknown sections, sections of others, and sections of another project', async () => {
    const own = await makeSection(anna, project.id);
    const foreign = await makeSection(ben, (await makeProject(ben)).id);
    for (const id of ['nonsense', unknownId, foreign.id]) {
      expect(await anna.graphql(update, { id, name: 'a' })).toMatchObject(failure('NOT_FOUND'));
    }
    for (const id of ['nonsense', (await makeProject(anna)).id]) {
      expect(await anna.graphql(update, { id: own.id, in: id })).toMatchObject(failure('NOT_FOUND'));
    }
  });

  test('is VALIDATION_FAILED for an unknown target', async () => {
    const { id } = await makeSection(anna, project.id);
    for (const projectId of ['nonsense', (await makeProject(ben)).id]) {
      expect(await anna.graphql(update, { id, projectId })).toMatchObject(failure('VALIDATION_FAILED', 'projectId'));
    }
  });

  test('orders like a model after any sequence of moves', async () => {
    const side = fc.option(fc.nat(), { nil: undefined });
    const move = fc.record({
      which: fc.nat(),
      target: fc.nat(),
      side: fc.constantFrom('prev', 'next', 'both'),
      end: side,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 12 }), async (moves) => {
        const of = await makeProject(anna);
        const sections: RestSection[] = [];
        for (let count = 0; count < 4; count += 1) sections.push(await makeSection(anna, of.id));
        let model = sections.map(({ id }) => id);
        for (const { which, target, side, end } of moves) {
          const moved = sections[which % sections.length] as RestSection;
          const others = (await sectionsOf(of)).filter(({ id }) => id !== moved.id);
          const place = end === undefined ? target % (others.length + 1) : (end % 2) * others.length;
          const prevIndex = others[place - 1]?.sortKey ?? null;
          const nextIndex = others[place]?.sortKey ?? null;
          const neighbours = { ...(side !== 'next' && { prevIndex }), ...(side !== 'prev' && { nextIndex }) };
          expect(await patch(moved, neighbours)).toMatchObject({ status: 200 });
          model = model.filter((id) => id !== moved.id).toSpliced(place, 0, moved.id);
          const now = await sectionsOf(of);
          expect(now.map(({ id }) => id)).toEqual(model);
          expect(new Set(now.map(({ sortKey }) => sortKey)).size).toBe(now.length);
        }
      }),
      { numRuns: 4 },
    );
  });

  test('accepts forty creates and moves at once, without errors or equal keys', async () => {
    const sections: RestSection[] = [];
    for (let count = 0; count < 6; count += 1) sections.push(await makeSection(anna, project.id));
    const anchors = sections.slice(0, 2) as [RestSection, RestSection];
    const neighbours = [
      { prevIndex: anchors[0].sortKey },
      { nextIndex: anchors[1].sortKey },
      { prevIndex: anchors[0].sortKey, nextIndex: anchors[1].sortKey },
      { prevIndex: null },
      { nextIndex: null },
    ];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? anna.post(`/api/v2/projects/${project.id}/sections`, { name: 'new' })
          : patch(sections[2 + (index % 4)] as RestSection, neighbours[index % neighbours.length] ?? {}),
      ),
    );
    for (const { status } of answers) expect([200, 201]).toContain(status);
    const now = await sectionsOf(project);
    expect(now).toHaveLength(26);
    expect(new Set(now.map(({ sortKey }) => sortKey)).size).toBe(26);
  });

  test('accepts moves between projects of two spaces at once', async () => {
    const shared = await makeProject(anna, { workspaceId: (await makeWorkspace(anna)).id });
    const there = await Promise.all(Array.from({ length: 6 }, () => makeSection(anna, project.id)));
    const back = await Promise.all(Array.from({ length: 6 }, () => makeSection(anna, shared.id)));
    const answers = await Promise.all([
      ...there.map((section) => anna.data(update, { id: section.id, projectId: shared.id })),
      ...there.map((section) => anna.data(update, { id: section.id, projectId: shared.id })),
      ...back.map((section) => anna.data(update, { id: section.id, projectId: project.id })),
    ]);
    expect(answers).toHaveLength(18);
    for (const [of, expected] of [
      [project, back],
      [shared, there],
    ] as const) {
      const now = await sectionsOf(of);
      expect(now.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
      expect(new Set(now.map(({ sortKey }) => sortKey)).size).toBe(6);
    }
  });
});

describe('deleteSection', () => {
  const remove = 'mutation ($id: ID!, $in: ID) { deleteSection(id: $id, inProjectId: $in) }';

  test('returns the id of the deleted section', async () => {
    const { id } = await makeSection(anna, project.id);
    expect(await anna.graphql(remove, { id, in: (await makeProject(anna)).id })).toMatchObject(failure('NOT_FOUND'));
    expect(await anna.data(remove, { id })).toEqual({ deleteSection: id });
    expect(await anna.graphql(remove, { id })).toMatchObject(failure('NOT_FOUND'));
  });

  test('is NOT_FOUND for sections of others', async () => {
    const { id } = await makeSection(ben, (await makeProject(ben)).id);
    expect(await anna.graphql(remove, { id })).toMatchObject(failure('NOT_FOUND'));
    expect(await ben.data('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual({ node: { id } });
  });
});

test('a write has the same number of statements for any number of sections and tasks', async () => {
  // In two spaces, a write looks up its own.
  await makeWorkspace(anna);
  const [first, second] = [await makeProject(anna), await makeProject(anna)];
  const counts: number[][] = [];
  for (const size of [1, 4]) {
    const sections: RestSection[] = [];
    for (let count = 0; count < size; count += 1) {
      const section = await makeSection(anna, first.id);
      await makeTask(anna, { projectId: first.id, projectSectionId: section.id });
      sections.push(section);
    }
    const section = sections[0] as RestSection;
    const writes = [
      () => anna.post(`/api/v2/projects/${first.id}/sections`, { name: 'a' }),
      () => patch(section, { name: 'a' }),
      () => patch(section, { nextIndex: null }),
      () => patch(section, { projectId: second.id }),
      () => anna.delete(`/api/v2/projects/${second.id}/sections/${section.id}`),
    ];
    const keyLengths: number[] = [];
    for (const write of writes) {
      const { own, result } = await recordStatements(write);
      expect(result.status).toBeLessThan(300);
      // One change notification covers many writes, and is sent after the response.
      keyLengths.push(own.length);
    }
    counts.push(keyLengths);
  }
  // Includes BEGIN, COMMIT, and the look-up of the spaces. A move reads the neighbours and moves tasks, too.
  expect(counts[0]).toEqual([7, 7, 8, 10, 6]);
  expect(counts[1]).toEqual(counts[0]);
});
