import type { ASTNode, DocumentNode } from 'graphql';

/**
 * Prints operations and fragments without layout (GraphQL specification, 2). The package omits `graphql`, which is larger than all its
 * other code.
 * @throws Error for other definitions, such as types
 */
export const print = (document: DocumentNode): string => document.definitions.map(text).join(' ');

function text(node: ASTNode): string {
  const printNode = printers[node.kind] as ((node: ASTNode) => string) | undefined;
  if (!printNode) throw new Error(`an operation document cannot contain ${node.kind}`);
  return printNode(node);
}

const list = (nodes: readonly ASTNode[] | undefined, separator: string, [open, close] = ['', '']): string =>
  nodes && nodes.length > 0 ? open + nodes.map(text).join(separator) + close : '';

const optional = (prefix: string, node: ASTNode | undefined): string => (node ? prefix + text(node) : '');

const value = (node: { readonly value: string | boolean }) => String(node.value);
const named = (node: Extract<ASTNode, { kind: 'Argument' | 'ObjectField' }>) =>
  `${node.name.value}:${text(node.value)}`;

const printers: { [Kind in ASTNode['kind']]?: (node: Extract<ASTNode, { kind: Kind }>) => string } = {
  OperationDefinition: ({ operation, name, variableDefinitions, directives, selectionSet }) =>
    `${operation}${optional(' ', name)}${list(variableDefinitions, ',', ['(', ')'])}${list(directives, ' ')}${text(selectionSet)}`,
  FragmentDefinition: ({ name, typeCondition, directives, selectionSet }) =>
    `fragment ${name.value} on ${text(typeCondition)}${list(directives, ' ')}${text(selectionSet)}`,
  VariableDefinition: ({ variable, type, defaultValue, directives }) =>
    `${text(variable)}:${text(type)}${optional('=', defaultValue)}${list(directives, ' ')}`,
  SelectionSet: ({ selections }) => list(selections, ' ', ['{', '}']),
  Field: ({ alias, name, arguments: args, directives, selectionSet }) =>
    `${alias ? `${alias.value}:` : ''}${name.value}${list(args, ',', ['(', ')'])}${list(directives, ' ')}${optional('', selectionSet)}`,
  FragmentSpread: ({ name, directives }) => `...${name.value}${list(directives, ' ')}`,
  InlineFragment: ({ typeCondition, directives, selectionSet }) =>
    `...${optional(' on ', typeCondition)}${list(directives, ' ')}${text(selectionSet)}`,
  Directive: ({ name, arguments: args }) => `@${name.value}${list(args, ',', ['(', ')'])}`,
  Argument: named,
  ObjectField: named,
  ObjectValue: ({ fields }) => `{${list(fields, ',')}}`,
  ListValue: ({ values }) => `[${list(values, ',')}]`,
  ListType: ({ type }) => `[${text(type)}]`,
  NonNullType: ({ type }) => `${text(type)}!`,
  NamedType: ({ name }) => name.value,
  Variable: ({ name }) => `$${name.value}`,
  Name: value,
  IntValue: value,
  FloatValue: value,
  EnumValue: value,
  BooleanValue: value,
  StringValue: (node) => JSON.stringify(node.value),
  NullValue: () => 'null',
};
