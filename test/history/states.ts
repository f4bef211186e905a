/** A row as the database has it, without the moment of its last change; a task's with the ids of its tags, by their owners. */
export interface Row {
  id: string;
  type: string;
  values: { space_id?: string } & Record<string, unknown>;
  tags: Record<string, string>;
}

/** All there is in the spaces of a world, by id. */
export type State = Map<string, Row>;

/** Columns that are one place. */
export const placeColumns = ['space_id', 'project_id', 'section_id', 'parent_id'];

/** Whether two values are the same; what is not there is null. */
export const same = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
const isSameRow = (one?: Row, other?: Row) => same(one?.values, other?.values) && same(one?.tags, other?.tags);
/** Ids of rows that differ. */
export const changedBetween = (one: State, other: State) =>
  [...new Set([...one.keys(), ...other.keys()])].filter((id) => !isSameRow(one.get(id), other.get(id)));
/** Ids that a row names: its place and its tags. */
export const referencesOf = (row?: Row): string[] =>
  row
    ? [...placeColumns.map((column) => row.values[column]), ...Object.keys(row.tags)].filter(
        (id) => typeof id === 'string',
      )
    : [];

/** The space of a row: a workspace is its own. */
export const spaceOf = ({ id, values }: Row): string => values.space_id ?? id;

/** Rows as a failure names them. */
export const show = (state: State, ids: readonly string[]) =>
  JSON.stringify(ids.map((id) => state.get(id) ?? `no ${id}`));
