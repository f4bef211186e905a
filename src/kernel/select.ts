import { Prisma } from '../generated/prisma/client.ts';
import { column, conditions, inOrder, joins, type Named, named, type OrderBy, type Where } from './conditions.ts';
import { pool, statementName } from './database.ts';
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
 * @throws for arguments of Prisma's that are not supported here
 */
export async function selectMany<Row>(model: Model, args: Arguments): Promise<Row[]> {
  const tree = treeOf({ model, alias: 't' }, args);
  const { text, values } = sql`SELECT ${tree.json} AS row FROM ${tree.rows}`;
  const { rows } = await pool.query<{ row: Fields }>({ name: statementName(text), text, values: values.map(asText) });
  return rows.map(({ row }) => {
    tree.revive(row);
    return row as Row;
  });
}

/** The first of those rows, or null. */
export async function selectFirst<Row>(model: Model, args: Arguments): Promise<Row | null> {
  const [row] = await selectMany<Row>(model, { ...args, take: 1 });
  return row ?? null;
}

/** The driver would write a moment in the process' own time zone, which changes the day of a date. */
const asText = (value: unknown) => (value instanceof Date ? value.toISOString() : value);

type Fields = Record<string, unknown>;

/** How selected rows are read. */
interface Tree {
  /** A row as JSON. */
  json: Prisma.Sql;
  /** The rows in their order, for use behind FROM. */
  rows: Prisma.Sql;
  /** Makes dates of a row's texts, in the rows below it too. */
  revive: (row: Fields) => void;
}

/** What is selected of a row under a name. */
interface Member {
  json: Prisma.Sql;
  revive?: (value: unknown) => unknown;
}

/** @param joined what joins the rows to one of another level */
function treeOf(row: Named, { select, where = {}, orderBy, take }: Arguments, joined?: Prisma.Sql): Tree {
  const members = Object.entries(select as Record<string, Selected>)
    .filter(([, selected]) => selected)
    .map(([name, selected], index) => ({ name, ...memberOf(row, name, selected, `${row.alias}${index}`) }));
  const revived = members.filter(({ revive }) => revive);
  const all = joined ? sql`${joined} AND ${conditions(row, where)}` : conditions(row, where);
  const limit = take === undefined ? empty : sql`LIMIT ${take}`;
  return {
    json: sql`json_build_object(${join(members.map(({ name, json }) => sql`${raw(`'${name}'`)}, ${json}`))})`,
    rows: sql`(SELECT * FROM ${named(row)} WHERE ${all} ${inOrder(row, orderBy)} ${limit}) AS ${raw(row.alias)}`,
    revive(values) {
      for (const { name, revive } of revived) if (values[name] !== null) values[name] = revive?.(values[name]);
    },
  };
}

/** A field of a selection: wanted as it is, or with what is wanted of the rows that it stands for. */
type Selected = boolean | undefined | (Omit<Arguments, 'select'> & { select?: object });

function memberOf(row: Named, name: string, selected: Selected, alias: string): Member {
  if (name === '_count') return { json: counts(row, selected) };
  const { columns, relations } = fields(row.model);
  const relation = relations.get(name);
  if (!relation) {
    const json = column(row, name);
    return columns.get(name)?.isDate ? { json, revive: (value) => new Date(value as string) } : { json };
  }
  const theirs = { model: relation.model, alias };
  const { json, rows, revive } = treeOf(theirs, selectionOf(name, selected), joins(row, relation, theirs));
  if (!relation.isList) {
    return {
      json: sql`(SELECT ${json} FROM ${rows})`,
      revive(value) {
        revive(value as Fields);
        return value;
      },
    };
  }
  return {
    // Gathers the rows in the order in which they come.
    json: sql`(SELECT coalesce(json_agg(${json}), '[]') FROM ${rows})`,
    revive(value) {
      for (const each of value as Fields[]) revive(each);
      return value;
    },
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
