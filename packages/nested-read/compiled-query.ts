import { queryFromInfo } from '@pothos/plugin-prisma';
import { selectedFieldNames } from '@pothos/selection-mapper';
import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  isObjectType,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { getOrMake } from '@taskgate/base';
import {
  type CollectedFields,
  collectFields,
  type CompiledSelection,
  compileSelection,
  type Fragments,
  fragmentsOf,
  selectionsBelow,
} from './compiled-selection.ts';
import type { Selection } from './read.ts';

/** As in Relay's cursor connections specification. */
interface ListPage {
  edges: { node: object }[];
}

/** @param withCount counts the whole list */
type ReadConnection<Args, Context, Page extends ListPage> = (
  args: Args,
  context: Context,
  query: Selection,
  withCount: boolean,
) => Promise<Page>;

/** Paths to the rows of a connection, for Pothos. */
export const nodePaths = [[{ name: 'nodes' }], [{ name: 'edges' }, { name: 'node' }]];

/** A field of `Query` that can be compiled. @param extensions further ones */
export const connectionOf = <Args, Context extends object, Page extends ListPage>(
  typeName: string,
  read: ReadConnection<Args, Context, Page>,
  extensions?: object,
) => ({
  extensions: { ...extensions, readConnection: read },
  resolve: (...[, args, context, info]: Parameters<GraphQLFieldResolver<unknown, Context, Args>>) => {
    const query = queryFromInfo({ context, info, typeName, paths: nodePaths });
    return read(args, context, query, selectedFieldNames(context, info).has('totalCount'));
  },
});

const Serialized = new GraphQLNonNull(new GraphQLScalarType({ name: 'Serialized', serialize: (value) => value }));

function objectTypeOf(field: GraphQLField<unknown, unknown> | undefined): GraphQLObjectType {
  const type = field && getNamedType(field.type);
  if (!isObjectType(type)) throw new Error('a connection has nodes and edges');
  return type;
}

function withFields(type: GraphQLObjectType, changed: Record<string, object>): GraphQLObjectType {
  const { fields, ...config } = type.toConfig();
  const all = Object.entries(fields).map(([name, field]) => [name, { ...field, ...changed[name] }]);
  return new GraphQLObjectType({ ...config, fields: Object.fromEntries(all) as typeof fields });
}

type CompiledConnection = ListPage & Pick<CompiledSelection, 'serialize'>;

/** With {@link Serialized} rows. */
function serializedConnection(connection: GraphQLObjectType): GraphQLObjectType {
  const edge = objectTypeOf(connection.getFields()['edges']);
  const serializedEdge = withFields(edge, { node: { type: Serialized } });
  return withFields(connection, {
    nodes: {
      type: Serialized,
      resolve: ({ edges, serialize }: CompiledConnection) => edges.map(({ node }) => serialize(node)),
    },
    edges: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(serializedEdge))),
      resolve: ({ edges, serialize }: CompiledConnection) =>
        edges.map(({ node, ...rest }) => ({ ...rest, node: serialize(node) })),
    },
  });
}

interface ConnectionField {
  selection: CompiledSelection;
  withCount: boolean;
}

/** Undefined if only the executor can execute the field. */
function compileConnection(
  type: GraphQLObjectType,
  node: FieldNode,
  fragments: Fragments,
): ConnectionField | undefined {
  const fields = collectFields(type, selectionsBelow([node]), fragments);
  const edge = objectTypeOf(type.getFields()['edges']);
  const named = (collected: CollectedFields | undefined, name: string) =>
    [...(collected?.values() ?? [])].filter(([first]) => first?.name.value === name);
  const edges = named(fields, 'edges').map((nodes) => collectFields(edge, selectionsBelow(nodes), fragments));
  const rowFields = [...named(fields, 'nodes'), ...edges.flatMap((collected) => named(collected, 'node'))];
  const [rowField] = rowFields;
  if (!fields || !rowField || rowFields.length > 1 || edges.includes(undefined)) return undefined;
  const selection = compileSelection(objectTypeOf(type.getFields()['nodes']), selectionsBelow(rowField), fragments);
  return selection && { selection, withCount: named(fields, 'totalCount').length > 0 };
}

type SchemaChoice = (document: DocumentNode, operation: OperationDefinitionNode) => GraphQLSchema;

const choices = new WeakMap<GraphQLSchema, SchemaChoice>();

/**
 * Returns the schema that executes an operation, with the same response. Queries that select only connections of rows,
 * with columns and relations without arguments, get a second schema. A {@link CompiledSelection} serializes its rows:
 * executing each field takes longer than reading and sending them.
 */
export function schemaToExecute(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): GraphQLSchema {
  if (operation.operation !== OperationTypeNode.QUERY) return schema;
  return getOrMake(choices, schema, () => schemaChoice(schema))(document, operation);
}

function schemaChoice(schema: GraphQLSchema): SchemaChoice {
  const query = schema.getQueryType();
  if (!query) throw new Error('the schema has no queries');
  const compiled = new WeakMap<FieldNode, ConnectionField>();
  const { fields, ...config } = query.toConfig();
  const connections = Object.entries(fields).flatMap(([name, field]) => {
    const read = field.extensions?.['readConnection'] as ReadConnection<unknown, object, ListPage> | undefined;
    if (!read) return [];
    const resolve: GraphQLFieldResolver<unknown, object> = async (_root, args, context, { fieldNodes: [node] }) => {
      const connection = node && compiled.get(node);
      if (!connection) throw new Error('a connection that was not compiled');
      const { select, serialize } = connection.selection;
      return { ...(await read(args, context, { select: select(context) }, connection.withCount)), serialize };
    };
    const type = new GraphQLNonNull(serializedConnection(objectTypeOf(query.getFields()[name])));
    return [[name, { ...field, type, resolve }]] as const;
  });
  const compiledSchema = new GraphQLSchema({
    query: new GraphQLObjectType({ ...config, fields: Object.fromEntries(connections) }),
  });

  const compile = (document: DocumentNode, { selectionSet }: OperationDefinitionNode): boolean => {
    const fragments = fragmentsOf(document);
    const collected = collectFields(query, selectionSet.selections, fragments);
    if (!collected) return false;
    return [...collected.values()].every(([node, ...others]) => {
      const field = query.getFields()[node?.name.value ?? ''];
      if (!node || others.length > 0 || !field?.extensions['readConnection']) return false;
      const connection = compileConnection(objectTypeOf(field), node, fragments);
      if (connection) compiled.set(node, connection);
      return connection !== undefined;
    });
  };

  const chosen = new WeakMap<OperationDefinitionNode, GraphQLSchema>();
  return (document, operation) =>
    getOrMake(chosen, operation, () => (compile(document, operation) ? compiledSchema : schema));
}
