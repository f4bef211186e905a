import type { z } from 'zod';
import { name } from './input.ts';
import { entities, type EntityKind } from './entities.ts';

/** An enum, by its name over GraphQL and in the database: its values with what they mean. Over REST they are in lower case. */
export interface EnumType {
  name: string;
  description: string;
  values: Readonly<Record<string, string>>;
}

interface IdType {
  idOf: EntityKind;
}

const scalarCasts = {
  text: 'text',
  boolean: 'boolean',
  integer: 'integer',
  date: 'date',
  timestamp: 'timestamptz(3)',
} as const;

export type ScalarType = keyof typeof scalarCasts;

export type FieldType = ScalarType | IdType | EnumType;

/** What SQL casts a value of the type to. */
export function castOf(type: FieldType): string {
  if (typeof type === 'string') return scalarCasts[type];
  return 'idOf' in type ? 'text' : `"${type.name}"`;
}

/** What an entity is written by: the mutations that create one, update one, and update many alike. */
export type InputName = 'create' | 'update' | 'bulk';

const scalarNames = {
  text: 'String',
  boolean: 'Boolean',
  integer: 'Int',
  date: 'Date',
  timestamp: 'DateTime',
} as const satisfies Record<ScalarType, string>;

export function graphqlTypeName(type: FieldType): string {
  if (typeof type === 'string') return scalarNames[type];
  return 'idOf' in type ? 'ID' : type.name;
}

/** A field of an entity that clients read; one with `inputs` is written by them. */
export interface Field {
  type: FieldType;
  nullable: boolean;
  /** For the GraphQL schema, and for REST where that says nothing else. */
  description: string;
  /** Whether the GraphQL schema has a resolver for it; all others are columns with their name in snake case. */
  isComputed?: true;
  /** How REST shows it, where that differs, an empty description: without one; false: not at all. */
  rest?: false | { name?: string; description?: string; example?: string; nullable?: true };
  /** The inputs that have it. If it is not `nullable`, a new entity takes null for absent, and an update refuses it. */
  inputs?: readonly InputName[];
  /** What a value may be, in these: for text and numbers; other types say it all. */
  shape?: z.ZodType;
  /** Whether a new entity needs it. */
  required?: true;
  /** What a new entity has without it, if not null. */
  default?: boolean;
  /** Whether null is as absent in every input. REST refuses it. */
  isNullAbsent?: true;
  /** What it may be, in the inputs, where there is more to say. */
  inputDescription?: string;
}

export type Fields = Readonly<Record<string, Field>>;

export const idField = (kind: EntityKind) =>
  ({
    type: { idOf: kind },
    nullable: false,
    description: `TypeID with the prefix \`${entities[kind].prefix}\`.`,
    rest: { description: `Id of the ${kind.toLowerCase()}.` },
  }) as const satisfies Field;

/** A name that an entity is made with, and renamed by. */
export const nameField = {
  type: 'text',
  shape: name(),
  nullable: false,
  inputs: ['create', 'update'],
  required: true,
  isNullAbsent: true,
} as const satisfies Omit<Field, 'description'>;

export const kindOf = ({ id }: Fields) =>
  typeof id?.type === 'object' && 'idOf' in id.type ? id.type.idOf : undefined;

/** Names of the fields that an input has. */
export type FieldOf<Of extends Fields, Input extends InputName> = {
  [Name in keyof Of]: Of[Name] extends { inputs: readonly (infer In)[] } ? (Input extends In ? Name : never) : never;
}[keyof Of];

export const fieldsOfInput = <Of extends Fields, Input extends InputName>(fields: Of, input: Input) =>
  Object.entries<Field>(fields).filter(([, { inputs }]) => inputs?.includes(input)) as [FieldOf<Of, Input>, Field][];

/** A value of a field as both APIs write it in JSON, but for enums over REST. */
export type ValueOf<Of extends Field> =
  | (Of['type'] extends 'boolean'
      ? boolean
      : Of['type'] extends 'integer'
        ? number
        : Of['type'] extends { values: infer Values }
          ? keyof Values & string
          : string)
  | (Of['nullable'] extends true ? null : never);

type KeysOf<Values> = readonly [keyof Values & string, ...(keyof Values & string)[]];

/** The values of an enum, in their order. */
export const valuesOf = <const Type extends EnumType>({ values }: Type) =>
  Object.keys(values) as unknown as KeysOf<Type['values']>;
