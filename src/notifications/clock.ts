/** What tells the moment for all that is planned and sent. */
export interface Clock {
  /** The moment that it is held at; undefined: it goes with the database's clock, which all processes have in common. */
  readonly heldAt: Date | undefined;
}

export const databaseClock: Clock = { heldAt: undefined };
