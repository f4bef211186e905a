/** A row without the time of its last change. A task has the ids of its tags, by their owners. */
export interface Row {
  id: string;
  type: string;
  values: { space_id?: string } & Record<string, unknown>;
  tags: Record<string, string>;
}

export type State = Map<string, Row>;

export const placeColumns = ['space_id', 'project_id', 'section_id', 'parent_id'];

/** Null equals a missing value. */
export const same = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
const isSameRow = (one?: Row, other?: Row) => same(one?.values, other?.values) && same(one?.tags, other?.tags);
export const changedBetween = (one: State, other: State) =>
  [...new Set([...one.keys(), ...other.keys()])].filter((id) => !isSameRow(one.get(id), other.get(id)));
export const referencesOf = (row?: Row): string[] =>
  row
    ? [...[...placeColumns, 'task_id'].map((column) => row.values[column]), ...Object.keys(row.tags)].filter(
        (id) => typeof id === 'string',
      )
    : [];

/** The space of a row. A workspace is its own space. */
export const spaceOf = ({ id, values }: Row): string => values.space_id ?? id;

export const show = (state: State, ids: readonly string[]) =>
  JSON.stringify(ids.map((id) => state.get(id) ?? `no ${id}`));
