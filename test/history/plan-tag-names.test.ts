import { describe, expect, test } from '@jest/globals';
import type { EntityDiff } from '../../src/history/diffs.ts';
import { created, deleted, nothing, plan, project, type Row, tag, updated } from './plans.ts';

describe('names of tags', () => {
  const [red, blue] = [tag('red', 'Red'), tag('blue', 'Blue')];
  const rename = (id: string, was: string, is: string, more = {}) => updated(id, { name: [was, is], ...more });
  test.each<[string, EntityDiff[], Row[], object]>([
    ['a restored tag gets its name', [deleted(red)], [blue], { ...nothing, inserts: { 'tag-red': red } }],
    [
      'a tag whose name another has stays deleted',
      [deleted(red)],
      [tag('other', 'Red')],
      { ...nothing, conflicts: ['tag-red another tag has the name'] },
    ],
    [
      'unless the other one is deleted',
      [deleted(red), created('tag-other')],
      [tag('other', 'Red')],
      { ...nothing, inserts: { 'tag-red': red }, deletes: ['tag-other'] },
    ],
    [
      'unless the other one gets another name',
      [deleted(red), rename('tag-other', 'Blue', 'Red')],
      [tag('other', 'Red')],
      { ...nothing, inserts: { 'tag-red': red }, updates: { 'tag-other': tag('other', 'Blue') } },
    ],
    [
      'two tags exchange their names',
      [rename('tag-red', 'Blue', 'Red'), rename('tag-blue', 'Red', 'Blue')],
      [red, blue],
      { ...nothing, updates: { 'tag-red': tag('red', 'Blue'), 'tag-blue': tag('blue', 'Red') } },
    ],
    [
      'a renamed tag keeps its present name',
      [rename('tag-red', 'Blue', 'Red')],
      [red, blue],
      { ...nothing, conflicts: ['tag-red.name another tag has the name'] },
    ],
    [
      'and still gets its other fields',
      [rename('tag-red', 'Blue', 'Red', { color: ['GREEN', 'RED'] })],
      [red, blue],
      {
        ...nothing,
        updates: { 'tag-red': { ...red, color: 'GREEN' } },
        conflicts: ['tag-red.name another tag has the name'],
      },
    ],
    [
      'a tag that keeps its name has it before one that gets it back',
      [rename('tag-blue', 'Red', 'Blue'), updated('tag-red', { color: ['GREEN', 'RED'] })],
      [red, blue],
      {
        ...nothing,
        updates: { 'tag-red': { ...red, color: 'GREEN' } },
        conflicts: ['tag-blue.name another tag has the name'],
      },
    ],
    [
      'of two restored tags with one name, the first wins',
      [deleted(red), deleted(tag('other', 'Red'))],
      [],
      { ...nothing, inserts: { 'tag-red': red }, conflicts: ['tag-other another tag has the name'] },
    ],
    [
      'a refusal refuses others that needed the name',
      [rename('tag-red', 'Blue', 'Red'), deleted(tag('other', 'Red'))],
      [red, blue],
      {
        ...nothing,
        conflicts: ['tag-red.name another tag has the name', 'tag-other another tag has the name'],
      },
    ],
    [
      'a tag that changes only in colour holds its name',
      [updated('tag-red', { color: ['GREEN', 'RED'] }), deleted(tag('other', 'Red'))],
      [red],
      {
        ...nothing,
        updates: { 'tag-red': { ...red, color: 'GREEN' } },
        conflicts: ['tag-other another tag has the name'],
      },
    ],
  ])('%s', (_name, diffs, rows, expected) => {
    expect(plan(diffs, { rows })).toStrictEqual(expected);
  });

  test('bind tags alone', () => {
    const named = { ...project('1'), name: 'Red' };
    const expected = { ...nothing, inserts: { 'project-1': named } };
    expect(plan([deleted(named)], { rows: [red] })).toEqual(expected);
  });
});
