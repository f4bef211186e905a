import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import pg from 'pg';
import { withTimeout } from './until.ts';

export interface Statement {
  /** From the comment at its start. */
  name: string | undefined;
  sql: string;
  values: unknown[];
  /**
   * - `session`: reads, renews, ends or deletes a session.
   * - `background`: is not part of a request.
   * - `operation`: all others, with BEGIN and COMMIT.
   */
  purpose: 'session' | 'background' | 'operation';
}

const requests = new AsyncLocalStorage<true>();
interface Recorder {
  push?(statement: Statement): unknown;
  completed?(statement: Statement): void;
}
const recorders = new Set<Recorder>();

/** Marks the work of a request, to tell its statements from background work. */
export const inRequestContext =
  (listener: RequestListener): RequestListener =>
  (request, response) =>
    requests.run(true, () => listener(request, response));

const senderFiles = [
  'src/platform/log-reader.ts',
  ...['plan', 'planning-queue', 'candidate', 'reminder', 'digest', 'outbox'].map(
    (of) => `src/notifications/${of}-data.ts`,
  ),
  'src/webhooks/delivery-data.ts',
  'src/claims/ending-data.ts',
  'packages/outbox/rows.ts',
];

/** Statements that plan and send mails and messages of webhooks, or end claims, independently of requests. */
export const statementsOfSenders: readonly string[] = senderFiles.flatMap((file) => {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/\/\* (\w+) \*\//g)].map(([, name = '']) => name);
});

const nameOf = (sql: string) => /^\s*\/\* (\S+) \*\//.exec(sql)?.[1];

const sessionStatements = new Set(['loadCredential', 'loadViewers', 'renewSession', 'endSessions', 'deleteSessions']);

function purposeOf(name: string | undefined, sql: string): Statement['purpose'] {
  // Notifications of many requests are batched, and sent in the context of any of them.
  if (requests.getStore() === undefined || sql.includes('pg_notify')) return 'background';
  return name !== undefined && sessionStatements.has(name) ? 'session' : 'operation';
}

type Query = (this: pg.Client, config: unknown, values?: unknown, ...rest: unknown[]) => unknown;

/** Called once per test file. */
export function watchStatements(): void {
  const { prototype } = pg.Client as unknown as { prototype: { query: Query } };
  const { query } = prototype;
  prototype.query = function (config, values, ...rest) {
    const { application_name: application } = (this as unknown as { connectionParameters: Record<string, unknown> })
      .connectionParameters;
    if (application !== 'taskgate') return query.call(this, config, values, ...rest);
    const statement = recordStatement(config, values);
    const onCompleted = () => {
      for (const recorder of recorders) recorder.completed?.(statement);
    };
    const [firstArgument, ...others] = [values, ...rest].map((each) =>
      typeof each === 'function' ? callBefore(onCompleted, each as (...results: unknown[]) => unknown) : each,
    );
    const result = query.call(this, config, firstArgument as unknown[], ...others);
    if (result instanceof Promise) result.then(onCompleted, onCompleted);
    return result;
  };
  keepRequestsOverPools();
}

const callBefore =
  (first: () => void, callback: (...results: unknown[]) => unknown) =>
  (...results: unknown[]) => {
    first();
    return callback(...results);
  };

type Connect = (this: pg.Pool, callback?: (...result: unknown[]) => void) => unknown;

/** Continues each wait for a connection in the context of its own request, not in the context that opened the connection. */
function keepRequestsOverPools(): void {
  const { prototype } = pg.Pool as unknown as { prototype: { connect: Connect } };
  const { connect } = prototype;
  prototype.connect = function (callback) {
    return connect.call(this, callback && AsyncResource.bind(callback));
  };
}

function recordStatement(config: unknown, values: unknown): Statement {
  const { text, values: own } =
    typeof config === 'string' ? { text: config, values } : (config as { text: string; values?: unknown });
  const parameters = own ?? values;
  const name = nameOf(text);
  const statement = {
    name,
    sql: text,
    values: Array.isArray(parameters) ? parameters : [],
    purpose: purposeOf(name, text),
  };
  for (const recorder of recorders) recorder.push?.(statement);
  return statement;
}

/** Whether it plans or sends mails or messages, or announces changes, some time after its request. */
const isDeferred = ({ name, purpose, sql }: Statement) =>
  purpose === 'background' &&
  (name === undefined ? /^(BEGIN|COMMIT|ROLLBACK)\b|pg_notify/.test(sql) : statementsOfSenders.includes(name));

/**
 * Runs `work` and returns the statements sent at the same time, for all callers.
 * @returns `statements`: all except deferred ones; `own`: statements of requests, without sessions and viewers
 */
export async function recordStatements<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; statements: Statement[]; own: Statement[] }> {
  const statements: Statement[] = [];
  recorders.add(statements);
  try {
    const result = await work();
    const others = statements.filter((statement) => !isDeferred(statement));
    return { result, statements: others, own: statements.filter(({ purpose }) => purpose === 'operation') };
  } finally {
    recorders.delete(statements);
  }
}

export const isRead = ({ sql }: Statement): boolean => /^(\/\*.*?\*\/)?\s*(SELECT|WITH)\b/i.test(sql);

const nextEvent = (name: string, event: keyof Recorder): Promise<void> =>
  withTimeout(
    `the statement ${name}`,
    new Promise((resolve) => {
      const recorder: Recorder = {
        [event](statement: Statement) {
          if (statement.name !== name) return;
          recorders.delete(recorder);
          resolve();
        },
      };
      recorders.add(recorder);
    }),
  );

/** Settles when the service next sends the statement. */
export const nextStatement = (name: string): Promise<void> => nextEvent(name, 'push');

/** Settles when the statement is next answered. */
export const nextCompletion = (name: string): Promise<void> => nextEvent(name, 'completed');
