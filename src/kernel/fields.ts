import type { EntityKind } from './entities.ts';

/** An enum, by its name over GraphQL and in the database: its values with what they mean. Over REST they are in lower case. */
export interface EnumType {
  name: string;
  description: string;
  values: Readonly<Record<string, string>>;
}

/** An id of a thing of that kind. */
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

/** A field of an entity that clients read. */
export interface Field {
  type: FieldType;
  nullable: boolean;
  /** For the GraphQL schema, and for REST where that says nothing else. */
  description: string;
  /** Whether the GraphQL schema has a resolver for it; all others are columns with their name in snake case. */
  isComputed?: true;
  /** How REST shows it, where that differs, an empty description: without one; false: not at all. */
  rest?: false | { name?: string; description?: string; example?: string; nullable?: true };
}

export type Fields = Readonly<Record<string, Field>>;

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
