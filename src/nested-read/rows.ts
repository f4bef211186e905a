import { Prisma } from '../generated/prisma/client.ts';
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
import { fieldsOf } from './model.ts';

const { sql, join, raw, empty } = Prisma;

/** What is read of rows, as far as this module needs it. */
export interface Arguments {
  select: object;
  where?: Where;
  orderBy?: OrderBy | OrderBy[];
  take?: number;
}

/** A field of a selection: the field itself, or what is selected of the rows that it refers to. */
export type Selected = boolean | undefined | (Omit<Arguments, 'select'> & { select?: object });

export interface CompiledRow {
  /** A JSON array of what is selected, in SQL: names would take PostgreSQL a third more time. */
  json: Prisma.Sql;
  /** The row from such an array. */
  parse: (values: unknown[]) => object;
}

/** What is selected of a row under a name. */
interface RowField {
  name: string;
  json: Prisma.Sql;
  /** Its value from JSON; absent: that is the value. */
  parse?: ((json: unknown) => unknown) | undefined;
}

/** A selection without the fields that are not wanted. */
export const selectedFields = (select: object) =>
  Object.entries(select as Record<string, Selected>).filter(([, selected]) => selected);

/**
 * What follows FROM: the rows in their order.
 * @param joinedOn what joins the rows to one of another level
 */
export function sourceOf(
  row: TableAlias,
  { where = {}, orderBy = [], take }: Omit<Arguments, 'select'>,
  joinedOn?: Prisma.Sql,
): Prisma.Sql {
  const joined = orderedRelations(row, orderBy);
  const conditions = whereClause(row, where, joined);
  const all = joinedOn ? sql`${joinedOn} AND ${conditions}` : conditions;
  const limit = take === undefined ? empty : sql`LIMIT ${take}`;
  return sql`${fromItem(row)} ${leftJoins(row, joined)} WHERE ${all} ${orderByClause(row, orderBy, joined)} ${limit}`;
}

/**
 * How a selection of a row is read, with all that is selected below it in the row's own JSON.
 * @param joined rows that are joined to it, by the names of their relations
 */
export function compileRow(row: TableAlias, select: object, joined?: JoinedRows): CompiledRow {
  const fields = selectedFields(select).map(([name, selected], index) =>
    compileField(row, name, selected, `${row.alias}${index}`, joined?.get(name)),
  );
  return {
    json: sql`json_build_array(${join(fields.map(({ json }) => json))})`,
    parse(values) {
      const parsed: Record<string, unknown> = {};
      fields.forEach(({ name, parse }, index) => {
        const value = values[index];
        parsed[name] = parse && value !== null ? parse(value) : value;
      });
      return parsed;
    },
  };
}

/** @param alias for the rows that it refers to */
function compileField(row: TableAlias, name: string, selected: Selected, alias: string, joined?: TableAlias): RowField {
  if (name === '_count') return { name, json: counts(row, selected) };
  const { columns, relations } = fieldsOf(row.model);
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
    // Gathers the rows in the order in which they come.
    json: sql`(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT ${json} AS entry FROM ${from}) AS ${raw(alias)})`,
    parse: (list) => (list as unknown[][]).map(parse),
  };
}

export function argumentsOf(name: string, selected: Selected): Arguments {
  if (typeof selected === 'object' && selected.select) return { ...selected, select: selected.select };
  throw new Error(`reading rows: nothing is selected of ${name}`);
}

/** The arguments of a relation to one row. @throws if they choose among rows */
export function onlySelect(name: string, { select, ...args }: Arguments): Pick<Arguments, 'select'> {
  if (Object.keys(args).length > 0) throw new Error(`reading rows: ${name} is one row, with nothing to choose`);
  return { select };
}

/** Numbers of rows of relations, by the names of those. */
export function counts(row: TableAlias, selected: Selected): Prisma.Sql {
  const { select = {} } = typeof selected === 'object' ? selected : {};
  const members = Object.entries(select as Record<string, true | { where: Where }>).map(([name, counted]) => {
    const relation = fieldsOf(row.model).relations.get(name);
    if (!relation) throw new Error(`reading rows: ${row.model} has no ${name} to count`);
    const foreign = { model: relation.model, alias: `${row.alias}_` };
    const where = whereClause(foreign, counted === true ? {} : counted.where);
    return sql`${raw(`'${name}'`)},
      (SELECT count(*) FROM ${fromItem(foreign)} WHERE ${joinCondition(row, relation, foreign)} AND ${where})`;
  });
  return sql`json_build_object(${join(members)})`;
}
