import { getDatamodel } from '../generated/pothos.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { entities, type NodeKind, nodeKinds } from '../kernel/entities.ts';

/** Other than entities. */
const otherTables = {
  Session: 'sessions',
  Preferences: 'preferences',
  Membership: 'memberships',
  Invitation: 'open_invitations',
  TaskTag: 'task_tags',
} as const satisfies Partial<Record<Prisma.ModelName, string>>;

export type Model = (typeof entities)[NodeKind]['model'] | keyof typeof otherTables;

/** As in `@@map` of schema.prisma. */
export const tables = {
  ...Object.fromEntries(nodeKinds.map((kind) => [entities[kind].model, `${entities[kind].model.toLowerCase()}s`])),
  ...otherTables,
} as Readonly<Record<Model, string>>;

export interface Column {
  name: string;
  /** Absent if the JSON is the value. */
  parse?: (json: unknown) => unknown;
}

/** Rows of a model whose `foreignColumn` equals the `localColumn` of this row. */
export interface Relation {
  model: Model;
  isList: boolean;
  localColumn: string;
  foreignColumn: string;
}

interface ModelFields {
  columns: ReadonlyMap<string, Column>;
  relations: ReadonlyMap<string, Relation>;
}

/** `@map` in schema.prisma follows this rule without exception. */
export const columnName = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

interface DatamodelField {
  name: string;
  kind: string;
  type: string;
  isList: boolean;
  relationName?: string;
  relationFromFields?: string[];
}

const datamodel = (getDatamodel() as unknown as { datamodel: { models: Record<string, { fields: DatamodelField[] }> } })
  .datamodel.models;

const datamodelFields = (model: string) => datamodel[model]?.fields ?? [];

/** Every foreign key refers to an `id`. The side that holds the key has `relationFromFields`. */
function relationOf({ type, isList, relationName, relationFromFields: [own] = [] }: DatamodelField): Relation {
  const model = type as Model;
  if (own !== undefined) return { model, isList, localColumn: columnName(own), foreignColumn: 'id' };
  const [theirs = ''] =
    datamodelFields(type).find((other) => other.relationName === relationName && other.relationFromFields?.length)
      ?.relationFromFields ?? [];
  return { model, isList, localColumn: 'id', foreignColumn: columnName(theirs) };
}

const parseDate = (json: unknown) => new Date(json as string);

export const fromJson = ({ parse }: { parse?: ((json: unknown) => unknown) | undefined }, json: unknown): unknown =>
  parse && json !== null ? parse(json) : json;

const fieldsByModel = new Map<Model, ModelFields>();

export function fieldsOf(model: Model): ModelFields {
  const fields = fieldsByModel.get(model) ?? {
    columns: new Map(
      datamodelFields(model)
        .filter(({ kind }) => kind !== 'object')
        .map(({ name, type }) => [name, { name: columnName(name), ...(type === 'DateTime' && { parse: parseDate }) }]),
    ),
    relations: new Map(
      datamodelFields(model)
        // Other models are not in the GraphQL schema.
        .filter(({ kind, type }) => kind === 'object' && Object.hasOwn(tables, type))
        .map((field) => [field.name, relationOf(field)]),
    ),
  };
  fieldsByModel.set(model, fields);
  return fields;
}
