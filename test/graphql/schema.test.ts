import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  astFromValue,
  buildSchema,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  print,
  printSchema,
} from 'graphql';
import { errorCodes } from '../../src/platform/errors.ts';
import { schema } from '../../src/schema.ts';

interface Described {
  at: string;
  description: string | null | undefined;
  deprecationReason?: string | null | undefined;
}

function* describedElements(of: GraphQLSchema): Generator<Described> {
  for (const type of Object.values(of.getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    yield { at: type.name, description: type.description };
    if (isEnumType(type)) for (const value of type.getValues()) yield { ...value, at: `${type.name}.${value.name}` };
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) yield { ...field, at: `${type.name}.${field.name}` };
    }
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      yield { ...field, at: `${type.name}.${field.name}` };
      for (const argument of field.args) yield { ...argument, at: `${type.name}.${field.name}(${argument.name}:)` };
    }
  }
  for (const directive of of.getDirectives()) {
    if (!isSpecifiedDirective(directive)) yield { at: `@${directive.name}`, description: directive.description };
  }
}

const inputs = (expectedArguments: readonly (GraphQLArgument | GraphQLInputField)[]) =>
  Object.fromEntries(
    expectedArguments.map(({ name, type, defaultValue }) => {
      const value = astFromValue(defaultValue, type);
      return [name, `${String(type)}${value ? ` = ${print(value)}` : ''}`];
    }),
  );

/** A type as plain data, for `toMatchObject`. */
function shapeOf(type: GraphQLNamedType): object {
  if (isEnumType(type))
    return {
      values: type
        .getValues()
        .map(({ name }) => name)
        .sort(),
    };
  if (isInputObjectType(type)) return { fields: inputs(Object.values(type.getFields())) };
  if (!isObjectType(type) && !isInterfaceType(type)) return {};
  const fields = Object.values(type.getFields()).map((field) => [
    field.name,
    { type: String(field.type), arguments: inputs(field.args) },
  ]);
  return {
    interfaces: Object.fromEntries(type.getInterfaces().map(({ name }) => [name, true])),
    fields: Object.fromEntries(fields) as object,
  };
}

function enumOf(name: string) {
  const type = schema.getType(name);
  if (!isEnumType(type)) throw new Error(`${name} is no enum`);
  return { description: type.description, values: type.getValues().map((value) => value.name) };
}

describe('the schema', () => {
  test('describes every type, field, argument, input field and enum value', () => {
    const missing = [...describedElements(schema)]
      .filter(({ description }) => !description?.trim())
      .map(({ at }) => at);
    expect(missing).toEqual([]);
  });

  test('names the values of an enum whose order matters, because introspection sorts them', () => {
    for (const name of ['NotificationReason', 'WorkspaceRole']) {
      const { description, values } = enumOf(name);
      for (const value of values) expect(description).toContain(value);
    }
  });

  test('names the specification of each custom scalar', () => {
    const scalars = Object.values(schema.getTypeMap()).filter(
      (type) => isScalarType(type) && !isSpecifiedScalarType(type),
    );
    expect(scalars.map(({ name }) => name).sort()).toEqual(['Date', 'DateTime', 'JSON', 'Upload']);
    for (const scalar of scalars) expect(scalar).toMatchObject({ specifiedByURL: expect.stringMatching(/^https:/) });
  });

  test('names a replacement and a date for each deprecated part', () => {
    const undocumented = [...describedElements(schema)]
      .filter(({ deprecationReason }) => deprecationReason != null)
      .filter(
        ({ deprecationReason }) => !/^Use .+\. Deprecated since \d{4}-\d{2}-\d{2}\.$/.test(deprecationReason ?? ''),
      )
      .map(({ at }) => at);
    expect(undocumented).toEqual([]);
  });

  test('is the committed schema.graphql', async () => {
    expect(`${printSchema(lexicographicSortSchema(schema))}\n`).toBe(await readFile('schema.graphql', 'utf8'));
  });

  test('docs/graphql.md names every error code', async () => {
    const page = await readFile('docs/graphql.md', 'utf8');
    for (const [code, { meaning }] of Object.entries(errorCodes)) {
      expect(page).toMatch(new RegExp(`\\| \`${code}\` +\\|`));
      expect(page).toContain(meaning);
    }
  });

  describe('contains the whole sketch', () => {
    let sketch: GraphQLSchema;
    let committed: GraphQLSchema;
    beforeAll(async () => {
      sketch = buildSchema(await readFile('test/graphql/sketch.graphql', 'utf8'));
      committed = buildSchema(await readFile('schema.graphql', 'utf8'));
    });

    test('every type, with its fields, arguments, nullability, defaults and enum values', () => {
      const namedTypes = Object.values(sketch.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
      const expectedShapes = Object.fromEntries(namedTypes.map((type) => [type.name, shapeOf(type)]));
      const present = Object.fromEntries(
        Object.values(committed.getTypeMap()).map((type) => [type.name, shapeOf(type)]),
      );
      expect(present).toMatchObject(expectedShapes);
    });

    test('and no additional argument or input field is required', () => {
      const unexpected: string[] = [];
      for (const type of Object.values(sketch.getTypeMap())) {
        const actualType = committed.getType(type.name);
        if (isInputObjectType(type) && isInputObjectType(actualType)) {
          const knownFields = type.getFields();
          for (const { name, type: fieldType, defaultValue } of Object.values(actualType.getFields())) {
            if (!(name in knownFields) && String(fieldType).endsWith('!') && defaultValue === undefined)
              unexpected.push(`${type.name}.${name}`);
          }
        }
        if (!(isObjectType(type) && isObjectType(actualType)) || type.name.startsWith('__')) continue;
        for (const field of Object.values(type.getFields())) {
          const knownArguments = new Set(field.args.map(({ name }) => name));
          for (const { name, type: argumentType, defaultValue } of actualType.getFields()[field.name]?.args ?? []) {
            if (!knownArguments.has(name) && String(argumentType).endsWith('!') && defaultValue === undefined) {
              unexpected.push(`${type.name}.${field.name}(${name}:)`);
            }
          }
        }
      }
      expect(unexpected).toEqual([]);
    });
  });
});
