import { Extensions, type Types } from '@prisma/client/runtime/client';
import { getOrMake } from '@taskgate/base';
import { budgetOf, type Reader, readOnAny, type Snapshot } from '@taskgate/postgres';
import type { CompiledStatements } from './compiled-statements.ts';
import type { Model } from './model.ts';
import { parametrize } from './parameters.ts';
import type { Arguments } from './rows.ts';
import { compileStatement } from './statement.ts';

/** A selection by the Pothos plugin, with each type's default `select`. */
export interface Selection {
  select?: object;
}

type FindMany<Delegate> = Types.Public.Args<Delegate, 'findMany'>;

export type ReadArguments<Delegate> = Pick<FindMany<Delegate>, 'where' | 'orderBy' | 'take'> & {
  select: NonNullable<FindMany<Delegate>['select']>;
};

/**
 * A row with the selected fields. If GraphQL decides the selection (`object`), the type is the whole row: the Pothos
 * plugin reads missing fields again.
 */
export type SelectedRow<Delegate, A extends { select?: unknown }> = object extends A['select']
  ? Types.Public.Payload<Delegate, 'findMany'>['scalars']
  : Types.Public.Result<Delegate, A, 'findMany'>[number];

/**
 * In characters of JSON. A larger result needs the event loop for milliseconds, so the rest of its operation is a large
 * job.
 */
const largeRead = 16_384;

/**
 * Returns a Prisma client extension. `db.task.read(args, source)` reads the same rows as `findMany`, with everything
 * selected below, by one statement. Prisma's statement takes PostgreSQL and this process several times as long.
 * `readOne` returns the first row, or null.
 *
 * `source` is a reader or a snapshot. `read` and `readOne` throw the budget's refusal. Unsupported arguments are an error.
 * @param models by name
 */
export function nestedReads(models: Readonly<Record<string, Model>>, compiled: CompiledStatements) {
  const read = (delegate: unknown, args: object, source: Reader | Snapshot): Promise<object[]> => {
    const { $name = '' } = Extensions.getExtensionContext(delegate) as { $name?: string };
    const model = models[$name];
    if (!model) throw new Error(`reading rows: ${$name} has no nested reads`);
    return readRows(compiled, model, args as Arguments, source);
  };
  // A property test compares the rows with Prisma's.
  return {
    name: 'nested reads',
    model: {
      $allModels: {
        read<Delegate, const A extends ReadArguments<Delegate>>(
          this: Delegate,
          args: A,
          source: Reader | Snapshot,
        ): Promise<SelectedRow<Delegate, A>[]> {
          return read(this, args, source);
        },
        async readOne<Delegate, const A extends ReadArguments<Delegate>>(
          this: Delegate,
          args: A,
          source: Reader | Snapshot,
        ): Promise<SelectedRow<Delegate, A> | null> {
          const [row] = (await read(this, { ...args, take: 1 }, source)) as SelectedRow<Delegate, A>[];
          return row ?? null;
        },
      },
    },
  };
}

async function readRows(
  compiled: CompiledStatements,
  model: Model,
  args: Arguments,
  source: Reader | Snapshot,
): Promise<object[]> {
  const reader = typeof source === 'function' ? source.reader : source;
  const { connections } = reader;
  const budget = budgetOf(reader);
  const values: unknown[] = [];
  const shape = parametrize(args, values);
  const compile = () => compileStatement(model, shape);
  const { text, parameters, parse } = getOrMake(compiled, JSON.stringify([model.name, shape]), compile);
  const statement = { text, values: parameters.map((index) => values[index]) };
  const rows = await (typeof source === 'function'
    ? source<{ entry: string }>(statement)
    : readOnAny<{ entry: string }>({ connections, budget }, statement));
  const readSize = rows.reduce((sum, { entry }) => sum + entry.length, 0);
  const pause = () => connections.turns.next(budget.owner, true);
  if (readSize > largeRead) await pause();
  const { rows: built, size } = await parse(
    rows.map(({ entry }) => entry),
    pause,
  );
  // A response repeats shared rows.
  const repeated = size - readSize;
  if (repeated > 0) budget.countRead(repeated);
  budget.requireOpen();
  return built;
}
