/**
 * What a client or a supervisor leaves between two tries, and how a moment at random is taken. No test waits by it for
 * something to happen: for that there are signals.
 */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
