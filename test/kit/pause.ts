/** The pause between two attempts, or until a random moment. Tests wait for signals instead. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
