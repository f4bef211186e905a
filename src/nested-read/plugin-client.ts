import type { PrismaClient } from '../generated/prisma/client.ts';
import { AnswerBudget } from '../kernel/budget.ts';
import { budgetOf, type Context } from '../kernel/context.ts';
import { type Model, tables } from './model.ts';
import { readOne } from './read.ts';

/**
 * What the Pothos plugin reads a row with again that it needs more of than was read with its list (two selections of one
 * relation, with different arguments): in the place of Prisma's client, within the budget of the operation.
 */
export function rowsFor({ viewer }: Context): PrismaClient {
  const budget = viewer ? budgetOf(viewer) : new AnswerBudget();
  const rowsOf = (model: Model) => ({
    async findUniqueOrThrow(args: { select: object; where: object }) {
      const row = await readOne(model, args, budget);
      if (!row) throw new Error(`a row of ${model} is gone that was read before`);
      return row;
    },
  });
  const models = Object.keys(tables) as Model[];
  const rows = models.map((model) => [`${model[0]?.toLowerCase() ?? ''}${model.slice(1)}`, rowsOf(model)]);
  return Object.fromEntries(rows) as PrismaClient;
}
