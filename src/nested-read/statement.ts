import { Prisma } from '../generated/prisma/client.ts';
import { joinCondition, orderedRelations, type TableAlias } from './conditions.ts';
import { fieldsOf, type Model } from './model.ts';
import { argumentsOf, type Arguments, compileField, isSeparate, selectedFields, sourceOf } from './rows.ts';

const { sql, join, raw } = Prisma;

/** A value of an answer, with the characters of JSON that it takes there: what rows share counts for each of them. */
interface Sized<Value> {
  value: Value;
  size: number;
}

interface PartField {
  name: string;
  /** Absent where it is made of other rows of the statement alone. */
  json?: Prisma.Sql;
  /** @param key of the row, by which rows of other parts are found */
  build: (json: unknown, key: string, rows: Rows) => Sized<unknown>;
}

/** Rows at one place of a selection. */
interface Part {
  fields: PartField[];
}

/** A row of the statement: its part, the key of the row that it belongs to, its values, and its own key where it has lists. */
type Entry = [part: number, owner: string, ...values: unknown[]];

class Rows {
  readonly #parts: readonly Part[];
  /** By part and owner, in their order. */
  readonly #entries: Map<string | null, Sized<Entry>[]>[];
  readonly #shared: Map<string, Sized<object>>[];

  constructor(parts: readonly Part[], texts: readonly string[]) {
    this.#parts = parts;
    this.#entries = parts.map(() => new Map<string | null, Sized<Entry>[]>());
    this.#shared = parts.map(() => new Map<string, Sized<object>>());
    for (const text of texts) {
      const value = JSON.parse(text) as Entry;
      const entries = this.#entries[value[0]];
      const entry = { value, size: text.length };
      const present = entries?.get(value[1]);
      if (present) present.push(entry);
      else entries?.set(value[1], [entry]);
    }
  }

  /** The rows of a part that belong to a row; those at the top belong to none. */
  listOf(part: number, owner: string | null): Sized<object[]> {
    const rows = (this.#entries[part]?.get(owner) ?? []).map((entry) => this.#build(part, entry));
    return { value: rows.map(({ value }) => value), size: rows.reduce((sum, { size }) => sum + size, 0) };
  }

  /** A row that others refer to, the same object for all of them. */
  shared(part: number, key: string): Sized<object | null> {
    const known = this.#shared[part]?.get(key);
    if (known) return known;
    const [entry] = this.#entries[part]?.get(key) ?? [];
    if (!entry) return { value: null, size: 0 };
    const built = this.#build(part, entry);
    this.#shared[part]?.set(key, built);
    return built;
  }

  #build(part: number, { value: [, , ...values], size }: Sized<Entry>): Sized<object> {
    const built: Record<string, unknown> = {};
    const key = values.at(-1) as string;
    let [next, all] = [0, size];
    for (const { name, json, build } of this.#parts[part]?.fields ?? []) {
      const field = build(json && values[next++], key, this);
      built[name] = field.value;
      all += field.size;
    }
    return { value: built, size: all };
  }
}

/** Rows at the top of a selection, and all that is selected below. */
export interface CompiledStatement {
  statement: Prisma.Sql;
  /**
   * Puts the rows together.
   * @param entries the texts that the statement gave
   * @returns them, and the characters of JSON that they take as an answer
   */
  parse: (entries: readonly string[]) => Sized<object[]>;
}

/**
 * Compiles a read of a model's rows with all that is selected below to one statement, each row of which is a task, or another
 * row with its small parts: however large the whole is, PostgreSQL makes no value of it, and stops when nobody takes the rows any more.
 */
export function compileStatement(model: Model, args: Arguments): CompiledStatement {
  const compiler = new Compiler();
  const rows = compiler.top(model, args);
  const { parts, shared, queries } = compiler;
  const all = [rows, ...queries].map((query) => sql`SELECT entry::text FROM (${query}) AS entries`);
  const ctes = shared.length > 0 ? sql`WITH ${join(shared)}` : Prisma.empty;
  return {
    statement: sql`/* readMany(${raw(model)}) */ ${ctes} ${join(all, ' UNION ALL ')}`,
    parse: (entries) => new Rows(parts, entries).listOf(0, null),
  };
}

class Compiler {
  readonly parts: Part[] = [];
  /** Keys of the rows that others share, as common table expressions. */
  readonly shared: Prisma.Sql[] = [];
  /** What gives those rows. */
  readonly queries: Prisma.Sql[] = [];

  top(model: Model, args: Arguments): Prisma.Sql {
    return this.#part({ model, alias: 't' }, args, { owner: sql`NULL` });
  }

  /**
   * @param place.owner key of the row that the rows belong to
   * @param place.on what joins them to that
   * @param place.path what follows FROM to find that, where the rows are below others
   * @returns a query of their entries, with those of the lists below them
   */
  #part(
    row: TableAlias,
    { select, ...args }: Arguments,
    { owner, on, path }: { owner: Prisma.Sql; on?: Prisma.Sql; path?: Prisma.Sql },
  ): Prisma.Sql {
    const part: Part = { fields: [] };
    const index = this.parts.push(part) - 1;
    const joined = orderedRelations(row, args.orderBy ?? []);
    const source = sourceOf(row, args, joined, on);
    const { alias } = row;
    // OFFSET 0: each is looked up by an index, whatever the statistics say.
    const itself = sql`(SELECT ${raw(alias)}.* FROM ${source} OFFSET 0) AS ${raw(alias)}`;
    const own = path ? sql`${path} CROSS JOIN LATERAL ${itself}` : itself;
    const { relations } = fieldsOf(row.model);
    const selected = selectedFields(select).map(([name, below], position) => {
      const relation = relations.get(name);
      const isApart = relation && isSeparate(relation, argumentsOf(name, below).select);
      return { name, below, alias: `${alias}${position}`, relation: isApart ? relation : undefined };
    });
    const hasLists = selected.some(({ relation }) => relation?.isList);
    const lists: Prisma.Sql[] = [];
    for (const { name, below, alias: of, relation } of selected) {
      if (!relation) {
        // What is joined for the order is not seen from outside of the subquery that lists take.
        const { json, parse } = compileField(row, name, below, of, hasLists ? undefined : joined.get(name));
        const build = (value: unknown) => ({ value: parse && value !== null ? parse(value) : value, size: 0 });
        part.fields.push({ name, json, build });
        continue;
      }
      const foreign = { model: relation.model, alias: of };
      const key = raw(`${alias}.${relation.localColumn}`);
      const belowIt = argumentsOf(name, below);
      if (relation.isList) {
        const next = this.parts.length;
        lists.push(this.#part(foreign, belowIt, { owner: key, on: joinCondition(row, relation, foreign), path: own }));
        part.fields.push({ name, build: (_json, key, rows) => rows.listOf(next, key) });
        continue;
      }
      const next = this.#shared(
        foreign,
        belowIt,
        relation.foreignColumn,
        sql`SELECT DISTINCT ${key} AS key FROM ${own}`,
      );
      const build = (json: unknown, _key: string, rows: Rows) =>
        json === null ? { value: null, size: 0 } : rows.shared(next, json as string);
      part.fields.push({ name, json: key, build });
    }
    const values = part.fields.flatMap(({ json }) => json ?? []);
    const entry = join([raw(String(index)), owner, ...values, ...(hasLists ? [raw(`${alias}.id`)] : [])]);
    if (!hasLists) return sql`SELECT json_build_array(${entry}) AS entry FROM ${source}`;
    const entries = raw(`${alias}_entries`);
    return sql`
      SELECT ${entries}.entry FROM ${itself} CROSS JOIN LATERAL (
        SELECT json_build_array(${entry}) AS entry UNION ALL (${join(lists, ') UNION ALL (')})
      ) AS ${entries}`;
  }

  /** Rows that others refer to, each once. @returns their part */
  #shared(row: TableAlias, args: Arguments, column: string, keys: Prisma.Sql): number {
    const part = this.parts.length;
    const shared = raw(`shared_${part}`);
    this.shared.push(sql`${shared} AS MATERIALIZED (${keys})`);
    const owner = raw(`shared_${part}.key`);
    const on = sql`${raw(`${row.alias}.${column}`)} = ${owner}`;
    const entries = this.#part(row, args, { owner, on, path: shared });
    this.queries.push(sql`SELECT each.entry FROM ${shared} CROSS JOIN LATERAL (${entries} OFFSET 0) AS each`);
    return part;
  }
}
