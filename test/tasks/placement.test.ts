import { describe, expect, test } from '@jest/globals';
import { ValidationError } from '@taskgate/base';
import type { Viewer } from '../../src/platform/context.ts';
import type { Database } from '../../src/platform/database.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TaskPlacement } from '../../src/tasks/data.ts';
import { referenceGone, requireFittingIds, requireFittingPlace, targetPlace } from '../../src/tasks/placement.ts';
import type { UpdateFacts } from '../../src/tasks/update-data.ts';

const [inbox, garden, kitchen] = [newId('Project'), newId('Project'), newId('Project')];
const [shelf, above, one, two] = [newId('Section'), newId('Task'), newId('Task'), newId('Task')];

/** The path and text of an error; the result of work without one. */
async function outcome<Result>(work: () => Result | Promise<Result>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return error.problems.map(({ path, message }) => `${path} ${message}`).join();
  }
}

const unknownProject = 'input.projectId must be the id of a project that you can see';
const unknownParent = 'input.parentId must be the id of a task that you can see';
const unknownSection = 'input.sectionId must be the id of a section of the project';
const notInParentsProject = 'input.projectId must be the project of the parent task';
const gone = 'input refers to something that was deleted or moved at the same moment';

test('a reference that is gone is an error of the whole input', async () => {
  expect(await outcome(() => Promise.reject(referenceGone()))).toBe(gone);
});

type NewTask = Parameters<typeof requireFittingPlace>[0];
const newTask = (wanted: Partial<NewTask>) => ({ title: 'new', ...wanted }) as NewTask;

describe('the ids of a new task', () => {
  test.each<[string, Partial<NewTask>, string | undefined]>([
    ['none', {}, undefined],
    ['a project', { projectId: garden }, undefined],
    ['null', { projectId: null, sectionId: null }, undefined],
    ['a project and a section', { projectId: garden, sectionId: shelf }, undefined],
    ['a section alone', { sectionId: shelf }, 'input.sectionId needs a projectId beside it'],
    [
      'a section without a project',
      { projectId: null, sectionId: shelf },
      'input.sectionId needs a projectId beside it',
    ],
    ['a section as the project', { projectId: shelf }, unknownProject],
    ['nonsense', { projectId: 'nonsense' }, unknownProject],
  ])('%s', async (_name, wanted, expected) => {
    expect(await outcome(() => requireFittingIds(newTask(wanted)))).toBe(expected);
  });
});

describe('the place of a new task', () => {
  const found = (placement: Partial<TaskPlacement>) =>
    ({
      projectId: inbox,
      parentId: null,
      parentProjectId: null,
      parentLevel: null,
      sectionId: null,
      ...placement,
    }) as TaskPlacement;
  const below = { parentId: above, projectId: garden, parentProjectId: garden, parentLevel: 1 };
  test.each<[string, Partial<NewTask>, Partial<TaskPlacement>, string]>([
    ['the inbox', {}, {}, inbox],
    ['a project', { projectId: garden }, { projectId: garden }, garden],
    ['a section', { projectId: garden, sectionId: shelf }, { projectId: garden, sectionId: shelf }, garden],
    ['below a task', { parentId: above }, below, garden],
    ['below a task on level 9', { parentId: above }, { ...below, parentLevel: 9 }, garden],
    [
      'below a task on level 10',
      { parentId: above },
      { ...below, parentLevel: 10 },
      'input.parentId must not be on level 10, the last one',
    ],
    ['below an unknown task', { parentId: above }, {}, unknownParent],
    ['a default project that is gone', {}, { projectId: null }, gone],
    ['no project, which is gone', { projectId: null }, { projectId: null }, gone],
    ['an unknown project', { projectId: garden }, { projectId: null }, unknownProject],
    [
      'below a task of another project',
      { parentId: above, projectId: kitchen },
      { ...below, projectId: kitchen },
      notInParentsProject,
    ],
    ['an unknown section', { projectId: garden, sectionId: shelf }, { projectId: garden }, unknownSection],
    [
      'below a task that repeats, if it repeats too',
      { parentId: above },
      { ...below, isNested: true },
      'input.recurrence must not put a task that repeats above or below another',
    ],
  ])('%s', async (_name, wanted, placement, expected) => {
    expect(await outcome(() => requireFittingPlace(newTask(wanted), found(placement)))).toBe(expected);
  });
});

describe('a move', () => {
  type Target = UpdateFacts['targets'][number];
  const target = (id: string, projectId = inbox, parentId: string | null = null): Target => ({
    ...{ id, projectId, parentId },
    ...{ spaceId: 'home', sectionId: null },
  });
  const parent = {
    projectId: garden,
    spaceId: 'team',
    sectionId: shelf,
    level: 1,
    isBelow: false,
    height: 1,
    isNested: false,
  };

  interface Move {
    targets?: Target[];
    projectId?: string | null;
    sectionId?: string | null;
    parentId?: string | null;
    /** Space of the named project. */
    projectSpaceId?: string | null;
    sectionProjectId?: string | null;
    parent?: typeof parent;
  }

  const move = ({ targets = [target(one)], projectId, sectionId, parentId, parent: found, ...facts }: Move) =>
    outcome(() =>
      targetPlace(
        { $queryRaw: () => Promise.resolve(found ? [found] : []) } as unknown as Database,
        { spaceIds: ['home', 'team'] } as unknown as Viewer,
        { projectId, sectionId, parentId },
        { projectId: projectId === null ? inbox : (projectId ?? null), sectionId: sectionId ?? null },
        { targets, projectSpaceId: null, sectionProjectId: null, tagIds: [], ...facts },
      ),
    );
  // The statement counts the levels above this one: the moved task is on level 1, and its subtasks are on level 2.
  test.each([
    ['its subtasks alone if its recurrence ends', { recurrence: null }, 1],
    ['itself too if it gets a recurrence', { recurrence: { rule: 'FREQ=DAILY' } }, 0],
    ['itself too if its recurrence stays', {}, 0],
  ])('below a repeating task concerns %s', async (_name, wanted, level) => {
    const asked: unknown[] = [];
    const $queryRaw = (_texts: unknown, ...values: unknown[]) => {
      asked.push(...values);
      return Promise.resolve([parent]);
    };
    await targetPlace(
      { $queryRaw } as unknown as Database,
      { spaceIds: ['home'] } as unknown as Viewer,
      { parentId: above, ...wanted },
      { projectId: null, sectionId: null },
      { targets: [target(one)], projectSpaceId: null, sectionProjectId: null, tagIds: [] },
    );
    expect(asked.filter((value) => typeof value === 'number')).toEqual([level]);
  });

  const toGarden = { projectId: garden, projectSpaceId: 'team' };
  const inGarden = { sectionId: null, project: { id: garden, spaceId: 'team' } };

  test.each<[string, Move, unknown]>([
    ['to a project, without a section', toGarden, { place: inGarden }],
    [
      'to a section of it',
      { ...toGarden, sectionId: shelf, sectionProjectId: garden },
      { place: { ...inGarden, sectionId: shelf } },
    ],
    [
      'to the inbox',
      { targets: [target(one, garden)], projectId: null, projectSpaceId: 'home' },
      { place: { sectionId: null, project: { id: inbox, spaceId: 'home' } } },
    ],
    ['to the project that it is in', { targets: [target(one, garden)], ...toGarden }, {}],
    ['to a section of its project', { sectionId: shelf, sectionProjectId: inbox }, { place: { sectionId: shelf } }],
    ['to no section', { sectionId: null }, { place: { sectionId: null } }],
    ['of no task', { ...toGarden, targets: [] }, {}],
    ['of no task below another', { targets: [], parentId: above, parent }, {}],
    ['of no task to an unknown section', { targets: [], sectionId: shelf }, unknownSection],
    ['to an unknown project', { projectId: garden }, unknownProject],
    ['of no task to an unknown project', { targets: [], projectId: garden }, unknownProject],
    ['to an unknown section', { sectionId: shelf }, unknownSection],
    ['to a section of another project', { sectionId: shelf, sectionProjectId: garden }, unknownSection],
    [
      'below a task, to its project and section',
      { parentId: above, parent },
      { parentId: above, place: { ...inGarden, sectionId: shelf } },
    ],
    [
      'below a task of its project',
      { targets: [target(one, garden)], parentId: above, parent },
      { parentId: above, place: { sectionId: shelf } },
    ],
    [
      'below a task, and to its project',
      { ...toGarden, parentId: above, parent },
      { parentId: above, place: inGarden },
    ],
    [
      'below a task, and to no section',
      { parentId: above, parent, sectionId: null },
      { parentId: above, place: inGarden },
    ],
    [
      'below a task of another project',
      { projectId: kitchen, projectSpaceId: 'home', parentId: above, parent },
      notInParentsProject,
    ],
    ['below an unknown task', { parentId: above }, unknownParent],
    ['below nonsense', { parentId: 'nonsense', parent }, unknownParent],
    [
      'below itself',
      { parentId: above, parent: { ...parent, isBelow: true } },
      'input.parentId must not be the task itself or one below it',
    ],
    [
      'to level 10',
      { parentId: above, parent: { ...parent, level: 8, height: 2 } },
      { parentId: above, place: { ...inGarden, sectionId: shelf } },
    ],
    [
      'to level 11',
      { parentId: above, parent: { ...parent, level: 8, height: 3 } },
      'input.parentId would put a task below level 10, the last one',
    ],
    [
      'below a task that repeats, if it repeats too',
      { parentId: above, parent: { ...parent, isNested: true } },
      'input.parentId must not put a task that repeats above or below another',
    ],
    ['to the top level', { targets: [target(one, inbox, above)], parentId: null }, { parentId: null }],
    [
      'to the top level of a project',
      { targets: [target(one, inbox, above)], parentId: null, ...toGarden },
      { parentId: null, place: inGarden },
    ],
    ['out of its parent', { targets: [target(one, inbox, above)], ...toGarden }, notInParentsProject],
    ['of a subtask within its project', { targets: [target(one, garden, above)], ...toGarden }, {}],
    ['with its parent', { targets: [target(one), target(two, inbox, one)], ...toGarden }, { place: inGarden }],
    [
      'with a task that is not its parent',
      { targets: [target(one), target(two, inbox, above)], ...toGarden },
      notInParentsProject,
    ],
    ['of tasks of several projects', { targets: [target(one), target(two, garden)], ...toGarden }, { place: inGarden }],
    [
      'of tasks of several projects to no section',
      { targets: [target(one), target(two, garden)], sectionId: null },
      { place: { sectionId: null } },
    ],
    [
      'of tasks of several projects to a section',
      { targets: [target(one), target(two, garden)], sectionId: shelf, sectionProjectId: garden },
      'input.sectionId must be a section of the project of every task',
    ],
  ])('%s', async (_name, wanted, expected) => {
    expect(await move(wanted)).toStrictEqual(expected);
  });
});
