import { describe, test } from '@jest/globals';
import { type Case, check, deleted, place, project, section, task, updated } from './plans.ts';

const [first, second, team] = [project('1'), project('2'), project('team', 'team')];
const rows = [first, second, team];
const [a, one] = [section('a'), task('one')];
const inA = task('one', place('project-1', 'section-a'));
const below = (parent: string, more: ReturnType<typeof place> = place('project-1')) => ({ ...more, parent_id: parent });
const toInbox = { project_id: 'project-inbox' };

describe('a restored task', () => {
  const child = task('child', below('task-one'));
  const atInbox = { ...one, ...toInbox };
  const gone = 'task-one.project its project is gone: it is in another one';
  test.each<Case>([
    ['has its section', [deleted(inA)], [...rows, a], { inserts: { 'task-one': inA } }],
    [
      'has its section, which returns too',
      [deleted(inA), deleted(a)],
      rows,
      { inserts: { 'task-one': inA, 'section-a': a } },
    ],
    ['has its parent', [deleted(child)], [...rows, one], { inserts: { 'task-child': child } }],
    ['goes to the fallback project', [deleted(one)], [], { inserts: { 'task-one': atInbox }, conflicts: [gone] }],
    ['goes there without its section', [deleted(inA)], [], { inserts: { 'task-one': atInbox }, conflicts: [gone] }],
    [
      'goes there without a section that is elsewhere',
      [deleted(inA)],
      [second, section('a', 'project-2')],
      { inserts: { 'task-one': atInbox }, conflicts: [gone, 'task-one.section its section is gone: it has none'] },
    ],
    [
      'stays deleted without a project',
      [deleted(task('t', place('project-9', null, null, 'team')))],
      rows,
      { conflicts: ['task-t there is no project for it any more'] },
    ],
    [
      'has no section that is gone',
      [deleted(inA)],
      rows,
      { inserts: { 'task-one': one }, conflicts: ['task-one.section its section is gone: it has none'] },
    ],
    [
      'has no section of another project',
      [deleted(inA)],
      [...rows, section('a', 'project-2')],
      { inserts: { 'task-one': one }, conflicts: ['task-one.section its section is gone: it has none'] },
    ],
    [
      'is at the top level without its parent',
      [deleted(child)],
      rows,
      {
        inserts: { 'task-child': task('child') },
        conflicts: ['task-child.parent its parent is gone: it is at the top level'],
      },
    ],
    [
      'is at the top level if its parent is in another project',
      [deleted(child)],
      [...rows, task('one', place('project-2'))],
      {
        inserts: { 'task-child': task('child') },
        conflicts: ['task-child.parent its parent is gone: it is at the top level'],
      },
    ],
    [
      'follows its parent to the fallback project',
      [deleted(one), deleted(child)],
      [],
      {
        inserts: { 'task-one': atInbox, 'task-child': { ...child, ...toInbox } },
        conflicts: [gone, 'task-child.project its project is gone: it is in another one'],
      },
    ],
  ])('%s', check);
});

describe('a task that moves back', () => {
  const there = task('one', place('project-2'));
  const back = updated('task-one', { project_id: ['project-1', 'project-2'] });
  const child = task('child', below('task-one', place('project-2')));
  const grandchild = task('grand', below('task-child', place('project-2')));
  test.each<Case>([
    [
      'takes its subtree',
      [back],
      [...rows, there, child, { ...child, id: 'task-twin' }, grandchild, task('other', place('project-2'))],
      {
        updates: {
          'task-twin': { ...task('child', below('task-one')), id: 'task-twin' },
          'task-one': one,
          'task-child': task('child', below('task-one')),
          'task-grand': task('grand', below('task-child')),
        },
      },
    ],
    [
      'takes it to its section',
      [updated('task-one', { project_id: ['project-1', 'project-2'], section_id: ['section-a', null] })],
      [...rows, a, there, child],
      {
        updates: {
          'task-one': inA,
          'task-child': task('child', below('task-one', place('project-1', 'section-a'))),
        },
      },
    ],
    [
      'takes it to another space',
      [updated('task-one', { project_id: ['project-team', 'project-2'], space_id: ['team', 'home'] })],
      [...rows, there, child],
      {
        updates: {
          'task-one': task('one', place('project-team', null, null, 'team')),
          'task-child': task('child', below('task-one', place('project-team', null, null, 'team'))),
        },
      },
    ],
    [
      'stays with its subtree if its project is gone',
      [updated('task-one', { project_id: ['project-9', 'project-2'] })],
      [...rows, there, child, grandchild],
      { conflicts: ['task-one.project its project is gone'] },
    ],
    [
      'gets its other fields without its place',
      [updated('task-one', { project_id: ['project-9', 'project-2'], title: ['old', 'one'] })],
      [...rows, there, child],
      { updates: { 'task-one': { ...there, title: 'old' } }, conflicts: ['task-one.project its project is gone'] },
    ],
    [
      'keeps its section too if its project is gone',
      [
        updated('task-one', {
          project_id: ['project-9', 'project-2'],
          section_id: ['section-a', null],
          title: ['old', 'one'],
        }),
      ],
      [...rows, a, there],
      { updates: { 'task-one': { ...there, title: 'old' } }, conflicts: ['task-one.project its project is gone'] },
    ],
    [
      'leaves a section that stays',
      [back],
      [...rows, section('b', 'project-2'), task('one', place('project-2', 'section-b'))],
      { updates: { 'task-one': one }, conflicts: ['task-one.section its section is gone: it has none'] },
    ],
    [
      'takes its subtree to no section if the section is gone',
      [updated('task-one', { project_id: ['project-1', 'project-2'], section_id: ['section-gone', null] })],
      [...rows, there, child],
      {
        updates: { 'task-one': one, 'task-child': task('child', below('task-one')) },
        conflicts: ['task-one.section its section is gone: it has none'],
      },
    ],
    [
      'stays as it is if only its section would return, which is gone',
      [updated('task-one', { section_id: ['section-gone', null] })],
      [...rows, one],
      { conflicts: ['task-one.section its section is gone: it has none'] },
    ],
    [
      'has no section if the section is gone',
      [updated('task-one', { section_id: ['section-gone', null], title: ['old', 'one'] })],
      [...rows, one],
      {
        updates: { 'task-one': { ...one, title: 'old' } },
        conflicts: ['task-one.section its section is gone: it has none'],
      },
    ],
    [
      'does not leave its parent',
      [updated('task-child', { project_id: ['project-1', 'project-2'] })],
      [...rows, there, child],
      { conflicts: ['task-child.parent its parent is gone, or in another project'] },
    ],
    [
      'stays with its parent, which stays',
      [
        updated('task-child', { project_id: ['project-1', 'project-2'] }),
        updated('task-one', { project_id: ['project-1', 'project-2'], parent_id: ['task-gone', null] }),
      ],
      [...rows, there, child],
      {
        conflicts: [
          'task-one.parent its parent is gone, or in another project',
          'task-child.parent its parent is gone, or in another project',
        ],
      },
    ],
    [
      'needs its parent',
      [updated('task-one', { parent_id: ['task-gone', null] })],
      [...rows, one],
      { conflicts: ['task-one.parent its parent is gone, or in another project'] },
    ],
    [
      'needs its parent in its project',
      [updated('task-one', { parent_id: ['task-far', null] })],
      [...rows, one, task('far', place('project-2'))],
      { conflicts: ['task-one.parent its parent is gone, or in another project'] },
    ],
    [
      'moves below its parent',
      [updated('task-one', { parent_id: ['task-top', null] })],
      [...rows, one, task('top')],
      { updates: { 'task-one': task('one', below('task-top')) } },
    ],
    [
      'to the top level leaves its parent',
      [updated('task-one', { parent_id: [null, 'task-top'] })],
      [...rows, task('one', below('task-top')), task('top')],
      { updates: { 'task-one': one } },
    ],
    [
      'moves back with subtasks that the operation moved out',
      [back, updated('task-child', { project_id: ['project-1', 'project-2'], parent_id: ['task-one', null] })],
      [...rows, there, task('child', place('project-2'))],
      { updates: { 'task-one': one, 'task-child': task('child', below('task-one')) } },
    ],
  ])('%s', check);
});
