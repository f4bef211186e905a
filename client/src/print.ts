import type { ASTNode, DocumentNode } from 'graphql';

/**
 * Prints operations and fragments without layout (GraphQL specification, 2). The package omits `graphql`, which is larger than all its
 * other code.
 * @throws Error for other definitions, such as types
 */
export const print = (document: DocumentNode): string => document.definitions.map(printNode).join(' ');

function printNode(node: ASTNode): string {
  const printer = printers[node.kind] as ((node: ASTNode) => string) | undefined;
  if (!printer) throw new Error(`an operation document cannot contain ${node.kind}`);
  return printer(node);
}

const printList = (nodes: readonly ASTNode[] | undefined, separator: string, [open, close] = ['', '']): string =>
  nodes && nodes.length > 0 ? open + nodes.map(printNode).join(separator) + close : '';

const printOptional = (prefix: string, node: ASTNode | undefined): string => (node ? prefix + printNode(node) : '');

const printValue = (node: { readonly value: string | boolean }) => String(node.value);
const printArgument = (node: Extract<ASTNode, { kind: 'Argument' | 'ObjectField' }>) =>
  `${node.name.value}:${printNode(node.value)}`;

const printers: { [Kind in ASTNode['kind']]?: (node: Extract<ASTNode, { kind: Kind }>) => string } = {
  OperationDefinition: ({ operation, name, variableDefinitions, directives, selectionSet }) =>
    `${operation}${printOptional(' ', name)}${printList(variableDefinitions, ',', ['(', ')'])}${printList(directives, ' ')}${printNode(selectionSet)}`,
  FragmentDefinition: ({ name, typeCondition, directives, selectionSet }) =>
    `fragment ${name.value} on ${printNode(typeCondition)}${printList(directives, ' ')}${printNode(selectionSet)}`,
  VariableDefinition: ({ variable, type, defaultValue, directives }) =>
    `${printNode(variable)}:${printNode(type)}${printOptional('=', defaultValue)}${printList(directives, ' ')}`,
  SelectionSet: ({ selections }) => printList(selections, ' ', ['{', '}']),
  Field: ({ alias, name, arguments: args, directives, selectionSet }) =>
    `${alias ? `${alias.value}:` : ''}${name.value}${printList(args, ',', ['(', ')'])}${printList(directives, ' ')}${printOptional('', selectionSet)}`,
  FragmentSpread: ({ name, directives }) => `...${name.value}${printList(directives, ' ')}`,
  InlineFragment: ({ typeCondition, directives, selectionSet }) =>
    `...${printOptional(' on ', typeCondition)}${printList(directives, ' ')}${printNode(selectionSet)}`,
  Directive: ({ name, arguments: args }) => `@${name.value}${printList(args, ',', ['(', ')'])}`,
  Argument: printArgument,
  ObjectField: printArgument,
  ObjectValue: ({ fields }) => `{${printList(fields, ',')}}`,
  ListValue: ({ values }) => `[${printList(values, ',')}]`,
  ListType: ({ type }) => `[${printNode(type)}]`,
  NonNullType: ({ type }) => `${printNode(type)}!`,
  NamedType: ({ name }) => name.value,
  Variable: ({ name }) => `$${name.value}`,
  Name: printValue,
  IntValue: printValue,
  FloatValue: printValue,
  EnumValue: printValue,
  BooleanValue: printValue,
  StringValue: (node) => JSON.stringify(node.value),
  NullValue: () => 'null',
};
