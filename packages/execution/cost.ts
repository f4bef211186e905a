import {
  type FieldNode,
  getNamedType,
  getNullableType,
  type GraphQLField,
  isCompositeType,
  isListType,
  valueFromASTUntyped,
} from 'graphql';

/** Whether a field with these raw arguments scans all candidate rows. */
export type Scans = (args: Readonly<Record<string, unknown>>) => boolean;

declare module 'graphql' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations have the same parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /**
     * Of a field that costs more than its result: password hashes, mails, searches. Aliases thus cannot bypass request
     * limits (OWASP GraphQL Cheat Sheet).
     */
    cost?: number;
    /** Assumed, without pages and given ids. */
    listSize?: number;
    /** Maximum of the arguments `first` and `last`. */
    maxPageSize?: number;
    /** Maximum number of entries of a list inside a page at the top level, if other lists of the page may have more. */
    maxEntries?: number;
    /** Many others share the object. A list below repeats for each, so it counts as a full page. */
    isShared?: boolean;
    scans?: Scans;
  }
}

/** Uncoerced. */
export type Variables = Readonly<Record<string, unknown>>;

/** Maximum of `first` and `last` if the field sets none. Resolvers enforce it. */
const maxEntries = 500;
const defaultEntries = 50;

/** The fields of other types give a `listSize`. */
const introspectionListSizes: Readonly<Record<string, number>> = {
  '__Schema.types': 100,
  '__Schema.directives': 10,
  '__Directive.locations': 5,
  '__Directive.args': 2,
  '__Type.fields': 10,
  '__Type.inputFields': 3,
  '__Type.enumValues': 2,
  '__Type.interfaces': 1,
  '__Type.possibleTypes': 1,
  '__Field.args': 2,
};

/**
 * Scan of all candidate rows: an order or filter without an index, a search or a count. A list scans once at any depth.
 */
const scanCost = 5_000;

export interface FieldCost {
  /** Per object. */
  own: number;
  /** Cost that does not depend on the number of objects. */
  once: number;
  entries: number;
  /** `entries` is a page size, which the list directly below takes. */
  paged: boolean;
  /** Nothing in the document bounds the list. */
  unbounded: boolean;
}

/**
 * An object counts 1 and a value 0.1, times the sizes of the enclosing lists: `first` or `last`, the number of given
 * ids, or an assumed size.
 * @param isShared entries of an outer list share the parent
 * @param parent its coordinate; empty at the root
 * @param inPage the parent is a page (a connection)
 * @param objects number of parents, or the size of the page
 */
export function fieldCost(
  coordinate: string,
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  variables: Variables,
  { parent, inPage, isShared, objects }: { parent: string; inPage: boolean; isShared: boolean; objects: number },
): FieldCost {
  const { extensions } = definition;
  const own = extensions.cost ?? (isCompositeType(getNamedType(definition.type)) ? 1 : 0.1);
  const args = argumentsOf(field, variables);
  const once = extensions.scans?.(args) ? scanCost : 0;
  if (definition.args.some(({ name }) => name === 'first')) {
    const fallback = definition.args.find(({ name }) => name === 'first')?.defaultValue;
    // A field may have a default for `first`, which `last` replaces.
    const size = [args['last'], args['first'], fallback].find((value) => typeof value === 'number');
    const entries = Math.min(Math.max(size ?? defaultEntries, 1), extensions.maxPageSize ?? maxEntries);
    return { own, once, entries, paged: true, unbounded: false };
  }
  const { ids } = args;
  const isList = isListType(getNullableType(definition.type)) && !inPage;
  // A bulk mutation returns an object for each id.
  const isPayload = !isList && !inPage && Array.isArray(ids) && isCompositeType(getNamedType(definition.type));
  if (isPayload) return { own, once, entries: ids.length, paged: true, unbounded: false };
  if (!isList) {
    const share = inPage ? Math.min(1, (extensions.maxEntries ?? Infinity) / objects) : 1;
    const count = Array.isArray(ids) ? ids.length : 1;
    return { own: own * count * share, once, entries: share, paged: false, unbounded: false };
  }
  // The first level of a recursive list counts for the whole tree.
  const size = isShared ? maxEntries : (extensions.listSize ?? introspectionListSizes[coordinate] ?? maxEntries);
  const assumed = coordinate === parent ? 1 : size;
  const entries = Array.isArray(ids) ? ids.length : assumed;
  const unbounded = !Array.isArray(ids) && !coordinate.startsWith('__');
  return { own: own * entries, once, entries, paged: false, unbounded };
}

const argumentsOf = ({ arguments: nodes = [] }: FieldNode, variables: Variables): Readonly<Record<string, unknown>> =>
  Object.fromEntries(nodes.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]));
