import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

const defaultBytes = 4 * 1024 * 1024;

const bytesOfEntry = 1024;

/** Memory of a token with its share of the nodes: at most 480 bytes were measured (Node 20). */
const bytesOfToken = 512;

/** Memory of a field in execution plans, for each expansion: 240 bytes were measured. */
const bytesOfField = 256;

const bytesOfText = (text: string) => 2 * text.length;

interface CheckedDocument {
  document: DocumentNode;
  /** Number of fields with fragments expanded. */
  fields: number;
}

/** The cache is limited by memory, because a document takes up to 500 times its text. */
export const documentCache = (maxBytes = defaultBytes) =>
  new LRUCache<string, CheckedDocument>({
    maxSize: maxBytes,
    // Unescaped values are at most as long as the text.
    sizeCalculation: ({ document, fields }, text) =>
      bytesOfEntry + 2 * bytesOfText(text) + bytesOfDocument(document) + fields * bytesOfField,
  });

export type DocumentCache = ReturnType<typeof documentCache>;

export const textCache = (maxBytes = defaultBytes) =>
  new LRUCache<string, string>({
    maxSize: maxBytes,
    sizeCalculation: (text) => bytesOfEntry + bytesOfText(text),
  });

export type TextCache = ReturnType<typeof textCache>;

/** A substring would keep a whole query string in memory. */
export const ownCopy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** Excludes the text, includes comments. */
export function bytesOfDocument({ loc }: DocumentNode): number {
  let tokens = 0;
  for (let token = loc?.startToken ?? null; token; token = token.next) tokens += 1;
  return tokens * bytesOfToken;
}
