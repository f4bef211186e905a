import type { Types } from '@prisma/client/runtime/client';
import { LRUCache } from 'lru-cache';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
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
import { AnswerBudget } from '../kernel/budget.ts';
import { budgetOf, type Context } from '../kernel/context.ts';
import { type RunRead, runWithin } from '../database/statements.ts';
import { fieldsOf, type Model, tables } from './model.ts';

const { sql, join, raw, empty } = Prisma;

/** What the Pothos plugin asks for of a row: a `select` always, as each type has a default one. */
export interface Selection {
  select?: object;
}

/** What is read of rows, as far as this module needs it. */
interface Arguments {
  select: object;
  where?: Where;
  orderBy?: OrderBy | OrderBy[];
  take?: number;
}

type Models = Prisma.TypeMap['model'];
type FindMany<M extends Model> = Models[M]['operations']['findMany']['args'];

/** What is read of a model's rows: those arguments of Prisma's `findMany` that are used here. */
export type ReadArguments<M extends Model> = Pick<FindMany<M>, 'where' | 'orderBy' | 'take'> & {
  select: NonNullable<FindMany<M>['select']>;
};

/**
 * A row as it is selected. What GraphQL selects (`object`) is known when it is executed: the Pothos plugin takes such a row
 * for the whole one, and reads again what its fields need and is not there.
 */
export type SelectedRow<M extends Model, A extends { select?: unknown }> = object extends A['select']
  ? Models[M]['payload']['scalars']
  : Types.Result.GetResult<Models[M]['payload'], A>;

/**
 * Reads rows as Prisma's `findMany` would, with all that is selected below them, in one statement:
 * PostgreSQL builds the tree, each level by the index of its foreign key. Prisma's own statement of it
 * takes PostgreSQL and this process several times as long.
 * @param within the budget of the operation that they are read for (see `budgetOf`), or the snapshot that it reads
 * @throws the budget's refusal; for arguments of Prisma's that are not supported here
 */
export async function readMany<M extends Model, const A extends ReadArguments<M>>(
  model: M,
  args: A,
  within: AnswerBudget | RunRead,
): Promise<SelectedRow<M, A>[]> {
  const { statement, parse } = statementOf(model, args);
  const run: RunRead = typeof within === 'function' ? within : (read) => runWithin(within, read);
  const rows = await run<{ row: unknown[] }>(statement);
  // The test of this module holds what is parsed against what Prisma finds.
  return rows.map(({ row }) => parse(row) as SelectedRow<M, A>);
}

/** Reads the one row with an id, or null. */
export async function readOne<M extends Model, const A extends ReadArguments<M>>(
  model: M,
  args: A,
  within: AnswerBudget | RunRead,
): Promise<SelectedRow<M, A> | null> {
  const [row] = await readMany(model, args, within);
  return row ?? null;
}

interface CompiledStatement extends Pick<CompiledRow, 'parse'> {
  statement: Prisma.Sql;
}

/** Bytes that a statement takes for each UTF-16 code unit of its key, the key included: 45 are measured (Node 20). */
const bytesOfUnit = 64;

/** The last used statements, by all that they are made of: to compile one takes a tenth of an answer's time. */
export const compiledStatements = new LRUCache<string, CompiledStatement>({
  maxSize: 64 * 1024 * 1024,
  maxEntrySize: 1024 * 1024,
  sizeCalculation: (_statement, key) => 1024 + bytesOfUnit * key.length,
});

function statementOf(model: Model, args: Arguments): CompiledStatement {
  const key = JSON.stringify([model, args]);
  const cached = compiledStatements.get(key);
  if (cached) return cached;
  const { json, from, parse } = compileRead({ model, alias: 't' }, args);
  const compiled = { statement: sql`/* readMany(${raw(model)}) */ SELECT ${json} AS row FROM ${from}`, parse };
  compiledStatements.set(key, compiled);
  return compiled;
}

/** How a row is read in a statement. */
export interface CompiledRow {
  /** A JSON array of what is selected, in SQL: names would take PostgreSQL a third more time. */
  json: Prisma.Sql;
  /** The row from such an array. */
  parse: (values: unknown[]) => object;
}

/** How rows are read. */
interface CompiledRead extends CompiledRow {
  /** What stands behind FROM: the rows in their order. */
  from: Prisma.Sql;
}

/** What is selected of a row under a name. */
interface CompiledField {
  name: string;
  json: Prisma.Sql;
  /** Its value from JSON; absent: that is the value. */
  parse?: (json: unknown) => unknown;
}

/** @param joinedOn what joins the rows to one of another level */
function compileRead(
  row: TableAlias,
  { select, where = {}, orderBy = [], take }: Arguments,
  joinedOn?: Prisma.Sql,
): CompiledRead {
  const joined = orderedRelations(row, orderBy);
  const conditions = whereClause(row, where, joined);
  const all = joinedOn ? sql`${joinedOn} AND ${conditions}` : conditions;
  const limit = take === undefined ? empty : sql`LIMIT ${take}`;
  return {
    ...compileRow(row, select, joined),
    from: sql`${fromItem(row)} ${leftJoins(row, joined)} WHERE ${all} ${orderByClause(row, orderBy, joined)} ${limit}`,
  };
}

/**
 * How a selection of a row is read, for a statement of one's own too.
 * @param joined rows that stand beside it, by the names of their relations
 */
export function compileRow(row: TableAlias, select: object, joined?: JoinedRows): CompiledRow {
  const fields = Object.entries(select as Record<string, Selected>)
    .filter(([, selected]) => selected)
    .map(([name, selected], index) => compileField(row, name, selected, `${row.alias}${index}`, joined?.get(name)));
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

/** A field of a selection: wanted as it is, or with what is wanted of the rows that it stands for. */
type Selected = boolean | undefined | (Omit<Arguments, 'select'> & { select?: object });

const parseDate = (json: unknown) => new Date(json as string);

function compileField(
  row: TableAlias,
  name: string,
  selected: Selected,
  alias: string,
  joined?: TableAlias,
): CompiledField {
  if (name === '_count') return { name, json: counts(row, selected) };
  const { columns, relations } = fieldsOf(row.model);
  const relation = relations.get(name);
  if (!relation) return { name, json: column(row, name), ...(columns.get(name)?.isDate && { parse: parseDate }) };
  const args = argumentsOf(name, selected);
  if (joined) {
    const { select, ...others } = args;
    if (Object.keys(others).length > 0) throw new Error(`reading rows: ${name} is one row, with nothing to choose`);
    const { json, parse } = compileRow(joined, select);
    return {
      name,
      json: sql`CASE WHEN ${isThere(joined, relation)} THEN ${json} END`,
      parse: (values) => parse(values as unknown[]),
    };
  }
  const foreign = { model: relation.model, alias };
  const { json, from, parse } = compileRead(foreign, args, joinCondition(row, relation, foreign));
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

function argumentsOf(name: string, selected: Selected): Arguments {
  if (typeof selected === 'object' && selected.select) return { ...selected, select: selected.select };
  throw new Error(`reading rows: nothing is selected of ${name}`);
}

/** Numbers of rows of relations, by the names of those. */
function counts(row: TableAlias, selected: Selected): Prisma.Sql {
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

/**
 * What the Pothos plugin reads a row with again that it needs more of than was read with its list (two selections of one
 * relation, with different arguments): in the place of Prisma's client, within the budget of the operation.
 */
export function rowsFor({ viewer }: Context): PrismaClient {
  const budget = viewer ? budgetOf(viewer) : new AnswerBudget();
  const rowsOf = (model: Model) => ({
    async findUniqueOrThrow(args: { select: object; where: object }) {
      const row = await readOne(model, args, budget);
      if (!row) throw new Error(`a row of ${model} is gone that was read before`);
      return row;
    },
  });
  const models = Object.keys(tables) as Model[];
  const rows = models.map((model) => [`${model[0]?.toLowerCase() ?? ''}${model.slice(1)}`, rowsOf(model)]);
  return Object.fromEntries(rows) as PrismaClient;
}
