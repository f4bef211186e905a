import type { Types } from '@prisma/client/runtime/client';
import DataLoader from 'dataloader';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { CompiledStatement, CompiledStatements } from '../database/compiled-statements.ts';
import { type Reader, type RunRead, runShared } from '../database/statements.ts';
import { budgetOf, type Context } from '../kernel/context.ts';
import { getOrMake } from '../kernel/group.ts';
import { type Model, tables } from './model.ts';
import { parametrize } from './parameters.ts';
import type { Arguments } from './rows.ts';
import { compileStatement } from './statement.ts';

/** Of the Pothos plugin, with each type's default `select`. */
export interface Selection {
  select?: object;
}

type Models = Prisma.TypeMap['model'];
type FindMany<M extends Model> = Models[M]['operations']['findMany']['args'];

export type ReadArguments<M extends Model> = Pick<FindMany<M>, 'where' | 'orderBy' | 'take'> & {
  select: NonNullable<FindMany<M>['select']>;
};

/**
 * A row with the selected fields. If GraphQL decides the selection (`object`), the type is the whole row: the Pothos
 * plugin reads missing fields again.
 */
export type SelectedRow<M extends Model, A extends { select?: unknown }> = object extends A['select']
  ? Models[M]['payload']['scalars']
  : Types.Result.GetResult<Models[M]['payload'], A>;

/**
 * In characters of JSON. A larger result needs the event loop for milliseconds, so the rest of its operation is a large
 * job.
 */
const largeRead = 16_384;

/**
 * Reads the same rows as Prisma's `findMany`, with everything selected below, by one statement. Prisma's statement
 * takes PostgreSQL and this process several times as long.
 * @param within the viewer or another reader, or a snapshot
 * @throws the budget's refusal; an error for unsupported arguments
 */
export async function readMany<M extends Model, const A extends ReadArguments<M>>(
  model: M,
  args: A,
  within: Reader | RunRead,
): Promise<SelectedRow<M, A>[]> {
  const reader = typeof within === 'function' ? within.reader : within;
  const { connections } = reader;
  const budget = budgetOf(reader);
  const values: unknown[] = [];
  const { text, parameters, parse } = statementOf(connections.compiled, model, parametrize(args, values));
  const statement = { text, values: parameters.map((index) => values[index]) };
  const rows = await (typeof within === 'function'
    ? within<{ entry: string }>(statement)
    : runShared<{ entry: string }>({ connections, budget }, statement));
  const readSize = rows.reduce((sum, { entry }) => sum + entry.length, 0);
  if (readSize > largeRead) await connections.turns.next(budget.owner, true);
  const { rows: built, size } = parse(rows.map(({ entry }) => entry));
  // A response repeats shared rows.
  const repeated = size - readSize;
  if (repeated > 0) budget.countRead(repeated);
  budget.requireOpen();
  // A property test compares the rows with Prisma's.
  return built as SelectedRow<M, A>[];
}

/** Null if there is no row. */
export async function readOne<M extends Model, const A extends ReadArguments<M>>(
  model: M,
  args: A,
  within: Reader | RunRead,
): Promise<SelectedRow<M, A> | null> {
  const [row] = await readMany(model, args, within);
  return row ?? null;
}

function statementOf(compiled: CompiledStatements, model: Model, args: Arguments): CompiledStatement {
  return getOrMake(compiled, JSON.stringify([model, args]), () => compileStatement(model, args));
}

/**
 * If a query selects a relation twice with different arguments, the Pothos plugin reads rows again with this client.
 * One statement serves the reads of a tick, within the operation's budget.
 */
export function rowsFor({ services: { connections }, viewer }: Context): PrismaClient {
  const reader = { connections, budget: budgetOf(viewer ?? {}) };
  const rowsOf = (model: Model) => {
    const loaders = new Map<string, DataLoader<unknown, object>>();
    const loaderOf = (select: object, key: string) => {
      const load = async (values: readonly unknown[]) => {
        const args = { select: { ...select, [key]: true }, where: { [key]: { in: values } } };
        const rows: object[] = await readMany(model, args as never, reader);
        const byKey = new Map(rows.map((row) => [(row as Record<string, unknown>)[key], row]));
        return values.map((value) => byKey.get(value) ?? new Error(`a row of ${model} is gone that was read before`));
      };
      return getOrMake(loaders, JSON.stringify([select, key]), () => new DataLoader(load));
    };
    return {
      findUniqueOrThrow({ select, where }: { select: object; where: object }) {
        const [[key, value] = []] = Object.entries(where);
        return loaderOf(select, key ?? '').load(value);
      },
    };
  };
  const models = Object.keys(tables) as Model[];
  const rows = models.map((model) => [`${model[0]?.toLowerCase() ?? ''}${model.slice(1)}`, rowsOf(model)]);
  return Object.fromEntries(rows) as PrismaClient;
}
