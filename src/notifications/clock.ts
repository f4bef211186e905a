export interface Clock {
  /** For tests. Undefined means the database clock, which all processes share. */
  readonly heldAt: Date | undefined;
}

export const databaseClock: Clock = { heldAt: undefined };
