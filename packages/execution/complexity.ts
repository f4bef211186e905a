import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';
import type { InputProblem } from '@taskgate/base';
import { fragmentsOf } from '@taskgate/nested-read';
import { type FieldCost, fieldCost, type Variables } from './cost.ts';
import { limitProblems, limits } from './limits.ts';

type Parent = GraphQLCompositeType | undefined;
type FieldDefinition = GraphQLField<unknown, unknown>;

interface Visit {
  depth: number;
  objects: number;
  /** Parent coordinate; empty at the root. */
  parent: string;
  inPage: boolean;
  /** Several objects share the selection. */
  isShared: boolean;
  /** Unbounded ones around this place. */
  lists: readonly string[];
}

class TooLarge extends Error {}

const notPriced: FieldCost = { own: 0, once: 0, entries: 1, paged: false, unbounded: false };

type PriceOf = (coordinate: string, field: FieldNode, definition: FieldDefinition, place: Visit) => FieldCost;

/** Walks operations like the executor. Stops at the field limit: fragments can expand exponentially. */
function walk(
  schema: GraphQLSchema,
  document: DocumentNode,
  operations: readonly OperationDefinitionNode[],
  priceOf: PriceOf,
) {
  const fragments = fragmentsOf(document);
  const aliases = new Set<FieldNode>();
  const nestedLists = new Set<string>();
  const totals = { fields: 0, deepest: 0, broadest: 0, cost: 0, aliases, nestedLists, complete: true };

  /** @returns the cost of one object */
  function visit(sets: Selections[], place: Visit): number {
    const level = expand(schema, fragments, sets, () => {
      if (++totals.fields > limits.fields) throw new TooLarge();
    });
    totals.broadest = Math.max(totals.broadest, level.length);
    totals.deepest = Math.max(totals.deepest, place.depth);
    if (place.depth > limits.depth) return 0;
    let sum = 0;
    for (const { field, parent, inner } of merge(level, aliases)) {
      const definition = definitionOf(schema, parent, field.name.value);
      const coordinate = `${parent?.name ?? ''}.${field.name.value}`;
      const { own, once, entries, paged, unbounded } = definition
        ? priceOf(coordinate, field, definition, place)
        : notPriced;
      sum += place.objects * own + once;
      if (unbounded && coordinate !== place.parent && place.lists.includes(coordinate)) nestedLists.add(coordinate);
      if (inner.length === 0) continue;
      const type = definition && getNamedType(definition.type);
      const composite = isCompositeType(type) ? type : undefined;
      sum += visit(
        inner.map((selectionSet) => ({ selectionSet, parent: composite })),
        {
          depth: place.depth + 1,
          objects: place.objects * entries,
          parent: coordinate,
          inPage: paged,
          isShared: place.isShared || (place.objects > 1 && definition?.extensions.isShared === true),
          lists: unbounded ? [...place.lists, coordinate] : place.lists,
        },
      );
    }
    return sum;
  }

  const root: Visit = { depth: 1, objects: 1, parent: '', inPage: false, isShared: false, lists: [] };
  try {
    for (const { operation, selectionSet } of operations) {
      totals.cost += visit([{ selectionSet, parent: schema.getRootType(operation) ?? undefined }], root);
    }
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    totals.complete = false;
  }
  return totals;
}

/**
 * The values of arguments and variables do not count.
 * @returns exceeded limits, and the number of fields
 */
export function measure(schema: GraphQLSchema, document: DocumentNode): { problems: InputProblem[]; fields: number } {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const { fields, deepest, broadest, aliases, complete } = walk(schema, document, operations, () => notPriced);
  const problems = [
    ...limitProblems('fields', complete ? 0 : fields, (figure) => `expands to ${figure} fields or more`),
    ...limitProblems('depth', deepest, (figure) => `is ${figure} fields deep or more`),
    ...limitProblems('breadth', broadest, (figure) => `has ${figure} fields in one selection set`),
    ...limitProblems('aliases', aliases.size, (figure) => `has ${figure} aliases`),
  ];
  return { problems, fields };
}

/** @param document valid, as are the variables @returns exceeded limits, and the cost */
export function estimate(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): { problems: InputProblem[]; cost: number } {
  const defaults = (operation.variableDefinitions ?? []).map(({ variable: { name }, defaultValue }) => [
    name.value,
    defaultValue && valueFromASTUntyped(defaultValue),
  ]);
  const values = { ...(Object.fromEntries(defaults) as Variables), ...variables };
  const priceOf: PriceOf = (coordinate, field, definition, place) =>
    fieldCost(coordinate, field, definition, values, place);
  const { cost, nestedLists } = walk(schema, document, [operation], priceOf);
  const problems = [
    ...limitProblems('cost', Math.ceil(cost), (figure) => `costs ${figure}`),
    ...[...nestedLists].map((coordinate) => ({
      path: 'query',
      message: `has ${coordinate} inside ${coordinate} through another field: select it in a separate operation`,
    })),
  ];
  return { problems, cost: Math.ceil(cost) };
}

export const rootFields = (schema: GraphQLSchema, document: DocumentNode, { selectionSet }: OperationDefinitionNode) =>
  expand(schema, fragmentsOf(document), [{ selectionSet, parent: undefined }]).map(({ field }) => field);

interface Selections {
  selectionSet: SelectionSetNode;
  parent: Parent;
}

interface Selected {
  field: FieldNode;
  parent: Parent;
}

/** Expands each fragment once (CollectFields). */
function expand(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  sets: Selections[],
  step?: () => void,
): Selected[] {
  const level: Selected[] = [];
  const seen = new Set<ASTNode>();
  const open = [...sets];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const selection of next.selectionSet.selections) {
      step?.();
      if (selection.kind === Kind.FIELD) {
        level.push({ field: selection, parent: next.parent });
        continue;
      }
      const isInline = selection.kind === Kind.INLINE_FRAGMENT;
      const fragment = isInline ? selection : fragments.get(selection.name.value);
      if (!fragment || seen.has(fragment)) continue;
      seen.add(fragment);
      const type = fragment.typeCondition ? typeFromAST(schema, fragment.typeCondition) : next.parent;
      open.push({ selectionSet: fragment.selectionSet, parent: isCompositeType(type) ? type : undefined });
    }
  }
  return level;
}

interface Merged extends Selected {
  inner: SelectionSetNode[];
}

function merge(level: Selected[], aliases: Set<FieldNode>): Iterable<Merged> {
  const merged = new Map<string, Merged>();
  for (const { field, parent } of level) {
    if (field.alias && field.alias.value !== field.name.value) aliases.add(field);
    const key = `${parent?.name ?? ''}.${(field.alias ?? field.name).value}`;
    const present = merged.get(key) ?? { field, parent, inner: [] };
    merged.set(key, present);
    if (field.selectionSet) present.inner.push(field.selectionSet);
  }
  return merged.values();
}

function definitionOf(schema: GraphQLSchema, parent: Parent, name: string): FieldDefinition | undefined {
  if (parent && parent === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}
