import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Pothos registers types of plugins this way
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes, T extends object = object> {
      columns: ColumnsPlugin<Types, T>;
    }
  }
}

/**
 * Resolves a column from the row, if present. The Prisma plugin checks each row first: in large lists this takes longer
 * than the rest of the execution.
 */
class ColumnsPlugin<Types extends SchemaTypes, T extends object = object> extends BasePlugin<Types, T> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { kind, extensions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const column = extensions?.['pothosExposedField'];
    if (kind !== 'PrismaObject' || typeof column !== 'string') return resolve;
    return (row, ...rest) => {
      const value = (row as Record<string, unknown>)[column];
      return value === undefined ? resolve(row, ...rest) : value;
    };
  }
}

SchemaBuilder.registerPlugin('columns', ColumnsPlugin);
