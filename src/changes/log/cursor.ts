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

/** A reader's position in the change log. */
export interface LogPosition {
  points: ReadonlyMap<string, Point>;
  /** Row of the last change delivered, while that was not the last one of its transaction. */
  within?: Place | undefined;
}

const spaces = bySpace(pointShape);
const shape = z.union([z.tuple([spaces]), z.tuple([spaces, opaqueText, pointShape])]);

/** Writes a position as an opaque cursor, the same on every transport. None is too long to be read again. */
export function encodeCursor({ points, within }: LogPosition): string {
  const spaces = Object.fromEntries([...points].map(([id, point]) => [id, encodePoint(point)]));
  return encodeOpaque(within ? [spaces, within.space, encodePoint(within)] : [spaces]);
}

/**
 * Reads a cursor.
 * @throws CURSOR_EXPIRED for what is none
 */
export function decodeCursor(cursor: string): LogPosition {
  const result = shape.safeParse(decodeOpaque(cursor));
  if (!result.success) throw cursorExpired();
  const [spaces, space, point] = result.data;
  const isWithin = space !== undefined && point !== undefined;
  return { points: new Map(Object.entries(spaces)), within: isWithin ? { space, ...point } : undefined };
}

/** Orders rows: by space, then by revision. Within one transaction the order in which changes are delivered. */
export const compareRows = (a: Place, b: Place): number =>
  a.space === b.space ? a.revision - b.revision : a.space < b.space ? -1 : 1;
