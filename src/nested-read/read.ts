import { LRUCache } from 'lru-cache';
import { Prisma } from '../generated/prisma/client.ts';
import {
  column,
  conditions,
  joinedBy,
  joinedRows,
  joins,
  type Named,
  named,
  type OrderBy,
  orderClause,
  type Where,
} from './conditions.ts';
import type { AnswerBudget } from '../kernel/budget.ts';
import { runWithin } from '../database/database.ts';
import { fields, type Model } from './model.ts';

const { sql, join, raw, empty } = Prisma;

/** What the Pothos plugin asks for of a row: a `select` always, as each type has a default one. */
export interface Selection {
  select?: object;
}

/** What is read of a model's rows: those arguments of Prisma's `findMany` that are used here. */
export interface Arguments {
  select: object;
  where?: Where;
  orderBy?: OrderBy | OrderBy[];
  take?: number;
}

/**
 * Reads rows as Prisma's `findMany` would, with all that is selected below them, in one statement:
 * PostgreSQL builds the tree, each level by the index of its foreign key. Prisma's own statement of it
 * takes PostgreSQL and this process several times as long.
 * @param budget of the operation that they are read for: see `budgetOf`
 * @throws the budget's refusal; for arguments of Prisma's that are not supported here
 */
export async function selectMany<Row>(model: Model, args: Arguments, budget: AnswerBudget): Promise<Row[]> {
  const { statement, read } = readingOf(model, args);
  const rows = await runWithin<{ row: unknown[] }>(budget, statement);
  return rows.map(({ row }) => read(row) as Row);
}

interface Reading {
  statement: Prisma.Sql;
  read: Tree['read'];
}

/** Bytes that a reading takes for each UTF-16 code unit of its key, the key included: 45 are measured (Node 20). */
const bytesOfUnit = 64;

/** The last used readings, by all that they are made of: to put one together takes a tenth of an answer's time. */
export const readings = new LRUCache<string, Reading>({
  maxSize: 64 * 1024 * 1024,
  maxEntrySize: 1024 * 1024,
  sizeCalculation: (_reading, key) => 1024 + bytesOfUnit * key.length,
});

function readingOf(model: Model, args: Arguments): Reading {
  const key = JSON.stringify([model, args]);
  const known = readings.get(key);
  if (known) return known;
  const { json, from, read } = treeOf({ model, alias: 't' }, args);
  const reading = { statement: sql`SELECT ${json} AS row FROM ${from}`, read };
  readings.set(key, reading);
  return reading;
}

/** The one row with an id, or null. */
export async function selectOne<Row>(model: Model, args: Arguments, budget: AnswerBudget): Promise<Row | null> {
  const [row] = await selectMany<Row>(model, args, budget);
  return row ?? null;
}

/**
 * How a row is read in a statement of one's own.
 * @returns its expression in SQL, and the row from what that gives
 */
export function compileRow(row: Named, select: object): Omit<Tree, 'from'> {
  return entryOf(row, select, new Map());
}

/** How selected rows are read. */
interface Tree {
  /** A row as a JSON array of what is selected: names would take PostgreSQL a third more time. */
  json: Prisma.Sql;
  /** What stands behind FROM: the rows in their order. */
  from: Prisma.Sql;
  /** A row from such an array. */
  read: (values: unknown[]) => object;
}

/** What is selected of a row under a name. */
interface Member {
  name: string;
  json: Prisma.Sql;
  /** Its value from JSON; absent: that is the value. */
  read?: (json: unknown) => unknown;
}

/** @param belongs what joins the rows to one of another level */
function treeOf(row: Named, { select, where = {}, orderBy = [], take }: Arguments, belongs?: Prisma.Sql): Tree {
  const joined = joinedBy(row, orderBy);
  const { json, read } = entryOf(row, select, joined);
  const all = belongs ? sql`${belongs} AND ${conditions(row, where)}` : conditions(row, where);
  const limit = take === undefined ? empty : sql`LIMIT ${take}`;
  return {
    json,
    from: sql`${named(row)} ${joinedRows(row, joined)} WHERE ${all} ${orderClause(row, orderBy, joined)} ${limit}`,
    read,
  };
}

/** What is selected of a row. @param joined rows that stand beside it, by the names of their relations */
function entryOf(row: Named, select: object, joined: ReadonlyMap<string, Named>): Omit<Tree, 'from'> {
  const members = Object.entries(select as Record<string, Selected>)
    .filter(([, selected]) => selected)
    .map(([name, selected], index) => memberOf(row, name, selected, `${row.alias}${index}`, joined.get(name)));
  return {
    json: sql`json_build_array(${join(members.map(({ json }) => json))})`,
    read(values) {
      const fields: Record<string, unknown> = {};
      members.forEach(({ name, read }, index) => {
        const value = values[index];
        fields[name] = read && value !== null ? read(value) : value;
      });
      return fields;
    },
  };
}

/** A field of a selection: wanted as it is, or with what is wanted of the rows that it stands for. */
type Selected = boolean | undefined | (Omit<Arguments, 'select'> & { select?: object });

const readDate = (json: unknown) => new Date(json as string);

function memberOf(row: Named, name: string, selected: Selected, alias: string, joined?: Named): Member {
  if (name === '_count') return { name, json: counts(row, selected) };
  const { columns, relations } = fields(row.model);
  const relation = relations.get(name);
  if (!relation) return { name, json: column(row, name), ...(columns.get(name)?.isDate && { read: readDate }) };
  const wanted = selectionOf(name, selected);
  if (joined) {
    const { select, ...others } = wanted;
    if (Object.keys(others).length > 0) throw new Error(`reading rows: ${name} is one row, with nothing to choose`);
    const { json, read } = entryOf(joined, select, new Map());
    const isThere = raw(`${joined.alias}.${relation.there} IS NOT NULL`);
    return { name, json: sql`CASE WHEN ${isThere} THEN ${json} END`, read: (values) => read(values as unknown[]) };
  }
  const theirs = { model: relation.model, alias };
  const { json, from, read } = treeOf(theirs, wanted, joins(row, relation, theirs));
  if (!relation.isList) {
    return { name, json: sql`(SELECT ${json} FROM ${from})`, read: (values) => read(values as unknown[]) };
  }
  return {
    name,
    // Gathers the rows in the order in which they come.
    json: sql`(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT ${json} AS entry FROM ${from}) AS ${raw(alias)})`,
    read: (list) => (list as unknown[][]).map(read),
  };
}

function selectionOf(name: string, selected: Selected): Arguments {
  if (typeof selected === 'object' && selected.select) return { ...selected, select: selected.select };
  throw new Error(`reading rows: nothing is selected of ${name}`);
}

/** Numbers of rows of relations, by the names of those. */
function counts(row: Named, selected: Selected): Prisma.Sql {
  const { select = {} } = typeof selected === 'object' ? selected : {};
  const members = Object.entries(select as Record<string, true | { where: Where }>).map(([name, counted]) => {
    const relation = fields(row.model).relations.get(name);
    if (!relation) throw new Error(`reading rows: ${row.model} has no ${name} to count`);
    const theirs = { model: relation.model, alias: `${row.alias}_` };
    const where = conditions(theirs, counted === true ? {} : counted.where);
    return sql`${raw(`'${name}'`)},
      (SELECT count(*) FROM ${named(theirs)} WHERE ${joins(row, relation, theirs)} AND ${where})`;
  });
  return sql`json_build_object(${join(members)})`;
}
