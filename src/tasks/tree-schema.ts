import {
  type DocumentNode,
  type FieldNode,
  type GraphQLFieldResolver,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
} from 'graphql';
import { type Context, signedIn } from '../kernel/context.ts';
import type { ConnectionArguments } from './connection.ts';
import * as rules from './rules.ts';
import { fieldsOf, type Fragments, selectionsBelow, type Tree, treeOf } from './trees.ts';

/** What is wanted of the field `tasks`. */
interface Wanted {
  tree: Tree;
  withCount: boolean;
}

const wantedOf = new WeakMap<FieldNode, Wanted>();

type Connection = Awaited<ReturnType<typeof rules.listTasks>> & { tree: Tree };
type Edge = Connection['edges'][number];

/** A task with all that is selected below it, ready to be sent. */
const WrittenTask = new GraphQLScalarType({ name: 'WrittenTask', serialize: (value) => value });

type Found = NonNullable<ReturnType<typeof fieldsOf>>;

const nonNullListOf = (type: GraphQLObjectType | GraphQLScalarType) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));

function objectOf(schema: GraphQLSchema, name: string): GraphQLObjectType {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`the schema has no object type ${name}`);
  return type;
}

/** The type with other definitions for some of its fields. */
function withFields(type: GraphQLObjectType, changed: Record<string, object>): GraphQLObjectType {
  const { fields, ...config } = type.toConfig();
  const all = Object.entries(fields).map(([name, field]) => [name, { ...field, ...changed[name] }]);
  return new GraphQLObjectType({ ...config, fields: Object.fromEntries(all) as typeof fields });
}

const resolveTasks: GraphQLFieldResolver<unknown, Context, ConnectionArguments> = async (
  _root,
  args,
  context,
  info,
) => {
  const [node] = info.fieldNodes;
  const wanted = node && wantedOf.get(node);
  if (!wanted) throw new Error('a list of tasks that was not looked at');
  const { tree, withCount } = wanted;
  const viewer = signedIn(context);
  const connection = await rules.listTasks(viewer, args, context.pageSize, { select: tree.select(viewer) }, withCount);
  return { ...connection, tree };
};

/**
 * A second schema for operations that want nothing but lists of tasks, and of these nothing but columns and plain
 * relations: to it, a task is one value, written by its {@link Tree}. GraphQL's executor would go through each field
 * of each task, which takes longer than to read and send them.
 * @returns which of both schemas to execute an operation with
 */
export function schemaChoice(
  schema: GraphQLSchema,
): (document: DocumentNode, node: OperationDefinitionNode) => GraphQLSchema {
  const query = objectOf(schema, 'Query');
  const connection = objectOf(schema, 'TaskConnection');
  const edge = objectOf(schema, 'TaskEdge');
  const task = objectOf(schema, 'Task');

  const WrittenEdge = withFields(edge, {
    node: { type: new GraphQLNonNull(WrittenTask), resolve: ({ node }: Edge) => node },
  });
  const WrittenConnection = withFields(connection, {
    nodes: {
      type: nonNullListOf(WrittenTask),
      resolve: ({ edges, tree }: Connection) => edges.map(({ node }) => tree.write(node)),
    },
    edges: {
      type: nonNullListOf(WrittenEdge),
      resolve: ({ edges, tree }: Connection) => edges.map(({ node, cursor }) => ({ node: tree.write(node), cursor })),
    },
  });
  const { fields, ...config } = query.toConfig();
  const tasks = { ...fields['tasks'], type: new GraphQLNonNull(WrittenConnection), resolve: resolveTasks };
  const writing = new GraphQLSchema({ query: new GraphQLObjectType({ ...config, fields: { tasks } }) });

  /** What is selected of tasks below a connection, in each place; undefined where a directive decides over it. */
  function selectionsOfTasks(found: Found, fragments: Fragments): SelectionNode[][] | undefined {
    const places: SelectionNode[][] = [];
    for (const nodes of found.values()) {
      const name = nodes[0]?.name.value;
      if (name === 'nodes') places.push(selectionsBelow(nodes));
      if (name !== 'edges') continue;
      const ofEdge = fieldsOf(edge, selectionsBelow(nodes), fragments);
      if (!ofEdge) return undefined;
      places.push(...[...ofEdge.values()].filter(([first]) => first?.name.value === 'node').map(selectionsBelow));
    }
    return places;
  }

  /** What is wanted of one field `tasks`; undefined where the executor has to go through it. */
  function wanted(node: FieldNode, fragments: Fragments): Wanted | undefined {
    const found = fieldsOf(connection, selectionsBelow([node]), fragments);
    const places = found && selectionsOfTasks(found, fragments);
    if (!found || places?.length !== 1) return undefined;
    const tree = treeOf(task, places.flat(), fragments);
    return tree && { tree, withCount: [...found.values()].some(([first]) => first?.name.value === 'totalCount') };
  }

  function isPlain(document: DocumentNode, { selectionSet }: OperationDefinitionNode): boolean {
    const fragments: Fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
    const found = fieldsOf(query, selectionSet.selections, fragments);
    if (!found) return false;
    return [...found.values()].every(([node, ...others]) => {
      if (!node || others.length > 0 || node.name.value !== 'tasks') return false;
      const all = wanted(node, fragments);
      if (all) wantedOf.set(node, all);
      return all !== undefined;
    });
  }

  const choices = new WeakMap<OperationDefinitionNode, GraphQLSchema>();
  return (document, operation) => {
    if (operation.operation !== OperationTypeNode.QUERY) return schema;
    const choice = choices.get(operation) ?? (isPlain(document, operation) ? writing : schema);
    choices.set(operation, choice);
    return choice;
  };
}
