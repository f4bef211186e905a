import type pg from 'pg';
import { Histogram } from 'prom-client';
import { openSpan, registry } from '@taskgate/base';

const durations = new Histogram({
  name: 'taskgate_database_statement_duration_seconds',
  help: 'Time from when a statement is sent until it is answered, by its kind.',
  labelNames: ['kind'] as const,
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [registry],
});

const kinds: Record<string, string> = {
  ...{ select: 'read', with: 'read', fetch: 'read', insert: 'write', update: 'write', delete: 'write' },
  ...{ begin: 'begin', commit: 'commit', rollback: 'rollback' },
};

const firstWord = /^\s*(?:\/\*[^*]*\*\/\s*)?(\w+)/;

/** Decides by the first word, although a selected function may write. */
const kindOf = (text: string) => kinds[firstWord.exec(text)?.[1]?.toLowerCase() ?? ''] ?? 'other';

const nameIn = (text: string) => /^\s*\/\* (\S+) \*\//.exec(text)?.[1];

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** The traced text has no values. */
export function measureStatements(client: pg.Client): void {
  const query = client.query.bind(client) as Query;
  const measured: Query = (...args) => {
    const [statement] = args;
    const text = typeof statement === 'string' ? statement : (statement as pg.QueryConfig).text;
    const kind = kindOf(text);
    const begun = performance.now();
    const span = openSpan(nameIn(text) ?? kind, 'CLIENT', { 'db.system.name': 'postgresql', 'db.query.text': text });
    const end = (error?: unknown) => {
      durations.observe({ kind }, (performance.now() - begun) / 1000);
      span?.end({}, error);
    };
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      args[args.length - 1] = (...results: unknown[]) => {
        end(results[0] ?? undefined);
        Reflect.apply(callback, undefined, results);
      };
    }
    const result = query.apply(client, args);
    if (result instanceof Promise) result.then(() => end(), end);
    return result;
  };
  Object.assign(client, { query: measured });
}
