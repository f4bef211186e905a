import { describe, test } from '@jest/globals';
import { type Case, check, created, deleted, place, project, type Row, task, updated } from './plans.ts';

const [first, one] = [project('1'), task('one')];
const below = (parent: string) => ({ ...place('project-1'), parent_id: parent });

describe('levels', () => {
  /** Tasks 1 to `count`, each below the one before. */
  const chain = (count: number, name = '') =>
    Array.from({ length: count }, (_, index) =>
      task(`${name}${index + 1}`, index === 0 ? place('project-1') : below(`task-${name}${index}`)),
    );
  const reason = 'would be below itself, or beyond ten levels';
  const moveBelow = (level: number, id = 'task-one') => updated(id, { parent_id: [`task-${level}`, null] });
  test.each<Case>([
    [
      'ten are permitted',
      [moveBelow(9)],
      [first, ...chain(9), one],
      { updates: { 'task-one': task('one', below('task-9')) } },
    ],
    ['eleven are not', [moveBelow(10)], [first, ...chain(10), one], { conflicts: [`task-one.parent ${reason}`] }],
    [
      'subtasks count',
      [moveBelow(8, 'task-x1')],
      [first, ...chain(8), ...chain(3, 'x')],
      { conflicts: [`task-x1.parent ${reason}`] },
    ],
    [
      'of the highest subtree',
      [moveBelow(8, 'task-x1')],
      [first, ...chain(8), ...chain(2, 'x'), task('y', below('task-x1'))],
      { updates: { 'task-x1': task('x1', below('task-8')) } },
    ],
    [
      'subtasks that leave do not count',
      [moveBelow(9, 'task-x1'), updated('task-x2', { parent_id: [null, 'task-x1'] })],
      [first, ...chain(9), ...chain(2, 'x')],
      { updates: { 'task-x1': task('x1', below('task-9')), 'task-x2': task('x2') } },
    ],
    [
      'subtasks that cannot leave count',
      [moveBelow(9, 'task-x1'), updated('task-x2', { parent_id: ['task-10', 'task-x1'] })],
      [first, ...chain(10), ...chain(2, 'x')],
      { conflicts: [`task-x2.parent ${reason}`, `task-x1.parent ${reason}`] },
    ],
    [
      'deleted subtasks do not count',
      [moveBelow(9, 'task-x1'), created('task-x2')],
      [first, ...chain(9), ...chain(2, 'x')],
      { updates: { 'task-x1': task('x1', below('task-9')) }, deletes: ['task-x2'] },
    ],
    [
      'a restored task is at the top level instead',
      [deleted(task('one', below('task-10')))],
      [first, ...chain(10)],
      { inserts: { 'task-one': one }, conflicts: [`task-one.parent ${reason}: it is at the top level`] },
    ],
    [
      'the highest of restored tasks is at the top level instead',
      [deleted(task('low', below('task-one'))), deleted(task('one', below('task-9')))],
      [first, ...chain(9)],
      {
        inserts: { 'task-low': task('low', below('task-one')), 'task-one': one },
        conflicts: [`task-one.parent ${reason}: it is at the top level`],
      },
    ],
    [
      'no task is below itself',
      [updated('task-1', { parent_id: ['task-2', null] })],
      [first, ...chain(2)],
      { conflicts: [`task-1.parent ${reason}`] },
    ],
    [
      'two tasks exchange their levels',
      [updated('task-1', { parent_id: ['task-2', null] }), updated('task-2', { parent_id: [null, 'task-1'] })],
      [first, ...chain(2)],
      { updates: { 'task-1': task('1', below('task-2')), 'task-2': task('2') } },
    ],
    [
      'a task that only changes its title may be too deep already',
      [updated('task-11', { title: ['old', '11'] })],
      [first, ...chain(11)],
      { updates: { 'task-11': { ...task('11', below('task-10')), title: 'old' } } },
    ],
  ])('%s', check);
});

describe('an entity of a task or another owner', () => {
  const note: Row = { id: 'tag-note', space_id: 'home', task_id: 'task-one', name: 'note' };
  test.each<Case>([
    ['comes back to its owner', [deleted(note)], [one], { inserts: { 'tag-note': note } }],
    [
      'stays deleted if its owner has moved to another space',
      [deleted(note)],
      [task('one', place('project-team', null, null, 'team'))],
      { conflicts: ['tag-note what it belongs to is gone'] },
    ],
    [
      'has the space of its owner',
      [updated('tag-note', { color: ['RED', 'BLUE'] })],
      [{ ...note, color: 'BLUE' }, task('one', place('project-team', null, null, 'team'))],
      { updates: { 'tag-note': { ...note, space_id: 'team', color: 'RED' } } },
    ],
    ['stays deleted without it', [deleted(note)], [], { conflicts: ['tag-note what it belongs to is gone'] }],
    [
      'keeps its other fields without it',
      [updated('tag-note', { color: ['RED', 'BLUE'] })],
      [{ ...note, color: 'BLUE' }],
      { updates: { 'tag-note': { ...note, color: 'RED' } } },
    ],
  ])('%s', check);
});
