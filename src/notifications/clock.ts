export interface Clock {
  /** Fixed time of a test. Undefined means the database clock, which all processes share. */
  readonly now: Date | undefined;
}

export const databaseClock: Clock = { now: undefined };
