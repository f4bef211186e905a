import type { GraphQLObjectType } from 'graphql';
import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLField,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql';
import type { Viewer } from '../kernel/context.ts';
import { ownTaskTags } from '../tags/policy.ts';
import { inOrder } from './data.ts';

type Row = Record<string, unknown>;

/** The fragments of a document by their names. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** What is selected of a row, and how it is written into an answer. */
export interface Tree {
  /** What to read, as Prisma's `select`. */
  select: (viewer: Viewer) => Row;
  /** The row as the selection has it: with its response keys, in their order, all values as they are sent. */
  write: (row: object) => Row;
}

interface Member {
  key: string;
  /** The field of the row that it is read from. */
  source: string;
  select: (viewer: Viewer) => unknown;
  write: (value: unknown) => unknown;
}

/** Fields that stand for other rows. */
interface Relation {
  source: string;
  select: (viewer: Viewer, below: Row) => object;
  /** The related row, or rows, from what is read. */
  read?: (value: unknown) => unknown;
}

const one = (source: string): Relation => ({ source, select: (_viewer, select) => ({ select }) });

const relations: Record<string, Relation> = {
  'Task.parent': one('parent'),
  'Task.project': one('project'),
  'Task.section': one('section'),
  'Section.project': one('project'),
  'Task.children': { source: 'children', select: (_viewer, select) => ({ select, orderBy: inOrder }) },
  'Task.tags': {
    source: 'taskTags',
    select: (viewer, select) => ownTaskTags(viewer, { select }),
    read: (rows) => (rows as { tag: Row }[]).map(({ tag }) => tag),
  },
};

/**
 * Makes a tree of a selection, where it is one of columns and of relations without arguments, to any depth.
 * @returns undefined where it has anything else: arguments, directives, fields with resolvers of their own
 */
export function treeOf(
  type: GraphQLObjectType,
  selections: readonly SelectionNode[],
  fragments: Fragments,
): Tree | undefined {
  const members: Member[] = [];
  const sources = new Set<string>();
  const fields = fieldsOf(type, selections, fragments);
  if (!fields) return undefined;
  for (const [key, nodes] of fields) {
    const member = memberOf(type, key, nodes, fragments);
    // Of one relation under two names, each with a selection of its own, one reading could not serve both.
    if (!member || (`${type.name}.${nodes[0]?.name.value ?? ''}` in relations && sources.has(member.source))) {
      return undefined;
    }
    sources.add(member.source);
    members.push(member);
  }
  return {
    select: (viewer) => ({
      id: true,
      ...Object.fromEntries(members.map(({ source, select }) => [source, select(viewer)])),
    }),
    write(row) {
      const values = row as Row;
      // Without a prototype, as `__proto__` may be a response key.
      const written = Object.create(null) as Row;
      for (const { key, source, write } of members) {
        const value = values[source];
        written[key] = value === null ? null : write(value);
      }
      return written;
    },
  };
}

/**
 * The fields by their response keys (GraphQL specification, 6.3.2): a fragment counts once, however often it is
 * spread. Undefined where a directive decides over one.
 */
export function fieldsOf(
  type: GraphQLObjectType,
  selections: readonly SelectionNode[],
  fragments: Fragments,
  found = new Map<string, FieldNode[]>(),
  spread = new Set<string>(),
): Map<string, FieldNode[]> | undefined {
  for (const node of selections) {
    if (node.directives?.length) return undefined;
    if (node.kind === Kind.FIELD) {
      const key = node.alias?.value ?? node.name.value;
      const nodes = found.get(key);
      if (nodes) nodes.push(node);
      else found.set(key, [node]);
      continue;
    }
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      if (spread.has(node.name.value)) continue;
      spread.add(node.name.value);
    }
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
    const condition = fragment?.typeCondition?.name.value ?? type.name;
    const applies = condition === type.name || type.getInterfaces().some(({ name }) => name === condition);
    if (fragment?.directives?.length) return undefined;
    if (applies && fragment && !fieldsOf(type, fragment.selectionSet.selections, fragments, found, spread)) {
      return undefined;
    }
  }
  return found;
}

/** What is selected below the fields of one response key. */
export const selectionsBelow = (nodes: readonly FieldNode[]): SelectionNode[] =>
  nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);

function memberOf(
  type: GraphQLObjectType,
  key: string,
  nodes: readonly FieldNode[],
  fragments: Fragments,
): Member | undefined {
  const name = nodes[0]?.name.value ?? '';
  if (name === '__typename') return { key, source: 'id', select: () => true, write: () => type.name };
  const field = type.getFields()[name];
  if (!field || nodes.some((node) => node.arguments?.length)) return undefined;
  return columnOf(key, field) ?? relationOf(type, key, field, nodes, fragments);
}

interface Leaf {
  serialize: (value: unknown) => unknown;
}

function columnOf(key: string, field: GraphQLField<unknown, unknown>): Member | undefined {
  const source = field.extensions['pothosExposedField'];
  const type = getNullableType(field.type);
  if (typeof source !== 'string' || !isLeafType(type)) return undefined;
  const leaf: Leaf = type;
  return { key, source, select: () => true, write: (value) => leaf.serialize(value) };
}

function relationOf(
  type: GraphQLObjectType,
  key: string,
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  fragments: Fragments,
): Member | undefined {
  const relation = relations[`${type.name}.${field.name}`];
  const named = getNamedType(field.type);
  if (!relation || !isObjectType(named)) return undefined;
  const below = treeOf(named, selectionsBelow(nodes), fragments);
  if (!below) return undefined;
  const { source, select, read } = relation;
  const related = (value: unknown) => (read ? read(value) : value);
  const isList = isListType(getNullableType(field.type));
  return {
    key,
    source,
    select: (viewer) => select(viewer, below.select(viewer)),
    write: (value) => (isList ? (related(value) as Row[]).map(below.write) : below.write(related(value) as Row)),
  };
}
