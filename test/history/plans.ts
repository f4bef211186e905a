import { expect } from '@jest/globals';
import type { EntityDiff, Values } from '../../src/history/diffs.ts';
import type { Present } from '../../src/history/plan.ts';
import { planUndo } from '../../src/history/undo-plan.ts';
import type { SyncedType } from '../../src/platform/entities.ts';

/** Rows and changes for plans of undos, without a database. Ids begin with the type. */

export type Row = Values & { id: string };

const typeOf = (id: string): SyncedType => {
  const [word = ''] = id.split('-');
  return word.toUpperCase() as SyncedType;
};
export const place = (
  project: string,
  section: string | null = null,
  parent: string | null = null,
  space = 'home',
) => ({
  space_id: space,
  project_id: project,
  section_id: section,
  parent_id: parent,
});
export const task = (name: string, values: Values = place('project-1')): Row => ({
  id: `task-${name}`,
  title: name,
  ...values,
});
export const section = (name: string, project = 'project-1', space = 'home'): Row => ({
  id: `section-${name}`,
  space_id: space,
  project_id: project,
  name,
});
export const project = (name: string, space = 'home'): Row => ({
  id: `project-${name}`,
  space_id: space,
  name,
  slug: name,
});
export const tag = (id: string, name: string): Row => ({ id: `tag-${id}`, space_id: 'home', name, color: 'RED' });

const diffOf = (id: string, kind: EntityDiff['kind'], more: Partial<EntityDiff> = {}): EntityDiff => ({
  ...{
    type: typeOf(id),
    id,
    spaceId: 'home',
    authorId: null,
    kind,
    before: {},
    after: {},
    isPartlyVisible: false,
    isTransient: false,
    isConsequence: false,
    tags: [],
  },
  ...more,
});
export const created = (id: string, more?: Partial<EntityDiff>) => diffOf(id, 'CREATED', more);
export const deleted = (row: Row, more?: Partial<EntityDiff>) => diffOf(row.id, 'DELETED', { before: row, ...more });
export const updated = (id: string, changes: Record<string, [unknown, unknown]>, more?: Partial<EntityDiff>) =>
  diffOf(id, 'UPDATED', {
    before: Object.fromEntries(Object.entries(changes).map(([column, [was]]) => [column, was])),
    after: Object.fromEntries(Object.entries(changes).map(([column, [, is]]) => [column, is])),
    ...more,
  });

export interface State extends Partial<Omit<Present, 'rows' | 'restorable' | 'builtUpon' | 'deletedAgain'>> {
  rows?: Row[];
  /** By default, everything that the operation deleted. */
  restorable?: string[];
  builtUpon?: string[];
  deletedAgain?: string[];
}

/** The plan, with conflicts as text: the field, the reason, and `(later)` if a later operation is the cause. */
export function plan(diffs: EntityDiff[], { rows = [], ...state }: State = {}) {
  const { restorable = diffs.map(({ id }) => id), builtUpon = [], deletedAgain = [], ...rest } = state;
  const result = planUndo(diffs, {
    types: new Map(),
    spaceIds: ['home', 'team'],
    fallback: new Map([['home', 'project-inbox']]),
    tagNames: new Map(rows.filter(({ id }) => id.startsWith('tag-')).map(({ id, name }) => [String(name), id])),
    refuse: () => undefined,
    ...rest,
    rows: new Map(rows.map((row) => [row.id, row])),
    restorable: new Set(restorable),
    builtUpon: new Set(builtUpon),
    deletedAgain: new Set(deletedAgain),
  });
  const changed = [...result.inserts.keys(), ...result.updates.keys(), ...result.deletes];
  expect(changed.map((id) => result.types.get(id))).toEqual(changed.map(typeOf));
  return {
    inserts: Object.fromEntries(result.inserts),
    updates: Object.fromEntries(result.updates),
    deletes: [...result.deletes],
    conflicts: result.conflicts.map(
      ({ type, id, field, reason, isLater }) =>
        `${id !== null && type === typeOf(id) ? id : `a ${type}`}${field === null ? '' : `.${field}`} ${reason}${isLater ? ' (later)' : ''}`,
    ),
  };
}

export const nothing = { inserts: {}, updates: {}, deletes: [], conflicts: [] };

export type Case = [name: string, diffs: EntityDiff[], rows: Row[], expected: object];

/** The plan has the expected parts, and nothing else. */
export const check: (...of: Case) => void = (_name, diffs, rows, expected) =>
  expect(plan(diffs, { rows })).toStrictEqual({ ...nothing, ...expected });
