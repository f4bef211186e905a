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
  /** Column of this row with the keys that the listed rows lead to, in their order. Only for a list that indexes it. */
  keysColumn?: string;
}

/** A model of the Prisma schema, with its table. */
export interface Model {
  readonly name: string;
  /** Name of the table, as in `@@map`. */
  readonly table: string;
  /** Columns by the name of their field. */
  readonly columns: ReadonlyMap<string, Column>;
  readonly relations: ReadonlyMap<string, Relation>;
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

/** Result of `getDatamodel()` of Pothos' generator. */
export interface Datamodel {
  datamodel: { models: Readonly<Record<string, { fields: readonly DatamodelField[] }>> };
}

const parseDate = (json: unknown) => new Date(json as string);

export const fromJson = ({ parse }: { parse?: ((json: unknown) => unknown) | undefined }, json: unknown): unknown =>
  parse && json !== null ? parse(json) : json;

/**
 * Returns the models that can be read. Their relations to other models are left out.
 * @param tables by the name of the model
 * @param indexed fields with the keys of a list, by the model of its rows
 */
export function modelsOf<Name extends string>(
  { datamodel }: Datamodel,
  tables: Readonly<Record<Name, string>>,
  indexed: Readonly<Record<string, string>> = {},
): Readonly<Record<Name, Model>> {
  const fieldsOf = (model: string) => datamodel.models[model]?.fields ?? [];
  const all = Object.entries<string>(tables).map(([name, table]) => {
    const columns = fieldsOf(name).filter(({ kind }) => kind !== 'object');
    const relations = new Map<string, Relation>();
    return { name, table, columns: new Map(columns.map((field) => [field.name, columnOf(field)])), relations };
  });
  const byName = new Map(all.map((model) => [model.name, model]));
  for (const { name, columns, relations } of all) {
    for (const field of fieldsOf(name)) {
      const model = field.kind === 'object' ? byName.get(field.type) : undefined;
      const keys = columns.get(indexed[field.type] ?? '');
      const keysColumn = field.isList && keys ? { keysColumn: keys.name } : {};
      if (model)
        relations.set(field.name, {
          model,
          isList: field.isList,
          ...keysColumn,
          ...keysOf(field, fieldsOf(field.type)),
        });
    }
  }
  return Object.fromEntries(byName) as unknown as Record<Name, Model>;
}

const columnOf = ({ name, type }: DatamodelField): Column => ({
  name: columnName(name),
  ...(type === 'DateTime' && { parse: parseDate }),
});

/** Every foreign key refers to an `id`. The side that holds the key has `relationFromFields`. */
function keysOf({ relationName, relationFromFields: [own] = [] }: DatamodelField, others: readonly DatamodelField[]) {
  if (own !== undefined) return { localColumn: columnName(own), foreignColumn: 'id' };
  const theirs = others.find((other) => other.relationName === relationName && other.relationFromFields?.length);
  return { localColumn: 'id', foreignColumn: columnName(theirs?.relationFromFields?.[0] ?? '') };
}
