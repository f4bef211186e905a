import { empty, join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import {
  column,
  fromItem,
  isThere,
  joinCondition,
  type JoinedRows,
  leftJoins,
  type OrderBy,
  orderByClause,
  orderedRelations,
  type TableAlias,
  type Where,
  whereClause,
} from './conditions.ts';
import { fromJson } from './model.ts';

/** Arguments of Prisma's `findMany`. */
export interface Arguments {
  select: object;
  where?: Where;
  orderBy?: OrderBy | OrderBy[];
  take?: number;
}

export type Selected = boolean | undefined | (Omit<Arguments, 'select'> & { select?: object });

interface CompiledRow {
  /** An array: objects with names take PostgreSQL a third longer. */
  json: Sql;
  parse: (values: unknown[]) => object;
}

interface RowField {
  name: string;
  json: Sql;
  /** Absent if the JSON is the value. */
  parse?: ((json: unknown) => unknown) | undefined;
}

/** Serializes rows for a response. */
export interface Serializer {
  /** Two serializers with the same id are equal. */
  id: string;
  serialize: (row: object) => object;
}

/** With this {@link Serializer} in a selection, a read returns serialized rows. */
export const serialized = '$serialized';

export const selectSerialized = (select: object, { id, serialize }: Serializer) => ({
  ...select,
  [serialized]: { id, serialize },
});

export const serializerOf = (select: object) => (select as { [serialized]?: Serializer })[serialized]?.serialize;

export const same = (row: object): object => row;

export const selectedFields = (select: object) =>
  Object.entries(select as Record<string, Selected>).filter(([name, selected]) => selected && name !== serialized);

/** FROM and the rest of a query. @param joinedOn a further condition */
export function sourceOf(
  row: TableAlias,
  { where = {}, orderBy = [], take }: Omit<Arguments, 'select'>,
  joinedOn?: Sql,
): Sql {
  const joined = orderedRelations(row, orderBy);
  const conditions = whereClause(row, where, joined);
  const all = joinedOn ? sql`${joinedOn} AND ${conditions}` : conditions;
  const limit = take === undefined ? empty : sql`LIMIT ${take}`;
  return sql`${fromItem(row)} ${leftJoins(row, joined)} WHERE ${all} ${orderByClause(row, orderBy, joined)} ${limit}`;
}

/** Compiles to one JSON value, with everything selected below. @param joined tables that are joined to the row */
export function compileRow(row: TableAlias, select: object, joined?: JoinedRows): CompiledRow {
  const fields = selectedFields(select).map(([name, selected], index) =>
    compileField(row, name, selected, `${row.alias}${index}`, joined?.get(name)),
  );
  const serialize = serializerOf(select) ?? same;
  return {
    json: sql`json_build_array(${join(fields.map(({ json }) => json))})`,
    parse(values) {
      const parsed: Record<string, unknown> = {};
      fields.forEach((field, index) => {
        parsed[field.name] = fromJson(field, values[index]);
      });
      return serialize(parsed);
    },
  };
}

/** @param alias for related rows */
function compileField(row: TableAlias, name: string, selected: Selected, alias: string, joined?: TableAlias): RowField {
  if (name === '_count') return { name, json: counts(row, selected) };
  const { columns, relations } = row.model;
  const relation = relations.get(name);
  if (!relation) return { name, json: column(row, name), parse: columns.get(name)?.parse };
  const { select, ...args } = argumentsOf(name, selected);
  if (joined) {
    const { json, parse } = compileRow(joined, onlySelect(name, { select, ...args }).select);
    return {
      name,
      json: sql`CASE WHEN ${isThere(joined, relation)} THEN ${json} END`,
      parse: (values) => parse(values as unknown[]),
    };
  }
  const foreign = { model: relation.model, alias };
  const from = sourceOf(foreign, args, joinCondition(row, relation, foreign));
  const { json, parse } = compileRow(foreign, select, orderedRelations(foreign, args.orderBy ?? []));
  if (!relation.isList) {
    return { name, json: sql`(SELECT ${json} FROM ${from})`, parse: (values) => parse(values as unknown[]) };
  }
  return {
    name,
    // The aggregate keeps the subquery's order.
    json: sql`(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT ${json} AS entry FROM ${from}) AS ${raw(alias)})`,
    parse: (list) => (list as unknown[][]).map(parse),
  };
}

export function argumentsOf(name: string, selected: Selected): Arguments {
  if (typeof selected === 'object' && selected.select) return { ...selected, select: selected.select };
  throw new Error(`reading rows: nothing is selected of ${name}`);
}

/** Returns the arguments of one related row. @throws if they choose among rows */
export function onlySelect(name: string, { select, ...args }: Arguments): Pick<Arguments, 'select'> {
  if (Object.keys(args).length > 0) throw new Error(`reading rows: ${name} is one row, with nothing to choose`);
  return { select };
}

export function counts(row: TableAlias, selected: Selected): Sql {
  const { select = {} } = typeof selected === 'object' ? selected : {};
  const members = Object.entries(select as Record<string, true | { where: Where }>).map(([name, counted]) => {
    const relation = row.model.relations.get(name);
    if (!relation) throw new Error(`reading rows: ${row.model.name} has no ${name} to count`);
    const foreign = { model: relation.model, alias: `${row.alias}_` };
    const where = whereClause(foreign, counted === true ? {} : counted.where);
    return sql`${raw(`'${name}'`)},
      (SELECT count(*) FROM ${fromItem(foreign)} WHERE ${joinCondition(row, relation, foreign)} AND ${where})`;
  });
  return sql`json_build_object(${join(members)})`;
}
