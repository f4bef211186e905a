import { describe, test } from '@jest/globals';
import { type Case, check, created, deleted, place, project, section, task, updated } from './plans.ts';

const [first, second, team] = [project('1'), project('2'), project('team', 'team')];
const rows = [first, second, team];
const a = section('a');
const inA = task('one', place('project-1', 'section-a'));
const below = (parent: string, more: ReturnType<typeof place> = place('project-1')) => ({ ...more, parent_id: parent });
const toInbox = { project_id: 'project-inbox' };

describe('a section', () => {
  const moved = updated('section-a', { project_id: ['project-9', 'project-1'] });
  const renamed = updated('section-a', { project_id: ['project-9', 'project-1'], name: ['old', 'a'] });
  const teamSection = section('t', 'project-9', 'team');
  const gone = ['section-a.project its project is gone: it is in another one'];
  test.each<Case>([
    ['returns to its project', [deleted(a)], rows, { inserts: { 'section-a': a } }],
    ['returns with its project', [deleted(first), deleted(a)], [], { inserts: { 'project-1': first, 'section-a': a } }],
    [
      'returns to the fallback project',
      [deleted(a)],
      [],
      { inserts: { 'section-a': { ...a, ...toInbox } }, conflicts: gone },
    ],
    [
      'stays in the fallback project',
      [deleted(section('a', 'project-inbox'))],
      [],
      { inserts: { 'section-a': section('a', 'project-inbox') } },
    ],
    [
      'does not return to a project that the undo deletes',
      [created('project-1'), deleted(a)],
      [first],
      { inserts: { 'section-a': { ...a, ...toInbox } }, deletes: ['project-1'], conflicts: gone },
    ],
    [
      'does not return to a project that moved to another space',
      [deleted(a)],
      [project('1', 'team')],
      { inserts: { 'section-a': { ...a, ...toInbox } }, conflicts: gone },
    ],
    [
      'stays deleted without a project',
      [deleted(teamSection)],
      rows,
      { conflicts: ['section-t there is no project for it any more'] },
    ],
    [
      'stays deleted in a space that the caller has left',
      [deleted(section('x', 'project-x', 'left'))],
      [project('x', 'left')],
      { conflicts: ['section-x there is no project for it any more'] },
    ],
    [
      'does not move back to a project that is gone',
      [moved],
      [...rows, a],
      { conflicts: ['section-a.project its project is gone'] },
    ],
    [
      'gets its name without its project',
      [renamed],
      [...rows, a],
      { updates: { 'section-a': { ...a, name: 'old' } }, conflicts: ['section-a.project its project is gone'] },
    ],
    [
      'moves back with its order',
      [updated('section-a', { project_id: ['project-2', 'project-1'], sort_key: ['a0', 'a3'] })],
      [...rows, { ...a, sort_key: 'a3' }],
      { updates: { 'section-a': { ...section('a', 'project-2'), sort_key: 'a0' } } },
    ],
    [
      'keeps its order if its project is gone',
      [updated('section-a', { project_id: ['project-9', 'project-1'], sort_key: ['a0', 'a3'] })],
      [...rows, { ...a, sort_key: 'a3' }],
      { conflicts: ['section-a.project its project is gone'] },
    ],
    [
      'keeps its order if it was moved again',
      [updated('section-a', { project_id: ['project-2', 'project-9'], sort_key: ['a0', 'a3'] })],
      [...rows, { ...a, sort_key: 'a3' }],
      { conflicts: ['section-a.project was changed again (later)'] },
    ],
    [
      'moves back with its tasks and their subtasks',
      [updated('section-a', { project_id: ['project-2', 'project-1'] })],
      [...rows, a, inA, task('low', below('task-one', place('project-1', 'section-a'))), task('other')],
      {
        updates: {
          'section-a': section('a', 'project-2'),
          'task-one': task('one', place('project-2', 'section-a')),
          'task-low': task('low', below('task-one', place('project-2', 'section-a'))),
        },
      },
    ],
    [
      'leaves tasks that the operation changed to their own undo',
      [
        updated('section-a', { project_id: ['project-2', 'project-1'] }),
        updated('task-one', { project_id: ['project-2', 'project-1'], title: ['old', 'one'] }),
      ],
      [...rows, a, inA],
      {
        updates: {
          'section-a': section('a', 'project-2'),
          'task-one': { ...task('one', place('project-2', 'section-a')), title: 'old' },
        },
      },
    ],
    [
      'changes none of its tasks if it stays',
      [updated('section-a', { name: ['old', 'a'] })],
      [...rows, a, inA],
      { updates: { 'section-a': { ...a, name: 'old' } } },
    ],
  ])('%s', check);
});
