import { createHash } from 'node:crypto';
import { GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { z } from 'zod';
import { invalid, StartError } from '@taskgate/base';
import { ownCopy, textCache, type TextCache } from './document-cache.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The extension `persistedQuery`, as in Apollo's automatic persisted queries. */
const request = z.object({ version: z.literal(1), sha256Hash: z.string().regex(/^[0-9a-f]{64}$/i) });

const file = z.record(z.string().regex(/^[0-9a-f]{64}$/), z.string());

export interface PersistedOptions {
  listed: ReadonlyMap<string, string>;
  only: boolean;
  registered?: TextCache;
}

/**
 * Finds operations by the SHA-256 of their text: operations of the file and, unless `only` is set, registered ones.
 * @returns the text, registered if it may be kept
 */
export function persistedOperations({ listed, only, registered = textCache() }: PersistedOptions) {
  return (text: string | undefined, extensions: Readonly<Record<string, unknown>>, keep: boolean): string => {
    if (extensions['persistedQuery'] === undefined) {
      if (text === undefined) throw invalid('query', 'is required');
      if (only && !listed.has(sha256(text))) throw unlisted();
      return text;
    }
    const path = 'extensions.persistedQuery';
    const { data: persistedQuery } = request.safeParse(extensions['persistedQuery']);
    if (!persistedQuery) throw invalid(path, 'must have version 1 and a sha256Hash of 64 hexadecimal digits');
    const hash = persistedQuery.sha256Hash.toLowerCase();
    if (text === undefined) {
      const stored = listed.get(hash) ?? registered.get(hash);
      if (stored !== undefined) return stored;
      throw only ? unlisted() : notFound();
    }
    if (sha256(text) !== hash) throw invalid(`${path}.sha256Hash`, 'must be the SHA-256 of query');
    if (only && !listed.has(hash)) throw unlisted();
    if (!only && keep) registered.set(hash, ownCopy(text));
    return text;
  };
}

const unlisted = () => invalid('query', 'must be one of the listed operations, because this service runs no others');

/** Clients recognize the message. */
const notFound = () => {
  const problem = { path: 'extensions.persistedQuery.sha256Hash', message: 'is not known: send the query with it' };
  return new GraphQLError('PersistedQueryNotFound', {
    extensions: { code: 'VALIDATION_FAILED', errors: [problem] },
  });
};

/**
 * A JSON object of texts by SHA-256 hash.
 * @throws {StartError} if a hash does not match, or a text does not fit the schema
 */
export function listedOperations(content: string | undefined, schema: GraphQLSchema): Map<string, string> {
  if (content === undefined) return new Map();
  const bad = (what: string) => new StartError(`GRAPHQL_PERSISTED_OPERATIONS must name a file ${what}`);
  const { data } = file.safeParse(jsonOf(content));
  if (!data) throw bad('with a JSON object of operations by their SHA-256 hashes, in lower case');
  for (const [hash, text] of Object.entries(data)) {
    if (sha256(text) !== hash) throw bad(`whose hashes match their operations, but ${hash} does not`);
    const problem = problemOf(schema, text);
    if (problem)
      throw bad(`with operations that fit the schema, but ${hash} does not: ${problem.replaceAll(/\s+/g, ' ')}`);
  }
  return new Map(Object.entries(data));
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

function problemOf(schema: GraphQLSchema, text: string): string | undefined {
  try {
    return validate(schema, parse(text))[0]?.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
