/** What may have changed; a hint, never the truth: a missing or needless one costs time alone. */
export interface Moved {
  /** Spaces whose log or revision may have moved. */
  spaces?: readonly string[];
  /** Users whose sessions or memberships may have changed. */
  users?: readonly string[];
}

let sink: ((moved: Moved) => void) | undefined;

/** Sets who is told of what moves; undefined: nobody. */
export function tellOfMoves(listener: ((moved: Moved) => void) | undefined): void {
  sink = listener;
}

/** Says what may have moved. To be called after the commit, never within a transaction. */
export function wake(moved: Moved): void {
  sink?.(moved);
}
