import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { CompiledStatement } from './compiled-statements.ts';
import { columnOf, joinCondition, type OrderBy, type TableAlias } from './conditions.ts';
import { fromJson, type Model, type Relation } from './model.ts';
import type { Parameter } from './parameter.ts';
import {
  argumentsOf,
  type Arguments,
  counts,
  onlySelect,
  same,
  type Selected,
  selectedFields,
  type Serializer,
  serializerOf,
  sourceOf,
} from './rows.ts';

/** In characters of JSON. A larger piece needs the event loop for milliseconds. */
const pieceLength = 262_144;

/** The list of one owner, or one shared row. */
interface Group {
  rows: object[];
  /** Characters of JSON in a response, with the rows below. */
  size: number;
  /** Position among the part's groups. */
  rank: number;
}

/** @param sent values of the row from PostgreSQL */
type ReadField = (sent: readonly unknown[], rows: Rows) => unknown;

/** The rows of one list, or shared rows. */
interface Part {
  index: number;
  fields: (readonly [name: string, read: ReadField])[];
  serialize?: Serializer['serialize'] | undefined;
}

/** Builds a result's rows. Each arrives after the rows that it contains. */
class Rows {
  readonly #groups: Map<unknown, Group>[];
  readonly #parts: readonly Part[];
  #size = 0;

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    this.#groups = parts.map(() => new Map<unknown, Group>());
  }

  add(text: string): void {
    const sent = JSON.parse(text) as [part: number, key: unknown, ...values: unknown[]];
    const [part, key] = sent;
    this.#size = text.length;
    const { fields = [], serialize = same } = this.#parts[part] ?? {};
    const read: Record<string, unknown> = {};
    for (const [name, valueOf] of fields) read[name] = valueOf(sent, this);
    const row = serialize(read);
    const groups = this.#groups[part];
    const group = groups?.get(key);
    if (group) {
      group.rows.push(row);
      group.size += this.#size;
    } else groups?.set(key, { rows: [row], size: this.#size, rank: groups.size });
  }

  /** Finds rows that the current row contains. */
  find({ index }: Part, key: unknown): Group | undefined {
    const group = this.#groups[index]?.get(key);
    if (group) this.#size += group.size;
    return group;
  }
}

/**
 * Compiles a read, with everything selected below, to one statement. It returns single rows: PostgreSQL never makes a
 * value of the whole, and stops if nobody takes the rows.
 * @param args with a {@link Parameter} for each value
 */
export function compileStatement(model: Model, args: Arguments): CompiledStatement {
  const { parts, ctes, queries } = new Compiler(model, args);
  const [root] = parts;
  if (!root) throw new Error('a statement without a part');
  const ordered = queries.reverse();
  const { text, values } = sql`/* read(${raw(model.name)}) */ ${
    ctes.length > 0 ? sql`WITH ${join(ctes)} (${join(ordered, ') UNION ALL (')})` : join(ordered)
  }`;
  return {
    text,
    parameters: values.map((value) => (value as Parameter).index),
    async parse(entries, pause) {
      const rows = new Rows(parts);
      let length = 0;
      for (const text of entries) {
        length += text.length;
        if (length > pieceLength) {
          await pause();
          length = text.length;
        }
        rows.add(text);
      }
      return rows.find(root, null) ?? { rows: [], size: 0 };
    },
  };
}

interface SharedRows {
  part: Part;
  relation: Relation;
  args: Arguments;
  keys: Sql[];
}

/** Source of a part's rows; absent at the top. */
interface Origin {
  /** Column with a group's key. */
  key: string;
  /** Keys of all groups. */
  keys: Sql;
}

class Compiler {
  readonly parts: Part[] = [];
  /** Rows whose keys other parts need. */
  readonly ctes: Sql[] = [];
  readonly queries: Sql[] = [];
  readonly #shared = new Map<string, SharedRows>();

  constructor(model: Model, args: Arguments) {
    this.#add({ index: 0, fields: [] }, model, args);
    // A selection is longer than each one within it, so shared rows follow everything that refers to them.
    const length = ({ args: { select } }: SharedRows) => JSON.stringify(select).length;
    for (;;) {
      const [next] = [...this.#shared].sort(([, a], [, b]) => length(b) - length(a));
      if (!next) return;
      const [id, { part, relation, args: shared, keys }] = next;
      this.#shared.delete(id);
      this.#add(part, relation.model, shared, { key: relation.foreignColumn, keys: join(keys, ' UNION ALL ') });
    }
  }

  #add(part: Part, model: Model, { select, ...args }: Arguments, origin?: Origin): void {
    part.index = this.parts.push(part) - 1;
    const row = { model, alias: `t${part.index}` };
    const cte = raw(`part_${part.index}`);
    const needed = new Map<string, Sql>();
    /** Selects a column for the values or other parts. */
    const own = (name: string) => {
      const reference = raw(`${row.alias}.${name}`);
      needed.set(name, reference);
      return reference;
    };
    const values = [raw(String(part.index)), origin ? own(origin.key) : raw('NULL')];
    const position = (value: Sql) => {
      const index = values.findIndex(({ sql: text }) => text === value.sql && value.values.length === 0);
      return index < 0 ? values.push(value) - 1 : index;
    };
    const lists: (() => void)[] = [];
    const otherParts: Part[] = [];

    const fieldOf = (name: string, selected: Selected): ReadField => {
      const relation = model.relations.get(name);
      if (name === '_count') {
        own('id');
        const at = position(counts(row, selected));
        return (sent) => sent[at];
      }
      if (!relation) {
        const column = columnOf(model, name);
        const at = position(own(column.name));
        return (sent) => fromJson(column, sent[at]);
      }
      const below = argumentsOf(name, selected);
      const { localColumn } = relation;
      if (!relation.isList) {
        const at = position(own(localColumn));
        const shared = this.#share(relation, onlySelect(name, below), sql`SELECT ${raw(localColumn)} FROM ${cte}`);
        otherParts.push(shared);
        return (sent, rows) => rows.find(shared, sent[at])?.rows[0] ?? null;
      }
      const link = linkOf(relation, below);
      if (!link) {
        const at = position(own(localColumn));
        const list: Part = { index: 0, fields: [] };
        otherParts.push(list);
        const keys = sql`SELECT ${raw(localColumn)} FROM ${cte}`;
        lists.push(() => this.#add(list, relation.model, below, { key: relation.foreignColumn, keys }));
        return (sent, rows) => rows.find(list, sent[at])?.rows ?? [];
      }
      const keys = raw(`keys_${values.length}`);
      needed.set(keys.sql, sql`${link.keys(row)} AS ${keys}`);
      const at = position(raw(`${row.alias}.${keys.sql}`));
      const shared = this.#share(link.relation, link.args, sql`SELECT unnest(${keys}) FROM ${cte}`);
      otherParts.push(shared);
      return (sent, rows) => {
        const groups = (sent[at] as unknown[]).map((key) => rows.find(shared, key));
        if (link.isRanked) groups.sort((a, b) => (a?.rank ?? 0) - (b?.rank ?? 0));
        return groups.map((group) => ({ [link.name]: group?.rows[0] ?? null }));
      };
    };
    for (const [name, selected] of selectedFields(select)) part.fields.push([name, fieldOf(name, selected)]);
    part.serialize = serializerOf(select);

    const from = originOf(row, args, origin);
    const isReused = otherParts.length > 0;
    if (isReused) this.ctes.push(sql`${cte} AS MATERIALIZED (SELECT ${join([...needed.values()])} FROM ${from})`);
    const rows = isReused ? sql`${cte} AS ${raw(row.alias)}` : from;
    this.queries.push(sql`SELECT json_build_array(${join(values)})::text AS entry FROM ${rows}`);
    for (const add of lists) add();
  }

  /** Read once for all places with the same selection. @param keys a query of them */
  #share(relation: Relation, args: Arguments, keys: Sql): Part {
    const id = JSON.stringify([relation.model.name, relation.foreignColumn, args]);
    const shared = this.#shared.get(id) ?? { part: { index: 0, fields: [] }, relation, args, keys: [] };
    this.#shared.set(id, shared);
    shared.keys.push(keys);
    return shared.part;
  }
}

/** A limit holds for each list. */
function originOf(row: TableAlias, args: Omit<Arguments, 'select'>, origin?: Origin): Sql {
  if (!origin) return sourceOf(row, args);
  const [alias, key] = [raw(row.alias), raw(`${row.alias}.${origin.key}`)];
  if (args.take === undefined) return sourceOf(row, args, sql`${key} = ANY (ARRAY(${origin.keys}))`);
  const source = sourceOf(row, args, sql`${key} = owners.key`);
  return sql`(${origin.keys}) AS owners (key) CROSS JOIN LATERAL (SELECT ${alias}.* FROM ${source}) AS ${alias}`;
}

/**
 * For a list whose rows only lead to one other row each, such as a task's tags. The keys of those come with the row
 * that has the list. If the list has their order and no limit, they are read in that order.
 */
function linkOf(list: Relation, { select, ...args }: Arguments) {
  const [first, ...others] = selectedFields(select);
  const [name, selected] = first ?? ['', false];
  const relation = list.model.relations.get(name);
  if (relation?.isList !== false || others.length > 0) return undefined;
  const below = onlySelect(name, argumentsOf(name, selected));
  const orders = [args.orderBy ?? []].flat();
  const isRanked =
    args.take === undefined && orders.length > 0 && orders.every((order) => Object.keys(order).join() === name);
  return {
    name,
    relation,
    isRanked,
    args: isRanked ? { ...below, orderBy: orders.map((order) => order[name] as OrderBy) } : below,
    keys(row: TableAlias) {
      if (list.keysColumn !== undefined && !args.where && args.take === undefined)
        return raw(`${row.alias}.${list.keysColumn}`);
      const link = { model: list.model, alias: `${row.alias}_` };
      const { orderBy = [], ...unordered } = args;
      const source = sourceOf(link, { ...unordered, orderBy: isRanked ? [] : orderBy }, joinCondition(row, list, link));
      return sql`ARRAY(SELECT ${raw(`${link.alias}.${relation.localColumn}`)} FROM ${source})`;
    },
  };
}
