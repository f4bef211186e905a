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
import type { InputProblem } from '../kernel/errors.ts';
import { isText, maxProblems, notText } from '../kernel/input.ts';
import type { Variables } from './cost.ts';

/**
 * What of the variables cannot be coerced (specification, 6.1.2), by the path of the argument that each is given to.
 * @param hidesValues whether an enum's values are not to be shown
 */
export function variableProblems(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Variables,
  hidesValues: boolean,
): InputProblem[] {
  const definitions = operation.variableDefinitions ?? [];
  if (definitions.length === 0) return [];
  const paths = argumentPaths(document);
  const found: Found = { problems: [], hidesValues };
  for (const { variable, type: node, defaultValue } of definitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    const path = paths.get(name) ?? name;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (!isInputType(type) || (value === undefined && (defaultValue || !isNonNullType(type)))) continue;
    inspect(type, value, path, found);
  }
  return found.problems.slice(0, maxProblems);
}

/** The path of the argument, or the field in its value, that each variable is first given to. */
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

interface Found {
  readonly problems: InputProblem[];
  readonly hidesValues: boolean;
}

/** Adds the problems of a value. It goes as deep as the type does, whatever the depth of the value. */
function inspect(type: GraphQLInputType, value: unknown, path: string, found: Found): void {
  const { problems, hidesValues } = found;
  const problem = (message: string, at = path) => void problems.push({ path: at, message });
  if (problems.length >= maxProblems) return;
  if (isNonNullType(type)) {
    if (value === undefined) return problem('is required');
    return value === null ? problem('must not be null') : inspect(type.ofType, value, path, found);
  }
  if (value === null || value === undefined) return;
  if (isListType(type)) {
    if (!Array.isArray(value)) return inspect(type.ofType, value, path, found);
    for (const [index, item] of value.entries()) {
      if (problems.length >= maxProblems) return;
      inspect(type.ofType, item ?? null, `${path}.${index}`, found);
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
    if (inner !== undefined) inspect(field.type, inner, at, found);
    else if (isRequiredInputField(field)) problem('is required', at);
  }
  for (const name of Object.keys(value)) {
    if (problems.length >= maxProblems) return;
    if (!Object.hasOwn(fields, name)) problem(`is not a field of ${type.name}`, `${path}.${name.slice(0, 100)}`);
  }
}

/** What the scalar says against the value; undefined where it takes it. */
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
  Int: 'must be a whole number of 32 bits',
  Float: 'must be a number',
  Boolean: 'must be true or false',
};

/** Our own scalars say "Date must be …". */
const describeScalar = (name: string, message: string) =>
  builtIn[name] ?? (message.startsWith(`${name} `) ? message.slice(name.length + 1) : `must be a ${name}`);

/**
 * The path of the argument that a place in a document's text lies in (`offset`, in UTF-16 code units), with fields and positions of
 * the value; empty where it lies in none. Of a variable's default value it is the path of the variable's argument.
 */
export function argumentPathAt(document: DocumentNode, offset: number): string {
  const around = ({ loc }: { loc?: { start: number; end: number } }) =>
    loc !== undefined && loc.start <= offset && offset < loc.end;
  const path: string[] = [];
  visit(document, {
    enter(node) {
      if (!around(node)) return false;
      // A default value is the value of the argument that the variable is given to.
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
