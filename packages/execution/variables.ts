import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  visit,
} from 'graphql';
import { type InputProblem, isText, maxProblems, notText } from '@taskgate/base';
import type { Variables } from './cost.ts';

/** Variables that cannot be coerced (specification, 6.1.2), by argument path. */
export function variableProblems(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Variables,
  hidesValues: boolean,
): InputProblem[] {
  const definitions = operation.variableDefinitions ?? [];
  if (definitions.length === 0) return [];
  const paths = argumentPaths(document);
  const inspection: Inspection = { problems: [], hidesValues };
  for (const { variable, type: node, defaultValue } of definitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    const path = paths.get(name) ?? name;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (!isInputType(type) || (value === undefined && (defaultValue || !isNonNullType(type)))) continue;
    inspect(type, value, path, inspection);
  }
  return inspection.problems.slice(0, maxProblems);
}

function argumentPaths(document: DocumentNode): Map<string, string> {
  const paths = new Map<string, string>();
  const path: string[] = [];
  const named = {
    enter: (node: { name: { value: string } }) => void path.push(node.name.value),
    leave: () => void path.pop(),
  };
  visit(document, {
    Argument: named,
    ObjectField: named,
    VariableDefinition: () => false,
    Variable: ({ name }) => {
      if (path.length > 0 && !paths.has(name.value)) paths.set(name.value, path.join('.'));
    },
  });
  return paths;
}

interface Inspection {
  readonly problems: InputProblem[];
  readonly hidesValues: boolean;
}

/** Recursion is as deep as the type, not the value. */
function inspect(type: GraphQLInputType, value: unknown, path: string, inspection: Inspection): void {
  const { problems, hidesValues } = inspection;
  const problem = (message: string, at = path) => void problems.push({ path: at, message });
  if (problems.length >= maxProblems) return;
  if (isNonNullType(type)) {
    if (value === undefined) return problem('is required');
    return value === null ? problem('must not be null') : inspect(type.ofType, value, path, inspection);
  }
  if (value === null || value === undefined) return;
  if (isListType(type)) {
    if (!Array.isArray(value)) return inspect(type.ofType, value, path, inspection);
    for (const [index, item] of value.entries()) {
      if (problems.length >= maxProblems) return;
      inspect(type.ofType, item ?? null, `${path}.${index}`, inspection);
    }
    return;
  }
  if (!isInputObjectType(type)) {
    const expected = expectedInstead(() => void type.parseValue(value));
    if (expected !== undefined && isEnumType(type))
      problem(hidesValues ? `must be a value of ${type.name}` : oneOf(type.getValues()));
    else if (expected !== undefined) problem(describeScalar(type.name, expected));
    else if (typeof value === 'string' && !isText(value)) problem(notText);
    return;
  }
  if (typeof value !== 'object' || Array.isArray(value)) return problem('must be an object');
  const fields = type.getFields();
  for (const field of Object.values(fields)) {
    const inner = Object.hasOwn(value, field.name) ? (value as Variables)[field.name] : undefined;
    const at = `${path}.${field.name}`;
    if (inner !== undefined) inspect(field.type, inner, at, inspection);
    else if (isRequiredInputField(field)) problem('is required', at);
  }
  for (const name of Object.keys(value)) {
    if (problems.length >= maxProblems) return;
    if (!Object.hasOwn(fields, name)) problem(`is not a field of ${type.name}`, `${path}.${name.slice(0, 100)}`);
  }
}

/** Undefined if the value is valid. */
function expectedInstead(parse: () => void): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const oneOf = (values: readonly { name: string }[]) => `must be one of ${values.map(({ name }) => name).join(', ')}`;

const builtIn: Readonly<Record<string, string>> = {
  String: 'must be a string',
  ID: 'must be an id, as a string',
  Int: 'must be a 32-bit integer',
  Float: 'must be a number',
  Boolean: 'must be true or false',
};

/** Custom scalars begin messages with their name. */
const describeScalar = (name: string, message: string) =>
  builtIn[name] ?? (message.startsWith(`${name} `) ? message.slice(name.length + 1) : `must be a ${name}`);

/** Path of an argument with fields and indexes; empty if there is none. @param offset in UTF-16 code units */
export function argumentPathAt(document: DocumentNode, offset: number): string {
  const around = ({ loc }: { loc?: { start: number; end: number } }) =>
    loc !== undefined && loc.start <= offset && offset < loc.end;
  const path: string[] = [];
  visit(document, {
    enter(node) {
      if (!around(node)) return false;
      // A default value belongs to its variable's argument.
      if (node.kind === Kind.VARIABLE_DEFINITION) {
        const { value: name } = node.variable.name;
        path.push(argumentPaths(document).get(name) ?? name);
      }
      if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) path.push(node.name.value);
      if (node.kind === Kind.LIST) {
        const index = node.values.findIndex(around);
        if (index >= 0) path.push(String(index));
      }
      return undefined;
    },
  });
  return path.join('.');
}
