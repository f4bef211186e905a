import { z } from 'zod';
import { encodePoint, type Point, pointShape } from '@taskgate/postgres';
import { syncedKinds } from '../platform/entities.ts';
import { cursorExpired } from '../platform/errors.ts';
import { bySpace, decodeOpaque, encodeOpaque, opaqueText as text } from '../platform/opaque.ts';

interface LoadPosition {
  /** Index of the next kind in {@link syncedKinds}. */
  step: number;
  /** Sort keys of the last loaded entity. */
  after: readonly string[];
}

/** Complete up to the point, which is the start during a load. */
export interface SpacePosition extends Point {
  /** Received revision of data that the space shows but does not contain. */
  related: number;
  /** Milliseconds since 1970. */
  joinedAt: number;
  load?: LoadPosition | undefined;
}

export interface SyncPosition {
  spaces: ReadonlyMap<string, SpacePosition>;
  /** Whether the replica shows one moment. */
  isConsistent: boolean;
}

const number = z.number().int().nonnegative();
const lastStep = syncedKinds.length - 1;
const load = [number.max(lastStep).optional(), text.optional(), text.optional()] as const;
const space = z.tuple([pointShape, number, number, ...load]);
const shape = z.tuple([text, z.union([z.literal(0), z.literal(1)]), bySpace(space)]);

export function encodeCursor(userId: string, position: SyncPosition): string {
  const positions = [...position.spaces].map(([id, space]) => {
    const { related, joinedAt, load } = space;
    return [id, [encodePoint(space), related, joinedAt, ...(load ? [load.step, ...load.after] : [])]];
  });
  return encodeOpaque([userId, position.isConsistent ? 1 : 0, Object.fromEntries(positions)]);
}

/** @throws CURSOR_EXPIRED if malformed, or from another account */
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
