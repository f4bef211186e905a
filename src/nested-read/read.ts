import type { Types } from '@prisma/client/runtime/client';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { type RunRead, runShared } from '../database/statements.ts';
import { ResponseBudget } from '../kernel/budget.ts';
import { cacheSizes } from '../kernel/cache-sizes.ts';
import { budgetOf, type Context } from '../kernel/context.ts';
import { getOrMake } from '../kernel/group.ts';
import { nextTurn } from '../kernel/turns.ts';
import { type Model, tables } from './model.ts';
import { parametrize } from './parameters.ts';
import type { Arguments } from './rows.ts';
import { type CompiledStatement, compileStatement } from './statement.ts';

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
 * @param within the operation's budget (see `budgetOf`), or a snapshot
 * @throws the budget's refusal; an error for unsupported arguments
 */
export async function readMany<M extends Model, const A extends ReadArguments<M>>(
  model: M,
  args: A,
  within: ResponseBudget | RunRead,
): Promise<SelectedRow<M, A>[]> {
  const values: unknown[] = [];
  const { text, parameters, parse } = statementOf(model, parametrize(args, values));
  const statement = { text, values: parameters.map((index) => values[index]) };
  const budget = typeof within === 'function' ? within.budget : within;
  const rows = await (typeof within === 'function'
    ? within<{ entry: string }>(statement)
    : runShared<{ entry: string }>(within, statement));
  const readSize = rows.reduce((sum, { entry }) => sum + entry.length, 0);
  if (budget && readSize > largeRead) await nextTurn(budget.owner, true);
  const { rows: built, size } = parse(rows.map(({ entry }) => entry));
  // A response repeats shared rows.
  const repeated = size - readSize;
  if (repeated > 0) budget?.countRead(repeated);
  budget?.requireOpen();
  // A property test compares the rows with Prisma's.
  return built as SelectedRow<M, A>[];
}

/** Null if there is no row. */
export async function readOne<M extends Model, const A extends ReadArguments<M>>(
  model: M,
  args: A,
  within: ResponseBudget | RunRead,
): Promise<SelectedRow<M, A> | null> {
  const [row] = await readMany(model, args, within);
  return row ?? null;
}

/** Of memory per UTF-16 code unit of a statement's key; 45 are measured (Node 20). */
const bytesOfUnit = 64;

/** By model and shape of arguments. Compiling takes a tenth of a response's time. */
const statementCache = (maxBytes: number) =>
  new LRUCache<string, CompiledStatement>({
    maxSize: maxBytes,
    maxEntrySize: Math.floor(maxBytes / 8),
    sizeCalculation: (_statement, key) => 1024 + bytesOfUnit * key.length,
  });

/** Belongs to the process, like the connection pools. */
export let compiledStatements = statementCache(cacheSizes().statements);

/** Empties the cache of compiled statements. @param bytes new size */
export function resizeStatementCache(bytes: number): void {
  compiledStatements = statementCache(bytes);
}

function statementOf(model: Model, args: Arguments): CompiledStatement {
  return getOrMake(compiledStatements, JSON.stringify([model, args]), () => compileStatement(model, args));
}

/**
 * If a query selects a relation twice with different arguments, the Pothos plugin reads rows again with this client.
 * One statement serves the reads of a tick, within the operation's budget.
 */
export function rowsFor({ viewer }: Context): PrismaClient {
  const budget = viewer ? budgetOf(viewer) : new ResponseBudget();
  const rowsOf = (model: Model) => {
    const loaders = new Map<string, DataLoader<unknown, object>>();
    const loaderOf = (select: object, key: string) => {
      const load = async (values: readonly unknown[]) => {
        const args = { select: { ...select, [key]: true }, where: { [key]: { in: values } } };
        const rows: object[] = await readMany(model, args as never, budget);
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
