import { describe, expect, test } from '@jest/globals';
import type { EntityDiff } from '../../src/history/diffs.ts';
import { created, deleted, nothing, place, plan, project, section, type State, task, updated } from './plans.ts';

const outOfSight = { ...nothing, conflicts: ['a TASK is where you cannot see it'] };
const one = task('one');
const [first, second] = [project('1'), project('2')];

describe('an undo of a creation', () => {
  test.each<[string, EntityDiff, State, object]>([
    ['deletes the entity', created('task-one'), { rows: [one] }, { ...nothing, deletes: ['task-one'] }],
    ['does nothing if it is gone', created('task-one'), {}, nothing],
    [
      'keeps what was edited or built upon',
      created('task-one'),
      { rows: [one], builtUpon: ['task-one'] },
      { ...nothing, conflicts: ['task-one was edited or built upon (later)'] },
    ],
    [
      'does not reach a space that the caller does not see',
      created('task-one'),
      { rows: [{ ...one, space_id: 'other' }] },
      outOfSight,
    ],
    [
      'keeps what came from such a space',
      created('task-one', { isPartlyVisible: true }),
      { rows: [one] },
      { ...nothing, conflicts: ['task-one came from a space that you cannot see'] },
    ],
    [
      'deletes a workspace, which is its own space',
      created('workspace-team'),
      {
        rows: [{ id: 'team', name: 'Team' }].map((row) => ({ ...row, id: 'workspace-team' })),
        spaceIds: ['workspace-team'],
      },
      { ...nothing, deletes: ['workspace-team'] },
    ],
  ])('%s', (_name, diff, state, expected) => {
    expect(plan([diff], state)).toStrictEqual(expected);
  });

  test.each([
    ['project', 'project-1', task('late')],
    ['section', 'section-a', task('late', place('project-2', 'section-a'))],
    ['parent', 'task-one', task('late', place('project-2', null, 'task-one'))],
  ])('keeps a %s whose contents stay', (_name, container, late) => {
    const rows = [first, second, section('a', 'project-2'), one, late];
    expect(plan([created(container)], { rows })).toEqual({
      ...nothing,
      conflicts: [`${container} was edited or built upon (later)`],
    });
    expect(plan([created(container), created('task-late')], { rows, builtUpon: ['task-one'] }).deletes).toEqual(
      container === 'task-one' ? ['task-late'] : container === 'project-1' ? ['task-late'] : ['section-a', 'task-late'],
    );
  });

  test('keeps each container above what stays', () => {
    const rows = [first, section('a'), task('low', place('project-1', 'section-a'))];
    const diffs = [created('project-1'), created('section-a')];
    expect(plan(diffs, { rows })).toEqual({
      ...nothing,
      conflicts: ['project-1 was edited or built upon (later)', 'section-a was edited or built upon (later)'],
    });
  });

  test('deletes a container whose contents return to their former place', () => {
    const rows = [first, second, task('moved', place('project-2'))];
    const diffs = [created('project-2'), updated('task-moved', { project_id: ['project-1', 'project-2'] })];
    expect(plan(diffs, { rows })).toEqual({
      ...nothing,
      updates: { 'task-moved': task('moved') },
      deletes: ['project-2'],
    });
  });
});

describe('an undo of a deletion', () => {
  const rows = [first];
  test.each<[string, EntityDiff, State, object]>([
    ['restores the entity', deleted(one), { rows }, { ...nothing, inserts: { 'task-one': one } }],
    ['does nothing if it is back', deleted(one), { rows: [first, one] }, nothing],
    ['does not reach another space', deleted(one), { rows: [{ ...one, space_id: 'other' }] }, outOfSight],
    [
      'does not restore what left for another space',
      deleted(one, { isPartlyVisible: true }),
      { rows },
      { ...nothing, conflicts: ['a TASK is in a space that you cannot see'] },
    ],
    [
      'does not restore what was deleted again',
      deleted(one),
      { rows, restorable: [], deletedAgain: ['task-one'] },
      { ...nothing, conflicts: ['task-one was deleted again (later)'] },
    ],
    ['does not name what was deleted out of sight', deleted(one), { rows, restorable: [] }, outOfSight],
  ])('%s', (_name, diff, state, expected) => {
    expect(plan([diff], state)).toStrictEqual(expected);
  });
});

describe('an undo of an update', () => {
  const now = { ...one, title: 'new', color: 'red' };
  const title = updated('task-one', { title: ['old', 'new'] });
  const hiddenTags = [{ owner: 'home', added: [], removed: [], now: [], isHidden: true }];
  test.each<[string, EntityDiff, State, object]>([
    ['restores a field', title, { rows: [now] }, { ...nothing, updates: { 'task-one': { ...now, title: 'old' } } }],
    ['does nothing if it is back', title, { rows: [{ ...now, title: 'old' }] }, nothing],
    [
      'keeps a field with a later change',
      title,
      { rows: [{ ...now, title: 'newer' }] },
      { ...nothing, conflicts: ['task-one.title was changed again (later)'] },
    ],
    ['needs the entity', title, {}, { ...nothing, conflicts: ['task-one was deleted (later)'] }],
    ['does not reach another space', title, { rows: [{ ...now, space_id: 'other' }] }, outOfSight],
    [
      'takes moments in other zones as equal',
      updated('task-one', { due_time: ['2026-01-01T09:00:00+00:00', '2026-01-01T10:00:00+00:00'] }),
      { rows: [{ ...now, is_all_day: false, due_time: '2026-01-01T11:00:00+01:00' }] },
      { ...nothing, updates: { 'task-one': { ...now, is_all_day: false, due_time: '2026-01-01T09:00:00+00:00' } } },
    ],
    [
      'restores columns alone or in groups',
      updated('task-one', { title: ['old', 'new'], completed: [false, true], completed_at: [null, '2026-01-01Z'] }),
      { rows: [{ ...now, completed: true, completed_at: '2026-01-02Z' }] },
      {
        ...nothing,
        updates: { 'task-one': { ...now, title: 'old', completed: true, completed_at: '2026-01-02Z' } },
        conflicts: ['task-one.completed was changed again (later)', 'task-one.completedAt was changed again (later)'],
      },
    ],
    [
      'of a name and its slug',
      updated('project-1', { name: ['old', '1'], slug: ['old', '1'] }),
      { rows: [{ ...first, slug: 'other' }] },
      {
        ...nothing,
        conflicts: ['project-1.name was changed again (later)', 'project-1.slug was changed again (later)'],
      },
    ],
    [
      'of a place names its visible parts',
      updated('task-one', { space_id: ['team', 'home'], project_id: ['project-3', 'project-2'] }),
      { rows: [first, one] },
      { ...nothing, conflicts: ['task-one.project was changed again (later)'] },
    ],
    [
      'of a time and its kind',
      updated('task-one', { is_all_day: [false, true], due_time: ['2026-01-01T09:00Z', null] }),
      { rows: [{ ...now, is_all_day: false, due_time: null }] },
      {
        ...nothing,
        conflicts: ['task-one.isAllDay was changed again (later)', 'task-one.dueTime was changed again (later)'],
      },
    ],
    [
      'keeps a time of day without its date kind',
      updated('task-one', { due_time: ['2026-01-01T09:00Z', null], title: ['old', 'new'] }),
      { rows: [{ ...now, is_all_day: true, due_time: null }] },
      {
        ...nothing,
        updates: { 'task-one': { ...now, title: 'old', is_all_day: true, due_time: null } },
        conflicts: ['task-one.isAllDay has a time of day (later)'],
      },
    ],
    ['of hidden tags alone does nothing', updated('task-one', {}, { tags: hiddenTags }), {}, nothing],
    [
      'of visible tags needs the task',
      updated('task-one', {}, { tags: [...hiddenTags, { ...hiddenTags[0], isHidden: false } as never] }),
      {},
      { ...nothing, conflicts: ['task-one was deleted (later)'] },
    ],
    [
      'of columns, with hidden tags, needs it too',
      { ...title, tags: hiddenTags },
      {},
      { ...nothing, conflicts: ['task-one was deleted (later)'] },
    ],
    [
      'does nothing for an entity that the operation deleted and restored, and that is the same',
      updated('task-one', { id: ['task-one', undefined], title: ['new', undefined] }),
      { rows: [now] },
      nothing,
    ],
    [
      'and reports one that differs',
      updated('task-one', { id: ['task-one', undefined], title: ['old', undefined] }),
      { rows: [now] },
      { ...nothing, conflicts: ['task-one was deleted and made anew'] },
    ],
  ])('%s', (_name, diff, state, expected) => {
    expect(plan([diff], state)).toStrictEqual(expected);
  });
});

describe('an undo of assignments', () => {
  const assigned = (...ids: string[]) => ({ ...one, assignee_ids: ids });
  const diff = updated('task-one', {
    assignee_ids: [
      ['anna', 'ben'],
      ['ben', 'carl'],
    ],
  });
  test.each([
    ['restores them in their order', ['ben', 'carl'], ['anna', 'ben']],
    ['keeps later ones', ['dora', 'ben', 'carl'], ['dora', 'ben', 'anna']],
    ['assigns nobody who was removed since', ['carl'], ['anna']],
  ])('%s', (_name, now, then) => {
    expect(plan([diff], { rows: [assigned(...now)] })).toStrictEqual({
      ...nothing,
      updates: { 'task-one': assigned(...then) },
    });
  });

  test('does nothing if they are back', () => {
    expect(plan([diff], { rows: [assigned('anna', 'ben')] })).toStrictEqual(nothing);
  });
});

describe('an undo that reaches comments', () => {
  const comment = { id: 'comment-one', space_id: 'home', task_id: 'task-one', text: 'new', edited_at: '2026-01-02Z' };
  const edit = updated('comment-one', { text: ['old', 'new'], edited_at: [null, '2026-01-02Z'] });
  const held = (id: string) => ({ ...nothing, conflicts: [`${id} was edited or built upon (later)`] });
  test.each<[string, EntityDiff, State, object]>([
    [
      'restores a text with the moment of its edit',
      edit,
      { rows: [one, comment] },
      { ...nothing, updates: { 'comment-one': { ...comment, text: 'old', edited_at: null } } },
    ],
    [
      'keeps both if one was changed again',
      edit,
      { rows: [one, { ...comment, edited_at: '2026-01-03Z' }] },
      {
        ...nothing,
        conflicts: ['comment-one.text was changed again (later)', 'comment-one.editedAt was changed again (later)'],
      },
    ],
    ['keeps a task with a comment that stays', created('task-one'), { rows: [one, comment] }, held('task-one')],
    [
      'keeps the comments of a task that was built upon',
      created('comment-one'),
      { rows: [one, comment], builtUpon: ['task-one'] },
      held('comment-one'),
    ],
  ])('%s', (_name, diff, state, expected) => {
    expect(plan([diff], state)).toStrictEqual(expected);
  });
});

test.each<[string, EntityDiff, State['rows'], string[]]>([
  ['its own space', deleted(one), [], ['home']],
  [
    'the present space too',
    updated('task-one', { title: ['old', 'one'] }),
    [{ ...one, space_id: 'team' }],
    ['home', 'team'],
  ],
  ['the former space too', updated('task-one', { space_id: ['team', 'home'] }), [one], ['home', 'team']],
])('a policy is asked with %s', (_name, diff, rows, spaceIds) => {
  const asked: unknown[] = [];
  plan([diff], { rows: rows ?? [], refuse: (change: object) => void asked.push(change) });
  expect(asked.map((change) => (change as { spaceIds: string[] }).spaceIds)).toStrictEqual([spaceIds]);
});

test.each([
  ['delete', created('task-one'), [one]],
  ['create', deleted(one), []],
  ['update', updated('task-one', { title: ['old', 'one'] }), [one]],
])('a policy can refuse to %s, which is a conflict', (action, diff, rows) => {
  const asked: unknown[] = [];
  const refuse = (change: object) => {
    asked.push(change);
    return 'may not';
  };
  expect(plan([diff], { rows, refuse })).toEqual({ ...nothing, conflicts: ['task-one may not'] });
  expect(asked).toMatchObject([{ action, type: 'TASK', id: 'task-one' }]);
  const elsewhere = [{ ...one, space_id: 'other' }];
  expect(plan([diff], { rows: elsewhere, refuse })).toEqual(outOfSight);
});
