import { z } from 'zod';
import { encodePoint, type Point, pointShape } from '@taskgate/postgres';
import { cursorExpired } from '../../platform/errors.ts';
import { bySpace, decodeOpaque, encodeOpaque, opaqueText } from '../../platform/opaque.ts';

export type Points = Map<string, Point>;

export interface SpacePoint extends Point {
  readonly space: string;
}

export interface LogPosition {
  points: ReadonlyMap<string, Point>;
  /** Point of the last delivered change, if its transaction has more. */
  within?: SpacePoint | undefined;
}

const spaces = bySpace(pointShape);
const shape = z.union([z.tuple([spaces]), z.tuple([spaces, opaqueText, pointShape])]);

export function encodeCursor({ points, within }: LogPosition): string {
  const spaces = Object.fromEntries([...points].map(([id, point]) => [id, encodePoint(point)]));
  return encodeOpaque(within ? [spaces, within.space, encodePoint(within)] : [spaces]);
}

/** @throws CURSOR_EXPIRED if malformed */
export function decodeCursor(cursor: string): LogPosition {
  const result = shape.safeParse(decodeOpaque(cursor));
  if (!result.success) throw cursorExpired();
  const [spaces, space, point] = result.data;
  const isWithin = space !== undefined && point !== undefined;
  return { points: new Map(Object.entries(spaces)), within: isWithin ? { space, ...point } : undefined };
}

/** Delivery order in a transaction. */
export const comparePoints = (a: SpacePoint, b: SpacePoint): number =>
  a.space === b.space ? a.revision - b.revision : a.space < b.space ? -1 : 1;
