import {
  defaultFieldResolver,
  type FieldNode,
  getNamedType,
  getNullableType,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql';
import { getOrMake } from '@taskgate/base';
import { type ExecutionContext, pauseOf } from './context.ts';

type Fragments = GraphQLResolveInfo['fragments'];
type Resolver = GraphQLFieldResolver<unknown, ExecutionContext>;

/** Fields that an operation executes in a turn of the event loop: up to about 20 ms. */
export const fieldsPerTurn = 2_000;

interface Entry {
  readonly fields: number;
  readonly start: () => void;
}

/** The turns of an operation. */
class Pace {
  readonly #pause: () => Promise<void>;
  #waiting: Entry[] = [];
  #next = 0;
  #left = fieldsPerTurn;

  constructor(context: ExecutionContext) {
    this.#pause = pauseOf(context);
  }

  /** @param fields of an entry @returns the list, or a promise of each entry if they do not fit into this turn */
  spread(list: readonly unknown[], fields: number): readonly unknown[] {
    const all = list.length * fields;
    if (all <= this.#left) {
      this.#left -= all;
      return list;
    }
    return list.map((entry) => (entry instanceof Promise ? (entry as unknown) : this.#wait(entry, fields)));
  }

  #wait(entry: unknown, fields: number): Promise<unknown> {
    return new Promise((resolve) => {
      this.#waiting.push({ fields, start: () => resolve(entry) });
      if (this.#waiting.length === 1) void this.#run();
    });
  }

  async #run(): Promise<void> {
    while (this.#next < this.#waiting.length) {
      await this.#pause();
      this.#left = fieldsPerTurn;
      // The rest is for the lists in these entries.
      while (this.#left > fieldsPerTurn / 2) {
        const entry = this.#waiting[this.#next++];
        if (!entry) break;
        this.#left -= entry.fields;
        entry.start();
      }
    }
    [this.#waiting, this.#next] = [[], 0];
  }
}

const paces = new WeakMap<ExecutionContext, Pace>();
const sizes = new WeakMap<SelectionNode, number>();
const paced = new WeakSet<GraphQLSchema>();

/** Fields of a selection, with those below. The limits of documents bound it. */
function sizeOf(selection: SelectionNode, fragments: Fragments): number {
  return getOrMake(sizes, selection, () => {
    const named = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
    const below = named?.selectionSet?.selections ?? [];
    return below.reduce((sum, each) => sum + sizeOf(each, fragments), selection.kind === Kind.FIELD ? 1 : 0);
  });
}

const sizeOfAll = (nodes: readonly FieldNode[], fragments: Fragments) =>
  nodes.reduce((sum, node) => sum + sizeOf(node, fragments), 0);

const spreading =
  (resolve: Resolver): Resolver =>
  (parent, args, context, info) => {
    const spread = (list: unknown) => {
      if (!Array.isArray(list)) return list;
      const pace = getOrMake(paces, context, () => new Pace(context));
      return pace.spread(list, sizeOfAll(info.fieldNodes, info.fragments));
    };
    const result = resolve(parent, args, context, info);
    return result instanceof Promise ? result.then(spread) : spread(result);
  };

/** Lets other requests run between the entries of long lists, which graphql-js executes at once. */
export function paceLists(schema: GraphQLSchema): void {
  if (paced.has(schema)) return;
  paced.add(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isListType(getNullableType(field.type)) || !isCompositeType(getNamedType(field.type))) continue;
      field.resolve = spreading(field.resolve ?? (defaultFieldResolver as Resolver));
    }
  }
}
