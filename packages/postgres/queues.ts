export const readPolicy = { name: 'reads', slots: 10, slotsPerKey: 4, waitingPerKey: 10_000 } as const;

/** The rest of the pool is left to reads. */
export const writePolicy = {
  name: 'writes',
  slots: 12,
  slotsPerKey: 4,
  /** The second write to a space starts while the first one commits. */
  slotsPerResource: 2,
  idle: 'behind itself',
} as const;
