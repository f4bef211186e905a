import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { TaskgateError } from '../../kernel/errors.ts';

/** Revision of each space up to which a reader has been delivered all. */
export type Revisions = Map<string, number>;

/** Names a log row: its space and its revision there. */
export type RowKey = readonly [space: string, revision: number];

/** Where a reader stands within a transaction: it has been delivered the changes up to that row's. */
export interface Within {
  transaction: number;
  row: RowKey;
}

/** Where a reader stands in the change log. */
export interface LogPosition {
  revisions: Revisions;
  /** Set while the last change delivered was not the last one of its transaction. */
  within?: Within | undefined;
}

const revision = z.number().int().nonnegative();
const shape = z.union([
  z.tuple([z.record(z.string(), revision)]),
  z.tuple([z.record(z.string(), revision), revision, z.string(), revision]),
]);

/**
 * Characters of a cursor's JSON from which on it is compressed, to less than half. Up to that, base64 makes 8,000 of them,
 * the header line that common proxies take: all that the bounds of memberships allow (workspaces/policy.ts) stays below.
 */
const compressedFrom = 6000;

/** Bytes of a cursor's JSON at the most: what a request can hold unfolds to no more than that. */
const maxJsonBytes = 4 * 1024 * 1024;

/** First byte of JSON that is not compressed: a list begins with it, and nothing that is compressed does. */
const plain = '['.charCodeAt(0);
const compressed = 0;

export const cursorExpired = () =>
  new TaskgateError('CURSOR_EXPIRED', 'The cursor is unknown or older than the change log: fetch anew');

/** Writes a position as an opaque cursor, the same on every transport. None is too long to be read again. */
export function encodeCursor({ revisions, within }: LogPosition): string {
  const spaces = Object.fromEntries(revisions);
  const json = JSON.stringify(within ? [spaces, within.transaction, ...within.row] : [spaces]);
  const isLong = json.length >= compressedFrom;
  const bytes = isLong ? Buffer.concat([Buffer.of(compressed), deflateRawSync(json, { level: 1 })]) : Buffer.from(json);
  return bytes.toString('base64url');
}

/**
 * Reads a cursor.
 * @throws CURSOR_EXPIRED for what is none
 */
export function decodeCursor(cursor: string): LogPosition {
  if (!/^[\w-]+$/.test(cursor)) throw cursorExpired();
  const result = shape.safeParse(readJson(Buffer.from(cursor, 'base64url')));
  if (!result.success) throw cursorExpired();
  const [spaces, ...within] = result.data;
  const [transaction, space, row] = within;
  const isWithin = transaction !== undefined && space !== undefined && row !== undefined;
  return {
    revisions: new Map(Object.entries(spaces)),
    within: isWithin ? { transaction, row: [space, row] } : undefined,
  };
}

function readJson(bytes: Buffer): unknown {
  try {
    const json = bytes[0] === plain ? bytes : inflateRawSync(bytes.subarray(1), { maxOutputLength: maxJsonBytes });
    return JSON.parse(json.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Orders rows: by space, then by revision. Within one transaction the order in which changes are delivered. */
export const compareRows = ([spaceA, revisionA]: RowKey, [spaceB, revisionB]: RowKey): number =>
  spaceA === spaceB ? revisionA - revisionB : spaceA < spaceB ? -1 : 1;
