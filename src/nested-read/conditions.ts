import { Prisma } from '../generated/prisma/client.ts';
import { fields, type Model, type Relation, tables } from './model.ts';

const { sql, join, raw, empty } = Prisma;

/** Conditions as Prisma writes them; all of them hold. */
export interface Where {
  AND?: Where | Where[];
  OR?: Where[];
  [field: string]: unknown;
}

type Direction = 'asc' | 'desc';
type Sort = Direction | { sort: Direction; nulls?: 'first' | 'last' } | { [column: string]: Direction };

/** Columns of the rows, or of the one row that they refer to. */
export type OrderBy = Record<string, Sort | undefined>;

const unsupported = (what: string): Error => new Error(`reading rows: ${what} is not supported`);

/** A row of a model in a statement, by the name that it has there. */
export interface Named {
  model: Model;
  alias: string;
}

/** The row's table under its name. */
export const named = ({ model, alias }: Named) => raw(`${tables[model]} AS ${alias}`);

export function column({ model, alias }: Named, field: string): Prisma.Sql {
  const found = fields(model).columns.get(field);
  if (!found) throw unsupported(`${model}.${field}`);
  return raw(`${alias}.${found.name}`);
}

/** What joins the rows of a relation to the row that has it. */
export const joins = (row: Named, { here, there }: Relation, theirs: Named) =>
  raw(`${theirs.alias}.${there} = ${row.alias}.${here}`);

/** @returns what stands behind WHERE */
export function conditions(row: Named, where: Where): Prisma.Sql {
  const all = Object.entries(where).flatMap(([field, condition]) => {
    if (condition === undefined) return [];
    if (field === 'AND') return [condition as Where | Where[]].flat().map((each) => conditions(row, each));
    if (field === 'OR') return [sql`(${anyOf((condition as Where[]).map((each) => conditions(row, each)))})`];
    const relation = fields(row.model).relations.get(field);
    return [relation ? exists(row, relation, condition as Where) : comparison(column(row, field), condition)];
  });
  return all.length > 0 ? join(all, ' AND ') : sql`true`;
}

const anyOf = (all: Prisma.Sql[]) => (all.length > 0 ? join(all, ' OR ') : sql`false`);

/** Rows of a relation that fulfil the conditions: of a list some, else the one. */
function exists(row: Named, relation: Relation, condition: Where): Prisma.Sql {
  const theirs = { model: relation.model, alias: `${row.alias}_` };
  const where = conditions(theirs, relation.isList ? (condition['some'] as Where) : condition);
  return sql`EXISTS (
    SELECT FROM ${named(theirs)} WHERE ${joins(row, relation, theirs)} AND ${where}
  )`;
}

type Comparison = (left: Prisma.Sql, value: unknown) => Prisma.Sql;

const comparisons: Record<string, Comparison> = {
  in: (left, values) => sql`${left} = ANY (${values})`,
  lt: (left, value) => sql`${left} < ${value}`,
  lte: (left, value) => sql`${left} <= ${value}`,
  gt: (left, value) => sql`${left} > ${value}`,
  gte: (left, value) => sql`${left} >= ${value}`,
  // With `mode: 'insensitive'`, which is the only one: the value is a pattern, its own wildcards escaped.
  contains: (left, value) => sql`${left} ILIKE ${`%${String(value)}%`}`,
  mode: () => sql`true`,
  not: (left, value) => (value === null ? sql`${left} IS NOT NULL` : sql`${left} <> ${value}`),
};

function comparison(left: Prisma.Sql, condition: unknown): Prisma.Sql {
  if (condition === null) return sql`${left} IS NULL`;
  if (typeof condition !== 'object' || condition instanceof Date) return sql`${left} = ${condition}`;
  return join(
    Object.entries(condition).map(([operator, value]) => {
      const compare = comparisons[operator];
      if (!compare) throw unsupported(`the operator ${operator}`);
      return compare(left, value);
    }),
    ' AND ',
  );
}

/** Rows that an order looks at beside the row itself, by the names of their relations. */
export function joinedBy(row: Named, orderBy: OrderBy | OrderBy[]): ReadonlyMap<string, Named> {
  const { relations } = fields(row.model);
  const names = [orderBy].flat().flatMap((each) => Object.keys(each));
  return new Map(
    names.flatMap((name) => {
      const relation = relations.get(name);
      if (relation?.isList) throw unsupported(`an order by the list ${row.model}.${name}`);
      return relation ? [[name, { model: relation.model, alias: `${row.alias}_${name}` }] as const] : [];
    }),
  );
}

/** What joins these rows to the row, or nulls where there is none. */
export function joinedRows(row: Named, joined: ReadonlyMap<string, Named>): Prisma.Sql {
  const { relations } = fields(row.model);
  const all = [...joined].flatMap(([name, theirs]) => {
    const relation = relations.get(name);
    return relation ? [sql`LEFT JOIN ${named(theirs)} ON ${joins(row, relation, theirs)}`] : [];
  });
  return all.length > 0 ? join(all, ' ') : empty;
}

/**
 * @param joined rows that {@link joinedBy} says of this order
 * @returns what stands behind WHERE, from ORDER BY on; nothing where there is no order
 */
export function orderClause(row: Named, orderBy: OrderBy | OrderBy[], joined: ReadonlyMap<string, Named>): Prisma.Sql {
  const all = [orderBy]
    .flat()
    .flatMap((each) => Object.entries(each))
    .flatMap(([field, sort]) => (sort ? [sorted(row, field, sort, joined.get(field))] : []));
  return all.length > 0 ? sql`ORDER BY ${join(all)}` : empty;
}

function sorted(row: Named, field: string, sort: Sort, joined?: Named): Prisma.Sql {
  if (joined) {
    const [name = '', direction = ''] = Object.entries(sort)[0] ?? [];
    return sql`${column(joined, name)} ${raw(direction)}`;
  }
  if (typeof sort === 'string') return sql`${column(row, field)} ${raw(sort)}`;
  const { sort: direction, nulls } = sort as { sort: Direction; nulls?: string };
  return sql`${column(row, field)} ${raw(nulls ? `${direction} NULLS ${nulls}` : direction)}`;
}
