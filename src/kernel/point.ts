import { z } from 'zod';

/**
 * A revision of a space, and what tells it from the same number in another history of the database: after a restore from a
 * backup, or a failover that lost commits, revisions are counted again.
 */
export interface Point {
  readonly revision: number;
  /** Of the space's last change up to there: see `new_history_nonce` in prisma/functions/change_log.sql. */
  readonly historyNonce: number;
}

export const isSamePoint = (a: Point | undefined, b: Point | undefined): boolean =>
  a?.revision === b?.revision && a?.historyNonce === b?.historyNonce;

/** Reads a point that is written as two numbers with a dot between them. */
export function parsePoint(text: string, base: 10 | 36): Point {
  const [revision = '', historyNonce = ''] = text.split('.');
  return { revision: parseInt(revision, base), historyNonce: parseInt(historyNonce, base) };
}

const written = new WeakMap<Point, string>();

/**
 * Writes a point for a cursor, which has one per space: in base 36, as that is short. It is cached with the point, as most spaces do not
 * change from one change to the next.
 */
export function encodePoint(point: Point): string {
  const known = written.get(point);
  if (known !== undefined) return known;
  const text = `${point.revision.toString(36)}.${point.historyNonce.toString(36)}`;
  written.set(point, text);
  return text;
}

/** The largest `integer` of PostgreSQL. */
const maxNonce = 2 ** 31 - 1;

/** Reads what {@link encodePoint} wrote. */
export const pointShape = z
  .string()
  .regex(/^[\da-z]{1,11}\.[\da-z]{1,6}$/)
  .transform((text) => parsePoint(text, 36))
  .refine(({ revision, historyNonce }) => revision <= Number.MAX_SAFE_INTEGER && historyNonce <= maxNonce);
