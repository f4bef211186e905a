import type { Types } from '@prisma/client/runtime/client';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { type RunRead, runShared } from '../database/statements.ts';
import { ResponseBudget } from '../kernel/budget.ts';
import { cacheSizes } from '../kernel/cache-sizes.ts';
import { budgetOf, type Context } from '../kernel/context.ts';
import { getOrMake } from '../kernel/group.ts';
import { type Model, tables } from './model.ts';
import { parametrize } from './parameters.ts';
import type { Arguments } from './rows.ts';
import { type CompiledStatement, compileStatement } from './statement.ts';

/** What the Pothos plugin selects of a row: always a `select`, as each type has a default one. */
export interface Selection {
  select?: object;
}

type Models = Prisma.TypeMap['model'];
type FindMany<M extends Model> = Models[M]['operations']['findMany']['args'];

/** What is read of a model's rows: those arguments of Prisma's `findMany` that are used here. */
export type ReadArguments<M extends Model> = Pick<FindMany<M>, 'where' | 'orderBy' | 'take'> & {
  select: NonNullable<FindMany<M>['select']>;
};

/**
 * A row as it is selected. What GraphQL selects (`object`) is known when it is executed: the Pothos plugin takes such a row
 * for the whole one, and reads again what its fields need and is not there.
 */
export type SelectedRow<M extends Model, A extends { select?: unknown }> = object extends A['select']
  ? Models[M]['payload']['scalars']
  : Types.Result.GetResult<Models[M]['payload'], A>;

/**
 * Reads rows as Prisma's `findMany` would, with all that is selected below them, in one statement, each level by the index of its
 * foreign key. Prisma's own statement of it takes PostgreSQL and this process several times as long.
 * @param within the budget of the operation that they are read for (see `budgetOf`), or the snapshot that it reads
 * @throws the budget's refusal; for arguments of Prisma's that are not supported here
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
  const { rows: built, size } = parse(rows.map(({ entry }) => entry));
  // An answer repeats what its rows share.
  const repeated = size - rows.reduce((sum, { entry }) => sum + entry.length, 0);
  if (repeated > 0) budget?.countRead(repeated);
  budget?.requireOpen();
  // The test of this module holds what is parsed against what Prisma finds.
  return built as SelectedRow<M, A>[];
}

/** Reads the one row with an id, or null. */
export async function readOne<M extends Model, const A extends ReadArguments<M>>(
  model: M,
  args: A,
  within: ResponseBudget | RunRead,
): Promise<SelectedRow<M, A> | null> {
  const [row] = await readMany(model, args, within);
  return row ?? null;
}

/** Bytes that a statement takes for each UTF-16 code unit of its key, the key included: 45 are measured (Node 20). */
const bytesOfUnit = 64;

/** The last used statements, by all that they are made of: to compile one takes a tenth of an answer's time. */
const statementCache = (maxBytes: number) =>
  new LRUCache<string, CompiledStatement>({
    maxSize: maxBytes,
    maxEntrySize: Math.floor(maxBytes / 8),
    sizeCalculation: (_statement, key) => 1024 + bytesOfUnit * key.length,
  });

/** One for the process, as the connection pools are (`connectDatabase`). */
export let compiledStatements = statementCache(cacheSizes().statements);

/** Empties the cache of compiled statements, and sets its size. @param bytes that it may hold */
export function resizeStatementCache(bytes: number): void {
  compiledStatements = statementCache(bytes);
}

function statementOf(model: Model, args: Arguments): CompiledStatement {
  return getOrMake(compiledStatements, JSON.stringify([model, args]), () => compileStatement(model, args));
}

/**
 * What the Pothos plugin reads rows with again that it needs more of than was read with their list (two selections of one
 * relation, with different arguments): in place of Prisma's client, by one statement for all it requests at once, within the budget of the
 * operation.
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
