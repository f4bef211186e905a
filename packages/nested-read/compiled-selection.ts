import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql';
import { type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { TableAlias } from './conditions.ts';
import { compileRow, selectSerialized } from './rows.ts';

type Row = Record<string, unknown>;

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])));

/** Fields of a selection by response key. */
export type CollectedFields = ReadonlyMap<string, readonly FieldNode[]>;

/** Rows to any depth, without GraphQL's executor. */
export interface CompiledSelection<Data = object> {
  /** Prisma's `select`. */
  select: (context: object) => object;
  /** Makes the data by response key, with values serialized by their scalar or enum. */
  serialize: (row: object) => Data;
  /** Equal if selections serialize a row in the same way. */
  id: string;
}

interface CompiledField {
  responseKey: string;
  /** Relation of the row. */
  relation?: string;
  select: (context: object) => object;
  serialize: (row: Row) => unknown;
}

/** In a field's `extensions`: its resolver uses only this relation, so it can be compiled. */
export const resolvedFrom = (relation: string) => ({ resolvedFrom: relation });

/** In a field's `extensions`: its resolver makes an object of this column's value, so it can be compiled. */
export const resolvedFromColumn = (column: string) => ({ resolvedFromColumn: column });

/**
 * Compiles columns and relations without arguments.
 * @returns undefined for arguments, directives or fields with their own resolvers
 */
export function compileSelection(
  type: GraphQLObjectType,
  selections: readonly SelectionNode[],
  fragments: Fragments,
): CompiledSelection | undefined {
  const fields: CompiledField[] = [];
  const collected = collectFields(type, selections, fragments);
  if (!collected) return undefined;
  for (const [responseKey, nodes] of collected) {
    const field = compileField(type, responseKey, nodes, fragments);
    if (!field || (field.relation && fields.some(({ relation }) => relation === field.relation))) return undefined;
    fields.push(field);
  }
  // This key needs an object without a prototype, which is slower.
  const namesPrototype = collected.has('__proto__');
  const { select: always } = type.extensions['pothosPrismaTypeSelection'] as { select: object };
  return {
    id: JSON.stringify([type.name, ...[...collected].map(([key, [node]]) => [key, node?.name.value])]),
    select: (context) => Object.assign({}, always, ...fields.map(({ select }) => select(context))) as object,
    serialize(row) {
      const data = (namesPrototype ? Object.create(null) : {}) as Row;
      for (const { responseKey, serialize } of fields) data[responseKey] = serialize(row as Row);
      return data;
    },
  };
}

/** Typed like `TypedDocumentNode`. */
export type FragmentDocument<Data> = DocumentNode & { __apiType?: (variables: never) => Data };

/** The first fragment. @throws if it cannot be compiled */
export function compileFragment<Data>(
  schema: GraphQLSchema,
  document: FragmentDocument<Data>,
): CompiledSelection<Data> {
  const fragments = fragmentsOf(document);
  const [fragment] = fragments.values();
  const type = fragment && schema.getType(fragment.typeCondition.name.value);
  const compiled =
    fragment && isObjectType(type) && compileSelection(type, fragment.selectionSet.selections, fragments);
  if (!compiled) throw new Error(`the fragment ${fragment?.name.value ?? ''} cannot be compiled`);
  return compiled as CompiledSelection<Data>;
}

export interface RowReader<Data> {
  /** The row as JSON text. */
  text: Sql;
  parse: (text: string) => Data;
}

/** Makes SQL for one row as JSON text, and its parser. */
export function rowReader<Data>(
  row: TableAlias,
  { select, serialize }: CompiledSelection<Data>,
  context: object,
): RowReader<Data> {
  const { json, parse } = compileRow(row, select(context));
  return {
    text: sql`(${json})::text`,
    parse: (text) => serialize(parse(JSON.parse(text) as unknown[])),
  };
}

/**
 * CollectFields of the GraphQL specification, 6.3.2. Each fragment counts once.
 * @returns undefined if there are directives
 */
export function collectFields(
  type: GraphQLObjectType,
  selections: readonly SelectionNode[],
  fragments: Fragments,
  collected = new Map<string, FieldNode[]>(),
  visited = new Set<string>(),
): CollectedFields | undefined {
  for (const node of selections) {
    if (node.directives?.length) return undefined;
    if (node.kind === Kind.FIELD) {
      const key = node.alias?.value ?? node.name.value;
      const nodes = collected.get(key);
      if (nodes) nodes.push(node);
      else collected.set(key, [node]);
      continue;
    }
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      if (visited.has(node.name.value)) continue;
      visited.add(node.name.value);
    }
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
    const condition = fragment?.typeCondition?.name.value ?? type.name;
    const applies = condition === type.name || type.getInterfaces().some(({ name }) => name === condition);
    if (fragment?.directives?.length) return undefined;
    if (applies && fragment && !collectFields(type, fragment.selectionSet.selections, fragments, collected, visited)) {
      return undefined;
    }
  }
  return collected;
}

export const selectionsBelow = (nodes: readonly FieldNode[]): SelectionNode[] =>
  nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);

function compileField(
  type: GraphQLObjectType,
  responseKey: string,
  nodes: readonly FieldNode[],
  fragments: Fragments,
): CompiledField | undefined {
  const name = nodes[0]?.name.value ?? '';
  if (name === '__typename') {
    return { responseKey, select: () => ({}), serialize: () => type.name };
  }
  const field: GraphQLField<unknown, object> | undefined = type.getFields()[name];
  if (!field || field.args.length > 0) return undefined;
  return (
    compileColumn(responseKey, field) ??
    compileObject(responseKey, field, nodes, fragments) ??
    compileRelation(responseKey, field, nodes, fragments)
  );
}

interface Leaf {
  serialize(value: unknown): unknown;
}

const serializeLeaf = (leaf: Leaf, value: unknown) => (value === null ? null : leaf.serialize(value));

/** A column of a row, or a property of an object. Each costs memory of the cache of documents. */
function compileColumn(responseKey: string, field: GraphQLField<unknown, object>): CompiledField | undefined {
  const column = field.extensions['pothosExposedField'];
  const type = getNullableType(field.type);
  const named = getNamedType(type);
  if (typeof column !== 'string' || !isLeafType(named)) return undefined;
  const leaf: Leaf = named;
  return {
    responseKey,
    select: () => ({ [column]: true }),
    serialize: isListType(type)
      ? (row) => (row[column] as unknown[]).map((value) => serializeLeaf(leaf, value))
      : (row) => serializeLeaf(leaf, row[column]),
  };
}

/** A leaf of an object whose resolver uses nothing else. */
function compileResolved(responseKey: string, field: GraphQLField<unknown, object>) {
  const type = getNullableType(field.type);
  if (!isLeafType(type) || field.args.length > 0) return undefined;
  const leaf: Leaf = type;
  const resolve = field.extensions['pothosOriginalResolve'] as (row: Row) => unknown;
  return { responseKey, serialize: (row: Row) => serializeLeaf(leaf, resolve(row)) };
}

/** The leaves of an object that is made of a column's value. */
function compileObject(
  responseKey: string,
  { extensions, type: fieldType }: GraphQLField<unknown, object>,
  nodes: readonly FieldNode[],
  fragments: Fragments,
): CompiledField | undefined {
  const column = extensions['resolvedFromColumn'];
  const type = getNamedType(fieldType);
  if (typeof column !== 'string' || !isObjectType(type)) return undefined;
  const leaves: Pick<CompiledField, 'responseKey' | 'serialize'>[] = [];
  for (const [key, [node]] of collectFields(type, selectionsBelow(nodes), fragments) ?? []) {
    const field: GraphQLField<unknown, object> | undefined = type.getFields()[node?.name.value ?? ''];
    const leaf = field && (compileColumn(key, field) ?? compileResolved(key, field));
    if (!leaf) return undefined;
    leaves.push(leaf);
  }
  if (leaves.length === 0) return undefined;
  const resolve = extensions['pothosOriginalResolve'] as (row: Row) => Row | null;
  const serialize = (row: Row) => {
    const value = resolve(row);
    return value && Object.fromEntries(leaves.map((leaf) => [leaf.responseKey, leaf.serialize(value)]));
  };
  return { responseKey, select: () => ({ [column]: true }), serialize };
}

/** The Pothos plugin's form of a relation's `select`, around the one of the related rows. */
type FieldSelect = (args: object, context: object, nested: (query: NestedQuery) => object) => { select: object };
type NestedQuery = true | Row | ((args: object, context: object) => Row);

function compileRelation(
  responseKey: string,
  field: GraphQLField<unknown, object>,
  nodes: readonly FieldNode[],
  fragments: Fragments,
): CompiledField | undefined {
  const { extensions } = field;
  const plain = extensions['pothosPrismaRelationField'] as { name: string } | undefined;
  const relation = plain?.name ?? (extensions['resolvedFrom'] as string | undefined);
  const type = getNamedType(field.type);
  if (relation === undefined || !isObjectType(type)) return undefined;
  const below = compileSelection(type, selectionsBelow(nodes), fragments);
  if (!below) return undefined;
  const fieldSelect = extensions['pothosPrismaSelect'] as FieldSelect;
  const resolve = extensions['pothosOriginalResolve'] as (row: Row) => unknown;
  return {
    responseKey,
    relation,
    select: (context) =>
      fieldSelect({}, context, (query) => ({
        ...(typeof query === 'function' ? query({}, context) : query === true ? {} : query),
        select: selectSerialized(below.select(context), below),
      })).select,
    // Related rows are serialized already.
    serialize: resolve,
  };
}
