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
import type { InputProblem } from '../kernel/errors.ts';
import { fragmentsOf } from '../nested-read/compiled-selection.ts';
import { fieldCost, sharedObjects, type Variables } from './cost.ts';
import { beyond, limits } from './limits.ts';

type Parent = GraphQLCompositeType | undefined;

interface Visit {
  depth: number;
  /** Objects that the response is estimated to hold at this place. */
  objects: number;
  /** Coordinate of the field around; empty for an operation. */
  within: string;
  inPage: boolean;
  /** Whether the selection is repeated for each of several objects. */
  isShared: boolean;
  /** Coordinates of the unbounded lists around. */
  lists: readonly string[];
}

/** The walk has gone further than any operation within the limits would. */
class TooLarge extends Error {}

/**
 * Holds the operations of a document against the limits: fields within one another, fields of a selection
 * set, aliases and cost, all of them with fragments expanded and selections of the same name merged, as they
 * are executed. The walk is given up at the limit of fields, so that fragments that spread one another
 * exponentially cost no more than a large document. It needs no validation to have gone before; fields that
 * the schema does not have count as values.
 * @param variables as the client sent them; null: none are known yet, and cost is left out
 * @returns what is beyond the limits, the fields of all operations, and the cost of the dearest one
 */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Variables | null,
): { problems: InputProblem[]; fields: number; cost: number } {
  const fragments = fragmentsOf(document);
  const aliases = new Set<FieldNode>();
  const nestedLists = new Set<string>();
  let [fields, deepest, broadest, cost] = [0, 0, 0, 0];
  let values: Variables = {};

  /** Walks the selection sets of one object; answers what they add to the cost. */
  function visit(sets: Selections[], place: Visit): number {
    const level = expand(schema, fragments, sets, () => {
      if (++fields > limits.fields) throw new TooLarge();
    });
    broadest = Math.max(broadest, level.length);
    deepest = Math.max(deepest, place.depth);
    if (place.depth > limits.depth) return 0;
    let sum = 0;
    for (const { field, parent, inner } of merge(level, aliases)) {
      const definition = definitionOf(schema, parent, field.name.value);
      const coordinate = `${parent?.name ?? ''}.${field.name.value}`;
      const { own, once, entries, paged, unbounded } = definition
        ? fieldCost(coordinate, field, definition, values, place)
        : { own: 0.1, once: 0, entries: 1, paged: false, unbounded: false };
      sum += place.objects * own + once;
      if (unbounded && coordinate !== place.within && place.lists.includes(coordinate)) nestedLists.add(coordinate);
      if (inner.length === 0) continue;
      const type = definition && getNamedType(definition.type);
      const composite = isCompositeType(type) ? type : undefined;
      sum += visit(
        inner.map((selectionSet) => ({ selectionSet, parent: composite })),
        {
          depth: place.depth + 1,
          objects: place.objects * entries,
          within: coordinate,
          inPage: paged,
          isShared: place.isShared || (place.objects > 1 && sharedObjects.has(coordinate)),
          lists: unbounded ? [...place.lists, coordinate] : place.lists,
        },
      );
    }
    return sum;
  }

  const costOf = ({ operation, selectionSet, variableDefinitions = [] }: OperationDefinitionNode) => {
    const defaults = variableDefinitions.map(({ variable: { name }, defaultValue }) => [
      name.value,
      defaultValue && valueFromASTUntyped(defaultValue),
    ]);
    values = { ...(Object.fromEntries(defaults) as Variables), ...variables };
    return visit([{ selectionSet, parent: schema.getRootType(operation) ?? undefined }], {
      depth: 1,
      objects: 1,
      within: '',
      inPage: false,
      isShared: false,
      lists: [],
    });
  };

  let complete = true;
  try {
    for (const node of document.definitions) {
      if (node.kind === Kind.OPERATION_DEFINITION) cost = Math.max(cost, costOf(node));
    }
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    complete = false;
  }
  const problems = [
    ...beyond('fields', complete ? 0 : fields, (figure) => `has ${figure} fields or more with fragments expanded`),
    ...beyond('depth', deepest, (figure) => `is ${figure} fields deep or more`),
    ...beyond('breadth', broadest, (figure) => `has ${figure} fields in one selection set`),
    ...beyond('aliases', aliases.size, (figure) => `has ${figure} aliases`),
    ...(variables && complete ? beyond('cost', Math.ceil(cost), (figure) => `costs ${figure}`) : []),
    ...[...nestedLists].map((coordinate) => ({
      path: 'query',
      message: `has ${coordinate} inside ${coordinate} by way of another field: ask for it by an operation of its own`,
    })),
  ];
  return { problems, fields, cost: Math.ceil(cost) };
}

/** The top-level fields of an operation, with fragments expanded. */
export const rootFields = (schema: GraphQLSchema, document: DocumentNode, { selectionSet }: OperationDefinitionNode) =>
  expand(schema, fragmentsOf(document), [{ selectionSet, parent: undefined }]).map(({ field }) => field);

interface Selections {
  selectionSet: SelectionSetNode;
  /** The type that is selected from, where it is known. */
  parent: Parent;
}

interface Selected {
  field: FieldNode;
  parent: Parent;
}

/** The fields of selection sets, those of their fragments included, each fragment once (as CollectFields does). */
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
  /** The selection sets of all fields that answer under the same name. */
  inner: SelectionSetNode[];
}

/** Puts fields together that are executed as one. */
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

function definitionOf(schema: GraphQLSchema, parent: Parent, name: string): GraphQLField<unknown, unknown> | undefined {
  if (parent && parent === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}
