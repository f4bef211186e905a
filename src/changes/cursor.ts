import { z } from 'zod';
import { TaskgateError } from '../kernel/errors.ts';

/** Revision of each space up to which a reader has been told all. */
export type Position = Map<string, number>;

/** Names a log row: its space and its revision there. */
export type RowKey = readonly [space: string, revision: number];

/** Where a reader stands within a transaction: it has been told the changes up to that row's. */
export interface Within {
  transaction: number;
  row: RowKey;
}

/** Where a reader stands in the change log. */
export interface Place {
  position: Position;
  /** Set while the last change told was not the last one of its transaction. */
  within?: Within | undefined;
}

const revision = z.number().int().nonnegative();
const shape = z.union([
  z.tuple([z.record(z.string(), revision)]),
  z.tuple([z.record(z.string(), revision), revision, z.string(), revision]),
]);

/** More than any viewer's spaces need; longer ones are not read. */
const longest = 64 * 1024;

export const cursorExpired = () =>
  new TaskgateError('CURSOR_EXPIRED', 'The cursor is unknown or older than the change log: fetch anew');

/** Writes a place as an opaque cursor, the same on every door. */
export function encodeCursor({ position, within }: Place): string {
  const spaces = Object.fromEntries(position);
  const content = within ? [spaces, within.transaction, ...within.row] : [spaces];
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/**
 * Reads a cursor.
 * @throws CURSOR_EXPIRED for what is none
 */
export function decodeCursor(cursor: string): Place {
  if (cursor.length > longest || !/^[\w-]+$/.test(cursor)) throw cursorExpired();
  const result = shape.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!result.success) throw cursorExpired();
  const [spaces, ...within] = result.data;
  const [transaction, space, row] = within;
  const isWithin = transaction !== undefined && space !== undefined && row !== undefined;
  return {
    position: new Map(Object.entries(spaces)),
    within: isWithin ? { transaction, row: [space, row] } : undefined,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Orders rows: by space, then by revision. Within one transaction the order in which changes are told. */
export const compareRows = ([spaceA, revisionA]: RowKey, [spaceB, revisionB]: RowKey): number =>
  spaceA === spaceB ? revisionA - revisionB : spaceA < spaceB ? -1 : 1;
