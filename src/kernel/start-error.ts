/** The start cannot continue; the message says why in one line. */
export class StartError extends Error {}

/** For the `catch` of a step of the start: a StartError, in a line that begins with what has failed. */
export const because =
  (what: string) =>
  (error: NodeJS.ErrnoException): never => {
    if (error instanceof StartError) throw error;
    throw new StartError(`${what} (${error.code ?? error.message.split('\n')[0]})`);
  };
