import { empty, join, raw, Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { Column, Model, Relation } from './model.ts';
import { Parameter } from './parameter.ts';

/** Prisma's `WhereInput`: all conditions hold. */
export interface Where {
  AND?: Where | Where[];
  OR?: Where[];
  [field: string]: unknown;
}

type Direction = 'asc' | 'desc';
/** Prisma's form: columns of the row, or of a row that it refers to. */
export type OrderBy = Record<string, Direction | object | undefined>;

const unsupported = (what: string): Error => new Error(`reading rows: ${what} is not supported`);

export interface TableAlias {
  model: Model;
  alias: string;
}

export const fromItem = ({ model, alias }: TableAlias) => raw(`${model.table} AS ${alias}`);

export function columnOf(model: Model, field: string): Column {
  const column = model.columns.get(field);
  if (!column) throw unsupported(`${model.name}.${field}`);
  return column;
}

export const column = ({ model, alias }: TableAlias, field: string): Sql =>
  raw(`${alias}.${columnOf(model, field).name}`);

export const joinCondition = (row: TableAlias, { localColumn, foreignColumn }: Relation, foreign: TableAlias) =>
  raw(`${foreign.alias}.${foreignColumn} = ${row.alias}.${localColumn}`);

/** Aliases by the name of the relation. */
export type JoinedRows = ReadonlyMap<string, TableAlias>;

/** @param joined tables whose join the conditions use */
export function whereClause(row: TableAlias, where: Where, joined?: JoinedRows): Sql {
  const all = Object.entries(where).flatMap(([field, condition]) => {
    if (condition === undefined) return [];
    if (field === 'AND') return [condition as Where | Where[]].flat().map((each) => whereClause(row, each, joined));
    if (field === 'OR') return [sql`(${anyOf((condition as Where[]).map((each) => whereClause(row, each, joined)))})`];
    const relation = row.model.relations.get(field);
    if (!relation) return [comparison(column(row, field), condition)];
    const beside = joined?.get(field);
    if (beside) return [isThere(beside, relation), whereClause(beside, condition as Where)];
    return [exists(row, relation, condition as Where | null)];
  });
  return all.length > 0 ? join(all, ' AND ') : sql`true`;
}

export const isThere = ({ alias }: TableAlias, { foreignColumn }: Relation) =>
  raw(`${alias}.${foreignColumn} IS NOT NULL`);

const anyOf = (all: Sql[]) => (all.length > 0 ? join(all, ' OR ') : sql`false`);

function exists(row: TableAlias, relation: Relation, condition: Where | null): Sql {
  // Of one related row: there is none.
  if (condition === null) return sql`NOT ${exists(row, relation, {})}`;
  const foreign = { model: relation.model, alias: `${row.alias}_` };
  const where = whereClause(foreign, relation.isList ? (condition['some'] as Where) : condition);
  return sql`EXISTS (
    SELECT FROM ${fromItem(foreign)} WHERE ${joinCondition(row, relation, foreign)} AND ${where}
  )`;
}

/** Prisma's types do not allow a query as a list. Keep it short: its text is a part of cache keys. */
export const resultOf = (query: Sql) => query as unknown as string[];

const comparisons: Record<string, (left: Sql, value: unknown) => Sql> = {
  in: (left, values) => (values instanceof Sql ? sql`${left} IN (${values})` : sql`${left} = ANY (${values})`),
  lt: (left, value) => sql`${left} < ${value}`,
  lte: (left, value) => sql`${left} <= ${value}`,
  gt: (left, value) => sql`${left} > ${value}`,
  gte: (left, value) => sql`${left} >= ${value}`,
  // Always with `mode: 'insensitive'`. The caller escapes wildcards.
  contains: (left, value) => sql`${left} ILIKE '%' || ${value}::text || '%'`,
  mode: () => sql`true`,
  has: (left, value) => sql`${left} @> ARRAY[${value}::text]`,
  isEmpty: (left, value) => (value === true ? sql`${left} = '{}'` : sql`${left} <> '{}'`),
  not: (left, value) => (value === null ? sql`${left} IS NOT NULL` : sql`${left} <> ${value}`),
};

function comparison(left: Sql, condition: unknown): Sql {
  if (condition === null) return sql`${left} IS NULL`;
  // A generic plan can use a partial index only if the text has the value.
  if (typeof condition === 'boolean') return sql`${left} = ${raw(String(condition))}`;
  if (typeof condition !== 'object' || condition instanceof Date || condition instanceof Parameter) {
    return sql`${left} = ${condition}`;
  }
  return join(
    Object.entries(condition).map(([operator, value]) => {
      const compare = comparisons[operator];
      if (!compare) throw unsupported(`the operator ${operator}`);
      return compare(left, value);
    }),
    ' AND ',
  );
}

export function orderedRelations(row: TableAlias, orderBy: OrderBy | OrderBy[]): JoinedRows {
  const { relations } = row.model;
  const names = [orderBy].flat().flatMap((each) => Object.keys(each));
  return new Map(
    names.flatMap((name) => {
      const relation = relations.get(name);
      if (relation?.isList) throw unsupported(`an order by the list ${row.model.name}.${name}`);
      return relation ? [[name, { model: relation.model, alias: `${row.alias}_${name}` }] as const] : [];
    }),
  );
}

export function leftJoins(row: TableAlias, joined: JoinedRows): Sql {
  const { relations } = row.model;
  const all = [...joined].flatMap(([name, foreign]) => {
    const relation = relations.get(name);
    return relation ? [sql`LEFT JOIN ${fromItem(foreign)} ON ${joinCondition(row, relation, foreign)}`] : [];
  });
  return all.length > 0 ? join(all, ' ') : empty;
}

export function orderByClause(row: TableAlias, orderBy: OrderBy | OrderBy[], joined?: JoinedRows): Sql {
  const all = [orderBy]
    .flat()
    .flatMap((each) => Object.entries(each))
    .flatMap(([field, sort]) => (sort ? [sorted(row, field, sort, joined?.get(field))] : []));
  return all.length > 0 ? sql`ORDER BY ${join(all)}` : empty;
}

function sorted(row: TableAlias, field: string, sort: Direction | object, joined?: TableAlias): Sql {
  if (typeof sort === 'string') return sql`${column(row, field)} ${raw(sort)}`;
  if (joined)
    return join(Object.entries(sort as OrderBy).flatMap(([name, each]) => (each ? [sorted(joined, name, each)] : [])));
  const { sort: direction, nulls } = sort as { sort: Direction; nulls?: 'first' | 'last' };
  return sql`${column(row, field)} ${raw(nulls ? `${direction} NULLS ${nulls}` : direction)}`;
}
