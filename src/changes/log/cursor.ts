import { z } from 'zod';
import { cursorExpired } from '../../kernel/errors.ts';
import { bySpace, decodeOpaque, encodeOpaque, opaqueText } from '../../kernel/opaque.ts';
import { encodePoint, type Point, pointShape } from '../../kernel/point.ts';

/** Point of each space up to which a reader has been delivered all. */
export type Points = Map<string, Point>;

/** A point with its space: names a row of the log. */
export interface Place extends Point {
  readonly space: string;
}

/** Where a reader stands within a transaction: it has been delivered the changes up to that row's. */
export interface Within {
  transaction: number;
  row: Place;
}

/** Where a reader stands in the change log. */
export interface LogPosition {
  points: ReadonlyMap<string, Point>;
  /** Set while the last change delivered was not the last one of its transaction. */
  within?: Within | undefined;
}

const spaces = bySpace(pointShape);
const shape = z.union([z.tuple([spaces]), z.tuple([spaces, z.number().int().nonnegative(), opaqueText, pointShape])]);

/** Writes a position as an opaque cursor, the same on every transport. None is too long to be read again. */
export function encodeCursor({ points, within }: LogPosition): string {
  const spaces = Object.fromEntries([...points].map(([id, point]) => [id, encodePoint(point)]));
  return encodeOpaque(within ? [spaces, within.transaction, within.row.space, encodePoint(within.row)] : [spaces]);
}

/**
 * Reads a cursor.
 * @throws CURSOR_EXPIRED for what is none
 */
export function decodeCursor(cursor: string): LogPosition {
  const result = shape.safeParse(decodeOpaque(cursor));
  if (!result.success) throw cursorExpired();
  const [spaces, ...within] = result.data;
  const [transaction, space, point] = within;
  const isWithin = transaction !== undefined && space !== undefined && point !== undefined;
  return {
    points: new Map(Object.entries(spaces)),
    within: isWithin ? { transaction, row: { space, ...point } } : undefined,
  };
}

/** Orders rows: by space, then by revision. Within one transaction the order in which changes are delivered. */
export const compareRows = (a: Place, b: Place): number =>
  a.space === b.space ? a.revision - b.revision : a.space < b.space ? -1 : 1;
