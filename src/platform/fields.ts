import type { z } from 'zod';
import { name } from './input.ts';
import { entities, type EntityKind } from './entities.ts';

/** An enum. REST uses lower case. */
export interface EnumType {
  name: string;
  description: string;
  values: Readonly<Record<string, string>>;
}

interface IdType {
  idOf: EntityKind;
}

interface IdsType {
  idsOf: EntityKind;
}

const scalarCasts = {
  text: 'text',
  boolean: 'boolean',
  integer: 'integer',
  date: 'date',
  timestamp: 'timestamptz(3)',
} as const;

export type ScalarType = keyof typeof scalarCasts;

export type FieldType = ScalarType | IdType | IdsType | EnumType;

export function castOf(type: FieldType): string {
  if (typeof type === 'string') return scalarCasts[type];
  if ('idsOf' in type) return 'text[]';
  return 'idOf' in type ? 'text' : `"${type.name}"`;
}

/** Mutations that create an entity, update one, or update many. */
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
  if ('idsOf' in type) return '[ID!]';
  return 'idOf' in type ? 'ID' : type.name;
}

export interface Field {
  type: FieldType;
  nullable: boolean;
  description: string;
  /** Instead of 0.1 in GraphQL. */
  cost?: number;
  /** Assumed length of a list. */
  listSize?: number;
  /** Whether a resolver computes it. Others are columns with the name in snake case. */
  isComputed?: true;
  /** How REST differs. An empty description omits it, and false omits the field. */
  rest?: false | { name?: string; description?: string; example?: string; nullable?: true };
  /** If not `nullable`, a create treats null as absent, and an update refuses it. */
  inputs?: readonly InputName[];
  /** Shape of a text or number input. */
  shape?: z.ZodType;
  required?: true;
  default?: boolean;
  /** Whether null means absent. REST refuses null. */
  isNullAbsent?: true;
  /** Added to `description` for inputs. */
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

export type FieldOf<Of extends Fields, Input extends InputName> = {
  [Name in keyof Of]: Of[Name] extends { inputs: readonly (infer In)[] } ? (Input extends In ? Name : never) : never;
}[keyof Of];

export const fieldsOfInput = <Of extends Fields, Input extends InputName>(fields: Of, input: Input) =>
  Object.entries<Field>(fields).filter(([, { inputs }]) => inputs?.includes(input)) as [FieldOf<Of, Input>, Field][];

/** JSON value of a field in both APIs. REST writes enums in lower case. */
export type ValueOf<Of extends Field> =
  | (Of['type'] extends 'boolean'
      ? boolean
      : Of['type'] extends 'integer'
        ? number
        : Of['type'] extends IdsType
          ? string[]
          : Of['type'] extends { values: infer Values }
            ? keyof Values & string
            : string)
  | (Of['nullable'] extends true ? null : never);

type KeysOf<Values> = readonly [keyof Values & string, ...(keyof Values & string)[]];

export const valuesOf = <const Type extends EnumType>({ values }: Type) =>
  Object.keys(values) as unknown as KeysOf<Type['values']>;
