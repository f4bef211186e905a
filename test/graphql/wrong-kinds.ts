import {
  coerceInputValue,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  parseValue,
  valueFromAST,
} from 'graphql';
import { schema } from '../../src/schema.ts';
import type { OperationRequest } from '../../packages/execution/check-operation.ts';

export interface WrongKind {
  body: OperationRequest;
  isAccepted: boolean;
}

const literals = ['null', 'true', '1', '"text"', 'TITLE', '[]', '[{}]', '{}'];

export const jsonValues: unknown[] = [null, true, 1, 'text', [], [{}], {}];

/** An argument, a field of an input object, or an entry of a list. */
export interface InputPlace {
  name: string;
  type: GraphQLInputType;
  operation: 'query' | 'mutation' | 'subscription';
  selection: (value: string) => string;
}

function validLiteral(type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return `[${validLiteral(nullable.ofType)}]`;
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? 'null';
  if (isInputObjectType(nullable)) return objectOf(Object.values(nullable.getFields()).filter(isRequiredInputField));
  const samples: Record<string, string> = { Int: '1', Boolean: 'true', Date: '"2031-01-01"', JSON: '{}' };
  return samples[nullable.name] ?? '"x"';
}

const objectOf = (fields: readonly GraphQLInputField[]) =>
  `{${fields.map(({ name, type }) => `${name}: ${validLiteral(type)}`).join(', ')}}`;

type Inner = Pick<InputPlace, 'name' | 'type'> & { wrap: (value: string) => string };

function innerPlaces(name: string, type: GraphQLInputType): Inner[] {
  const nullable = getNullableType(type);
  const own: Inner = { name, type, wrap: (value) => value };
  const wrapAll = (inner: Inner[], wrap: (value: string) => string): Inner[] =>
    inner.map((one) => ({ ...one, wrap: (value) => wrap(one.wrap(value)) }));
  if (isListType(nullable))
    return [own, ...wrapAll(innerPlaces(`${name}[]`, nullable.ofType), (value) => `[${value}]`)];
  if (!isInputObjectType(nullable)) return [own];
  const fields = Object.values(nullable.getFields());
  const others = (field: GraphQLInputField) => fields.filter((one) => one !== field && isRequiredInputField(one));
  return [
    own,
    ...fields.flatMap((field) =>
      wrapAll(
        innerPlaces(`${name}.${field.name}`, field.type),
        (value) => `{${field.name}: ${value}, ${objectOf(others(field)).slice(1)}`,
      ),
    ),
  ];
}

/** The field with its required arguments. `given` replaces one of them. */
function callField(
  { name, args }: GraphQLField<unknown, unknown>,
  given?: { argument: string; value: string },
): string {
  const required = args.filter((one) => one.name !== given?.argument && isRequiredArgument(one));
  const all = required.map((one) => `${one.name}: ${validLiteral(one.type)}`);
  if (given) all.unshift(`${given.argument}: ${given.value}`);
  return all.length > 0 ? `${name}(${all.join(', ')})` : name;
}

/** Every place of every field that an operation can select, and of the directives. */
export function inputPlaces(): InputPlace[] {
  const found: InputPlace[] = [];
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  const open = roots.flatMap(([operation, type]) =>
    type ? [{ type, operation, around: (inner: string) => `{ ${inner} }` }] : [],
  );
  const seenTypes = new Set(open.map(({ type }) => type));
  for (const { type, operation, around } of open) {
    for (const field of Object.values(type.getFields())) {
      const fieldType = getNamedType(field.type);
      const rest = isCompositeType(fieldType) ? ' { __typename }' : '';
      for (const argument of field.args) {
        const name = `${type.name}.${field.name}(${argument.name})`;
        for (const { wrap, ...place } of innerPlaces(name, argument.type)) {
          const selection = (value: string) =>
            around(callField(field, { argument: argument.name, value: wrap(value) }) + rest);
          found.push({ ...place, operation, selection });
        }
      }
      if (!isObjectType(fieldType) || seenTypes.has(fieldType)) continue;
      seenTypes.add(fieldType);
      open.push({ type: fieldType, operation, around: (inner) => around(`${callField(field)} { ${inner} }`) });
    }
  }
  for (const directive of ['skip', 'include']) {
    const argument = schema.getDirective(directive)?.args[0];
    if (!argument) continue;
    const selection = (value: string) => `{ __typename @${directive}(${argument.name}: ${value}) }`;
    found.push({ name: `@${directive}(${argument.name})`, type: argument.type, operation: 'query', selection });
  }
  return found;
}

const acceptsLiteral = (type: GraphQLInputType, literal: string) =>
  valueFromAST(parseValue(literal), type) !== undefined;

function acceptsValue(type: GraphQLInputType, value: unknown): boolean {
  let isValid = true;
  coerceInputValue(value, type, () => void (isValid = false));
  return isValid;
}

/** Values of every kind in one place, as literals and as variables. */
export function wrongKindsAt(place: InputPlace): WrongKind[] {
  const { type, operation, selection } = place;
  const query = `${operation} ($v: ${String(type)}) ${selection('$v')}`;
  return [
    ...literals.map((literal) => ({
      body: { query: `${operation} ${selection(literal)}` },
      isAccepted: acceptsLiteral(type, literal),
    })),
    ...jsonValues.map((v) => ({ body: { query, variables: { v } }, isAccepted: acceptsValue(type, v) })),
    ...wrongKindsElsewhere(place),
  ];
}

/** Values that a check could miss: defaults, and variables of an operation that does not run. */
function wrongKindsElsewhere({ type, operation, selection }: InputPlace): WrongKind[] {
  // A default lets a nullable variable fit a non-null place.
  const nullable = getNullableType(type);
  return ['{}', '"text"'].flatMap((literal): WrongKind[] => {
    const isAccepted = acceptsLiteral(type, literal);
    const used = selection('$v');
    const otherOperation = `${operation} A($v: ${String(type)}) ${used} query B { __typename }`;
    const v = JSON.parse(literal) as unknown;
    return [
      { body: { query: `${operation} ($v: ${String(nullable)} = ${literal}) ${used}` }, isAccepted },
      {
        body: { query: `${operation} ($v: JSON = ${literal}) ${used}` },
        isAccepted: String(nullable) === 'JSON',
      },
      { body: { query: otherOperation, variables: { v }, operationName: 'B' }, isAccepted: true },
    ];
  });
}
