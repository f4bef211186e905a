import { budgetOf } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Context } from './context.ts';
import { loaderOf } from './loaders.ts';
import type { ModelName } from './models.ts';

interface FindUnique {
  select: object;
  /** A unique field. */
  where: Record<string, unknown>;
}

/**
 * Returns the Prisma client of the Pothos plugin. If a query selects a relation twice with different arguments, the
 * plugin reads rows again. One statement serves the reads of a tick, within the operation's budget.
 */
export function rowsAgain(context: Context) {
  const { connections } = context.services;
  const reader = { connections, budget: budgetOf(context.viewer ?? {}) };
  return connections.db.$extends({
    name: 'rows again',
    model: {
      $allModels: {
        findUniqueOrThrow({ select, where }: FindUnique): Promise<unknown> {
          const model = Prisma.getExtensionContext(this).$name as ModelName;
          const [[key, value] = ['']] = Object.entries(where);
          const load = async (values: readonly unknown[]) => {
            const args = { select: { ...select, [key]: true }, where: { [key]: { in: values } } };
            const rows = (await connections.readsOf(model).read(args, reader)) as Record<string, unknown>[];
            const byKey = new Map(rows.map((row) => [row[key], row]));
            return values.map((each) => byKey.get(each) ?? new Error(`a row of ${model} is gone that was read before`));
          };
          return loaderOf(context, ['rows again', model, select, key], load).load(value);
        },
      },
    },
  });
}
