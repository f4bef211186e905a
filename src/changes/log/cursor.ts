import { z } from 'zod';
import { cursorExpired } from '../../kernel/errors.ts';
import { decodeOpaque, encodeOpaque } from '../../kernel/opaque.ts';

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

/** Writes a position as an opaque cursor, the same on every transport. None is too long to be read again. */
export function encodeCursor({ revisions, within }: LogPosition): string {
  const spaces = Object.fromEntries(revisions);
  return encodeOpaque(within ? [spaces, within.transaction, ...within.row] : [spaces]);
}

/**
 * Reads a cursor.
 * @throws CURSOR_EXPIRED for what is none
 */
export function decodeCursor(cursor: string): LogPosition {
  const result = shape.safeParse(decodeOpaque(cursor));
  if (!result.success) throw cursorExpired();
  const [spaces, ...within] = result.data;
  const [transaction, space, row] = within;
  const isWithin = transaction !== undefined && space !== undefined && row !== undefined;
  return {
    revisions: new Map(Object.entries(spaces)),
    within: isWithin ? { transaction, row: [space, row] } : undefined,
  };
}

/** Orders rows: by space, then by revision. Within one transaction the order in which changes are delivered. */
export const compareRows = ([spaceA, revisionA]: RowKey, [spaceB, revisionB]: RowKey): number =>
  spaceA === spaceB ? revisionA - revisionB : spaceA < spaceB ? -1 : 1;
