import { createHash } from 'node:crypto';
import { GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { z } from 'zod';
import { StartError } from '../kernel/start-error.ts';
import { invalid } from '../kernel/errors.ts';
import { ownCopy, textCache, type TextCache } from './document-cache.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** `extensions.persistedQuery` of a request, as Apollo's automatic persisted queries write it. */
const request = z.object({ version: z.literal(1), sha256Hash: z.string().regex(/^[0-9a-f]{64}$/i) });

const file = z.record(z.string().regex(/^[0-9a-f]{64}$/), z.string());

export interface PersistedOptions {
  listed: ReadonlyMap<string, string>;
  only: boolean;
  /** Where the operations are cached that clients register; absent: in a cache of the default size. */
  registered?: TextCache;
}

/**
 * Persisted operations: a request may name an operation by the SHA-256 of its text instead of sending it.
 * Known are those of the file, and, unless they alone are allowed, each that a client with a session has sent
 * together with its hash since this process started (automatic persisted queries; a client whose hash is unknown gets
 * `PersistedQueryNotFound` and sends the text along the next time).
 * @returns what gives the text that a request names, and registers it where it may be kept
 */
export function persistedOperations({ listed, only, registered = textCache() }: PersistedOptions) {
  return (text: string | undefined, extensions: Readonly<Record<string, unknown>>, keep: boolean): string => {
    if (extensions['persistedQuery'] === undefined) {
      if (text === undefined) throw invalid('query', 'is required');
      if (only && !listed.has(sha256(text))) throw unlisted();
      return text;
    }
    const path = 'extensions.persistedQuery';
    const { data: asked } = request.safeParse(extensions['persistedQuery']);
    if (!asked) throw invalid(path, 'must have version 1 and a sha256Hash of 64 hexadecimal digits');
    const hash = asked.sha256Hash.toLowerCase();
    if (text === undefined) {
      const known = listed.get(hash) ?? registered.get(hash);
      if (known !== undefined) return known;
      throw only ? unlisted() : notFound();
    }
    if (sha256(text) !== hash) throw invalid(`${path}.sha256Hash`, 'must be the SHA-256 of query');
    if (only && !listed.has(hash)) throw unlisted();
    if (!only && keep) registered.set(hash, ownCopy(text));
    return text;
  };
}

const unlisted = () => invalid('query', 'must be one of the listed operations: this service runs no others');

/** Clients know this error by its message. */
const notFound = () => {
  const problem = { path: 'extensions.persistedQuery.sha256Hash', message: 'is not known: send the query with it' };
  return new GraphQLError('PersistedQueryNotFound', {
    extensions: { code: 'VALIDATION_FAILED', errors: [problem] },
  });
};

/**
 * Reads listed operations: a JSON object, text by SHA-256 hash.
 * @param content of the file; undefined: there is none
 * @throws {StartError} if it is something else, a hash is not its text's, or a text does not fit the schema
 */
export function listedOperations(content: string | undefined, schema: GraphQLSchema): Map<string, string> {
  if (content === undefined) return new Map();
  const bad = (what: string) => new StartError(`GRAPHQL_PERSISTED_OPERATIONS must name a file ${what}`);
  const { data } = file.safeParse(jsonOf(content));
  if (!data) throw bad('with a JSON object of operations by their SHA-256 hashes, in lower case');
  for (const [hash, text] of Object.entries(data)) {
    if (sha256(text) !== hash) throw bad(`with the hash of each operation, and ${hash} is not that of its own`);
    const problem = problemOf(schema, text);
    if (problem)
      throw bad(`with operations that fit the schema, and ${hash} does not: ${problem.replaceAll(/\s+/g, ' ')}`);
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
