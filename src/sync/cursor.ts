import { z } from 'zod';
import { syncedKinds } from '../kernel/entities.ts';
import { cursorExpired } from '../kernel/errors.ts';
import { bySpace, decodeOpaque, encodeOpaque, opaqueText as text } from '../kernel/opaque.ts';
import { encodePoint, type Point, pointShape } from '../kernel/point.ts';

/** How far a space has been loaded. */
export interface LoadPosition {
  /** Index of the kind in {@link syncedKinds} that is loaded next. */
  step: number;
  /** Keys of the last entity of that kind that was loaded; none before the first. */
  after: readonly string[];
}

/**
 * A replica's position in a space: the point up to which it has received everything; during the load of the space, the point at which that
 * began.
 */
export interface SpacePosition extends Point {
  /** Up to which revision it has been brought what is shown in the space without being written to it. */
  related: number;
  /** When its user became a member, in milliseconds since 1970. */
  joinedAt: number;
  load?: LoadPosition | undefined;
}

export interface SyncPosition {
  /** In each space that its user was a member of, by the space's id. */
  spaces: ReadonlyMap<string, SpacePosition>;
  /** Whether it shows one moment: not, while more lies ready. */
  isConsistent: boolean;
}

const number = z.number().int().nonnegative();
const lastStep = syncedKinds.length - 1;
const load = [number.max(lastStep).optional(), text.optional(), text.optional()] as const;
const space = z.tuple([pointShape, number, number, ...load]);
const shape = z.tuple([text, z.union([z.literal(0), z.literal(1)]), bySpace(space)]);

/** Writes a replica's position as an opaque cursor, the same over every transport of `sync`. */
export function encodeCursor(userId: string, position: SyncPosition): string {
  const positions = [...position.spaces].map(([id, space]) => {
    const { related, joinedAt, load } = space;
    return [id, [encodePoint(space), related, joinedAt, ...(load ? [load.step, ...load.after] : [])]];
  });
  return encodeOpaque([userId, position.isConsistent ? 1 : 0, Object.fromEntries(positions)]);
}

/** @throws CURSOR_EXPIRED for what is no cursor, or one of another account */
export function decodeCursor(userId: string, cursor: string): SyncPosition {
  const { success, data } = shape.safeParse(decodeOpaque(cursor));
  if (!success || data[0] !== userId) throw cursorExpired();
  const [, isConsistent, positions] = data;
  const all = Object.entries(positions).map(([id, [point, related, joinedAt, step, ...after]]) => {
    const load = step === undefined ? undefined : { step, after: after.filter((key) => key !== undefined) };
    return [id, { ...point, related, joinedAt, load }] as const;
  });
  return { spaces: new Map(all), isConsistent: isConsistent === 1 };
}
