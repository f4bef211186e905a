import { z } from 'zod';

/**
 * A revision of a space in one history of the database. A restore, or a failover that lost commits, repeats numbers.
 */
export interface Point {
  readonly revision: number;
  /** See `new_history_nonce` in prisma/functions/change_log.sql. */
  readonly historyNonce: number;
}

export const isSamePoint = (a: Point | undefined, b: Point | undefined): boolean =>
  a?.revision === b?.revision && a?.historyNonce === b?.historyNonce;

export function parsePoint(text: string, base: 10 | 36): Point {
  const [revision = '', historyNonce = ''] = text.split('.');
  return { revision: parseInt(revision, base), historyNonce: parseInt(historyNonce, base) };
}

const encoded = new WeakMap<Point, string>();

/** Base 36 keeps cursors short. Cached: most spaces do not change. */
export function encodePoint(point: Point): string {
  const cached = encoded.get(point);
  if (cached !== undefined) return cached;
  const text = `${point.revision.toString(36)}.${point.historyNonce.toString(36)}`;
  encoded.set(point, text);
  return text;
}

const maxNonce = 2 ** 31 - 1;

export const pointShape = z
  .string()
  .regex(/^[\da-z]{1,11}\.[\da-z]{1,6}$/)
  .transform((text) => parsePoint(text, 36))
  .refine(({ revision, historyNonce }) => revision <= Number.MAX_SAFE_INTEGER && historyNonce <= maxNonce);
