import { Source } from 'graphql';
import { type PersistedOptions, persistedOperations } from './persisted.ts';
import type { CheckPlugin } from './envelop.ts';

/** Finds the text of an operation that is sent by its hash. */
export function usePersistedOperations(options: PersistedOptions): CheckPlugin {
  const textOf = persistedOperations(options);
  return {
    onParse({ context: { query, extensions, sender }, parseFn, setParseFn }) {
      setParseFn(() => parseFn(new Source(textOf(query, extensions, sender.userId !== undefined))));
    },
  };
}
