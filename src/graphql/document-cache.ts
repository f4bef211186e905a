import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { cacheSizes } from '../kernel/cache-sizes.ts';

/** The overhead of an entry. */
const bytesOfEntry = 1024;

/**
 * Bytes that a token of a text takes in its document, in all: itself, as `parse` keeps it, and its share of the nodes.
 * Texts of nothing but fields take the most: 480 are measured (Node 20).
 */
const bytesOfToken = 512;

/** Bytes that a field takes in what is noted to answer a document: 240 are measured, each time that a fragment with it is spread. */
const bytesOfField = 256;

/** Bytes that a string takes which {@link ownCopy} made. */
const bytesOfText = (text: string) => 2 * text.length;

/** A document that may be executed, whatever its variables are. */
export interface CheckedDocument {
  document: DocumentNode;
  /** Fields of its operations, fragments expanded. */
  fields: number;
}

/** Checked documents by their text, sized by the memory that they hold: a document takes up to 500 times its text. */
export const documentCache = (maxBytes = cacheSizes().documents) =>
  new LRUCache<string, CheckedDocument>({
    maxSize: maxBytes,
    // Values without their escapes take at most as much as the text.
    sizeCalculation: ({ document, fields }, text) =>
      bytesOfEntry + 2 * bytesOfText(text) + bytesOfDocument(document) + fields * bytesOfField,
  });

export type DocumentCache = ReturnType<typeof documentCache>;

/** Texts by their hash, sized likewise. */
export const textCache = (maxBytes = cacheSizes().texts) =>
  new LRUCache<string, string>({
    maxSize: maxBytes,
    sizeCalculation: (text) => bytesOfEntry + bytesOfText(text),
  });

export type TextCache = ReturnType<typeof textCache>;

/** A copy of the text: a part of a query string keeps the whole of that, which is not counted. */
export const ownCopy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** Bytes that a document takes besides its text: by its tokens, comments too, a chain that its nodes hold. */
export function bytesOfDocument({ loc }: DocumentNode): number {
  let tokens = 0;
  for (let token = loc?.startToken ?? null; token; token = token.next) tokens += 1;
  return tokens * bytesOfToken;
}
